//! The transcript: what is shown of a journal, how one moves in it, and how little of it is made.

use forelook_protocol::Event;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::theme::Theme;

fn entry(number: usize, agent: Option<&str>, kind: &str, data: Value) -> Arc<Entry> {
    let mut line = json!({
        "id": format!("00000000-0000-7000-8000-{number:012}"),
        "parent": null,
        "time": "2026-03-01T12:00:00Z",
        "kind": kind,
        "data": data,
    });
    if let Some(agent) = agent {
        line["agent"] = json!(agent);
    }
    Arc::new(Entry::parse(&line.to_string()).unwrap())
}

fn answer(blocks: Value) -> Value {
    json!({"message": "m", "model": "x", "blocks": blocks, "stop": "end_turn", "usage": {}})
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn finished(id: &str, text: &str, verdict: &str) -> Value {
    let is_error = verdict != "ran";
    let content = json!([{"type": "text", "text": text}]);
    json!({"result": {"tool_use_id": id, "content": content, "is_error": is_error}, "status": verdict})
}

fn prompt(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "origin": {"type": "person"}})
}

/// A conversation with something of everything.
fn conversation() -> Vec<Arc<Entry>> {
    let output: String = (1..=12).map(|line| format!("line {line}\n")).collect();
    let mode_state = json!(forelook_protocol::ModeState::new(forelook_protocol::Mode::Plan));
    let started = json!({"call": "2", "kind": "Explore", "description": "look around", "model": "x", "read_only": true});
    let lines = [
        (None, "prompt_accepted", prompt("Fix the flag")),
        (None, "mode_changed", json!({"mode_state": mode_state})),
        (
            None,
            "model_answered",
            answer(json!([
                {"type": "thinking", "thinking": "Where is it?"},
                {"type": "text", "text": "I **look** first."},
                call("1", "Bash", json!({"command": "cargo test\necho done"})),
                call("2", "Task", json!({"prompt": "Look around"})),
            ])),
        ),
        (None, "tool_started", json!({"call": "1"})),
        (Some("a1"), "agent_started", started),
        (None, "tool_finished", finished("1", &output, "ran")),
        (Some("a1"), "model_answered", answer(json!([call("1", "Read", json!({"file_path": "/a.rs"}))]))),
        (Some("a1"), "tool_finished", finished("1", "1\tfn main", "ran")),
        (None, "tool_finished", finished("2", "It is in a.rs", "ran")),
        (
            None,
            "model_answered",
            answer(json!([call(
                "3",
                "Edit",
                json!({"file_path": "/a.rs", "old_string": "one", "new_string": "two"})
            )])),
        ),
        (None, "tool_finished", finished("3", "Changed `/a.rs`\n@@ -9 +9 @@\n-one\n+two\n", "ran")),
        (
            None,
            "model_answered",
            answer(json!([call("4", "Write", json!({"file_path": "/b", "content": "x"}))])),
        ),
        (
            None,
            "permission_decided",
            json!({"call": "4", "tool": "Write", "verdict": "deny", "reason": {"step": "plan_gate", "text": "it is no plan"}}),
        ),
        (None, "tool_finished", finished("4", "Not run. It is no plan.", "denied")),
        (None, "from_the_future", json!({"what": 1})),
        (
            None,
            "turn_ended",
            json!({"turn": 1, "reason": {"type": "interrupted"}, "usage": {}, "took_ms": 1, "model_ms": 1, "answers": 3}),
        ),
    ];
    lines.into_iter().enumerate().map(|(at, (agent, kind, data))| entry(at, agent, kind, data)).collect()
}

fn ctx(width: u16) -> RenderContext {
    RenderContext { width: usize::from(width), theme: Theme::DARK }
}

fn open(entries: &[Arc<Entry>], width: u16, height: u16) -> TranscriptView {
    TranscriptView::new(entries, Size::new(width, height), ctx(width))
}

fn shown(transcript: &mut TranscriptView, width: u16, height: u16) -> String {
    let page = transcript.page(Size::new(width, height), ctx(width), BehindView::Nothing);
    assert_eq!(page.rows.len(), usize::from(height));
    assert!(page.rows.iter().all(|row| row.width() <= usize::from(width)));
    page.rows.iter().map(|row| row.to_string().trim_end().to_owned() + "\n").collect()
}

fn press(transcript: &mut TranscriptView, keys: &str) {
    for key in keys.chars() {
        let code = match key {
            '\n' => Code::Enter,
            key => Code::Char(key),
        };
        assert_eq!(transcript.key(Key::plain(code)), ViewOutcome::Stay(Vec::new()));
    }
}

#[test]
fn everything_is_there_unfolded() {
    for (name, width, height) in [("wide", 100, 60), ("usual", 80, 24), ("narrow", 40, 15)] {
        let mut transcript = open(&conversation(), width, height);
        insta::assert_snapshot!(format!("transcript_{name}"), shown(&mut transcript, width, height));
    }
}

#[test]
fn keys_that_move() {
    let mut transcript = open(&conversation(), 40, 15);
    let mut first = |keys: &[Code]| {
        for code in keys {
            transcript.key(Key::plain(*code));
        }
        shown(&mut transcript, 40, 15).lines().take(3).collect::<Vec<_>>().join("|")
    };
    let end = first(&[]);
    let mut seen = vec![end.clone()];
    for keys in [
        &[Code::Up][..],
        &[Code::Char('k')],
        &[Code::Char('j'), Code::Down, Code::Down, Code::Down],
        &[Code::PageUp],
        &[Code::Char('b')],
        &[Code::Char(' '), Code::PageDown, Code::PageDown],
        &[Code::Char('g')],
        &[Code::Up],
        &[Code::Down],
        &[Code::Char('G')],
        &[Code::Home, Code::End],
    ] {
        seen.push(first(keys));
    }
    assert_eq!((&seen[3], &seen[6], &seen[10], &seen[11]), (&end, &end, &end, &end));
    insta::assert_snapshot!(seen.join("\n"));
    for key in [Key::plain(Code::Esc), Key::plain(Code::Char('q')), Key::ctrl('o')] {
        assert_eq!(transcript.key(key), ViewOutcome::Close(Vec::new()));
    }
}

#[test]
fn words_are_found_below_and_above() {
    let mut transcript = open(&conversation(), 60, 12);
    press(&mut transcript, "g/LINE 1\n");
    let mut found = Vec::new();
    for key in ["", "n", "n", "N", "n", "n"] {
        press(&mut transcript, key);
        let RowPosition { item, row } = transcript.found.unwrap();
        found.push(transcript.rows_of(item)[row].to_string().trim().to_owned());
        assert!(shown(&mut transcript, 60, 12).contains(found.last().unwrap()));
    }
    assert_eq!(found, ["⎿ line 1", "line 10", "line 11", "line 10", "line 11", "line 12"]);
    // Behind the last comes the first again, and the other way round.
    for (key, expected) in [("n", "⎿ line 1"), ("N", "line 12"), ("n", "⎿ line 1"), ("N", "line 12")] {
        press(&mut transcript, key);
        let RowPosition { item, row } = transcript.found.unwrap();
        assert_eq!(transcript.rows_of(item)[row].to_string().trim(), expected);
    }
    press(&mut transcript, "/fix");
    assert!(shown(&mut transcript, 60, 12).ends_with("/fix\n"));
    transcript.key(Key::plain(Code::Esc));
    press(&mut transcript, "N");
    assert!(shown(&mut transcript, 60, 12).contains("line 11"), "what is not sent is not looked for");
    press(&mut transcript, "G/nowhere\n");
    assert!(shown(&mut transcript, 60, 12).contains("Not found"));
    press(&mut transcript, "G/fix the\n");
    assert!(shown(&mut transcript, 60, 12).contains("> Fix the flag"));
}

#[test]
fn only_what_is_looked_at_is_made() {
    let entries: Vec<Arc<Entry>> = (0..5000)
        .map(|at| entry(at, None, "prompt_accepted", prompt(&format!("Prompt number {at}\nand more"))))
        .collect();
    let mut transcript = open(&entries, 80, 24);
    let made = |transcript: &TranscriptView| transcript.heights.iter().flatten().count();
    assert_eq!(made(&transcript), 0);
    assert!(shown(&mut transcript, 80, 24).contains("Prompt number 4999"));
    assert!(made(&transcript) <= 10, "{}", made(&transcript));
    press(&mut transcript, "g");
    assert!(shown(&mut transcript, 80, 24).contains("Prompt number 0"));
    assert!(made(&transcript) <= 20, "{}", made(&transcript));
    press(&mut transcript, "/number 2500\n");
    assert!(shown(&mut transcript, 80, 24).contains("Prompt number 2500"));
    assert!(made(&transcript) <= 40, "{}", made(&transcript));
    assert!(transcript.cached_rows.len() <= MAX_CACHED_ITEMS + 1);
}

#[test]
fn what_is_recorded_meanwhile_is_appended() {
    let all = conversation();
    let mut growing = open(&all[..6], 60, 20);
    shown(&mut growing, 60, 20);
    for entry in &all[6..] {
        let Event::Recorded(entry) = Event::Recorded(Arc::clone(entry)) else { return };
        growing.recorded(&entry);
    }
    let mut whole = open(&all, 60, 20);
    assert_eq!(shown(&mut growing, 60, 20), shown(&mut whole, 60, 20), "at the end it stays there");
    press(&mut growing, "g");
    let before = shown(&mut growing, 60, 20);
    growing.recorded(&entry(99, Some("a1"), "prompt_accepted", prompt("more")));
    assert_ne!(before, "");
    assert_eq!(before.lines().next(), shown(&mut growing, 60, 20).lines().next());
}

#[test]
fn an_empty_one_says_so_and_a_question_is_told_of() {
    let mut transcript = open(&[], 40, 15);
    assert!(shown(&mut transcript, 40, 15).contains("No messages yet"));
    let page = transcript.page(Size::new(40, 15), ctx(40), BehindView::Question);
    assert!(page.rows.last().unwrap().to_string().contains("question waiting"));
}

proptest! {
    /// Wherever one goes, in whatever window: the page is full, and nothing is wider than it.
    #[test]
    fn every_page_is_whole(steps in prop::collection::vec((0usize..14, 20u16..90, 2u16..40), 1..12)) {
        let mut transcript = open(&conversation(), 80, 24);
        let keys: [&[Code]; 14] = [
            &[Code::Up], &[Code::Down], &[Code::PageUp], &[Code::PageDown], &[Code::Home], &[Code::End],
            &[Code::Char('k')], &[Code::Char(' ')], &[Code::Char('n')], &[Code::Char('N')],
            &[Code::Char('/'), Code::Char('o'), Code::Enter], &[Code::Char('/'), Code::Esc],
            &[Code::Char('g'), Code::Down, Code::Down], &[Code::Char('G'), Code::Up],
        ];
        for (key, width, height) in steps {
            for code in keys[key] {
                transcript.key(Key::plain(*code));
            }
            shown(&mut transcript, width, height);
            let last = transcript.last_top();
            prop_assert!(transcript.top <= last);
        }
    }
}
