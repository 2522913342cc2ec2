//! What changed between two texts.

use std::fmt::Write;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

/// A diff need not be the shortest: after this time a rough one will do.
const PATIENCE: Duration = Duration::from_millis(200);

/// Lines around a change.
const CONTEXT: usize = 3;

/// Whether the places of the changes are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Places {
    /// By a line before each.
    Told,
    /// They are not known: the texts are pieces of something else.
    Unknown,
}

/// The change from `old` to `new`, line by line. Empty when there is none.
pub(crate) fn diff(old: &str, new: &str, places: Places) -> String {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let mut out = String::new();
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        match places {
            Places::Told => _ = writeln!(out, "{}", hunk.header()),
            Places::Unknown if out.is_empty() => {}
            Places::Unknown => out.push_str("…\n"),
        }
        for change in hunk.iter_changes() {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let _ = writeln!(out, "{sign}{}", change.value().trim_end_matches('\n'));
        }
    }
    out
}
