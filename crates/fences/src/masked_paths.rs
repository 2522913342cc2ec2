//! Which masked file a command names. This is for a note only, so it looks at the words of the command; but it must not
//! claim a secret where a word only looks like one.

use std::path::{Component, Path, PathBuf};

use forelook_protocol::AbsPath;

/// What parts the words of a line, beside white space.
const SEPARATORS: &str = "'\"=:;|&()<>`$,{}[]";

/// What is masked in a fence, and around what.
#[derive(Debug)]
pub(super) struct MaskedPaths {
    pub(super) paths: Vec<PathBuf>,
    /// Those that a rule denies reading.
    pub(super) denied: Vec<PathBuf>,
    /// The working folders, without links.
    pub(super) folders: Vec<PathBuf>,
    pub(super) home: Option<AbsPath>,
}

/// Something masked, as a person would call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MaskedName {
    pub(super) name: String,
    pub(super) reason: MaskReason,
}

/// Why something is masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MaskReason {
    /// It holds secrets.
    Secret,
    /// A rule denies reading it.
    Denied,
}

impl MaskedPaths {
    /// Something masked that a command names which begins in this folder. Only what is there counts: places are masked in
    /// advance too.
    pub(super) fn named_in(&self, command: &str, folder: &Path) -> Option<MaskedName> {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let words = command.split(|c: char| c.is_whitespace() || SEPARATORS.contains(c));
        let words: Vec<CommandWord<'_>> = words.filter_map(|word| self.word(word, &folder)).collect();
        let is_named = |path: &&PathBuf| {
            let inside = self.folder_of(path).is_some();
            words.iter().any(|word| word.names(path, inside)) && path.symlink_metadata().is_ok()
        };
        let path = self.paths.iter().find(is_named)?;
        let reason = if self.denied.contains(path) { MaskReason::Denied } else { MaskReason::Secret };
        Some(MaskedName { name: self.display_name(path), reason })
    }

    fn word<'a>(&self, text: &'a str, folder: &Path) -> Option<CommandWord<'a>> {
        let home = self.home.as_ref().map(AbsPath::as_path);
        // `$` is gone from `$HOME`.
        let below_home = ["~/", "HOME/"].iter().find_map(|it| text.strip_prefix(it)).zip(home);
        let resolved = match below_home {
            Some((rest, home)) => home.join(rest),
            None => folder.join(text),
        };
        (!text.is_empty()).then(|| CommandWord { text: Path::new(text), resolved: normalized(&resolved) })
    }

    fn folder_of(&self, path: &Path) -> Option<&PathBuf> {
        self.folders.iter().find(|folder| path.starts_with(folder))
    }

    fn display_name(&self, path: &Path) -> String {
        if let Some(rest) = self.folder_of(path).and_then(|folder| path.strip_prefix(folder).ok()) {
            return rest.display().to_string();
        }
        match self.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }
}

struct CommandWord<'a> {
    text: &'a Path,
    /// From the folder that the command begins in.
    resolved: PathBuf,
}

impl CommandWord<'_> {
    /// A line may go to another folder first, and then only the end of a path is in it. One name alone is too little for
    /// that: `config` and `key` mean anything. One that begins with a dot is seldom anything else than the file.
    fn names(&self, path: &Path, inside: bool) -> bool {
        if self.resolved.starts_with(path) {
            return true;
        }
        let Some(name) = path.file_name() else { return false };
        if inside {
            return name.as_encoded_bytes().starts_with(b".") && self.text.file_name() == Some(name);
        }
        let above = path.parent().and_then(Path::file_name);
        above.is_some_and(|above| self.text.ends_with(Path::new(above).join(name)))
    }
}

/// Without `.` and `..`, as it is written: links are not followed.
fn normalized(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normalized.pop();
            }
            Component::CurDir => {}
            part => normalized.push(part),
        }
    }
    normalized
}
