//! A diff of several files: each under its name, in the colours of its language.

use ratatui_core::text::Line;

use super::rows_of;
use crate::markdown::Look;
use crate::text::{Hang, harmless, wrap};

/// A piece of a diff.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    /// A file begins.
    Name(&'a str),
    /// Something said of a file, or between files.
    Note(&'a str),
    /// What changes in a file.
    Parts(String),
}

/// The rows of a diff of several files.
pub(crate) fn rows_of_files(diff: &str, look: Look) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    let mut file = "";
    for piece in pieces(diff) {
        let (text, style) = match piece {
            Piece::Parts(parts) => {
                rows.extend(rows_of(file, &parts, look.width, look.theme));
                continue;
            }
            Piece::Note(note) => (note, look.theme.quiet),
            Piece::Name(name) => {
                file = name;
                rows.extend((!rows.is_empty()).then(Line::default));
                (name, look.theme.heading)
            }
        };
        let line = Line::styled(harmless(text).into_owned(), style);
        rows.extend(wrap(&line, look.width, &Hang::default()));
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
        if let (true, Some(Piece::Parts(parts))) = (inside, pieces.last_mut()) {
            match line.as_bytes().first() {
                Some(b'-') => old = old.saturating_sub(1),
                Some(b'+') => new = new.saturating_sub(1),
                Some(b'\\') => {}
                _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
            }
            push(parts, line);
        } else if let Some(counts) = counts(line) {
            (old, new) = counts;
            match pieces.last_mut() {
                Some(Piece::Parts(parts)) => push(parts, line),
                _ => pieces.push(Piece::Parts(format!("{line}\n"))),
            }
        } else if let Some(name) = line.strip_prefix("diff --git ") {
            pieces.push(Piece::Name(twice_named(name)));
        } else if let (Some(before), Some(after)) =
            (line.strip_prefix("--- "), lines.next_if(|next| next.starts_with("+++ ")))
        {
            let name = named(before, after.trim_start_matches("+++ "));
            if !names(&pieces, name) {
                pieces.push(Piece::Name(name));
            }
        } else if !line.starts_with("index ") {
            pieces.push(Piece::Note(line));
        }
    }
    pieces
}

fn push(parts: &mut String, line: &str) {
    parts.push_str(line);
    parts.push('\n');
}

/// Whether the last file that has begun is this one, and nothing of it was shown yet.
fn names(pieces: &[Piece<'_>], name: &str) -> bool {
    let begun = pieces.iter().rev().find(|piece| !matches!(piece, Piece::Note(_)));
    begun.is_some_and(|piece| *piece == Piece::Name(name))
}

/// The name in `a/name b/name`, which may have blanks.
fn twice_named(text: &str) -> &str {
    let half = text.len().saturating_sub(1) / 2;
    let halves = text.split_at_checked(half).map(|(one, other)| (one, other.trim_start_matches(' ')));
    let bare = halves.and_then(|(one, other)| Some((one.strip_prefix("a/")?, other.strip_prefix("b/")?)));
    bare.filter(|(one, other)| one == other).map_or(text, |(name, _)| name)
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
old mode 100644
new mode 100755
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
diff --git a/my logo.png b/my logo.png
[Binary, so it is not shown]
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
";

    #[test]
    fn a_line_that_looks_like_a_head_is_a_line() {
        let names: Vec<&str> = pieces(DIFF)
            .into_iter()
            .filter_map(|piece| match piece {
                Piece::Name(name) => Some(name),
                _ => None,
            })
            .collect();
        assert_eq!(names, ["src/main.rs", "src/new.rs", "my logo.png", "gone.txt"]);
    }

    #[test]
    fn every_file_is_under_its_name() {
        let rows = rows_of_files(DIFF, Look { width: 60, theme: Theme::DARK });
        let text: Vec<String> = rows.iter().map(|row| row.to_string().trim_end().to_owned()).collect();
        insta::assert_snapshot!(text.join("\n"));
    }

    #[test]
    fn what_has_no_names_is_shown_all_the_same() {
        let rows = rows_of_files("@@ -1 +1 @@\n-a\n+b\nand so on", Look { width: 60, theme: Theme::DARK });
        let text: Vec<String> = rows.iter().map(ToString::to_string).collect();
        assert_eq!(text, ["1 - a", "1 + b", "and so on"]);
    }
}
