//! What keeps a file from being read where nobody can be asked: before a session begins, for a model's first request.

use forelook_protocol::{AbsPath, Behavior};

use crate::guards::FileVisibility;
use crate::policy::PermissionPolicy;
use crate::rule::{Access, Matcher};
use crate::rules::RuleQuery;

/// Why a file is not read without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReadBarrier {
    /// It is known to hold a secret.
    #[error("it may contain a secret")]
    Secret,
    /// A rule that names files denies it, or asks about it.
    #[error("a `Read` rule denies it or asks about it")]
    Rule,
    /// A rule denies the tool Read altogether, or asks about all its calls.
    #[error("a rule denies or asks about every `Read`")]
    AllReads,
}

impl PermissionPolicy {
    /// What keeps this file from being read unasked.
    pub fn read_barrier(&self, path: &AbsPath) -> Option<ReadBarrier> {
        if self.is_secret(path) {
            return Some(ReadBarrier::Secret);
        }
        match self.visibility(path) {
            FileVisibility::Denied => return Some(ReadBarrier::Rule),
            FileVisibility::Hidden | FileVisibility::Credentials => return Some(ReadBarrier::AllReads),
            FileVisibility::Visible => {}
        }
        let query = RuleQuery { behavior: Behavior::Ask, rule_filter: self.rule_filter() };
        match self.rules.file(query, Access::Read, path, "").map(|entry| &entry.rule.matcher)? {
            Matcher::Files { pattern: Some(_), .. } => Some(ReadBarrier::Rule),
            _ => Some(ReadBarrier::AllReads),
        }
    }
}
