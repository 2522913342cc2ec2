//! What was rehearsed, and what became of it, in words.

use forelook_protocol::{AbsPath, FileChange, Rehearsal, RehearsalApplied, RehearsedFile};

use crate::{counted, thousands, visible};

/// Nothing was rehearsed that would change a file, and how one is made.
pub const NOT_REHEARSED: [&str; 2] = [
    "No rehearsed changes yet",
    "While planning, the model can try edits and commands on an overlay of your files (ask it to rehearse)",
];

/// How much a rehearsal would change: `3 files, +10 −2`.
pub fn rehearsal_size(rehearsal: &Rehearsal) -> String {
    let (added, removed) =
        rehearsal.files.iter().fold((0, 0), |(added, removed), it| (added + it.added, removed + it.removed));
    format!("{}, {}", counted(rehearsal.files.len() as u64, "file", "files"), signs(added, removed))
}

fn signs(added: usize, removed: usize) -> String {
    format!("+{} −{}", thousands(added as u64), thousands(removed as u64))
}

/// The heading above what was rehearsed.
pub fn rehearsal_head(rehearsal: &Rehearsal) -> String {
    format!("Rehearsed, not applied: {}", rehearsal_size(rehearsal))
}

/// The heading above files that decide what runs later.
pub const PROTECTED_HEAD: &str = "These decide what runs later; only their own yes applies them:";

/// How many files of a rehearsal decide what runs later.
pub fn protected_count(rehearsal: &Rehearsal) -> usize {
    rehearsal.files.iter().filter(|file| file.protected).count()
}

/// What is left out of a rehearsal; nothing if nothing is.
pub fn rehearsal_ignored(rehearsal: &Rehearsal) -> Option<String> {
    let ignored = counted(rehearsal.ignored as u64, "git-ignored file", "git-ignored files");
    (rehearsal.ignored > 0).then(|| format!("{ignored} left out: not shown, never applied"))
}

/// A file of a rehearsal in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLine {
    /// `A`, `M` or `D`.
    pub sign: &'static str,
    /// How the file would change.
    pub change: FileChange,
    /// Where it is, from the folder that all of them are in.
    pub path: String,
    /// Lines added and removed.
    pub lines: String,
    /// Whether it decides what runs later.
    pub protected: bool,
}

/// The files of a rehearsal, and the folder that all of them are in.
pub fn rehearsal_files(rehearsal: &Rehearsal) -> (String, Vec<FileLine>) {
    let paths: Vec<&AbsPath> = rehearsal.files.iter().map(|file| &file.path).collect();
    let folder = common_folder(&paths);
    let line = |file: &RehearsedFile| FileLine {
        sign: match file.change {
            FileChange::Added => "A",
            FileChange::Changed => "M",
            FileChange::Removed => "D",
        },
        change: file.change,
        path: below(&folder, &file.path),
        lines: signs(file.added, file.removed),
        protected: file.protected,
    };
    // Those that need a yes of their own stand apart, at the end.
    let (protected, plain): (Vec<_>, Vec<_>) = rehearsal.files.iter().partition(|file| file.protected);
    (visible(&folder).into_owned(), plain.into_iter().chain(protected).map(line).collect())
}

/// The heading above what was applied.
pub fn applied_head(applied: &RehearsalApplied) -> String {
    let count = applied.files.len() as u64;
    match (count, applied.failed.len() as u64) {
        (0, 0) => "Nothing from the rehearsal to apply".to_owned(),
        (0, failed) => format!("Nothing was applied: {} failed", counted(failed, "file", "files")),
        (_, 0) => format!("Applied the rehearsal to {}", counted(count, "file", "files")),
        (_, failed) => {
            format!(
                "Applied the rehearsal to {}; {} failed",
                counted(count, "file", "files"),
                thousands(failed)
            )
        }
    }
}

/// Files that are changed now, those that are not with the reason, and the folder that all of them are in.
pub fn applied_files(applied: &RehearsalApplied) -> (String, Vec<String>, Vec<(String, String)>) {
    let failed = applied.failed.iter().map(|(path, _)| path);
    let folder = common_folder(&applied.files.iter().chain(failed).collect::<Vec<_>>());
    let files = applied.files.iter().map(|path| below(&folder, path)).collect();
    let why = |(path, why): &(AbsPath, String)| (below(&folder, path), visible(why).into_owned());
    let failed = applied.failed.iter().map(why).collect();
    (visible(&folder).into_owned(), files, failed)
}

/// The folder that all of these are in.
fn common_folder(paths: &[&AbsPath]) -> String {
    let texts: Vec<String> = paths.iter().map(ToString::to_string).collect();
    let folders = |text: &str| {
        let parts: Vec<String> = text.split('/').map(str::to_owned).collect();
        parts.split_last().map(|(_, folders)| folders.to_vec()).unwrap_or_default()
    };
    let common = texts.iter().map(|text| folders(text)).reduce(|one, other| {
        one.into_iter().zip(other).take_while(|(a, b)| a == b).map(|(part, _)| part).collect()
    });
    match common.unwrap_or_default().join("/") {
        root if root.is_empty() => "/".to_owned(),
        folder => folder,
    }
}

fn below(folder: &str, path: &AbsPath) -> String {
    let path = path.to_string();
    let rest = path.strip_prefix(folder).map(|rest| rest.trim_start_matches('/')).unwrap_or(&path);
    visible(rest).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> AbsPath {
        AbsPath::new(path).unwrap()
    }

    fn file(at: &str, change: FileChange, added: usize, removed: usize) -> RehearsedFile {
        RehearsedFile { path: path(at), change, added, removed, protected: false }
    }

    #[test]
    fn a_rehearsal_in_few_words() {
        let files = vec![
            file("/p/src/main.rs", FileChange::Changed, 1_200, 3),
            file("/p/src/new\u{1b}.rs", FileChange::Added, 5, 0),
            file("/p/old.rs", FileChange::Removed, 0, 9),
        ];
        let one = Rehearsal { files, ignored: 1, ..Rehearsal::default() };
        assert_eq!(rehearsal_head(&one), "Rehearsed, not applied: 3 files, +1,205 −12");
        assert_eq!(rehearsal_ignored(&one).unwrap(), "1 git-ignored file left out: not shown, never applied");
        let (folder, lines) = rehearsal_files(&one);
        assert_eq!(folder, "/p");
        let lines: Vec<String> =
            lines.iter().map(|it| format!("{} {} {}", it.sign, it.path, it.lines)).collect();
        assert_eq!(lines, ["M src/main.rs +1,200 −3", "A src/new␛.rs +5 −0", "D old.rs +0 −9"]);
        assert_eq!(rehearsal_ignored(&Rehearsal::default()), None);
    }

    #[test]
    fn folders_that_paths_have_in_common() {
        for (paths, expected) in [
            (vec!["/a/b/c.rs"], "/a/b"),
            (vec!["/a/b/c.rs", "/a/bc/d.rs"], "/a"),
            (vec!["/a.rs", "/b/c.rs"], "/"),
            (vec![], "/"),
        ] {
            let paths: Vec<AbsPath> = paths.into_iter().map(path).collect();
            assert_eq!(common_folder(&paths.iter().collect::<Vec<_>>()), expected, "{paths:?}");
        }
        assert_eq!(below("/", &path("/a.rs")), "a.rs");
    }

    #[test]
    fn what_was_applied_in_a_line() {
        let applied = |files: &[&str], failed: &[&str]| RehearsalApplied {
            hash: "h".into(),
            files: files.iter().map(|it| path(it)).collect(),
            failed: failed.iter().map(|it| (path(it), "it has changed since".into())).collect(),
        };
        for (applied, expected) in [
            (applied(&["/a/b", "/a/c"], &[]), "Applied the rehearsal to 2 files"),
            (applied(&["/a/b"], &["/a/c"]), "Applied the rehearsal to 1 file; 1 failed"),
            (applied(&[], &["/a/c"]), "Nothing was applied: 1 file failed"),
            (applied(&[], &[]), "Nothing from the rehearsal to apply"),
        ] {
            assert_eq!(applied_head(&applied), expected);
        }
        let (folder, files, failed) = applied_files(&applied(&["/a/b/x"], &["/a/c"]));
        assert_eq!((folder.as_str(), files, failed[0].0.as_str()), ("/a", vec!["b/x".to_owned()], "c"));
    }
}
