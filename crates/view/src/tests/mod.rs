//! Tests of the fold, part by part, and properties that hold for every journal.

mod agents;
mod answer;
mod calls;
mod fold;
mod shells;
mod state;
mod turns;

use std::sync::Arc;

use forelook_protocol::{AnswerEvent, CallId, Entry, EntryBody, Event, LiveEvent, SessionSnapshot};
use serde_json::{Value, json};

use crate::{SessionView, TextUpdate, ViewItem};

const ID: &str = "00000000-0000-7000-8000-000000000001";

/// An entry with this number, for this agent or the main agent.
fn entry(number: u64, agent: Option<&str>, kind: &str, data: Value) -> Entry {
    let id = format!("00000000-0000-7000-8000-{number:012}");
    let time = format!("2026-01-02T03:04:{:02}Z", number % 60);
    let mut line = json!({"id": id, "parent": null, "time": time});
    if let Some(agent) = agent {
        line["agent"] = json!(agent);
    }
    (line["kind"], line["data"]) = (json!(kind), data);
    let entry = Entry::parse(&line.to_string()).unwrap();
    assert!(!matches!(entry.body, EntryBody::Unknown { .. }), "{kind}");
    entry
}

fn snapshot(more: Value) -> SessionSnapshot {
    let mut snapshot = json!({"front_end": 1, "status": {
        "session": ID, "folder": "/w", "mode": "default", "model": "one", "window": null, "tools": [],
        "spent": {}, "todos": [], "plan": null, "agents": [],
    }});
    for (name, value) in more.as_object().unwrap() {
        snapshot[name] = value.clone();
    }
    serde_json::from_value(snapshot).unwrap()
}

/// A view, and the events that are applied to it.
#[derive(Default)]
struct Stage {
    view: SessionView,
    now: u64,
    entries: u64,
}

impl Stage {
    fn record(&mut self, kind: &str, data: Value) {
        self.of(None, kind, data);
    }

    fn of(&mut self, agent: Option<&str>, kind: &str, data: Value) {
        self.entries += 1;
        let entry = entry(self.entries, agent, kind, data);
        self.view.apply(&Event::Recorded(Arc::new(entry)), self.now);
    }

    fn live(&mut self, live: LiveEvent) {
        self.view.apply(&Event::Live(live), self.now);
    }

    fn piece(&mut self, event: AnswerEvent) {
        self.live(LiveEvent::Answer { agent: None, event });
    }

    fn text(&mut self, text: &str) {
        self.piece(AnswerEvent::Text { text: text.into() });
    }

    fn output(&mut self, call: &str, text: &str) {
        self.live(LiveEvent::Output { call: CallId(call.into()), text: text.into() });
    }

    fn answered(&mut self, agent: Option<&str>, blocks: &[Value]) {
        self.of(agent, "model_answered", answer(blocks));
    }

    /// The model makes these calls in one response.
    fn calls(&mut self, agent: Option<&str>, calls: &[(&str, &str, Value)]) {
        let blocks: Vec<Value> = calls.iter().map(|(id, name, input)| call(id, name, input)).collect();
        self.answered(agent, &blocks);
    }

    fn finishes(&mut self, agent: Option<&str>, call: &str, text: &str) {
        self.of(agent, "tool_finished", finished(call, "ran", text));
    }

    fn starts_agent(&mut self, agent: &str, call: &str) {
        self.of(Some(agent), "agent_started", agent_started(call));
    }

    fn ends_turn(&mut self, turn: u64) {
        self.record("turn_ended", turn_end(turn));
    }

    fn items(&mut self) -> Vec<ViewItem> {
        self.view.take_items()
    }
}

fn answer(blocks: &[Value]) -> Value {
    let usage = json!({"input_tokens": 100, "output_tokens": 20});
    json!({"message": "1", "model": "m", "blocks": blocks, "stop": "tool_use", "usage": usage})
}

fn call(id: &str, name: &str, input: &Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn finished(call: &str, verdict: &str, words: &str) -> Value {
    let result = json!({"tool_use_id": call, "content": [text(words)], "is_error": verdict != "ran"});
    json!({"result": result, "status": verdict})
}

fn agent_started(call: &str) -> Value {
    json!({"call": call, "kind": "Explore", "description": "Look", "model": "m", "read_only": true})
}

fn agent_ended() -> Value {
    json!({"reason": {"type": "done"}, "usage": {}, "calls": 1, "took_ms": 10})
}

fn turn_end(turn: u64) -> Value {
    json!({"turn": turn, "reason": {"type": "done"}, "usage": {}, "took_ms": 1, "model_ms": 1, "answers": 1})
}

/// The text blocks that were passed on, each as far as it arrived, without dropped blocks.
fn said(items: &[ViewItem]) -> Vec<String> {
    let (mut blocks, mut open) = (Vec::new(), String::new());
    for item in items {
        match item {
            ViewItem::Text(TextUpdate::Started | TextUpdate::Dropped) => open.clear(),
            ViewItem::Text(TextUpdate::Appended(text)) => open.push_str(text),
            ViewItem::Text(TextUpdate::Ended) => blocks.push(std::mem::take(&mut open)),
            ViewItem::Text(TextUpdate::Whole(text)) => blocks.push(text.clone()),
            _ => {}
        }
    }
    blocks
}

/// The kinds of items, one word each.
fn kinds(items: &[ViewItem]) -> Vec<String> {
    let kind = |item: &ViewItem| match item {
        ViewItem::AgentStarted { number, .. } => format!("begins #{number}"),
        ViewItem::Call(ended) => format!("{} {}", ended.call.name, ended.call.id),
        item => {
            let whole = format!("{item:?}");
            whole.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
        }
    };
    items.iter().map(kind).collect()
}
