//! Which repositories git may take a folder to be in.
//!
//! Git passes over what is no repository to it, such as an empty `.git`, and goes on above. So all that look like one count,
//! up to the first that surely is one.

use std::path::{Path, PathBuf};

use forelook_disk::read_bounded_start;

use super::super::files::{Repository, is_git_folder};

/// A repository, and the folder with its files.
pub(in super::super) struct Candidate {
    pub(in super::super) repository: Repository,
    pub(in super::super) root: PathBuf,
}

/// The repositories of a folder, the nearest first, and each `.git` that could not be read.
pub(in super::super) fn of(folder: &Path) -> (Vec<Candidate>, Vec<PathBuf>) {
    let (mut found, mut unclear) = (Vec::new(), Vec::new());
    for above in folder.ancestors() {
        let (here, odd) = at(above);
        let is_sure = here.iter().any(|it| is_sure(&it.repository.git)) || !odd.is_empty();
        found.extend(here);
        unclear.extend(odd);
        if is_sure {
            break;
        }
    }
    (found, unclear)
}

/// Those that begin in this very folder.
pub(in super::super) fn at(folder: &Path) -> (Vec<Candidate>, Vec<PathBuf>) {
    let (mut found, mut unclear) = (Vec::new(), Vec::new());
    let mut add = |git: PathBuf, bare| {
        found.push(Candidate { repository: Repository { git, bare }, root: folder.to_path_buf() });
    };
    let dot_git = folder.join(".git");
    if dot_git.is_dir() {
        add(dot_git, false);
    } else if dot_git.is_file() {
        match Repository::named_by(&dot_git) {
            Some(git) => add(git, false),
            None => unclear.push(dot_git),
        }
    }
    if is_git_folder(folder) {
        add(folder.to_path_buf(), true);
    }
    (found, unclear)
}

/// Whether git surely takes this for a repository.
fn is_sure(git: &Path) -> bool {
    let head = read_bounded_start(git.join("HEAD"), 256);
    let is_head = head.is_ok_and(|head| {
        let text = String::from_utf8_lossy(&head.bytes).into_owned();
        let branch = text.strip_prefix("ref:").is_some_and(|name| name.trim_start().starts_with("refs/"));
        let hash = text.trim_end();
        branch || [40, 64].contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    let shared = Repository { git: git.to_path_buf(), bare: false }.shared();
    is_head && shared.join("objects").is_dir() && shared.join("refs").is_dir()
}
