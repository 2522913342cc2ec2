//! What a person asked to see about plans, in lines.

use forelook_protocol::{EditorState, PlanEditor, PlanReply, PlanRevision, PlanState, PlanSummary};
use jiff::Timestamp;

use crate::rehearsal_view;
use crate::style::{Row, TextStyle};
use crate::text::wrap;
use forelook_wording::{age, counted, plan_revisions, truncate};

/// Columns that every terminal has.
pub(crate) const WIDTH: usize = 80;

/// Who reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlanReader {
    /// A person at a terminal: lines are kept short enough for their bar.
    Person,
    /// A file or a program: a plan is printed as it stands.
    Program,
}

/// The lines. `now` is what ages are counted from.
pub(crate) fn rows(shown: &PlanReply, now: Timestamp, reader: PlanReader) -> Vec<Row> {
    match shown {
        PlanReply::Entered { path } => vec![
            Row::new(TextStyle::Plan, "⏸ plan mode on"),
            Row::dim("  Nothing changes until you approve a plan. It will be saved to"),
            Row::dim(format!("  {path}")),
        ],
        PlanReply::Current { path, plan, problem, editor } => {
            let mut rows =
                vec![Row::new(TextStyle::Plan, "Current plan"), Row::dim(path.to_string()), Row::empty()];
            match (plan.as_deref().filter(|plan| !plan.trim().is_empty()), problem) {
                (Some(plan), _) => rows.extend(contents(plan, reader)),
                (None, Some(why)) => {
                    rows.push(Row::new(TextStyle::Yellow, "The plan cannot be read"));
                    rows.extend(why.lines().map(Row::plain));
                }
                (None, None) => rows.push(Row::plain("No plan yet")),
            }
            if let Some(editor) = editor {
                rows.extend([Row::empty(), Row::dim(format!("Edit it in {editor} with /plan open"))]);
            }
            rows
        }
        PlanReply::Diff { from, to, diff } => {
            let mut rows = vec![Row::new(TextStyle::Plan, plan_revisions(*from, *to))];
            match diff.is_empty() {
                true => rows.push(Row::plain("No changes")),
                false => rows.extend(diff_rows(diff)),
            }
            rows
        }
        PlanReply::History(revisions) => history(revisions, now),
        PlanReply::Restored { revision, path } => {
            vec![
                Row::new(TextStyle::Plan, format!("Restored revision {revision} of the plan")),
                Row::dim(path.to_string()),
            ]
        }
        PlanReply::Rehearsal(rehearsal) => rehearsal_view::rows(rehearsal.as_deref()),
        PlanReply::List(plans) => list(plans, now),
    }
}

/// The plan in the person's editor: a line, or what went wrong.
pub(crate) fn editor(told: &PlanEditor) -> Result<Row, String> {
    let PlanEditor { path, editor, state } = told;
    match state {
        EditorState::Opening { in_terminal: true } => {
            Ok(Row::dim(format!("Opening the plan in {editor}; close it to return")))
        }
        EditorState::Opening { .. } => Ok(Row::dim(format!("Opening the plan in {editor}"))),
        EditorState::Opened => Ok(Row::dim(format!("Opened {path} in {editor}"))),
        EditorState::Failed { why } => Err(format!("`{editor}` could not open `{path}`: {why}")),
    }
}

fn contents(plan: &str, reader: PlanReader) -> Vec<Row> {
    match reader {
        PlanReader::Person => barred(plan, |_| String::new()),
        PlanReader::Program => plan.lines().map(Row::plain).collect(),
    }
}

/// A text beside a light bar; `mark` stands before the bar of each line, by its number from 1.
pub(crate) fn barred(text: &str, mark: impl Fn(usize) -> String) -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mark = mark(at + 1);
        let lead = format!("  {mark}│ ");
        let blank = format!("  {}│ ", " ".repeat(mark.chars().count()));
        let style = if line.starts_with('#') { TextStyle::Bold } else { TextStyle::Plain };
        for (piece, text) in wrap(line, WIDTH - 1 - lead.chars().count()).into_iter().enumerate() {
            rows.push(Row::led(if piece == 0 { &lead } else { &blank }.as_str(), style, text));
        }
    }
    rows
}

/// A diff in its colours.
pub(crate) fn diff_rows(diff: &str) -> impl Iterator<Item = Row> {
    diff.lines().map(diff_row)
}

/// A line of one.
pub(crate) fn diff_row(line: &str) -> Row {
    Row::exact("  ", TextStyle::of_diff(line), line)
}

fn history(revisions: &[PlanRevision], now: Timestamp) -> Vec<Row> {
    if revisions.is_empty() {
        return vec![Row::plain("No saved revisions of the plan yet")];
    }
    let mut rows = vec![Row::new(TextStyle::Plan, "Plan revisions")];
    rows.extend(revisions.iter().map(|revision| {
        let lines = counted(revision.lines as u64, "line", "lines");
        let lead = format!("  {:>3}  {:<12}  {lines:>10}  ", revision.number, age(now, revision.time));
        Row::led(lead, TextStyle::Plain, truncate(&revision.title, 44))
    }));
    rows.push(Row::dim("/plan restore N restores one of them"));
    rows
}

fn list(plans: &[PlanSummary], now: Timestamp) -> Vec<Row> {
    if plans.is_empty() {
        return vec![Row::plain("No plans yet")];
    }
    let mut rows = vec![Row::new(TextStyle::Plan, counted(plans.len() as u64, "plan", "plans"))];
    for plan in plans {
        let style = match plan.state {
            PlanState::Draft => TextStyle::Plain,
            PlanState::Approved => TextStyle::Green,
            PlanState::Rejected => TextStyle::Red,
            PlanState::Parked | PlanState::Abandoned => TextStyle::Dim,
        };
        let title = if plan.title.is_empty() { &plan.slug } else { &plan.title };
        rows.push(Row::led(
            format!("  {:<9}  {:<12}  ", plan.state.name(), age(now, plan.time)),
            style,
            truncate(title, 52),
        ));
        let project = plan.project.as_ref().map_or_else(String::new, |project| format!(" in {project}"));
        rows.push(Row::dim(format!("{:27}{}{project}", "", plan.slug)));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::bare;
    use crate::testing::{path, review};
    use forelook_protocol::AbsPath;

    #[test]
    fn everything_on_paper() {
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        let revision = |number, at: &str, title: &str, lines| PlanRevision {
            number,
            time: time(at),
            title: title.into(),
            lines,
        };
        let summary = |title: &str, state, at: &str| PlanSummary {
            slug: "calm-weaving-otter".into(),
            path: path(),
            title: title.into(),
            project: AbsPath::new("/home/ada/pocket").ok(),
            time: time(at),
            state,
        };
        let all = [
            PlanReply::Entered { path: path() },
            PlanReply::Current {
                path: path(),
                plan: review().plan,
                problem: None,
                editor: Some("vi".into()),
            },
            PlanReply::Current { path: path(), plan: None, problem: None, editor: None },
            PlanReply::Current {
                path: path(),
                plan: None,
                problem: Some("It is a link\nReplace it".into()),
                editor: None,
            },
            PlanReply::Diff { from: Some(1), to: None, diff: "@@ -1 +1 @@\n-a\n+b\n".into() },
            PlanReply::Diff { from: None, to: Some(1), diff: String::new() },
            PlanReply::History(vec![
                revision(1, "2026-02-27T12:00:00Z", "Add a flag", 1),
                revision(
                    12,
                    "2026-03-01T11:59:30Z",
                    "Add a flag that has a name much too long for a line of a table",
                    1_240,
                ),
            ]),
            PlanReply::History(Vec::new()),
            PlanReply::Restored { revision: 3, path: path() },
            PlanReply::List(vec![
                summary("Add a flag", PlanState::Approved, "2026-03-01T11:30:00Z"),
                summary("", PlanState::Draft, "2026-01-01T11:30:00Z"),
            ]),
            PlanReply::List(Vec::new()),
        ];
        let text: Vec<String> = all.iter().map(|shown| bare(&rows(shown, now, PlanReader::Person))).collect();
        insta::assert_snapshot!(text.join("\n---\n"));
        for line in text.iter().flat_map(|text| text.lines()) {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
    }

    #[test]
    fn an_editor_in_a_line() {
        let told = |editor: &str, state| {
            let told = PlanEditor { path: path(), editor: editor.into(), state };
            super::editor(&told).map(|row| bare(&[row]))
        };
        let (opening, path) = (|in_terminal| EditorState::Opening { in_terminal }, path());
        for (editor, state, expected) in [
            ("vi", opening(true), Ok("Opening the plan in vi; close it to return".to_owned())),
            ("code", opening(false), Ok("Opening the plan in code".to_owned())),
            ("vi", EditorState::Opened, Ok(format!("Opened {path} in vi"))),
            (
                "vi",
                EditorState::Failed { why: "it is gone".into() },
                Err(format!("`vi` could not open `{path}`: it is gone")),
            ),
        ] {
            assert_eq!(told(editor, state), expected);
        }
    }
}
