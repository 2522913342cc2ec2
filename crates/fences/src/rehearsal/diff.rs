//! The diff of one file, in the form that git writes and takes.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

use forelook_disk::text_file;
use similar::{ChangeTag, TextDiff};

use super::sides::{Seen, Side};

/// A diff need not be the shortest: after this time a rough one will do.
const PATIENCE: Duration = Duration::from_millis(100);

/// How many lines would come and go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) added: usize,
    pub(super) removed: usize,
}

/// What a side holds, as far as it can be shown.
enum Text<'a> {
    Lines(Cow<'a, str>),
    Binary,
    TooLong,
    Closed(&'a str),
}

/// The diff from one side to the other, and how many lines it is about.
pub(super) fn of(name: &str, old: &Seen, new: &Seen) -> (String, Lines) {
    let mut out = head(name, &old.side, &new.side);
    let mut lines = Lines::default();
    match (text(old), text(new)) {
        (Text::Lines(before), Text::Lines(after)) => {
            let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(&*before, &*after);
            lines = count(&diff);
            let (from, to) = (side_name("a", name, &old.side), side_name("b", name, &new.side));
            out.push_str(&diff.unified_diff().context_radius(3).header(&from, &to).to_string());
        }
        (Text::Closed(why), _) | (_, Text::Closed(why)) => {
            let _ = writeln!(out, "[It cannot be shown: {why}]");
        }
        (Text::Binary, _) | (_, Text::Binary) => out.push_str("[Binary, so it is not shown]\n"),
        (Text::TooLong, _) | (_, Text::TooLong) => out.push_str("[Too long to be compared]\n"),
    }
    (out, lines)
}

/// How many lines would come and go.
pub(super) fn lines(old: &Seen, new: &Seen) -> Lines {
    match (text(old), text(new)) {
        (Text::Lines(old), Text::Lines(new)) => {
            count(&TextDiff::configure().timeout(PATIENCE).diff_lines(&*old, &*new))
        }
        _ => Lines::default(),
    }
}

fn count(diff: &TextDiff<'_, '_, str>) -> Lines {
    let mut lines = Lines::default();
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => lines.added += 1,
            ChangeTag::Delete => lines.removed += 1,
            ChangeTag::Equal => {}
        }
    }
    lines
}

fn text(seen: &Seen) -> Text<'_> {
    match (&seen.side, &seen.bytes) {
        (Side::Nothing, _) => Text::Lines("".into()),
        (Side::Link { to }, _) => Text::Lines(String::from_utf8_lossy(to)),
        (Side::Closed(why), _) => Text::Closed(why),
        (Side::File { .. }, None) => Text::TooLong,
        (Side::File { .. }, Some(bytes)) => match text_file::view(bytes) {
            Ok((_, text)) => Text::Lines(text),
            Err(text_file::Binary) => Text::Binary,
        },
    }
}

fn head(name: &str, old: &Side, new: &Side) -> String {
    let mut out = format!("diff --git a/{name} b/{name}\n");
    let _ = match (mode(old), mode(new)) {
        (None, Some(new)) => writeln!(out, "new file mode {new}"),
        (Some(old), None) => writeln!(out, "deleted file mode {old}"),
        (Some(old), Some(new)) if old != new => writeln!(out, "old mode {old}\nnew mode {new}"),
        _ => Ok(()),
    };
    out
}

fn mode(side: &Side) -> Option<String> {
    match side {
        Side::Nothing | Side::Closed(_) => None,
        Side::File { bits, .. } => Some(format!("100{bits:03o}")),
        Side::Link { .. } => Some("120000".to_owned()),
    }
}

fn side_name(letter: &str, name: &str, side: &Side) -> String {
    match side {
        Side::Nothing => "/dev/null".to_owned(),
        _ => format!("{letter}/{name}"),
    }
}
