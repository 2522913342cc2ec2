//! Todos, mode, model, what a turn came to, and what was used.

use forelook_protocol::{Bill, Cost, Mode};
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
        stage.record("finished", set_todos(done));
        assert_eq!(kinds(&stage.items()).join(" "), expected);
        assert_eq!(stage.view.todo_count(), (done < 3).then_some((done, 3)));
    }
    stage.calls(None, &[("t", "TodoWrite", json!({}))]);
    stage.record("finished", set_todos(3));
    let told = crate::ToldAs::Todos;
    assert!(matches!(&stage.items()[..], [Item::Call(ended), Item::TodosDone(3)] if ended.told == told));
}

#[test]
fn a_mode_is_told_when_it_changes() {
    let mut stage = Stage::default();
    let mode = |mode: &str| {
        json!({"standing": {
            "mode": mode, "exit_reminder_due": false, "auto_exit_reminder_due": false,
            "has_left_plan_mode": false,
        }})
    };
    stage.record("mode", mode("acceptEdits"));
    stage.record("mode", mode("acceptEdits"));
    stage.of(Some("x"), "mode", mode("auto"));
    assert_eq!(stage.items(), [Item::Mode(Mode::AcceptEdits)]);
    stage.view.mode_is(Mode::Plan);
    assert_eq!((stage.items(), stage.view.mode()), (vec![Item::Mode(Mode::Plan)], Mode::Plan));
    stage.record("model", json!({"model": "two"}));
    assert_eq!((stage.items(), stage.view.model()), (vec![Item::Model("two".into())], "two"));
}

#[test]
fn what_was_used_is_counted_once() {
    let status = json!({
        "session": ID, "folder": "/w", "mode": "plan", "model": "one", "window": 1_000, "tools": [],
        "spent": {"one": {"usage": {"output_tokens": 5}, "cost": {"whole": 7}}}, "todos": [], "plan": null,
        "agents": [],
    });
    let snapshot = snapshot(json!({"status": status}));
    let mut view = SessionView::new(&snapshot);
    view.replay([&entry(1, None, "answer", answer(&[]))], &snapshot, 0);
    assert_eq!((view.totals().used, view.totals().cost), (120, Bill::Whole(Cost(7))));
    assert_eq!((view.totals().percent(), view.mode()), (Some(12), Mode::Plan));
    let mut priced = answer(&[]);
    priced["cost"] = json!(3);
    view.apply(&Event::Recorded(Arc::new(entry(2, Some("x"), "answer", priced))), 0);
    assert_eq!((view.totals().used, view.totals().cost), (120, Bill::Whole(Cost(10))));
    view.apply(&Event::Recorded(Arc::new(entry(3, None, "answer", answer(&[])))), 0);
    assert_eq!(view.totals().cost, Bill::AtLeast(Cost(10)));
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
