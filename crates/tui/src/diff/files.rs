//! A diff of several files: each under its name, in the colours of its language.

use forelook_view::review::{FilePiece, file_pieces};
use ratatui_core::text::Line;

use super::rows_of;
use crate::markdown::Look;
use crate::text::{Hang, harmless, wrap};

/// The rows of a diff of several files.
pub(crate) fn rows_of_files(diff: &str, look: Look) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    let mut file = "";
    for piece in file_pieces(diff) {
        let (text, style) = match piece {
            FilePiece::Parts(parts) => {
                rows.extend(rows_of(file, &parts, look.width, look.theme));
                continue;
            }
            FilePiece::Note(note) => (note, look.theme.quiet),
            FilePiece::Name(name) => {
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
