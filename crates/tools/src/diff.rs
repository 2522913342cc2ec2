//! What changed in a file, as a unified diff of bounded size.

use std::fmt::Write;
use std::time::Duration;

use similar::{ChangeTag, DiffOp, TextDiff};

use crate::output::shorten;

/// Lines around a change.
const CONTEXT: usize = 3;
/// What the model reads of a diff at most; it knows what it wrote.
const MAX_LINES: usize = 300;
const MAX_LINE_CHARS: usize = 500;
/// A diff need not be the shortest: after this time a rough one will do.
const PATIENCE: Duration = Duration::from_millis(200);

/// The change from `old` to `new`, both with plain newlines. Empty when there is none.
pub(crate) fn unified(old: &str, new: &str) -> String {
    // Most edits change a few lines of a long file: only the part around them is compared.
    let (start, old_part, new_part) = changed_part(old, new);
    let first_line = old[..start].bytes().filter(|byte| *byte == b'\n').count();
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old_part, new_part);
    let mut out = String::new();
    let (mut lines, mut left_out) = (0, 0);
    for hunk in diff.grouped_ops(CONTEXT) {
        let _ = writeln!(out, "{}", header(&hunk, first_line));
        for change in hunk.iter().flat_map(|op| diff.iter_changes(op)) {
            if lines == MAX_LINES {
                left_out += 1;
                continue;
            }
            lines += 1;
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let line = change.value();
            let _ = writeln!(out, "{sign}{}", shorten(line.trim_end_matches('\n'), MAX_LINE_CHARS));
            if !line.ends_with('\n') {
                out.push_str("\\ No newline at end of file\n");
            }
        }
        if lines == MAX_LINES {
            break;
        }
    }
    if left_out > 0 {
        out.push_str("[the rest of the diff is left out]\n");
    }
    out
}

/// The part of both texts that is not the same at the beginning and the end, with whole lines and the
/// context that a diff shows. Returns where it begins too.
fn changed_part<'a>(old: &'a str, new: &'a str) -> (usize, &'a str, &'a str) {
    let same = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let start = lines_back(&old.as_bytes()[..same], CONTEXT + 1);
    let (old_rest, new_rest) = (&old.as_bytes()[same..], &new.as_bytes()[same..]);
    let same = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let tail = &old.as_bytes()[old.len() - same..];
    let end = tail.len() - lines_ahead(tail, CONTEXT + 1);
    (start, &old[start..old.len() - end], &new[start..new.len() - end])
}

/// Where the last `count` lines of the bytes begin.
fn lines_back(bytes: &[u8], count: usize) -> usize {
    let newlines = bytes.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    newlines.map(|(at, _)| at + 1).nth(count).unwrap_or(0)
}

/// Where the first `count` lines of the bytes end.
fn lines_ahead(bytes: &[u8], count: usize) -> usize {
    let newlines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    newlines.map(|(at, _)| at + 1).nth(count).unwrap_or(bytes.len())
}

fn header(hunk: &[DiffOp], first_line: usize) -> String {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return String::new() };
    let range = |start: usize, end: usize| {
        let count = end - start;
        // As `diff` does: an empty range names the line before it.
        let from = first_line + start + usize::from(count > 0);
        if count == 1 { format!("{from}") } else { format!("{from},{count}") }
    };
    let old = range(first.old_range().start, last.old_range().end);
    let new = range(first.new_range().start, last.new_range().end);
    format!("@@ -{old} +{new} @@")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn diffs_read_as_usual() {
        let numbers =
            |skip: usize| (1..=20).filter(|n| *n != skip).map(|n| format!("{n}\n")).collect::<String>();
        for (old, new, expected) in [
            ("a\n", "a\n", String::new()),
            ("", "a\n", "@@ -0,0 +1 @@\n+a\n".into()),
            ("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n".into()),
            (&numbers(0), &numbers(10), "@@ -7,7 +7,6 @@\n 7\n 8\n 9\n-10\n 11\n 12\n 13\n".into()),
            ("é\nb\n", "è\nb\n", "@@ -1,2 +1,2 @@\n-é\n+è\n b\n".into()),
        ] {
            assert_eq!(unified(old, new), expected);
        }
    }

    #[test]
    fn a_long_diff_is_cut() {
        let new = format!("{}\n", "x".repeat(10_000)).repeat(1000);
        let text = unified("", &new);
        assert!(text.len() < MAX_LINES * (MAX_LINE_CHARS + 60), "{}", text.len());
        assert!(text.ends_with("[the rest of the diff is left out]\n"));
    }

    proptest! {
        /// The part that is compared gives the diff that the whole would give.
        #[test]
        fn the_compared_part_is_enough(old in "[abé\n]{0,60}", new in "[abé\n]{0,60}") {
            let (start, old_part, new_part) = changed_part(&old, &new);
            prop_assert_eq!(&old[..start], &new[..start]);
            prop_assert_eq!(&old[start + old_part.len()..], &new[start + new_part.len()..]);
            prop_assert_eq!(unified(&old, &new).is_empty(), old == new);
        }
    }
}
