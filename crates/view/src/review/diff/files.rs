//! Diffs of several files, split by file.

/// A section of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffSection<'a> {
    /// A file starts.
    Name(&'a str),
    /// A note about a file, or between files.
    Note(&'a str),
    /// The changes in a file, for [`super::diff_lines`].
    Hunks(String),
}

/// The sections of a diff of several files, in order.
///
/// Each hunk states its number of lines, and they are counted: a removed line can look like a file header.
pub fn diff_sections(diff: &str) -> Vec<DiffSection<'_>> {
    let mut pieces = Vec::new();
    let (mut old, mut new) = (0_usize, 0_usize);
    let mut lines = diff.lines().peekable();
    while let Some(line) = lines.next() {
        let inside = old + new > 0 || line.starts_with('\\');
        if let (true, Some(DiffSection::Hunks(parts))) = (inside, pieces.last_mut()) {
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
                Some(DiffSection::Hunks(parts)) => push(parts, line),
                _ => pieces.push(DiffSection::Hunks(format!("{line}\n"))),
            }
        } else if let Some(name) = line.strip_prefix("diff --git ") {
            pieces.push(DiffSection::Name(git_header_name(name)));
        } else if let (Some(before), Some(after)) =
            (line.strip_prefix("--- "), lines.next_if(|next| next.starts_with("+++ ")))
        {
            let name = named(before, after.trim_start_matches("+++ "));
            if !names(&pieces, name) {
                pieces.push(DiffSection::Name(name));
            }
        } else if !line.starts_with("index ") {
            pieces.push(DiffSection::Note(line));
        }
    }
    pieces
}

fn push(parts: &mut String, line: &str) {
    parts.push_str(line);
    parts.push('\n');
}

/// Whether this is the last file that started, and none of its changes were shown yet.
fn names(pieces: &[DiffSection<'_>], name: &str) -> bool {
    let begun = pieces.iter().rev().find(|piece| !matches!(piece, DiffSection::Note(_)));
    begun.is_some_and(|piece| *piece == DiffSection::Name(name))
}

/// The name in `a/name b/name`; it can contain spaces.
fn git_header_name(text: &str) -> &str {
    let half = text.len().saturating_sub(1) / 2;
    let halves = text.split_at_checked(half).map(|(one, other)| (one, other.trim_start_matches(' ')));
    let bare = halves.and_then(|(one, other)| Some((one.strip_prefix("a/")?, other.strip_prefix("b/")?)));
    bare.filter(|(one, other)| one == other).map_or(text, |(name, _)| name)
}

/// The name of a file that may be new or deleted.
fn named<'a>(before: &'a str, after: &'a str) -> &'a str {
    let bare = |name: &'a str| name.split('\t').next().unwrap_or(name);
    match (bare(before), bare(after)) {
        (before, "/dev/null") => before.strip_prefix("a/").unwrap_or(before),
        (_, after) => after.strip_prefix("b/").unwrap_or(after),
    }
}

/// The numbers of lines in a hunk: `@@ -12,3 +14,4 @@`.
fn counts(line: &str) -> Option<(usize, usize)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |range: &str| range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok());
    Some((count(old)?, count(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

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
[Binary file, not shown]
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
";

    #[test]
    fn a_line_that_looks_like_a_head_is_a_line() {
        let names: Vec<&str> = diff_sections(DIFF)
            .into_iter()
            .filter_map(|piece| match piece {
                DiffSection::Name(name) => Some(name),
                _ => None,
            })
            .collect();
        assert_eq!(names, ["src/main.rs", "src/new.rs", "my logo.png", "gone.txt"]);
    }

    #[test]
    fn what_has_no_names_is_not_lost() {
        let parts = DiffSection::Hunks("@@ -1 +1 @@\n-a\n+b\n".into());
        assert_eq!(diff_sections("@@ -1 +1 @@\n-a\n+b\nand so on"), [parts, DiffSection::Note("and so on")]);
    }
}
