//! What a fence must look for before it is raised: where secrets are, and what rules forbid to read.

use forelook_protocol::{AbsPath, Behavior};

use crate::path_pattern::{Bases, PathPattern};
use crate::paths::{is_credentials, may_be_guarded, secret_places};
use crate::policy::Policy;
use crate::rule::{Access, Matcher};
use crate::rules::{Asked, RuleEntry};

/// From whom a fence hides what is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    /// From nobody.
    No,
    /// From all but commands that the person declared reads: a service's own client signs in with it. Each part of such a
    /// line is declared or known to read, so there is nobody in there whom it must be kept from.
    Credentials,
    /// From all: a secret, or a rule forbids reading it.
    Yes,
}

impl Policy {
    /// From whom a fence hides what is in this file.
    pub fn hides(&self, path: &AbsPath) -> Hidden {
        match () {
            () if self.denies_reading(path) || self.own.keys.contains(path) => Hidden::Yes,
            () if is_credentials(path, self.user_home.as_ref()) => Hidden::Credentials,
            () if self.is_secret(path) => Hidden::Yes,
            () => Hidden::No,
        }
    }

    fn denies_reading(&self, path: &AbsPath) -> bool {
        let asked = Asked { behavior: Behavior::Deny, counting: self.counting() };
        self.rules.file(asked, Access::Read, path, "Read").is_some()
    }

    /// Whether a file of this name may be a secret, be protected, or be forbidden by a rule, for all that its name says.
    /// Rules go by whole paths: where there is one, every name may be meant.
    pub fn may_guard(&self, name: &str) -> bool {
        may_be_guarded(name)
            || self.own.keys.iter().any(|key| key.as_path().ends_with(name))
            || self.rules.has_files(Behavior::Deny, Access::Read)
    }

    /// Where secrets and forbidden files may be, beside the working folders.
    pub fn guarded_places(&self) -> Vec<AbsPath> {
        let denied = self.denials().filter_map(|(pattern, bases)| pattern?.begins_in(bases));
        // Looking through the whole machine would find nothing in time.
        let denied = denied.filter(|place| place.parent().is_some());
        let keys = self.own.keys.iter().cloned();
        self.user_home.iter().flat_map(secret_places).chain(keys).chain(denied).collect()
    }

    fn denials(&self) -> impl Iterator<Item = (Option<&PathPattern>, &Bases)> {
        let denials = self.rules.entries().iter().filter(|entry| entry.origin.behavior == Behavior::Deny);
        denials.filter_map(|RuleEntry { rule, bases, .. }| match &rule.matcher {
            Matcher::Files { access: Access::Read, pattern, .. } => Some((pattern.as_ref(), bases)),
            _ => None,
        })
    }
}
