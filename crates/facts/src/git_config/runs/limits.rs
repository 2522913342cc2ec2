//! How much of a repository is looked at.
//!
//! By counts and bytes, so that two machines find the same in the same folder: trust in a project must not depend on how fast
//! they are. A clock is added only where a call waits for the answer and a stricter answer costs no more than a question.

use std::time::Instant;

use super::GitReach;

/// Not more repositories than these, nor more submodules.
pub(super) const MAX_REPOSITORIES: usize = 32;
/// Not more files that run.
const MAX_FILES: usize = 128;
/// Not more settings that are not ordinary.
const MAX_SETTINGS: usize = 1_000;
/// Not more paths are tried that a text may mean.
const MAX_LOOKS: usize = 20_000;
/// Indexes of repositories are not longer than this, all together.
const MAX_INDEX_BYTES: u64 = 64 * 1024 * 1024;

/// A step of the look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Repository,
    File,
    Setting,
    Look,
}

/// What is left.
#[derive(Debug)]
pub(super) struct Limits {
    repositories: usize,
    files: usize,
    settings: usize,
    looks: usize,
    pub(super) index_bytes: u64,
    until: Option<Instant>,
}

impl Limits {
    #[expect(clippy::disallowed_methods, reason = "how long it may take; it decides nothing else")]
    pub(super) fn of(reach: GitReach) -> Self {
        let until = match reach {
            GitReach::Own => None,
            GitReach::Nested { time } => Some(Instant::now() + time),
        };
        Self {
            repositories: MAX_REPOSITORIES,
            files: MAX_FILES,
            settings: MAX_SETTINGS,
            looks: MAX_LOOKS,
            index_bytes: MAX_INDEX_BYTES,
            until,
        }
    }

    /// Takes a step. False if there is none of this kind left, or no time.
    #[expect(clippy::disallowed_methods, reason = "how long it may take; it decides nothing else")]
    pub(super) fn take(&mut self, step: Step) -> bool {
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return false;
        }
        let left = match step {
            Step::Repository => &mut self.repositories,
            Step::File => &mut self.files,
            Step::Setting => &mut self.settings,
            Step::Look => &mut self.looks,
        };
        let is_left = *left > 0;
        *left = left.saturating_sub(1);
        is_left
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn counts_end_and_so_does_the_time_where_there_is_one() {
        let mut limits = Limits::of(GitReach::Own);
        let taken = (0..1_000).filter(|_| limits.take(Step::Repository)).count();
        assert_eq!(taken, MAX_REPOSITORIES);
        assert!(limits.take(Step::File));
        assert!(!Limits::of(GitReach::Nested { time: Duration::ZERO }).take(Step::File));
    }
}
