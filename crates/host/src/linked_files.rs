//! Where links lead behind which secrets, denied or protected files are: `~/.aws` into a folder of dotfiles, `.env` or
//! `.envrc` to another file.
//!
//! The tools of the model name a file by its real path as well as any other. So what the name of a link says holds for the
//! file that it leads to. Looked up once, when a session is opened, and within bounds; commands in a fence see masks, for
//! which the whole project is searched.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use forelook_disk::link_targets;
use forelook_facts::git_config::governing_files;
use forelook_permissions::{has_protected_files, is_protected, is_secret, protected_places, secret_places};
use forelook_protocol::{AbsPath, FileRef};

/// Names that are looked at in a folder of secrets.
const MAX_IN_PLACE: usize = 64;
/// Names that are looked at in a project.
const MAX_NAMES: usize = 4_000;
/// Folders that are looked into.
const MAX_FOLDERS: usize = 300;
/// Links that are kept: of secrets and denied files, and as many of protected ones.
const MAX_LINKS: usize = 64;
/// How deep they may lie.
const MAX_DEPTH: usize = 4;

/// Folders with many links that are nobody's secrets.
const FOREIGN: &[&str] = &[".git", ".svn", ".venv", "node_modules", "target", "venv"];

/// Which links of a project count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkNames {
    /// Those that are called like a secret.
    Secret,
    /// All: a rule may deny any name.
    All,
}

/// Where links are looked for, and which.
#[derive(Debug, Clone)]
pub(crate) struct LinkSearch {
    /// Where the home folder really is.
    pub(crate) home: Option<AbsPath>,
    /// Where the project really is.
    pub(crate) project: AbsPath,
    pub(crate) names: LinkNames,
}

impl LinkSearch {
    /// The links that count. It reads some hundred folders: not for a thread of the runtime.
    pub(crate) fn run(&self) -> Vec<FileRef> {
        linked_files(self.home.as_ref(), &self.project, self.names)
    }
}

/// The links at the places of secrets in the home folder, and those in a project.
fn linked_files(home: Option<&AbsPath>, project: &AbsPath, names: LinkNames) -> Vec<FileRef> {
    let mut found = Vec::new();
    for place in home.into_iter().flat_map(secret_places) {
        found.extend(followed(place.as_path()));
        // Some keep the folder and link a file in it.
        let entries = std::fs::read_dir(&place).into_iter().flatten().flatten().take(MAX_IN_PLACE);
        let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
        found.extend(links.filter_map(|link| followed(&link.path())));
    }
    let mut protected: Vec<FileRef> = Vec::new();
    for place in home.into_iter().flat_map(protected_places) {
        protected.extend(leads_to(&place));
    }
    let (mut folders, mut left) = (vec![(project.as_path().to_path_buf(), 0)], MAX_NAMES);
    let mut at = 0;
    while let Some((folder, depth)) = folders.get(at).cloned() {
        at += 1;
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten().take(left) {
            left -= 1;
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if name == ".git" {
                let room = MAX_LINKS.saturating_sub(protected.len());
                protected.extend(git_files(&folder, home).into_iter().take(room));
            }
            if kind.is_symlink() {
                found.extend(special(&entry.path(), home, names).filter(|_| found.len() < MAX_LINKS));
                let links = runs_later(&entry.path(), home);
                protected.extend(links.filter(|_| protected.len() < MAX_LINKS).into_iter().flatten());
            } else if kind.is_dir() && depth < MAX_DEPTH && folders.len() < MAX_FOLDERS {
                let is_foreign = FOREIGN.iter().any(|foreign| name == *foreign);
                folders.extend((!is_foreign).then(|| (entry.path(), depth + 1)));
            }
        }
    }
    // What is secret may be protected too.
    let new: Vec<FileRef> = protected.into_iter().filter(|file| !found.contains(file)).collect();
    found.extend(new);
    found
}

/// What a link leads to whose name says that something runs by it later. It need not be there yet.
fn runs_later(link: &Path, home: Option<&AbsPath>) -> Option<Vec<FileRef>> {
    let named = AbsPath::new(link).ok()?;
    let name = link.file_name().and_then(OsStr::to_str);
    (is_protected(&named, home) || name.is_some_and(has_protected_files)).then(|| leads_to(&named))
}

/// Where git goes by what lies elsewhere, in a repository that begins in this folder: as if `.git` led there.
fn git_files(folder: &Path, home: Option<&AbsPath>) -> Vec<FileRef> {
    let Ok(git) = AbsPath::new(folder.join(".git")) else { return Vec::new() };
    let governing = governing_files(folder, home.map(|home| home.as_path().as_os_str()));
    let elsewhere = governing.files.into_iter().filter(|file| !is_protected(file, home));
    let link = |real: AbsPath| Some(FileRef { named: git.join(real.as_path().file_name()?), real });
    elsewhere.filter_map(link).collect()
}

fn leads_to(named: &AbsPath) -> Vec<FileRef> {
    let elsewhere = |real: &AbsPath| real != named && !named.is_inside(real);
    let targets = link_targets(named).into_iter().filter(elsewhere);
    targets.map(|real| FileRef { named: named.clone(), real }).collect()
}

fn special(link: &PathBuf, home: Option<&AbsPath>, names: LinkNames) -> Option<FileRef> {
    let named = AbsPath::new(link).ok()?;
    let counts = names == LinkNames::All || is_secret(&named, home);
    if counts { followed(link) } else { None }
}

/// Where this leads, if that is somewhere else.
fn followed(path: &Path) -> Option<FileRef> {
    let (named, real) = (AbsPath::new(path).ok()?, AbsPath::new(path.canonicalize().ok()?).ok()?);
    // A link to a folder around it says nothing about all that is in there.
    (real != named && !named.is_inside(&real)).then_some(FileRef { named, real })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests lay out their files by hand")]
    fn links_at_places_of_secrets_and_with_their_names_are_found() {
        let root = tempfile::tempdir().unwrap();
        let real = AbsPath::new(root.path().canonicalize().unwrap()).unwrap();
        let (home, project) = (real.join("home"), real.join("p"));
        for folder in ["home/dotfiles/aws", "home/.kube", "p/config", "p/a/b", "p/node_modules/x"] {
            fs::create_dir_all(real.join(folder)).unwrap();
        }
        fs::write(home.join("dotfiles/kube.yaml"), "x").unwrap();
        fs::write(project.join("config/dev.txt"), "x").unwrap();
        for (link, to) in [
            ("home/.aws", "dotfiles/aws"),
            ("home/.kube/config", "../dotfiles/kube.yaml"),
            ("p/.env", "config/dev.txt"),
            ("p/a/b/.env", "../../config/dev.txt"),
            ("p/node_modules/x/.env", "../../config/dev.txt"),
            ("p/other", "config"),
            ("p/up.pem", ".."),
            ("p/gone.pem", "nothing"),
            ("p/.envrc", "build/envrc"),
            ("p/.vscode", "first"),
            ("p/first", "vs"),
            ("p/a/.github", "gh"),
            ("home/.bashrc", "dotfiles/bashrc"),
        ] {
            symlink(to, real.join(link)).unwrap();
        }
        fs::create_dir(project.join("sub")).unwrap();
        fs::write(project.join("sub/.git"), "gitdir: ../split\n").unwrap();
        fs::create_dir(project.join("split")).unwrap();
        fs::write(project.join("split/config"), "[include]\npath = ../git.inc\n").unwrap();
        let found = |names| -> Vec<String> {
            let links = linked_files(Some(&home), &project, names);
            let relative = |path: &AbsPath| path.as_path().strip_prefix(&real).unwrap().display().to_string();
            let mut shown: Vec<String> =
                links.iter().map(|it| format!("{} {}", relative(&it.named), relative(&it.real))).collect();
            shown.sort();
            shown
        };
        let secret = [
            "home/.aws home/dotfiles/aws",
            "home/.kube/config home/dotfiles/kube.yaml",
            "p/.env p/config/dev.txt",
            "p/a/b/.env p/config/dev.txt",
        ];
        let protected = [
            "home/.bashrc home/dotfiles/bashrc",
            "p/.envrc p/build/envrc",
            "p/.vscode p/first",
            "p/.vscode p/vs",
            "p/a/.github p/a/gh",
            "p/sub/.git/commondir p/split/commondir",
            "p/sub/.git/config p/split/config",
            "p/sub/.git/config.worktree p/split/config.worktree",
            "p/sub/.git/git.inc p/git.inc",
            "p/sub/.git/hooks p/split/hooks",
            "p/sub/.git/modules p/split/modules",
        ];
        let all = |more: &[&'static str]| {
            let mut all = [secret.as_slice(), &protected, more].concat();
            all.sort();
            all
        };
        assert_eq!(found(LinkNames::Secret), all(&[]));
        assert_eq!(found(LinkNames::All), all(&["p/other p/config"]));
    }
}
