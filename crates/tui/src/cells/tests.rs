//! Cells on a narrow window.

use forelook_protocol::{
    AbsPath, AnsweredBy, Approval, CallId, EditorState, PlanAnswer, PlanComment, PlanRevision, PlanState,
    PlanSummary, Reviewer,
};
use serde_json::json;

use super::*;
use crate::theme::Theme;

fn shown(cell: &Cell) -> String {
    shown_in(cell, 44)
}

fn shown_in(cell: &Cell, width: usize) -> String {
    let rows = cell.rows(RenderContext { width, theme: Theme::DARK });
    let fits = matches!(cell, Cell::Call { .. }) || rows.iter().all(|row| row.width() <= width);
    assert!(fits, "{rows:#?}");
    rows.iter().map(|row| row.to_string().trim_end().to_owned() + "\n").collect()
}

fn call(name: &str, input: serde_json::Value, text: &str, outcome: CallOutcome) -> Cell {
    let call = ToolCall { id: CallId("1".into()), name: name.into(), input };
    Cell::Call { call, text: text.to_owned(), outcome }
}

fn shell(command: &str, output: &str, failed: Option<&str>) -> Cell {
    Cell::Shell(UserShellEnded {
        call: CallId("2".into()),
        command: command.into(),
        output: output.into(),
        failed: failed.map(str::to_owned),
        folder: None,
    })
}

#[test]
fn everything_that_can_be_finished() {
    let cells = [
        Cell::Prompt("Add a flag to the command that says\nhow many".into()),
        Cell::Answer { rows: vec![Line::from("I look first."), Line::from("Then I plan.")], begins: true },
        call("Read", json!({"file_path": "src/main.rs"}), "1\ta\n2\tb\n", CallOutcome::Done),
        call("Bash", json!({"command": "cargo test\necho"}), &"line\n".repeat(20), CallOutcome::Failed),
        call("Edit", json!({"file_path": "a"}), "Changed `a`\n@@ -1 +1 @@\n-one\n+two\n", CallOutcome::Done),
        call("Write", json!({"file_path": "b"}), "Not run. It is no plan.", CallOutcome::Refused),
        call("Bash", json!({"command": "word ".repeat(60)}), "x\n", CallOutcome::Interrupted),
        call("Bash", json!({"command": "one"}), &"word ".repeat(80), CallOutcome::Done),
        call(
            "Agent",
            json!({"subagent_type": "Explore", "description": "Look"}),
            "Found **it**:\n\n- here\n- there\n",
            CallOutcome::Done,
        ),
        call(
            "Write",
            json!({"file_path": "/n.rs", "content": "fn a() {}\n".repeat(9)}),
            "Created `/n.rs` (9 lines)",
            CallOutcome::Done,
        ),
        shell("git status", "clean\n", None),
        shell("false\nx", "", Some("Exit code 1")),
        Cell::Notice(Notice { level: NoticeLevel::Error, text: "It failed.\nTry again.".into() }),
    ];
    insta::assert_snapshot!(cells.iter().map(shown).collect::<String>());
}

fn path() -> AbsPath {
    AbsPath::new("/home/ada/.forelook/plans/calm-weaving-otter.md").unwrap()
}

const PLAN: &str = "# Add a flag\n\n1. Read `src/main.rs`\n2. Write *less*\n\n```rust\nlet a = 1;\n```\n";

fn reviewed(answer: PlanAnswer) -> Cell {
    let mode_state = forelook_protocol::ModeState::new(forelook_protocol::Mode::AcceptEdits);
    Cell::Plan(Box::new(PlanReviewed {
        question: Some(serde_json::from_value(json!("00000000-0000-7000-8000-000000000003")).unwrap()),
        call: None,
        by: Reviewer::Person,
        through: AnsweredBy::Session,
        answer,
        path: path(),
        proposed: None,
        shown: String::new(),
        plan: Some(PLAN.into()),
        mode_state,
        why: None,
    }))
}

#[test]
fn plans_that_were_answered() {
    let comment = PlanComment {
        first: 3,
        last: 4,
        quote: "1. Read `src/main.rs`\n2. Write *less*".into(),
        text: "which one?\nsay it".into(),
    };
    let note = Some("mind the tests\x1b[2J".to_owned());
    let cells = [
        reviewed(PlanAnswer::Approve(Approval { note, fresh_context: true, ..Approval::default() })),
        reviewed(PlanAnswer::KeepPlanning { feedback: Some("too\nlong".into()), comments: vec![comment] }),
        reviewed(PlanAnswer::Park),
        reviewed(PlanAnswer::Abandon),
        reviewed(PlanAnswer::HandOver),
    ];
    insta::assert_snapshot!(cells.iter().map(shown).collect::<String>());
}

#[test]
fn what_slash_plan_shows() {
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
    let long = "Add a flag that has a name much too long for a line of a table, whatever its width may be";
    let all = [
        PlanReply::Entered { path: path() },
        PlanReply::Current {
            path: path(),
            plan: Some(PLAN.into()),
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
        PlanReply::Diff { from: Some(1), to: None, diff: "@@ -3 +3 @@\n-1. Read one\n+1. Read two\n".into() },
        PlanReply::Diff { from: None, to: Some(1), diff: String::new() },
        PlanReply::History(vec![
            revision(1, "2026-02-27T12:00:00Z", "Add a flag", 1),
            revision(12, "2026-03-01T11:59:30Z", long, 1_240),
        ]),
        PlanReply::History(Vec::new()),
        PlanReply::Restored { revision: 3, path: path() },
        PlanReply::List(vec![
            summary(long, PlanState::Approved, "2026-03-01T11:30:00Z"),
            summary("", PlanState::Draft, "2026-01-01T11:30:00Z"),
        ]),
        PlanReply::List(Vec::new()),
        PlanReply::Rehearsal(Some(Box::new(rehearsal_sample()))),
        PlanReply::Rehearsal(None),
    ];
    let cells = all.map(|it| Cell::Shown { shown: Box::new(it), now: time("2026-03-01T12:00:00Z") });
    for width in [80, 40] {
        insta::assert_snapshot!(
            format!("plan_shown_{width}"),
            cells.iter().map(|cell| shown_in(cell, width)).collect::<String>()
        );
    }
}

#[test]
fn how_far_the_editor_is() {
    let cell = |state| {
        let path = AbsPath::new("/plans/a.md").unwrap();
        Cell::Editor(Box::new(PlanEditor { path, editor: "v\x1b[2Ji".into(), state }))
    };
    let cells = [
        cell(EditorState::Opening { in_terminal: true }),
        cell(EditorState::Opening { in_terminal: false }),
        cell(EditorState::Failed { why: "it ended with exit code 1".into() }),
    ];
    insta::assert_snapshot!(cells.iter().map(shown).collect::<String>());
}

/// The rows of a result below its call.
fn result_rows(text: &str, width: usize) -> Vec<String> {
    let shown = shown_in(&call("Bash", json!({"command": "x"}), text, CallOutcome::Done), width);
    shown.lines().skip(2).map(str::to_owned).collect()
}

#[test]
fn folding_counts_rows_and_never_hides_a_single_one() {
    let lines = |count: usize| "line\n".repeat(count);
    for (text, width, rows, last) in [
        (lines(6), 80, 6, "    line"),
        (lines(7), 80, 7, "    line"),
        (lines(8), 80, 7, "    … 2 more lines (Ctrl+O shows everything)"),
        (lines(1_000), 80, 7, "    … 994 more lines (Ctrl+O shows everything)"),
        // 76 columns hold the words: 66 rows.
        ("x".repeat(5_000), 80, 7, "    … 60 more lines (Ctrl+O shows everything)"),
        ("x".repeat(76 * 7), 80, 7, &format!("    {}", "x".repeat(76))),
        (format!("a\n{}\nb", "x".repeat(5_000)), 40, 7, "    … 135 more lines (Ctrl+O)"),
    ] {
        let shown = result_rows(&text, width);
        assert_eq!((shown.len(), shown.last().unwrap().as_str()), (rows, last), "{shown:#?}");
        assert!(!shown.iter().any(|row| row.contains("… 1 more line")), "{shown:#?}");
    }
}

#[test]
fn a_long_prompt_and_a_new_file_fold_by_rows() {
    for (count, rows, last) in [(21, 22, "  line"), (22, 22, "  … 2 more lines (Ctrl+O shows everything)")]
    {
        let shown = shown_in(&Cell::Prompt("line\n".repeat(count)), 80);
        let last_row = shown.lines().last().unwrap();
        assert_eq!((shown.lines().count(), last_row.trim()), (rows, last.trim()));
    }
    for (count, last) in [(7, "+ line"), (8, "… 2 more lines (Ctrl+O shows everything)")] {
        let input = json!({"file_path": "/n", "content": "line\n".repeat(count)});
        let shown = shown_in(&call("Write", input, "Created `/n`", CallOutcome::Done), 80);
        assert!(shown.lines().last().unwrap().ends_with(last), "{shown}");
    }
}
