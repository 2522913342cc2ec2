//! Properties that hold for every journal.

use forelook_protocol::{AgentId, Notice, NoticeLevel};
use proptest::prelude::*;
use serde_json::json;

use super::*;

/// An event in a generated journal.
#[derive(Debug, Clone)]
enum Happens {
    Entry(Option<&'static str>, &'static str, Value),
    Live(LiveEvent),
}

fn any_id() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "c"])
}

fn any_agent() -> impl Strategy<Value = Option<&'static str>> {
    prop::sample::select(vec![None, None, None, Some("x"), Some("y")])
}

fn any_block() -> impl Strategy<Value = Value> {
    let tools = vec!["Bash", "Agent", "TodoWrite", "KillShell"];
    let input = json!({"command": "x", "run_in_background": true, "shell_id": "a"});
    prop_oneof![
        "[a-c ]{0,6}".prop_map(|words| text(&words)),
        "[a-c]{0,3}".prop_map(|words| json!({"type": "thinking", "thinking": words})),
        (any_id(), prop::sample::select(tools)).prop_map(move |(id, tool)| call(id, tool, &input)),
    ]
}

fn any_body() -> impl Strategy<Value = (&'static str, Value)> {
    let prompt = json!({"content": [text("x")], "origin": {"type": "person"}, "queued": ID});
    let queued = json!({"content": [text("x")], "delivery": "steer", "origin": {"type": "person"}});
    let todos = json!([{"content": "x", "status": "completed", "activeForm": "x"}]);
    let shells = json!({"type": "running", "shells": [{"id": "a", "command": "x"}]});
    let verdicts = vec!["ran", "denied", "invalid", "interrupted"];
    prop_oneof![
        (1..4u64).prop_map(|turn| ("turn_started", json!({"turn": turn}))),
        (1..4u64).prop_map(|turn| ("turn_ended", turn_end(turn))),
        Just(("prompt_accepted", prompt)),
        Just(("prompt_queued", json!({"prompt": queued}))),
        prop::collection::vec(any_block(), 0..4).prop_map(|blocks| ("model_answered", answer(&blocks))),
        any_id().prop_map(|id| ("tool_started", json!({"call": id}))),
        (any_id(), prop::sample::select(verdicts))
            .prop_map(|(id, verdict)| ("tool_finished", finished(id, verdict, "as `a`"))),
        any_id().prop_map(move |id| {
            let mut data = finished(id, "ran", "x");
            data["effects"] = json!([{"type": "set_todos", "todos": todos}]);
            ("tool_finished", data)
        }),
        any_id().prop_map(|id| ("user_shell_started", json!({"call": id, "command": "x"}))),
        any_id().prop_map(|id| ("user_shell_ended", json!({"call": id, "command": "x", "output": ""}))),
        any_id().prop_map(|id| ("agent_started", agent_started(id))),
        Just(("agent_ended", agent_ended())),
        Just(("question_opened", json!({"question": {"id": ID, "call": "a", "ask": shells}}))),
        Just(("question_closed", json!({"question": ID, "answer": {"type": "deny"}}))),
        Just(("reminder", json!({"kind": "shell_ended", "shell": "a", "text": "x"}))),
        Just(("model_changed", json!({"model": "two"}))),
        Just(("rehearsal_applied", json!({"hash": "x", "files": []}))),
    ]
}

/// Live events that change nothing recorded.
fn any_live() -> impl Strategy<Value = LiveEvent> {
    let piece = prop_oneof![
        Just(AnswerEvent::TextStarted),
        "[a-c ]{0,3}".prop_map(|text| AnswerEvent::Text { text }),
        Just(AnswerEvent::ThinkingStarted),
        any_id().prop_map(|id| AnswerEvent::CallStarted { id: CallId(id.into()), name: "Bash".into() }),
        Just(AnswerEvent::BlockEnded),
    ];
    let notice = Notice { level: NoticeLevel::Info, text: "x".into() };
    prop_oneof![
        piece.prop_map(|event| LiveEvent::Answer { agent: None, event }),
        any_id().prop_map(|id| LiveEvent::Output { call: CallId(id.into()), text: "x\ny".into() }),
        (any_agent(), any_id()).prop_map(|(agent, id)| LiveEvent::Progress {
            agent: agent.map(|agent| AgentId(agent.into())),
            call: CallId(id.into()),
            elapsed_ms: 9_000,
            note: None,
        }),
        Just(LiveEvent::Notice(notice)),
    ]
}

fn anything() -> impl Strategy<Value = Vec<Happens>> {
    let entry = (any_agent(), any_body()).prop_map(|(agent, (kind, data))| Happens::Entry(agent, kind, data));
    prop::collection::vec(prop_oneof![2 => entry, 1 => any_live().prop_map(Happens::Live)], 0..40)
}

/// The items that come from recorded entries alone.
fn settled(items: &[ViewItem]) -> Vec<&ViewItem> {
    let is_settled = |item: &&ViewItem| {
        !matches!(item, ViewItem::Text(_) | ViewItem::Notice(_) | ViewItem::TurnEnded { .. })
    };
    items.iter().filter(is_settled).collect()
}

/// The state in progress, as far as it follows from recorded entries.
fn standing(view: &SessionView) -> String {
    let calls: Vec<_> = view.calls().main().map(|it| (&it.kind, it.since, it.sandbox)).collect();
    let agents: Vec<_> = view.agents().at_work().collect();
    let (shells, todos) = (view.shells().all(), view.todos());
    format!("{calls:?} {agents:?} {shells:?} {todos:?} {:?} {:?}", view.turns(), view.result())
}

proptest! {
    #[test]
    fn events_one_by_one_are_the_journal_read_again(happens in anything()) {
        let (mut heard, mut entries) = (SessionView::default(), Vec::new());
        for (number, it) in happens.iter().enumerate() {
            match it {
                Happens::Entry(agent, kind, data) => {
                    let entry = Arc::new(entry(number as u64 + 1, *agent, kind, data.clone()));
                    heard.apply(&Event::Recorded(Arc::clone(&entry)), 3);
                    entries.push(entry);
                }
                Happens::Live(live) => heard.apply(&Event::Live(live.clone()), 3),
            }
        }
        let mut read = SessionView::default();
        for entry in &entries {
            read.apply(&Event::Recorded(Arc::clone(entry)), 3);
        }
        prop_assert_eq!(standing(&heard), standing(&read));
        prop_assert_eq!(settled(heard.items()), settled(read.items()));
        prop_assert_eq!(heard.totals(), read.totals());
        let (said_live, said_again) = (said(heard.items()), said(read.items()));
        for text in said_again.iter().filter(|text| !text.trim().is_empty()) {
            prop_assert!(
                said_live.iter().any(|block| block.trim_end() == text.trim_end()),
                "{:?} of {:?} in {:?}", text, said_again, said_live
            );
        }

        // A front end that attaches later sees the same.
        let begins = snapshot(json!({}));
        let mut late = SessionView::new(&begins);
        late.replay(entries.iter().map(|entry| &**entry), &begins, 3);
        prop_assert_eq!(late.items(), read.items());
        prop_assert_eq!((late.calls().main().count(), late.agents().at_work().count()), (0, 0));
        prop_assert_eq!((late.todos(), late.shells().all()), (read.todos(), read.shells().all()));
    }
}
