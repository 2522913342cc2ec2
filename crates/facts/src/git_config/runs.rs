//! What git runs in a folder when it changes something: hooks, programs that the configuration names, and the files that
//! these name in turn.
//!
//! A rule that allows `git commit` is about the person's own repository. Another one in the same project (in a folder of
//! dependencies, in an archive, a bare repository among the files of a clone) has hooks and settings of its own. So we look
//! at all that the command can reach, without starting git. Whoever asks compares it with what was there before.

pub(super) mod candidates;
mod gitlinks;
mod limits;
mod texts;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use forelook_disk::{ReadError, read_bounded};
use forelook_protocol::{AbsPath, to_hex};
use sha2::{Digest as _, Sha256};

use super::configuration::{ConfigGap, Configuration};
use super::files::Repository;
use super::keys;
use super::parse::Setting;
use candidates::Candidate;
use limits::{Limits, Step};

/// A longer file of a hook is not looked at.
const MAX_BYTES: u64 = 1024 * 1024;
/// Of a longer one it is not said what it names.
const MAX_TEXT: usize = 64 * 1024;
/// Names in a folder of hooks.
const MAX_HOOK_NAMES: usize = 1_000;

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GitPartKind {
    /// A setting; its value is shown.
    Setting,
    /// A file that runs, or that is named by one; its value is a hash.
    File,
}

/// One thing that git runs, or is led by to what it runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitPart {
    /// What it is.
    pub kind: GitPartKind,
    /// The key of a setting, or a path, relative to the repository's files.
    pub name: String,
    /// What tells a change.
    pub value: String,
}

/// All that git can run in a folder, besides what the person's own configuration names elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitRuns {
    /// What runs.
    pub parts: BTreeSet<GitPart>,
    /// What may run files that are not among the parts.
    pub unchecked: BTreeSet<Unchecked>,
    /// Where the nearest repository has what all its worktrees share.
    pub repository: Option<PathBuf>,
}

/// Something that may run files which nobody looked at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unchecked {
    /// A command line.
    Command(String),
    /// A file that runs: its path, as [`GitPart::name`].
    File(String),
    /// A folder or a file of which not all was looked at: its path.
    Place(String),
}

impl Unchecked {
    /// The command line or the path.
    pub fn name(&self) -> &str {
        match self {
            Self::Command(name) | Self::File(name) | Self::Place(name) => name,
        }
    }

    fn place(path: &Path) -> Self {
        Self::Place(path.display().to_string())
    }
}

/// How far to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitReach {
    /// The repository of the folder itself. Only counts end the look, so every machine finds the same.
    Own,
    /// Also those that it has as submodules, which takes a look at the whole index.
    Nested {
        /// All of it takes no longer.
        time: Duration,
    },
}

/// Looks at the repository of a folder.
pub fn git_runs(folder: &AbsPath, home: Option<&AbsPath>, reach: GitReach) -> GitRuns {
    let home = home.map(|home| home.as_path().as_os_str().to_owned());
    let mut survey = Survey {
        found: GitRuns::default(),
        home,
        reach,
        seen: BTreeSet::new(),
        files: BTreeSet::new(),
        limits: Limits::of(reach),
    };
    let (found, unclear) = candidates::of(folder.as_path());
    survey.found.unchecked.extend(unclear.iter().map(|path| Unchecked::place(path)));
    survey.found.repository = found.first().map(|first| real(&first.repository.shared()));
    for candidate in found {
        survey.repository(candidate);
    }
    survey.found
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// A look under way.
struct Survey {
    found: GitRuns,
    home: Option<OsString>,
    reach: GitReach,
    seen: BTreeSet<(PathBuf, PathBuf)>,
    files: BTreeSet<PathBuf>,
    limits: Limits,
}

/// Where names in a text are looked for.
struct Bases {
    /// The repository's files.
    root: PathBuf,
    /// What all its worktrees share.
    shared: PathBuf,
    /// The folder of the file that names something.
    beside: PathBuf,
}

impl Survey {
    /// A path as it is in every worktree of the folder's own repository.
    fn shown(&self, path: &Path, bases: &Bases) -> String {
        let inside = |base: &Path| path.strip_prefix(base).ok().map(Path::to_path_buf);
        let is_own = self.found.repository.as_ref().is_some_and(|own| *own == real(&bases.shared));
        let in_git = || inside(&bases.shared).map(|rest| Path::new(".git").join(rest));
        let shown = if is_own { in_git().or_else(|| inside(&bases.root)) } else { None };
        shown.unwrap_or_else(|| path.to_path_buf()).display().to_string()
    }

    fn repository(&mut self, candidate: Candidate) {
        let Candidate { repository, root } = candidate;
        let shared = repository.shared();
        if !self.seen.insert((real(&repository.git), real(&root))) {
            return;
        }
        if !self.limits.take(Step::Repository) {
            return self.too_much(&root);
        }
        let bases = Bases { root, beside: shared.clone(), shared };
        let mut hooks = Vec::new();
        for file in repository.files() {
            let configuration = Configuration::read(file, self.home.as_deref());
            self.found.unchecked.extend(configuration.gap.map(|gap| Unchecked::place(gap.file())));
            configuration.settings.iter().for_each(|it| self.setting(it, &bases, &mut hooks));
        }
        self.own_settings(&bases, &mut hooks);
        hooks.push(bases.shared.join("hooks"));
        hooks.iter().for_each(|folder| self.hooks(folder, &bases));
        if matches!(self.reach, GitReach::Nested { .. }) {
            self.nested(&repository, &bases);
        }
    }

    fn too_much(&mut self, at: &Path) {
        self.found.unchecked.insert(Unchecked::place(at));
    }

    fn setting(&mut self, setting: &Setting, bases: &Bases, hooks: &mut Vec<PathBuf>) {
        let (section, below, name) = setting.parts();
        let value = setting.value.as_deref().unwrap_or_default();
        let place = |value: &[u8]| resolved(&bases.root, value, self.home.as_deref());
        match (section, below.is_some(), name) {
            (b"core", false, b"worktree") => {
                let at = bases.shared.join(OsStr::from_bytes(value));
                if real(&at) == real(&bases.root) {
                    return;
                }
            }
            (b"core", false, b"hookspath") => hooks.push(place(value)),
            (b"remote", true, b"url" | b"pushurl") | (b"branch", true, b"remote") => {
                if let Some(path) = local_path(value) {
                    self.local_remote(&resolved(&bases.root, path, self.home.as_deref()), bases);
                }
            }
            _ => {}
        }
        if keys::is_ordinary(setting) {
            return;
        }
        if !self.limits.take(Step::Setting) || value.len() > MAX_TEXT {
            return self.too_much(&bases.root);
        }
        let key = String::from_utf8_lossy(&setting.key).into_owned();
        let value = String::from_utf8_lossy(value).into_owned();
        self.text(&value, bases);
        if keys::names_program(setting)
            && let Some(what) = texts::unchecked_value(&value)
        {
            self.found.unchecked.insert(Unchecked::Command(what));
        }
        self.found.parts.insert(GitPart { kind: GitPartKind::Setting, name: key, value });
    }

    /// The person's own configuration may name places in whatever folder they are in.
    fn own_settings(&mut self, bases: &Bases, hooks: &mut Vec<PathBuf>) {
        let Some(home) = self.home.clone() else { return };
        let home = Path::new(&home);
        for file in [home.join(".gitconfig"), home.join(".config/git/config")] {
            let configuration = Configuration::read(file, Some(home.as_os_str()));
            // What it names elsewhere is the person's own, so only what may be more counts.
            let too_much = configuration.gap.filter(ConfigGap::is_too_much);
            self.found.unchecked.extend(too_much.map(|gap| Unchecked::place(gap.file())));
            for setting in configuration.settings.iter().filter(|it| !keys::is_ordinary(it)) {
                self.own_setting(setting, bases, hooks);
            }
        }
    }

    fn own_setting(&mut self, setting: &Setting, bases: &Bases, hooks: &mut Vec<PathBuf>) {
        let value = setting.value.as_deref().unwrap_or_default();
        if setting.key == b"core.hookspath" && !value.starts_with(b"/") && !value.starts_with(b"~") {
            hooks.push(bases.root.join(OsStr::from_bytes(value)));
        }
        // A bare name is looked for in `PATH`.
        let text = String::from_utf8_lossy(value);
        let relative = text.split_whitespace().filter(|word| word.contains('/'));
        for word in relative.filter(|word| !word.starts_with(['/', '~'])) {
            if !self.limits.take(Step::Look) {
                return self.too_much(&bases.root);
            }
            self.file(&bases.root.join(word), bases);
        }
    }

    fn hooks(&mut self, folder: &Path, bases: &Bases) {
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(_) => return self.too_much(folder),
        };
        let bases =
            Bases { beside: folder.to_path_buf(), root: bases.root.clone(), shared: bases.shared.clone() };
        let mut names = BTreeSet::new();
        for (at, entry) in entries.enumerate() {
            let Ok(entry) = entry else { return self.too_much(folder) };
            if at >= MAX_HOOK_NAMES {
                return self.too_much(folder);
            }
            let is_file = entry.file_type().is_ok_and(|kind| !kind.is_dir());
            names.extend(is_file.then(|| entry.file_name()));
        }
        // In the order of the names: where not all are looked at, these are the same on every machine.
        for name in names {
            if !name.as_bytes().ends_with(b".sample") && !is_plain_text(&name) {
                self.file(&folder.join(&name), &bases);
            }
        }
    }

    /// A file that runs, and what it names.
    fn file(&mut self, path: &Path, bases: &Bases) {
        if self.files.contains(path) {
            return;
        }
        if !self.limits.take(Step::File) {
            return self.too_much(&bases.root);
        }
        self.files.insert(path.to_path_buf());
        let name = self.shown(path, bases);
        match read_bounded(path, MAX_BYTES) {
            Ok(bytes) => {
                let value = to_hex(&Sha256::digest(&bytes));
                self.found.parts.insert(GitPart { kind: GitPartKind::File, name: name.clone(), value });
                let beside = path.parent().unwrap_or(Path::new("/")).to_path_buf();
                let bases = Bases { beside, root: bases.root.clone(), shared: bases.shared.clone() };
                match std::str::from_utf8(&bytes) {
                    Ok(text) if text.len() <= MAX_TEXT => {
                        self.text(text, &bases);
                        let unchecked = texts::unchecked_script(text).map(|_| Unchecked::File(name));
                        self.found.unchecked.extend(unchecked);
                    }
                    _ => _ = self.found.unchecked.insert(Unchecked::File(name)),
                }
            }
            Err(ReadError::Missing | ReadError::NotRegular) => {}
            Err(_) => _ = self.found.unchecked.insert(Unchecked::File(name)),
        }
    }

    /// Every word of a text, however it is meant, may be the path of a file that runs.
    fn text(&mut self, text: &str, bases: &Bases) {
        for word in texts::words(text) {
            for base in [&bases.root, &bases.beside] {
                if !self.limits.take(Step::Look) {
                    return self.too_much(&bases.root);
                }
                let path = plain(&base.join(word));
                let inside = path.starts_with(&bases.root) || path.starts_with(&bases.shared);
                if inside && path.is_file() {
                    self.file(&path, bases);
                }
            }
        }
    }

    /// Another repository on this machine: its hooks run when something is pushed to it.
    fn local_remote(&mut self, path: &Path, bases: &Bases) {
        let mut with_ending = path.as_os_str().to_owned();
        with_ending.push(".git");
        for at in [path.to_path_buf(), PathBuf::from(with_ending)] {
            self.below(&at, bases);
        }
    }

    /// The repositories of submodules that are checked out.
    fn nested(&mut self, repository: &Repository, bases: &Bases) {
        match gitlinks::of(&repository.git, &mut self.limits.index_bytes) {
            Ok(links) => {
                links.iter().for_each(|link| self.below(&bases.root.join(OsStr::from_bytes(link)), bases));
            }
            Err(gitlinks::Unknown) => self.too_much(&repository.git.join("index")),
        }
    }

    /// The repositories that begin in this folder, which one with these bases leads to.
    fn below(&mut self, folder: &Path, bases: &Bases) {
        if !self.limits.take(Step::Look) {
            return self.too_much(&bases.root);
        }
        let (found, unclear) = candidates::at(folder);
        self.found.unchecked.extend(unclear.iter().map(|path| Unchecked::place(path)));
        found.into_iter().for_each(|candidate| self.repository(candidate));
    }
}

/// Folders of hooks often hold a word about themselves, and git runs no file with an ending.
fn is_plain_text(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    [".md", ".txt"].iter().any(|ending| name.ends_with(ending)) || name == ".gitignore"
}

/// A path of a setting: relative to the repository's files, or to the home folder.
fn resolved(root: &Path, value: &[u8], home: Option<&OsStr>) -> PathBuf {
    match (value.strip_prefix(b"~/"), home) {
        (Some(rest), Some(home)) => Path::new(home).join(OsStr::from_bytes(rest)),
        _ => root.join(OsStr::from_bytes(value)),
    }
}

/// The path of a remote on this machine.
fn local_path(url: &[u8]) -> Option<&[u8]> {
    if let Some(path) = url.strip_prefix(b"file://") {
        return Some(path);
    }
    let first = url.iter().position(|byte| matches!(byte, b'/' | b':'));
    // `host:path`, `https://host`; the remote of a branch is mostly a name, which is no folder.
    (first.is_none_or(|at| url.get(at) == Some(&b'/'))).then_some(url)
}

/// Without steps back; the kernel may see it otherwise where there are links, but names of scripts have none.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            part => plain.push(part),
        }
        plain
    })
}

#[cfg(test)]
mod tests;
