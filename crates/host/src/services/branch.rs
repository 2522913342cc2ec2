//! Which branch is checked out. No process: git keeps it in a file.

use std::path::{Path, PathBuf};

use forelook_disk::read_project_text;
use forelook_protocol::AbsPath;

/// A file that says where something is has no more bytes than this.
const MAX_BYTES: u64 = 4096;
/// How much of a hash names a commit.
const SHORT_HASH: usize = 7;

/// The branch of the repository that this folder is in; for a commit without a branch the beginning of its hash.
pub(super) fn of(folder: &AbsPath) -> Option<String> {
    let git = folder.as_path().ancestors().find_map(git_folder)?;
    let head = small(&git.join("HEAD"))?;
    let head = head.trim();
    match head.strip_prefix("ref:") {
        Some(name) => {
            let name = name.trim();
            Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned())
        }
        None => Some(head.get(..SHORT_HASH)?.to_owned())
            .filter(|hash| hash.bytes().all(|it| it.is_ascii_hexdigit())),
    }
}

/// Where git keeps what belongs to this folder, if it is the top of a repository. In a worktree `.git` is a file that
/// names the place.
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = small(&git)?;
    let place = text.trim_end_matches(['\n', '\r']).strip_prefix("gitdir:")?.trim_start();
    Some(folder.join(place))
}

fn small(path: &Path) -> Option<String> {
    read_project_text(path, MAX_BYTES).ok()
}
