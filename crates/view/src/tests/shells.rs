//! Background shells.

use serde_json::json;

use super::*;

fn with_shell() -> Stage {
    let mut stage = Stage::default();
    stage.calls(None, &[("a", "Bash", json!({"command": "npm run dev", "run_in_background": true}))]);
    stage.record("tool_started", json!({"call": "a", "sandbox": "read_only"}));
    stage.finishes(None, "a", "Started in the background as `shell_1`");
    stage
}

#[test]
fn a_shell_begins_and_ends() {
    let mut stage = with_shell();
    let [shell] = stage.view.shells().all() else { panic!("one shell runs") };
    assert_eq!((shell.name.as_str(), shell.about.as_str()), ("shell_1", "npm run dev"));
    assert!(!shell.sandbox.can_change());
    stage.record("reminder", json!({"kind": "shell_ended", "shell": "shell_1", "text": "x"}));
    assert!(stage.view.shells().all().is_empty());
    let mut stage = with_shell();
    stage.calls(None, &[("b", "KillShell", json!({"shell_id": "shell_1"}))]);
    stage.finishes(None, "b", "x");
    assert!(stage.view.shells().all().is_empty());
}

#[test]
fn a_shell_that_may_not_go_on_is_gone() {
    for (answer, left) in [("deny", 0), ("nobody", 0), ("outdated", 1), ("allow", 1)] {
        let mut stage = with_shell();
        let shells = json!([{"id": "shell_1", "command": "npm run dev"}, {"command": "make"}]);
        let ask = json!({"type": "running", "shells": shells});
        stage.record("question_opened", json!({"question": {"id": ID, "call": "x", "ask": ask}}));
        stage.record("question_closed", json!({"question": ID, "answer": {"type": answer}}));
        assert_eq!(stage.view.shells().all().len(), left, "{answer}");
        assert_eq!(stage.view.result().nobody_to_ask, answer == "nobody");
    }
}
