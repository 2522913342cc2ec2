//! The diff of one file, in the form that git writes and takes.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

use forelook_disk::text_file;
use similar::{ChangeTag, TextDiff};

use super::file_states::{FileSnapshot, FileState};

/// A diff need not be the shortest: after this time a rough one will do.
const DIFF_TIMEOUT: Duration = Duration::from_millis(100);

/// How many lines would come and go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LineCounts {
    pub(super) added: usize,
    pub(super) removed: usize,
}

/// What a side holds, as far as it can be shown.
enum SideText<'a> {
    Lines(Cow<'a, str>),
    Binary,
    TooLong,
    Unreadable(&'a str),
}

/// The diff from one side to the other, and how many lines it is about.
pub(super) fn of(name: &str, old: &FileSnapshot, new: &FileSnapshot) -> (String, LineCounts) {
    let mut out = head(name, &old.state, &new.state);
    let mut lines = LineCounts::default();
    match (text(old), text(new)) {
        (SideText::Lines(before), SideText::Lines(after)) => {
            let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(&*before, &*after);
            lines = count(&diff);
            let (from, to) = (side_name("a", name, &old.state), side_name("b", name, &new.state));
            out.push_str(&diff.unified_diff().context_radius(3).header(&from, &to).to_string());
        }
        (SideText::Unreadable(why), _) | (_, SideText::Unreadable(why)) => {
            let _ = writeln!(out, "[Cannot be shown: {why}]");
        }
        (SideText::Binary, _) | (_, SideText::Binary) => out.push_str("[Binary file, not shown]\n"),
        (SideText::TooLong, _) | (_, SideText::TooLong) => out.push_str("[Too long to compare]\n"),
    }
    (out, lines)
}

/// How many lines would come and go.
pub(super) fn lines(old: &FileSnapshot, new: &FileSnapshot) -> LineCounts {
    match (text(old), text(new)) {
        (SideText::Lines(old), SideText::Lines(new)) => {
            count(&TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(&*old, &*new))
        }
        _ => LineCounts::default(),
    }
}

fn count(diff: &TextDiff<'_, '_, str>) -> LineCounts {
    let mut lines = LineCounts::default();
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => lines.added += 1,
            ChangeTag::Delete => lines.removed += 1,
            ChangeTag::Equal => {}
        }
    }
    lines
}

fn text(snapshot: &FileSnapshot) -> SideText<'_> {
    match (&snapshot.state, &snapshot.bytes) {
        (FileState::Nothing, _) => SideText::Lines("".into()),
        (FileState::Link { to }, _) => SideText::Lines(String::from_utf8_lossy(to)),
        (FileState::Unreadable(why), _) => SideText::Unreadable(why),
        (FileState::File { .. }, None) => SideText::TooLong,
        (FileState::File { .. }, Some(bytes)) => match text_file::view(bytes) {
            Ok((_, text)) => SideText::Lines(text),
            Err(text_file::Binary) => SideText::Binary,
        },
    }
}

fn head(name: &str, old: &FileState, new: &FileState) -> String {
    let mut out = format!("diff --git a/{name} b/{name}\n");
    let _ = match (mode(old), mode(new)) {
        (None, Some(new)) => writeln!(out, "new file mode {new}"),
        (Some(old), None) => writeln!(out, "deleted file mode {old}"),
        (Some(old), Some(new)) if old != new => writeln!(out, "old mode {old}\nnew mode {new}"),
        _ => Ok(()),
    };
    out
}

fn mode(state: &FileState) -> Option<String> {
    match state {
        FileState::Nothing | FileState::Unreadable(_) => None,
        FileState::File { bits, .. } => Some(format!("100{bits:03o}")),
        FileState::Link { .. } => Some("120000".to_owned()),
    }
}

fn side_name(letter: &str, name: &str, state: &FileState) -> String {
    match state {
        FileState::Nothing => "/dev/null".to_owned(),
        _ => format!("{letter}/{name}"),
    }
}
