//! Cells on a narrow window.

use forelook_protocol::CallId;
use serde_json::json;

use super::*;
use crate::theme::Theme;

fn shown(cell: &Cell) -> String {
    let rows = cell.rows(Look { width: 44, theme: Theme::DARK });
    rows.iter().map(|row| row.to_string().trim_end().to_owned() + "\n").collect()
}

fn call(name: &str, input: serde_json::Value, text: &str, outcome: Outcome) -> Cell {
    let id = CallId("1".into());
    let call = ToolCall { id: id.clone(), name: name.into(), input };
    Cell::Call { call, result: ToolResult::ok(id, text), outcome }
}

fn shell(command: &str, output: &str, failed: Option<&str>) -> Cell {
    Cell::Shell(ShellEnded {
        call: CallId("2".into()),
        command: command.into(),
        output: output.into(),
        failed: failed.map(str::to_owned),
    })
}

#[test]
fn everything_that_can_be_finished() {
    let cells = [
        Cell::Prompt("Add a flag to the command that says\nhow many".into()),
        Cell::Answer { rows: vec![Line::from("I look first."), Line::from("Then I plan.")], begins: true },
        call("Read", json!({"file_path": "src/main.rs"}), "1\ta\n2\tb\n", Outcome::Done),
        call("Bash", json!({"command": "cargo test\necho"}), &"line\n".repeat(20), Outcome::Failed),
        call("Edit", json!({"file_path": "a"}), "Changed `a`\n@@ -1 +1 @@\n-one\n+two\n", Outcome::Done),
        call("Write", json!({"file_path": "b"}), "Not run. It is no plan.", Outcome::Refused),
        call("Bash", json!({"command": "word ".repeat(60)}), "x\n", Outcome::Interrupted),
        call("Bash", json!({"command": "one"}), &"word ".repeat(80), Outcome::Done),
        call(
            "Agent",
            json!({"subagent_type": "Explore", "description": "Look"}),
            "Found **it**:\n\n- here\n- there\n",
            Outcome::Done,
        ),
        call(
            "Write",
            json!({"file_path": "/n.rs", "content": "fn a() {}\n".repeat(9)}),
            "Created `/n.rs` (9 lines)",
            Outcome::Done,
        ),
        shell("git status", "clean\n", None),
        shell("false\nx", "", Some("Exit code 1")),
        Cell::Notice(Notice { level: NoticeLevel::Error, text: "It failed.\nTry again.".into() }),
        Cell::Plan {
            title: Line::from("✗ Plan sent back"),
            plan: "# Title\n\nDo *it*.".into(),
            boxed: true,
            words: vec!["shorter".into()],
        },
    ];
    insta::assert_snapshot!(cells.iter().map(shown).collect::<String>());
}
