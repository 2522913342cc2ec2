//! A diff of several files: each under its name, in the colours of its language.

use forelook_view::review::{DiffSection, diff_sections};
use ratatui_core::text::Line;

use super::rows_of;
use crate::markdown::RenderContext;
use crate::text::{Indent, sanitize, wrap};

/// The rows of a diff of several files.
pub(crate) fn rows_of_files(diff: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    let mut file = "";
    for piece in diff_sections(diff) {
        let (text, style) = match piece {
            DiffSection::Hunks(parts) => {
                rows.extend(rows_of(file, &parts, ctx.width, ctx.theme));
                continue;
            }
            DiffSection::Note(note) => (note, ctx.theme.quiet),
            DiffSection::Name(name) => {
                file = name;
                rows.extend((!rows.is_empty()).then(Line::default));
                (name, ctx.theme.heading)
            }
        };
        let line = Line::styled(sanitize(text).into_owned(), style);
        rows.extend(wrap(&line, ctx.width, &Indent::default()));
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
[Binary file, not shown]
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
";

    #[test]
    fn every_file_is_under_its_name() {
        let rows = rows_of_files(DIFF, RenderContext { width: 60, theme: Theme::DARK });
        let text: Vec<String> = rows.iter().map(|row| row.to_string().trim_end().to_owned()).collect();
        insta::assert_snapshot!(text.join("\n"));
    }

    #[test]
    fn what_has_no_names_is_shown_all_the_same() {
        let rows =
            rows_of_files("@@ -1 +1 @@\n-a\n+b\nand so on", RenderContext { width: 60, theme: Theme::DARK });
        let text: Vec<String> = rows.iter().map(ToString::to_string).collect();
        assert_eq!(text, ["1 - a", "1 + b", "and so on"]);
    }
}
