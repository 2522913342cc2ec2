//! Which branch is checked out, for the status line.

use forelook_disk::Owners;
use forelook_facts::{GitHead, git_head};
use forelook_protocol::AbsPath;

/// How much of a hash names a commit.
const SHORT_HASH: usize = 7;

/// The branch of the repository that this folder is in; for a commit without a branch the beginning of its hash.
pub(super) fn of(folder: &AbsPath, owners: &Owners) -> Option<String> {
    match git_head(folder, owners)? {
        GitHead::Branch(name) => Some(name),
        GitHead::Commit(hash) => hash.get(..SHORT_HASH).map(str::to_owned),
    }
}
