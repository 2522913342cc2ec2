//! What to look for before a fence is created: where secrets are, and what rules forbid to read.

use forelook_protocol::{AbsPath, Behavior};

use crate::path_pattern::{PathPattern, PatternBases};
use crate::paths::{is_credentials, may_be_guarded, secret_paths};
use crate::policy::PermissionPolicy;
use crate::rule::{Access, Matcher};
use crate::rules::{RuleEntry, RuleQuery};

/// From which commands a fence hides the contents of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileVisibility {
    /// From none.
    Visible,
    /// From all except commands that the user declared to be reads: a service's own client signs in with it. Each part of
    /// such a command is declared or known to be read-only, so nothing in it must be kept from the file.
    Credentials,
    /// From all: a secret, or a rule forbids reading it.
    Hidden,
}

impl PermissionPolicy {
    /// From which commands a fence hides the contents of this file.
    pub fn visibility(&self, path: &AbsPath) -> FileVisibility {
        match () {
            () if self.denies_reading(path) || self.own.keys.contains(path) => FileVisibility::Hidden,
            () if is_credentials(path, self.user_home.as_ref()) => FileVisibility::Credentials,
            () if self.is_secret(path) => FileVisibility::Hidden,
            () => FileVisibility::Visible,
        }
    }

    fn denies_reading(&self, path: &AbsPath) -> bool {
        let query = RuleQuery { behavior: Behavior::Deny, rule_filter: self.rule_filter() };
        self.rules.file(query, Access::Read, path, "Read").is_some()
    }

    /// Whether a file of this name may be a secret, be protected, or be forbidden by a rule, for all that its name says.
    /// Rules go by whole paths: where there is one, every name may be meant.
    pub fn may_guard(&self, name: &str) -> bool {
        may_be_guarded(name)
            || self.own.keys.iter().any(|key| key.as_path().ends_with(name))
            || self.rules.has_files(Behavior::Deny, Access::Read)
    }

    /// Where secrets and forbidden files may be, outside the working directories.
    pub fn guarded_paths(&self) -> Vec<AbsPath> {
        let denied = self.denials().filter_map(|(pattern, bases)| pattern?.base_path(bases));
        // Looking through the whole machine would find nothing in time.
        let denied = denied.filter(|place| place.parent().is_some());
        let keys = self.own.keys.iter().cloned();
        self.user_home.iter().flat_map(secret_paths).chain(keys).chain(denied).collect()
    }

    fn denials(&self) -> impl Iterator<Item = (Option<&PathPattern>, &PatternBases)> {
        let denials = self.rules.entries().iter().filter(|entry| entry.origin.behavior == Behavior::Deny);
        denials.filter_map(|RuleEntry { rule, bases, .. }| match &rule.matcher {
            Matcher::Files { access: Access::Read, pattern, .. } => Some((pattern.as_ref(), bases)),
            _ => None,
        })
    }
}
