//! Each of the four places gives a plan back, and the better one wins.

use super::*;
use forelook_protocol::{
    FileSnapshot, ModelAnswered, Origin, PlanNamed, PlanReviewed, PromptAccepted, QuestionOpened, Reminder,
};
use proptest::prelude::*;
use serde_json::json;

fn snapshot(key: &str, text: &str) -> EntryBody {
    let data = json!({"key": key, "path": "/plans/a.md", "text": text});
    EntryBody::FileSnapshot(serde_json::from_value::<FileSnapshot>(data).unwrap())
}

fn asked(plan: Option<&str>, from: Option<&str>) -> EntryBody {
    let data = json!({"question": {
        "id": "01890a5d-ac96-774b-bcce-b302099a8057", "call": "c1",
        "ask": {"type": "review", "path": "/plans/a.md", "plan": plan, "hash": "", "from": from,
            "length": {"characters": 1, "lines": 1, "rejected_percent": 20}, "before": "default", "modes": []},
    }});
    EntryBody::QuestionOpened(serde_json::from_value::<QuestionOpened>(data).unwrap())
}

fn reviewed(plan: Option<&str>) -> EntryBody {
    let mode_state = json!({"mode": "default", "exit_reminder_due": false,
        "auto_exit_reminder_due": false, "has_left_plan_mode": false});
    let data = json!({"question": "01890a5d-ac96-774b-bcce-b302099a8057", "call": "c1", "by": "person",
        "answer": {"choice": "park"}, "path": "/plans/a.md", "shown": "", "plan": plan, "mode_state": mode_state});
    EntryBody::PlanReviewed(serde_json::from_value::<PlanReviewed>(data).unwrap())
}

fn called(tool: &str, input: Value) -> EntryBody {
    let call =
        |name: &str, input: Value| json!({"type": "tool_use", "id": "c1", "name": name, "input": input});
    let blocks =
        [json!({"type": "text", "text": "Done"}), call(tool, input), call("Read", json!({"plan": "no"}))];
    let data = json!({"message": "m", "model": "m", "blocks": blocks, "stop": "tool_use",
        "usage": forelook_protocol::Usage::default()});
    EntryBody::ModelAnswered(serde_json::from_value::<ModelAnswered>(data).unwrap())
}

fn exit(plan: &str) -> EntryBody {
    called("ExitPlanMode", json!({"plan": plan}))
}

fn message(plan: Option<&str>) -> EntryBody {
    let origin = plan.map_or(Origin::Person, |plan| Origin::Plan { plan: plan.to_owned() });
    EntryBody::PromptAccepted(PromptAccepted { origin, ..PromptAccepted::person(Vec::new()) })
}

fn reminder(contents: &str) -> EntryBody {
    let data =
        json!({"kind": "plan_file_reference", "path": "/plans/a.md", "contents": contents, "text": "…"});
    EntryBody::Reminder(serde_json::from_value::<Reminder>(data).unwrap())
}

fn named(slug: &str) -> EntryBody {
    let data = json!({"slug": slug, "path": format!("/plans/{slug}.md")});
    EntryBody::PlanNamed(serde_json::from_value::<PlanNamed>(data).unwrap())
}

fn check(bodies: &[EntryBody], expected: Option<(PlanSource, &str)>) {
    assert_eq!(recover_plan(bodies), expected.map(|(origin, text)| (origin, text.to_owned())), "{bodies:?}");
}

#[test]
fn each_place_gives_its_newest_text() {
    check(
        &[snapshot("plan", "1"), snapshot("plan", "2"), snapshot("other", "3")],
        Some((PlanSource::Snapshot, "2")),
    );
    check(&[asked(Some("1"), None), asked(Some("2"), None)], Some((PlanSource::Review, "2")));
    check(&[exit("1"), exit("2")], Some((PlanSource::Review, "2")));
    check(&[exit("1"), asked(Some("2"), None), reviewed(Some("3"))], Some((PlanSource::Review, "3")));
    check(&[asked(Some("2"), None), exit("1")], Some((PlanSource::Review, "1")));
    check(&[message(Some("1")), message(Some("2")), message(None)], Some((PlanSource::Message, "2")));
    check(&[reminder("1"), reminder("2")], Some((PlanSource::Reminder, "2")));
}

#[test]
fn the_better_place_wins_whatever_came_last() {
    let worse_later = [snapshot("plan", "1"), exit("2"), message(Some("3")), reminder("4")];
    let worse_first: Vec<EntryBody> = worse_later.iter().rev().cloned().collect();
    let places = [PlanSource::Snapshot, PlanSource::Review, PlanSource::Message, PlanSource::Reminder];
    for (at, (origin, text)) in places.into_iter().zip(["1", "2", "3", "4"]).enumerate() {
        check(&worse_later[at..], Some((origin, text)));
        check(&worse_first[..4 - at], Some((origin, text)));
    }
    assert!(places.is_sorted());
}

#[test]
fn what_is_no_plan_is_passed_over() {
    let none = [
        snapshot("todo", "x"),
        asked(None, None),
        asked(Some("an agent's"), Some("a1")),
        reviewed(None),
        called("ExitPlanMode", json!({})),
        called("ExitPlanMode", json!({"plan": 7})),
        called("Write", json!({"plan": "x"})),
        message(None),
        EntryBody::Reminder(serde_json::from_value(json!({"kind": "hook", "text": "x"})).unwrap()),
        named("a"),
    ];
    check(&none, None);
    check(&[], None);
    check(&[snapshot("plan", "1"), snapshot("plan", " \n"), exit("")], Some((PlanSource::Snapshot, "1")));
    check(&[exit("1"), snapshot("plan", "")], Some((PlanSource::Review, "1")));
}

#[test]
fn another_name_is_another_plan() {
    check(&[named("a"), snapshot("plan", "1"), named("b")], None);
    check(
        &[named("a"), snapshot("plan", "1"), named("b"), message(Some("2"))],
        Some((PlanSource::Message, "2")),
    );
    check(&[snapshot("plan", "1"), named("a"), named("a")], Some((PlanSource::Snapshot, "1")));
}

proptest! {
    /// The rule, said another way: best place first, then the newest.
    #[test]
    fn the_rule_holds_for_any_journal(places in proptest::collection::vec(0usize..4, 0..12)) {
        let bodies: Vec<EntryBody> = places.iter().enumerate().map(|(at, place)| {
            let text = at.to_string();
            match place {
                0 => snapshot("plan", &text),
                1 => exit(&text),
                2 => message(Some(&text)),
                _ => reminder(&text),
            }
        }).collect();
        let expected = places.iter().min().map(|best| places.iter().rposition(|place| place == best).unwrap().to_string());
        prop_assert_eq!(recover_plan(&bodies).map(|(_, text)| text), expected);
    }
}
