//! A session from before, of any length.

use std::path::Path;

use forelook_protocol::{Entry, EntryBody};
use serde_json::{Value, json};

/// Writes the journal of a session with so many messages beside those the program has made; gives its id.
pub(crate) fn write(folder: &Path, messages: usize) -> String {
    let project = folder.join("project").canonicalize().unwrap();
    let id = |number: usize| format!("01900000-0000-7000-8000-{number:012x}");
    let session = id(messages << 16);
    let header = json!({"format": 1, "session": session, "folder": project, "program": "0.1.0"});
    let mut lines = vec![("session_header", header)];
    for turn in 0..messages / 2 {
        let prompt = format!("Question {turn}: what does this part of the program do, and why?");
        let answer = format!(
            "It reads **part {turn}** and says what it found.\n\n- one\n- two\n\n```rust\nlet a = {turn};\n```\n"
        );
        let usage = json!({"input_tokens": 900, "output_tokens": 40, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0});
        lines.push(("turn_started", json!({"turn": turn + 1})));
        let content = json!([{"type": "text", "text": prompt}]);
        lines.push(("prompt_accepted", json!({"content": content, "origin": {"type": "person"}})));
        lines.push((
            "model_answered",
            json!({"message": "msg_1", "model": "claude-sonnet-4-5", "stop": "end_turn", "took_ms": 1,
            "blocks": [{"type": "text", "text": answer}], "usage": usage}),
        ));
        lines.push((
            "turn_ended",
            json!({"turn": turn + 1, "reason": {"type": "done"}, "answers": 1, "usage": usage, "cost": 0,
            "took_ms": 1, "model_ms": 1}),
        ));
    }
    let mut parent = Value::Null;
    let mut text = String::new();
    for (number, (kind, data)) in lines.into_iter().enumerate() {
        let own = json!(id((messages << 16) + 1 + number));
        let line = json!({"id": own, "parent": parent, "time": "2026-11-15T17:01:24.880745613Z", "kind": kind, "data": data});
        let line = line.to_string();
        // Lines that the program passes over would be quicker than those that people have.
        let entry = Entry::parse(&line).unwrap();
        assert!(!matches!(entry.body, EntryBody::Unknown { .. }), "{line}");
        text.push_str(&line);
        text.push('\n');
        parent = own;
    }
    // Any folder of a project that the program has made for itself.
    let projects = folder.join("home/projects");
    let bench_dir = std::fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
    std::fs::write(bench_dir.join(format!("{session}.jsonl")), text).unwrap();
    session
}
