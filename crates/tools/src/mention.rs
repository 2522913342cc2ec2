//! What the user names with `@`: a file, some lines of it, or a folder. It is read as Read would, so that the model can edit
//! it right away.

use std::num::NonZeroUsize;

use forelook_protocol::{AbsPath, Action, FileRef, ToolOutcome};

use crate::context::ToolContext;
use crate::paths;
use crate::read::{self, Read};
use crate::tool::CallLocation;
use crate::typed::{ToolFailure, ToolSuccess, TypedTool, blocking};

/// Entries of a folder that are listed.
const MAX_ENTRIES: usize = 250;

/// What a mention means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MentionTarget {
    /// What it is called from now on: as it was typed, without what belongs to the sentence.
    pub named: String,
    path: String,
    file: FileRef,
    kind: MentionKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MentionKind {
    Folder,
    File,
    /// From the first to the last of these lines.
    Lines(usize, usize),
}

impl MentionTarget {
    /// What these words mean in this place; nothing if there is no such file. A name as it stands comes before one with a
    /// range, and both before one that the sentence goes on behind.
    pub fn find(words: &str, place: &CallLocation) -> Option<Self> {
        let bare = words.trim_end_matches(is_sentence);
        let whole = |named: &str| Self::at(named, named, None, place);
        let ranged = |named: &str| {
            let (path, lines) = split_range(named)?;
            Self::at(named, path, Some(lines), place)
        };
        whole(words).or_else(|| ranged(words)).or_else(|| whole(bare)).or_else(|| ranged(bare))
    }

    fn at(named: &str, path: &str, lines: Option<(usize, usize)>, place: &CallLocation) -> Option<Self> {
        let file = paths::file("path", path, place).ok()?;
        let kind = match (std::fs::metadata(file.real.as_path()).ok()?.is_dir(), lines) {
            (true, None) => MentionKind::Folder,
            (true, Some(_)) => return None,
            (false, None) => MentionKind::File,
            (false, Some((first, last))) => MentionKind::Lines(first, last),
        };
        Some(Self { named: named.to_owned(), path: path.to_owned(), file, kind })
    }

    /// Where it is: as it was named, and where that leads.
    pub fn file(&self) -> &FileRef {
        &self.file
    }

    /// What reading it would do.
    pub fn action(&self) -> Action {
        Action::Read { file: self.file.clone() }
    }

    /// Reads it. What was decided on is [`Self::action`].
    pub async fn read(self, cx: ToolContext) -> ToolOutcome {
        let call = cx.call.clone();
        let done = match self.kind {
            MentionKind::Folder => {
                let (folder, readable) = (self.file.real.clone(), cx.files.readable.clone());
                blocking(move || listing(&folder, |path| readable.admits(path))).await
            }
            MentionKind::File => Read.run(read::Input::whole(self.path), cx).await,
            MentionKind::Lines(first, last) => {
                let count = NonZeroUsize::new(last - first + 1);
                Read.run(read::Input::lines(self.path, first, count), cx).await
            }
        };
        match done {
            Ok(done) => done.outcome(call),
            Err(failed) => failed.outcome(call),
        }
    }
}

/// What belongs to the sentence around a path.
fn is_sentence(letter: char) -> bool {
    matches!(letter, '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '}' | '"' | '\'' | '`')
}

/// `file:10-40` and `file:10`.
fn split_range(words: &str) -> Option<(&str, (usize, usize))> {
    let (path, range) = words.rsplit_once(':')?;
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (!path.is_empty() && 0 < first && first <= last).then_some((path, (first, last)))
}

/// What is in a folder: folders with a `/` behind them, then files.
fn listing(folder: &AbsPath, admits: impl Fn(&AbsPath) -> bool) -> Result<ToolSuccess, ToolFailure> {
    let failure =
        |error: std::io::Error| ToolFailure::new(format!("`{folder}` could not be listed: {error}"));
    let (mut names, mut hidden) = (Vec::new(), 0);
    for entry in std::fs::read_dir(folder.as_path()).map_err(failure)? {
        let entry = entry.map_err(failure)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        match is_folder || admits(&folder.join(entry.file_name())) {
            true => names.push((!is_folder, if is_folder { format!("{name}/") } else { name })),
            false => hidden += 1,
        }
    }
    names.sort();
    let total = names.len();
    let mut text = format!("`{folder}` is a directory");
    match total {
        0 => text.push_str(" with nothing in it"),
        _ => names.iter().take(MAX_ENTRIES).for_each(|(_, name)| {
            text.push('\n');
            text.push_str(name);
        }),
    }
    if total > MAX_ENTRIES {
        text.push_str(&format!("\n[{MAX_ENTRIES} of {total} entries. Find others with Glob.]"));
    }
    if hidden > 0 {
        text.push_str(&format!("\n[{hidden} not listed: rules or settings keep them from being read]"));
    }
    Ok(ToolSuccess::new(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;

    #[test]
    fn what_words_mean() {
        let bench = Bench::new();
        for path in ["src/main.rs", "a:10", "odd.", "with space"] {
            crate::search::testing::lay(&bench, path, "x\n");
        }
        let place = bench.cx.place.clone();
        let project = place.project.to_string();
        let find = |words: &str| MentionTarget::find(words, &place).map(|it| (it.named, it.kind));
        use MentionKind::{File, Folder, Lines};
        for (words, expected) in [
            ("src/main.rs", Some(("src/main.rs", File))),
            ("src/main.rs:10-40", Some(("src/main.rs:10-40", Lines(10, 40)))),
            ("src/main.rs:7", Some(("src/main.rs:7", Lines(7, 7)))),
            ("src/main.rs:7,", Some(("src/main.rs:7", Lines(7, 7)))),
            ("src/main.rs?).", Some(("src/main.rs", File))),
            ("src/main.rs:", Some(("src/main.rs", File))),
            ("src/main.rs:40-10", None),
            ("src/main.rs:0", None),
            ("a:10", Some(("a:10", File))),
            ("odd.", Some(("odd.", File))),
            ("with space", Some(("with space", File))),
            ("src", Some(("src", Folder))),
            ("src/", Some(("src/", Folder))),
            ("src/:1-2", None),
            (".", Some((".", Folder))),
            ("alice", None),
            ("types/node", None),
        ] {
            assert_eq!(find(words), expected.map(|(named, kind)| (named.to_owned(), kind)), "{words}");
        }
        assert_eq!(find(&format!("{project}/src/main.rs")).map(|it| it.1), Some(File));
        assert_eq!(find("src/../src/main.rs").map(|it| it.1), Some(File));
    }

    #[tokio::test]
    async fn a_file_is_seen_and_a_folder_is_listed_without_what_may_not_be_read() {
        let bench = Bench::new();
        for (path, text) in [("src/main.rs", "one\ntwo\nthree\n"), ("src/deep/x", ""), ("src/secret", "")] {
            crate::search::testing::lay(&bench, path, text);
        }
        let read = async |words: &str| {
            let target = MentionTarget::find(words, &bench.cx.place).unwrap();
            let action = target.action();
            target.read(ToolContext { action, ..bench.cx.clone() }).await
        };
        let done = read("src/main.rs:2-3").await;
        assert_eq!(done.result.text(), "     2\ttwo\n     3\tthree\n");
        assert!(matches!(&done.effects[..], [forelook_protocol::SessionEffect::FileSeen(_)]));
        let folder = bench.cx.place.project.join("src");
        let listed = listing(&folder, |path| !path.to_string().ends_with("secret")).unwrap();
        let expected = format!(
            "`{folder}` is a directory\ndeep/\nmain.rs\n[1 not listed: rules or settings keep them from being read]"
        );
        assert_eq!(listed.text, expected);
        assert_eq!(read("src").await.effects, []);
    }
}
