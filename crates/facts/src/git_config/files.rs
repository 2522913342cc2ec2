//! Which files a repository has its configuration in.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use forelook_disk::read_bounded;

/// A file that names a folder is not longer than this.
const MAX_BYTES: u64 = 1024 * 1024;

/// Not more folders of submodules than these; with so many there is something wrong.
const MAX_ENTRIES: usize = 10_000;

/// A repository: where git keeps what it knows.
pub(super) struct Repository {
    pub(super) git: PathBuf,
    /// Whether it is one without files of its own, found because somebody is inside of it.
    pub(super) bare: bool,
}

impl Repository {
    /// The folder that a `.git` names which is a file.
    pub(super) fn named_by(dot_git: &Path) -> Option<PathBuf> {
        let link = read_bounded(dot_git, MAX_BYTES).ok()?;
        Some(dot_git.parent()?.join(named_path(link.strip_prefix(b"gitdir: ")?)))
    }

    /// The folder with what all worktrees of it share.
    pub(super) fn shared(&self) -> PathBuf {
        self.common().unwrap_or_else(|| self.git.clone())
    }

    /// Its own files of configuration. A linked worktree has most of it in the main one's folder.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let common = self.common();
        [
            Some(self.git.join("config")),
            Some(self.git.join("config.worktree")),
            common.map(|it| it.join("config")),
        ]
        .into_iter()
        .flatten()
    }

    fn common(&self) -> Option<PathBuf> {
        let text = read_bounded(self.git.join("commondir"), MAX_BYTES).ok()?;
        Some(self.git.join(named_path(&text)))
    }

    /// The repositories of its submodules, which git goes into by itself.
    pub(super) fn submodules(&self) -> Result<Vec<Repository>, String> {
        Self::below(self.shared().join("modules"))
    }

    /// The repositories in a folder of submodules.
    pub(super) fn below(modules: PathBuf) -> Result<Vec<Repository>, String> {
        let (mut found, mut folders, mut seen) = (Vec::new(), vec![modules], 0);
        while let Some(folder) = folders.pop() {
            let entries = match std::fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(format!("`{}` cannot be read: {error}", folder.display())),
            };
            for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
                seen += 1;
                if seen > MAX_ENTRIES {
                    return Err(format!("`{}` has too many folders to check", folder.display()));
                }
                let path = entry.path();
                // A name may have a slash in it, so what is no repository may hold some.
                if is_git_folder(&path) {
                    folders.push(path.join("modules"));
                    found.push(Self { git: path, bare: false });
                } else {
                    folders.push(path);
                }
            }
        }
        Ok(found)
    }
}

/// The path that a file of git holds. As git does: bytes, and only the end of the line goes.
fn named_path(text: &[u8]) -> &OsStr {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    OsStr::from_bytes(text.get(..end).unwrap_or_default())
}

/// Names by which git takes a folder for that of a repository. It may look for objects and refs elsewhere, where `commondir`
/// says, and `HEAD` may be a link to a branch that is not there yet.
pub fn are_names_of_git_folder(has: impl Fn(&str) -> bool) -> bool {
    has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

/// Whether git takes this for the folder of a repository.
pub fn is_git_folder(folder: &Path) -> bool {
    are_names_of_git_folder(|name| exists(&folder.join(name)))
}

/// The folder of a repository that this lies in, whatever it is called, or would as soon as it is there: `exists` tells what
/// is. The files of a linked worktree may lie there too; those have a `.git` of their own.
pub fn git_folder_of<'a>(path: &'a Path, exists: &dyn Fn(&Path) -> bool) -> Option<&'a Path> {
    for folder in path.ancestors().skip(1) {
        let name = path.strip_prefix(folder).ok().and_then(|below| below.components().next());
        let has =
            |other: &str| name.is_some_and(|name| name.as_os_str() == other) || exists(&folder.join(other));
        if are_names_of_git_folder(has) {
            return Some(folder);
        }
        if exists(&folder.join(".git")) {
            return None;
        }
    }
    None
}

/// Whether there is something at this path, a link that leads nowhere included.
pub fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
