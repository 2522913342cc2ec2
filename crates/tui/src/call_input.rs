//! Everything that a call says, for whoever approves it or looks back at it: nothing is left out or cut.

use std::path::Path;

use forelook_protocol::ChangePreview;
use forelook_view::review::unified;
use ratatui_core::style::Style;
use ratatui_core::text::Line;
use serde_json::Value;

use crate::diff;
use crate::markdown::RenderContext;
use crate::text::{Indent, sanitize, wrap};

/// The input of a call: what it is about first, then its other fields.
pub(crate) fn input_rows(tool: &str, input: &Value, ctx: RenderContext) -> Vec<Line<'static>> {
    let text = |name: &str| input[name].as_str();
    let (told, mut rows) = match tool {
        "Bash" if text("command").is_some() => (vec!["command"], command(text("command"), ctx)),
        "Edit" if text("old_string").is_some() && text("new_string").is_some() => {
            let mut rows = path(text("file_path"), ctx);
            rows.extend(edit(text("old_string"), text("new_string"), ctx));
            (vec!["file_path", "old_string", "new_string"], rows)
        }
        "Write" if text("content").is_some() => {
            let mut rows = path(text("file_path"), ctx);
            rows.extend(lines(text("content").unwrap_or_default(), ctx.theme.good, ctx));
            (vec!["file_path", "content"], rows)
        }
        "Read" if text("file_path").is_some() => (vec!["file_path"], path(text("file_path"), ctx)),
        _ => {
            let pretty = serde_json::to_string_pretty(input).unwrap_or_else(|_| input.to_string());
            return lines(&pretty, Style::new(), ctx);
        }
    };
    rows.extend(others(input, &told, ctx));
    rows
}

/// The same for a call that waits for a yes. If it is known what would change in a file, that is shown in its place: where it
/// is, what stands around it, and what is lost. Paths in the input are relative to the folder.
pub(crate) fn asked_rows(
    tool: &str,
    input: &Value,
    change: Option<&ChangePreview>,
    folder: &Path,
    ctx: RenderContext,
) -> Vec<Line<'static>> {
    let (named, told): (&str, &[&str]) = match tool {
        "Edit" => ("file_path", &["file_path", "old_string", "new_string"]),
        "Write" => ("file_path", &["file_path", "content"]),
        "NotebookEdit" => ("notebook_path", &["notebook_path", "new_source"]),
        _ => return input_rows(tool, input, ctx),
    };
    let Some(change) = change else { return input_rows(tool, input, ctx) };
    let (quiet, real) = (ctx.theme.quiet, change.path.to_string());
    let mut rows = path(input[named].as_str(), ctx);
    // A path that leads elsewhere than it says: over a link, or up. That the names at its end are the same says nothing.
    if input[named].as_str().is_none_or(|named| folder.join(named) != change.path.as_path()) {
        rows.extend(lines(&format!("→ {real}"), quiet, ctx));
    }
    if change.creates {
        rows.extend(lines("A new file", quiet, ctx));
    }
    if change.diff.is_empty() {
        rows.extend(lines("No line changes", quiet, ctx));
    }
    rows.extend(indented(ctx, |ctx| {
        let diff = forelook_wording::visible(&change.diff).into_owned();
        diff::rows_of(&real, &diff, ctx.width, ctx.theme)
    }));
    rows.extend(others(input, told, ctx));
    if change.cut {
        rows.extend(lines("The rest of the change is too long to compare. All of the call:", quiet, ctx));
        rows.extend(input_rows(tool, input, ctx));
    }
    rows
}

/// A text with every control character as a sign, two columns in.
pub(crate) fn lines(text: &str, style: Style, ctx: RenderContext) -> Vec<Line<'static>> {
    let seen = forelook_wording::visible(text).into_owned();
    // Nothing is active any more but tabs, which become blanks.
    let seen = sanitize(&seen).into_owned();
    let row = |line: &str| wrap(&Line::styled(line.to_owned(), style), ctx.width, &Indent::all("  "));
    seen.lines().flat_map(row).collect()
}

fn command(command: Option<&str>, ctx: RenderContext) -> Vec<Line<'static>> {
    lines(command.unwrap_or_default(), ctx.theme.code, ctx)
}

fn path(path: Option<&str>, ctx: RenderContext) -> Vec<Line<'static>> {
    path.map(|path| lines(path, ctx.theme.heading, ctx)).unwrap_or_default()
}

/// What would change, as far as the call itself says it: where in the file that is, it does not say.
fn edit(old: Option<&str>, new: Option<&str>, ctx: RenderContext) -> Vec<Line<'static>> {
    let with_end = |text: Option<&str>| match forelook_wording::visible(text.unwrap_or_default()).into_owned()
    {
        text if text.is_empty() || text.ends_with('\n') => text,
        text => text + "\n",
    };
    let (old, new) = (with_end(old), with_end(new));
    let change = unified(&old, &new);
    indented(ctx, |ctx| diff::rows_without_numbers(&change, ctx.width, ctx.theme))
}

/// Rows that are made for a narrower window, two columns in.
fn indented(
    ctx: RenderContext,
    rows: impl FnOnce(RenderContext) -> Vec<Line<'static>>,
) -> Vec<Line<'static>> {
    let narrower = RenderContext { width: ctx.width.saturating_sub(2), ..ctx };
    let row = |row: Line<'static>| {
        let style = row.style;
        Line::from_iter(std::iter::once("  ".into()).chain(row.spans)).style(style)
    };
    rows(narrower).into_iter().map(row).collect()
}

fn others(input: &Value, told: &[&str], ctx: RenderContext) -> Vec<Line<'static>> {
    let fields = input.as_object().into_iter().flatten().filter(|(name, _)| !told.contains(&name.as_str()));
    let row = |(name, value): (&String, &Value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        lines(&format!("{name}: {value}"), ctx.theme.quiet, ctx)
    };
    fields.flat_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::Theme;
    use forelook_protocol::AbsPath;
    use serde_json::json;

    #[test]
    fn nothing_is_left_out() {
        let calls = [
            (
                "Bash",
                json!({"command": "set -e\n\trm -r 'a\u{1b}[8mb'", "timeout": 5000, "description": "Remove it"}),
            ),
            (
                "Edit",
                json!({"file_path": "/a.rs", "old_string": "one\ntwo", "new_string": "one\n2", "replace_all": true}),
            ),
            (
                "Write",
                json!({"file_path": "/b", "content": "a line that is longer than the window is wide\n\nend"}),
            ),
            ("Read", json!({"file_path": "/c", "limit": 3})),
            ("mcp__mail__send", json!({"to": "ada@example.org", "text": "hello"})),
            ("Bash", json!("no object")),
        ];
        let shown = calls.iter().map(|(tool, input)| {
            let rows = input_rows(tool, input, RenderContext { width: 34, theme: Theme::DARK });
            rows.iter().fold(format!("{tool}\n"), |all, row| all + row.to_string().trim_end() + "\n")
        });
        insta::assert_snapshot!(shown.collect::<String>());
    }

    #[test]
    fn a_path_that_leads_elsewhere_says_where() {
        for (named, real, arrow) in [
            ("/project/src/a.rs", "/project/src/a.rs", false),
            ("src/a.rs", "/project/src/a.rs", false),
            ("./src//a.rs", "/project/src/a.rs", false),
            // Over a link, also where the end of the path is the same.
            ("/project/link/a.rs", "/elsewhere/a.rs", true),
            ("a.rs", "/elsewhere/a.rs", true),
            ("src/a.rs", "/elsewhere/src/a.rs", true),
            ("../a.rs", "/a.rs", true),
        ] {
            let path = AbsPath::new(real).unwrap();
            let change = ChangePreview { path, creates: false, diff: String::new(), cut: false };
            let input = json!({"file_path": named, "old_string": "a", "new_string": "b"});
            let ctx = RenderContext { width: 60, theme: Theme::DARK };
            let rows = asked_rows("Edit", &input, Some(&change), Path::new("/project"), ctx);
            let shown = rows.iter().any(|row| row.to_string().trim() == format!("→ {real}"));
            assert_eq!(shown, arrow, "{named} {real}: {rows:?}");
        }
    }
}
