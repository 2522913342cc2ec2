//! Todos, mode, model, turn results, and usage.

use forelook_protocol::{Cost, Mode, TotalCost};
use serde_json::json;

use super::*;

fn set_todos(done: usize) -> Value {
    let todo = |at: usize| {
        let status = if at < done { "completed" } else { "pending" };
        json!({"content": format!("Do {at}"), "status": status, "activeForm": "Doing"})
    };
    let todos: Vec<Value> = (0..3).map(todo).collect();
    let mut data = finished("t", "ran", "x");
    data["effects"] = json!([{"type": "set_todos", "todos": todos}]);
    data
}

#[test]
fn a_list_of_todos_is_told_once_and_its_end_too() {
    let mut stage = Stage::default();
    for (done, expected) in [(0, "Todos"), (1, ""), (3, "TodosDone")] {
        stage.record("tool_finished", set_todos(done));
        assert_eq!(kinds(&stage.items()).join(" "), expected);
        assert_eq!(stage.view.todo_count(), (done < 3).then_some((done, 3)));
    }
    stage.calls(None, &[("t", "TodoWrite", json!({}))]);
    stage.record("tool_finished", set_todos(3));
    let told = crate::ReportedAs::Todos;
    assert!(
        matches!(&stage.items()[..], [ViewItem::Call(ended), ViewItem::TodosDone(3)] if ended.reported_as == told)
    );
}

#[test]
fn a_mode_is_told_when_it_changes() {
    let mut stage = Stage::default();
    let mode = |mode: &str| {
        json!({"mode_state": {
            "mode": mode, "exit_reminder_due": false, "auto_exit_reminder_due": false,
            "has_left_plan_mode": false,
        }})
    };
    stage.record("mode_changed", mode("acceptEdits"));
    stage.record("mode_changed", mode("acceptEdits"));
    stage.of(Some("x"), "mode_changed", mode("auto"));
    assert_eq!(stage.items(), [ViewItem::Mode(Mode::AcceptEdits)]);
    stage.view.set_mode(Mode::Plan);
    assert_eq!((stage.items(), stage.view.mode()), (vec![ViewItem::Mode(Mode::Plan)], Mode::Plan));
    stage.record("model_changed", json!({"model": "two"}));
    assert_eq!((stage.items(), stage.view.model()), (vec![ViewItem::Model("two".into())], "two"));
}

#[test]
fn what_was_used_is_counted_once() {
    let status = json!({
        "session": ID, "folder": "/w", "mode": "plan", "model": "one", "window": 1_000, "tools": [],
        "spent": {"one": {"usage": {"output_tokens": 5}, "cost": {"exact": 7}}}, "todos": [], "plan": null,
        "agents": [],
    });
    let snapshot = snapshot(json!({"status": status}));
    let mut view = SessionView::new(&snapshot);
    view.replay([&entry(1, None, "model_answered", answer(&[]))], &snapshot, 0);
    assert_eq!((view.totals().used, view.totals().cost), (120, TotalCost::Exact(Cost(7))));
    assert_eq!((view.totals().percent(), view.mode()), (Some(12), Mode::Plan));
    let mut priced = answer(&[]);
    priced["cost"] = json!(3);
    view.apply(&Event::Recorded(Arc::new(entry(2, Some("x"), "model_answered", priced))), 0);
    assert_eq!((view.totals().used, view.totals().cost), (120, TotalCost::Exact(Cost(10))));
    view.apply(&Event::Recorded(Arc::new(entry(3, None, "model_answered", answer(&[])))), 0);
    assert_eq!(view.totals().cost, TotalCost::AtLeast(Cost(10)));
    assert_eq!(view.totals().usage.output_tokens, 45);
}

#[test]
fn what_a_turn_came_to_stays_until_the_next_one() {
    let mut stage = Stage::default();
    stage.record("turn_started", json!({"turn": 1}));
    stage.answered(None, &[text("One"), text("two")]);
    stage.answered(Some("x"), &[text("An agent's")]);
    stage.ends_turn(1);
    assert_eq!(stage.view.result().words, "One\ntwo");
    stage.record("turn_started", json!({"turn": 2}));
    assert_eq!(stage.view.result().words, "");
}
