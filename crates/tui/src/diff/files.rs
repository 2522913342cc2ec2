//! A diff of several files: each under its name, in the colours of its language.

use ratatui_core::text::Line;

use super::rows_of;
use crate::markdown::Look;
use crate::text::{Hang, harmless, wrap};

/// A piece of a diff.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    /// What changes in a file.
    File { name: &'a str, parts: String },
    /// Something that stands between files.
    Note(&'a str),
}

/// The rows of a diff of several files.
pub(crate) fn rows_of_files(diff: &str, look: Look) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    let mut note_before = false;
    for piece in pieces(diff) {
        let is_note = matches!(piece, Piece::Note(_));
        let goes_on = is_note && note_before;
        if !(rows.is_empty() || goes_on) {
            rows.push(Line::default());
        }
        note_before = is_note;
        match piece {
            Piece::File { name, parts } => {
                let head = Line::styled(harmless(name).into_owned(), look.theme.heading);
                rows.extend(wrap(&head, look.width, &Hang::default()));
                rows.extend(rows_of(name, &parts, look.width, look.theme));
            }
            Piece::Note(note) => {
                let note = Line::styled(harmless(note).into_owned(), look.theme.quiet);
                rows.extend(wrap(&note, look.width, &Hang::default()));
            }
        }
    }
    rows
}

/// A part says how many lines it has. They are counted: a line that goes may look like the head of a file.
fn pieces(diff: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut old, mut new) = (0_usize, 0_usize);
    let mut lines = diff.lines().peekable();
    while let Some(line) = lines.next() {
        let inside = old + new > 0 || line.starts_with('\\');
        if let (true, Some(Piece::File { parts, .. })) = (inside, pieces.last_mut()) {
            match line.as_bytes().first() {
                Some(b'-') => old = old.saturating_sub(1),
                Some(b'+') => new = new.saturating_sub(1),
                Some(b'\\') => {}
                _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
            }
            parts.push_str(line);
            parts.push('\n');
            continue;
        }
        let after = line.strip_prefix("--- ").and_then(|before| {
            let after = lines.next_if(|next| next.starts_with("+++ "))?;
            Some(named(before, after.trim_start_matches("+++ ")))
        });
        match (after, counts(line), pieces.last_mut()) {
            (Some(name), ..) => pieces.push(Piece::File { name, parts: String::new() }),
            (None, Some(counts), Some(Piece::File { parts, .. })) => {
                (old, new) = counts;
                parts.push_str(line);
                parts.push('\n');
            }
            _ if line.starts_with("diff --git ") || line.starts_with("index ") => {}
            _ => pieces.push(Piece::Note(line)),
        }
    }
    pieces
}

/// The name of the file, which may be new or gone.
fn named<'a>(before: &'a str, after: &'a str) -> &'a str {
    let bare = |name: &'a str| name.split('\t').next().unwrap_or(name);
    match (bare(before), bare(after)) {
        (before, "/dev/null") => before.strip_prefix("a/").unwrap_or(before),
        (_, after) => after.strip_prefix("b/").unwrap_or(after),
    }
}

/// How many lines a part has: `@@ -12,3 +14,4 @@`.
fn counts(line: &str) -> Option<(usize, usize)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |range: &str| range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok());
    Some((count(old)?, count(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::Theme;

    const DIFF: &str = "\
diff --git a/src/main.rs b/src/main.rs
--- a/src/main.rs
+++ b/src/main.rs
@@ -1,3 +1,3 @@
 fn main() {
--- a/fake.rs
-    one();
+++ b/fake.rs
+    two();
@@ -20 +20 @@
-old
+new
\\ No newline at end of file
--- /dev/null
+++ b/src/new.rs
@@ -0,0 +1,2 @@
+one
+two
logo.png: not text, changed
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
";

    #[test]
    fn a_line_that_looks_like_a_head_is_a_line() {
        let names: Vec<&str> = pieces(DIFF)
            .into_iter()
            .map(|piece| match piece {
                Piece::File { name, .. } | Piece::Note(name) => name,
            })
            .collect();
        assert_eq!(names, ["src/main.rs", "src/new.rs", "logo.png: not text, changed", "gone.txt"]);
    }

    #[test]
    fn every_file_is_under_its_name() {
        let rows = rows_of_files(DIFF, Look { width: 60, theme: Theme::DARK });
        let text: Vec<String> = rows.iter().map(|row| row.to_string().trim_end().to_owned()).collect();
        insta::assert_snapshot!(text.join("\n"));
    }

    #[test]
    fn what_is_no_diff_is_shown_as_it_stands() {
        let rows = rows_of_files("@@ -1 +1 @@\n-a\n+b", Look { width: 60, theme: Theme::DARK });
        assert_eq!(rows.iter().map(ToString::to_string).collect::<String>(), "@@ -1 +1 @@-a+b");
    }
}
