//! Background shells.

use serde_json::json;

use super::*;

/// A call of this agent starts a shell, in the background at once or after a while.
fn with_shell(agent: Option<&str>) -> Stage {
    let mut stage = Stage::default();
    stage.calls(agent, &[("a", "Bash", json!({"command": "npm run dev"}))]);
    let mut finish = finished("a", "ran", "Started in the background as `shell_1`");
    let shell =
        json!({"type": "shell_started", "id": "shell_1", "command": "npm run dev", "sandbox": "read_only"});
    finish["effects"] = json!([shell]);
    stage.of(agent, "tool_finished", finish);
    stage
}

#[test]
fn a_shell_begins_and_ends_whoever_started_it() {
    for agent in [None, Some("b")] {
        let mut stage = with_shell(agent);
        let [shell] = stage.view.shells().all() else { panic!("one shell runs") };
        assert_eq!((shell.id.as_str(), shell.command.as_str()), ("shell_1", "npm run dev"));
        assert!(!shell.sandbox.can_change());
        stage.record("shell_ended", json!({"shell": "shell_1", "how": "exit code 1"}));
        assert!(stage.view.shells().all().is_empty());
    }
}

/// What a journal says of shells may be of a process that is gone; the session knows what runs.
#[test]
fn of_a_journal_that_is_read_again_only_what_runs_is_shown() {
    let mut finish = finished("a", "ran", "x");
    finish["effects"] = json!([{"type": "shell_started", "id": "shell_1", "command": "npm run dev"}]);
    let entries = [entry(1, None, "tool_finished", finish)];
    let runs = json!({"shells": [{"id": "shell_2", "command": "make watch"}]});
    for (snapshot, running) in [(snapshot(json!({})), vec![]), (snapshot(runs), vec!["shell_2"])] {
        let mut view = SessionView::new(&snapshot);
        view.replay(&entries, &snapshot, 0);
        let shells: Vec<&str> = view.shells().all().iter().map(|shell| shell.id.as_str()).collect();
        assert_eq!(shells, running);
    }
}
