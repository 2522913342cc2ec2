//! What was rehearsed, and what was made of it.

use forelook_protocol::{FileChange, Rehearsal, RehearsalApplied};
use forelook_wording::{
    PROTECTED_HEAD, applied_files, applied_head, rehearsal_files, rehearsal_ignored, visible,
};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use crate::diff;
use crate::markdown::RenderContext;
use crate::text::{Indent, sanitize, wrap};

/// Which files would change, and how.
pub(crate) fn rows(rehearsal: &Rehearsal, ctx: RenderContext) -> Vec<Line<'static>> {
    let (folder, files) = rehearsal_files(rehearsal);
    let mut rows = quiet(&format!("in {folder}"), ctx);
    let mut is_headed = false;
    for file in files {
        if file.protected && !std::mem::replace(&mut is_headed, true) {
            let head = Line::styled(PROTECTED_HEAD, ctx.theme.warning);
            rows.extend(wrap(&head, ctx.width, &Indent::all("  ")));
        }
        let style = match file.change {
            FileChange::Added => ctx.theme.good,
            FileChange::Changed => ctx.theme.warning,
            FileChange::Removed => ctx.theme.bad,
        };
        let line = Line::from(vec![
            Span::raw(sanitize(&file.path).into_owned()),
            Span::styled(format!("  {}", file.lines), ctx.theme.quiet),
        ]);
        rows.extend(wrap(&line, ctx.width, &Indent::first(Span::styled(format!("  {} ", file.sign), style))));
    }
    rows.extend(rehearsal_ignored(rehearsal).map(|words| quiet(&words, ctx)).unwrap_or_default());
    if !rehearsal.diff.is_empty() {
        rows.push(Line::default());
        rows.extend(diff::rows_of_files(&visible(&rehearsal.diff), ctx));
    }
    rows
}

/// Which files are changed now, and which are not.
pub(super) fn applied(applied: &RehearsalApplied, ctx: RenderContext) -> Vec<Line<'static>> {
    let (folder, files, failed) = applied_files(applied);
    let (mark, style) = if failed.is_empty() { ("● ", ctx.theme.plan) } else { ("✗ ", ctx.theme.bad) };
    let row = |text: String, style: Style, indent: Span<'static>| {
        wrap(&Line::styled(sanitize(&text).into_owned(), style), ctx.width, &Indent::first(indent))
    };
    let mut rows = row(applied_head(applied), style, Span::styled(mark, style));
    if !(files.is_empty() && failed.is_empty()) {
        rows.extend(quiet(&format!("in {folder}"), ctx));
    }
    let lead = Span::styled("  ⎿ ", ctx.theme.quiet);
    rows.extend(files.into_iter().flat_map(|file| row(file, Style::new(), lead.clone())));
    let lead = Span::styled("  ✗ ", ctx.theme.bad);
    let why = |(file, why)| row(format!("{file}: {why}"), ctx.theme.bad, lead.clone());
    rows.extend(failed.into_iter().flat_map(why));
    rows
}

fn quiet(text: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    wrap(&Line::styled(sanitize(text).into_owned(), ctx.theme.quiet), ctx.width, &Indent::all("  "))
}

/// One for tests.
#[cfg(test)]
pub(crate) fn sample() -> Rehearsal {
    let file = |path: &str, change, added, removed| forelook_protocol::RehearsedFile {
        path: forelook_protocol::AbsPath::new(path).unwrap(),
        change,
        added,
        removed,
        protected: false,
    };
    let lines: String = (1..=9).map(|line| format!("+    {line},\n")).collect();
    Rehearsal {
        files: vec![
            file("/home/ada/pocket/src/main.rs", FileChange::Changed, 1, 1),
            file("/home/ada/pocket/src/notes.rs", FileChange::Added, 11, 0),
            file("/home/ada/pocket/old.txt", FileChange::Removed, 0, 1),
        ],
        ignored: 2,
        diff: format!(
            "--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n--- a/src/main.rs\n+++ b/src/main.rs\n@@ -1,3 +1,3 @@\n \
             fn main() {{\n-    list();\n+    count();\n }}\n--- /dev/null\n+++ b/src/notes.rs\n@@ -0,0 +1,11 @@\n+[\n{lines}+]\n"
        ),
        hash: "r1".into(),
    }
}
