//! What a person asked to see about plans, in lines.

use forelook_protocol::{EditorState, PlanEditor, PlanRevision, PlanShown, PlanState, PlanSummary};
use jiff::Timestamp;

use crate::ink::{Ink, Row};
use crate::rehearsal_view;
use crate::text::wrap;
use forelook_wording::{age, counted, cut, plan_revisions};

/// Columns that every terminal has.
pub(crate) const WIDTH: usize = 80;

/// Who reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// A person at a terminal: lines are kept short enough for their bar.
    Person,
    /// A file or a program: a plan is printed as it stands.
    Program,
}

/// The lines. `now` is what ages are counted from.
pub(crate) fn rows(shown: &PlanShown, now: Timestamp, reader: Reader) -> Vec<Row> {
    match shown {
        PlanShown::Entered { path } => vec![
            Row::new(Ink::Plan, "⏸ plan mode on"),
            Row::dim("  Nothing is changed before you approve a plan. It will be in"),
            Row::dim(format!("  {path}")),
        ],
        PlanShown::Current { path, plan, editor } => {
            let mut rows =
                vec![Row::new(Ink::Plan, "Current plan"), Row::dim(path.to_string()), Row::empty()];
            match plan.as_deref().filter(|plan| !plan.trim().is_empty()) {
                Some(plan) => rows.extend(contents(plan, reader)),
                None => rows.push(Row::plain("There is no plan yet")),
            }
            if let Some(editor) = editor {
                rows.extend([Row::empty(), Row::dim(format!("/plan open edits it in {editor}"))]);
            }
            rows
        }
        PlanShown::Diff { from, to, diff } => {
            let mut rows = vec![Row::new(Ink::Plan, plan_revisions(*from, *to))];
            match diff.is_empty() {
                true => rows.push(Row::plain("Nothing has changed")),
                false => rows.extend(diff_rows(diff)),
            }
            rows
        }
        PlanShown::History(revisions) => history(revisions, now),
        PlanShown::Restored { revision, path } => {
            vec![
                Row::new(Ink::Plan, format!("Revision {revision} is the plan again")),
                Row::dim(path.to_string()),
            ]
        }
        PlanShown::Rehearsal(rehearsal) => rehearsal_view::rows(rehearsal.as_deref()),
        PlanShown::List(plans) => list(plans, now),
    }
}

/// The plan in the person's editor: a line, or what went wrong.
pub(crate) fn editor(told: &PlanEditor) -> Result<Row, String> {
    let PlanEditor { path, editor, state } = told;
    match state {
        EditorState::Opening { in_terminal: true } => {
            Ok(Row::dim(format!("Opening the plan in {editor}; close it to come back")))
        }
        EditorState::Opening { .. } => Ok(Row::dim(format!("Opening the plan in {editor}"))),
        EditorState::Opened => Ok(Row::dim(format!("Opened {path} in {editor}"))),
        EditorState::Failed { why } => Err(format!("`{editor}` did not open `{path}`: {why}")),
    }
}

fn contents(plan: &str, reader: Reader) -> Vec<Row> {
    match reader {
        Reader::Person => barred(plan, |_| String::new()),
        Reader::Program => plan.lines().map(Row::plain).collect(),
    }
}

/// A text beside a light bar; `mark` stands before the bar of each line, by its number from 1.
pub(crate) fn barred(text: &str, mark: impl Fn(usize) -> String) -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mark = mark(at + 1);
        let lead = format!("  {mark}│ ");
        let blank = format!("  {}│ ", " ".repeat(mark.chars().count()));
        let ink = if line.starts_with('#') { Ink::Bold } else { Ink::Plain };
        for (piece, text) in wrap(line, WIDTH - 1 - lead.chars().count()).into_iter().enumerate() {
            rows.push(Row::led(if piece == 0 { &lead } else { &blank }.as_str(), ink, text));
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
    Row::exact("  ", Ink::of_diff(line), line)
}

fn history(revisions: &[PlanRevision], now: Timestamp) -> Vec<Row> {
    if revisions.is_empty() {
        return vec![Row::plain("No revision of the plan has been kept yet")];
    }
    let mut rows = vec![Row::new(Ink::Plan, "Revisions of the plan")];
    rows.extend(revisions.iter().map(|revision| {
        let lines = counted(revision.lines as u64, "line", "lines");
        let lead = format!("  {:>3}  {:<12}  {lines:>10}  ", revision.number, age(now, revision.time));
        Row::led(lead, Ink::Plain, cut(&revision.title, 44))
    }));
    rows.push(Row::dim("/plan restore N makes one of them the plan again"));
    rows
}

fn list(plans: &[PlanSummary], now: Timestamp) -> Vec<Row> {
    if plans.is_empty() {
        return vec![Row::plain("There are no plans yet")];
    }
    let mut rows = vec![Row::new(Ink::Plan, counted(plans.len() as u64, "plan", "plans"))];
    for plan in plans {
        let ink = match plan.state {
            PlanState::Draft => Ink::Plain,
            PlanState::Approved => Ink::Green,
            PlanState::Rejected => Ink::Red,
            PlanState::Parked | PlanState::Abandoned => Ink::Dim,
        };
        let title = if plan.title.is_empty() { &plan.slug } else { &plan.title };
        rows.push(Row::led(
            format!("  {:<9}  {:<12}  ", plan.state.name(), age(now, plan.time)),
            ink,
            cut(title, 52),
        ));
        let project = plan.project.as_ref().map_or_else(String::new, |project| format!(" in {project}"));
        rows.push(Row::dim(format!("{:27}{}{project}", "", plan.slug)));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ink::bare;
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
            PlanShown::Entered { path: path() },
            PlanShown::Current { path: path(), plan: review().plan, editor: Some("vi".into()) },
            PlanShown::Current { path: path(), plan: None, editor: None },
            PlanShown::Diff { from: Some(1), to: None, diff: "@@ -1 +1 @@\n-a\n+b\n".into() },
            PlanShown::Diff { from: None, to: Some(1), diff: String::new() },
            PlanShown::History(vec![
                revision(1, "2026-02-27T12:00:00Z", "Add a flag", 1),
                revision(
                    12,
                    "2026-03-01T11:59:30Z",
                    "Add a flag that has a name much too long for a line of a table",
                    1_240,
                ),
            ]),
            PlanShown::History(Vec::new()),
            PlanShown::Restored { revision: 3, path: path() },
            PlanShown::List(vec![
                summary("Add a flag", PlanState::Approved, "2026-03-01T11:30:00Z"),
                summary("", PlanState::Draft, "2026-01-01T11:30:00Z"),
            ]),
            PlanShown::List(Vec::new()),
        ];
        let text: Vec<String> = all.iter().map(|shown| bare(&rows(shown, now, Reader::Person))).collect();
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
            ("vi", opening(true), Ok("Opening the plan in vi; close it to come back".to_owned())),
            ("code", opening(false), Ok("Opening the plan in code".to_owned())),
            ("vi", EditorState::Opened, Ok(format!("Opened {path} in vi"))),
            (
                "vi",
                EditorState::Failed { why: "it is gone".into() },
                Err(format!("`vi` did not open `{path}`: it is gone")),
            ),
        ] {
            assert_eq!(told(editor, state), expected);
        }
    }
}
