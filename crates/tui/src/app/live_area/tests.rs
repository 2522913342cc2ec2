//! What is under way, as it is seen, and that nothing of it is lost.

use std::sync::Arc;

use forelook_protocol::{AnswerEvent, CallId, Entry, EntryBody, LiveEvent, Mode, Retry};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::theme::Theme;

const ID: &str = "00000000-0000-7000-8000-000000000001";

struct Stage {
    live_area: LiveArea,
    ctx: RenderContext,
    now: u64,
}

impl Stage {
    fn new(width: usize) -> Self {
        let ctx = RenderContext { width, theme: Theme::DARK };
        let mut stage = Self { live_area: LiveArea::default(), ctx, now: 0 };
        stage.record("turn_started", json!({"turn": 1}));
        let origin = json!({"type": "person"});
        stage.record(
            "prompt_accepted",
            json!({"content": [{"type": "text", "text": "go"}], "origin": origin}),
        );
        stage.above();
        stage
    }

    fn record(&mut self, kind: &str, data: Value) {
        self.of(None, kind, data);
    }

    fn of(&mut self, agent: Option<&str>, kind: &str, data: Value) {
        let mut line = json!({"id": ID, "parent": null, "time": "2026-01-02T03:04:05Z"});
        if let Some(agent) = agent {
            line["agent"] = json!(agent);
        }
        (line["kind"], line["data"]) = (json!(kind), data);
        let entry = Entry::parse(&line.to_string()).unwrap();
        assert!(!matches!(entry.body, EntryBody::Unknown { .. }), "{kind}");
        self.live_area.event(&Event::Recorded(Arc::new(entry)), self.ctx, self.now);
    }

    fn live_at(&mut self, live: LiveEvent) {
        self.live_area.event(&Event::Live(live), self.ctx, self.now);
    }

    fn plans(&mut self) {
        self.live_area.view.set_mode(Mode::Plan);
    }

    fn piece(&mut self, event: AnswerEvent) {
        self.live_at(LiveEvent::Answer { agent: None, event });
    }

    fn text(&mut self, text: &str) {
        self.piece(AnswerEvent::Text { text: text.into() });
    }

    /// An answer with this text and these calls.
    fn answered(&mut self, texts: &[&str], calls: &[Value]) {
        let texts = texts.iter().map(|text| json!({"type": "text", "text": text}));
        let blocks: Vec<Value> = texts.chain(calls.iter().cloned()).collect();
        let usage = json!({"output_tokens": 1_200});
        self.record(
            "model_answered",
            json!({"message": "1", "model": "m", "blocks": blocks, "stop": "tool_use", "usage": usage}),
        );
    }

    fn start(&mut self, calls: &[(&str, &str, Value)]) {
        let blocks: Vec<Value> = calls
            .iter()
            .map(|(id, name, input)| json!({"type": "tool_use", "id": id, "name": name, "input": input}))
            .collect();
        self.answered(&[], &blocks);
        for (id, ..) in calls {
            self.record("tool_started", json!({"call": id}));
        }
    }

    fn above(&mut self) -> String {
        let cells = std::mem::take(&mut self.live_area.finished);
        let rows = cells.iter().flat_map(|cell| cell.rows(self.ctx));
        rows.map(|row| row.to_string().trim_end().to_owned() + "\n").collect()
    }

    fn live(&self, room: usize) -> String {
        let moment = FrameMoment { now: self.now, spin: "⠋", room, asking: false };
        let rows = self.live_area.rows(self.ctx, moment);
        for row in &rows {
            assert!(row.width() <= self.ctx.width, "{row}");
        }
        rows.iter().map(|row| row.to_string().trim_end().to_owned() + "\n").collect()
    }
}

fn todos(done: usize) -> Value {
    let all: Vec<Value> = (0..7)
        .map(|at| {
            let status = match at {
                _ if at < done => "completed",
                _ if at == done => "in_progress",
                _ => "pending",
            };
            json!({"content": format!("Do {at}"), "status": status, "activeForm": format!("Doing {at}")})
        })
        .collect();
    let result = json!({"tool_use_id": "t", "content": []});
    json!({"result": result, "status": "ran", "effects": [{"type": "set_todos", "todos": all}]})
}

fn busy(width: usize) -> Stage {
    let mut stage = Stage::new(width);
    let commands = ["cargo test --workspace --all-features -- --nocapture", "ls"];
    stage.start(&[
        ("a", "Bash", json!({"command": commands[0]})),
        ("b", "Bash", json!({"command": commands[1]})),
        ("c", "Agent", json!({"description": "Look around", "subagent_type": "Explore"})),
    ]);
    let started = json!({"call": "c", "kind": "Explore", "description": "Look around", "model": "m", "read_only": true});
    stage.of(Some("x"), "agent_started", started);
    let call = json!({"type": "tool_use", "id": "y", "name": "Grep", "input": {"pattern": "fn main"}});
    let answer = json!({"message": "1", "model": "m", "blocks": [call], "stop": "tool_use", "usage": {}});
    stage.of(Some("x"), "model_answered", answer);
    stage.live_at(LiveEvent::Output {
        call: CallId("a".into()),
        text: "one\n\x1b[31mtwo\n\n3\n4\n5\n".into(),
    });
    let note = Some("12 files".to_owned());
    let progress = LiveEvent::Progress { agent: None, call: CallId("b".into()), elapsed_ms: 1_000, note };
    stage.live_at(progress);
    stage.record("tool_finished", todos(2));
    stage.record(
        "prompt_queued",
        json!({"prompt": {
            "content": [{"type": "text", "text": "and then\nthis"}],
            "delivery": "next_turn",
            "origin": {"type": "person"},
        }}),
    );
    stage.now = 61_000;
    stage
}

#[test]
fn much_at_once_in_much_and_in_little_room() {
    let mut stage = busy(80);
    insta::assert_snapshot!("wide", stage.live(40));
    insta::assert_snapshot!("todos", stage.above());
    insta::assert_snapshot!("narrow", busy(40).live(9));
}

#[test]
fn many_calls_fold_to_a_count() {
    let mut stage = Stage::new(40);
    let calls: Vec<(String, Value)> =
        (0..30).map(|at| (format!("c{at}"), json!({"file_path": format!("/f{at}")}))).collect();
    let calls: Vec<(&str, &str, Value)> =
        calls.iter().map(|(id, input)| (id.as_str(), "Read", input.clone())).collect();
    stage.start(&calls);
    assert!(!stage.live(12).contains("Read"), "what is done at once is not shown as running");
    stage.now = 300;
    let live = stage.live(12);
    assert!(live.lines().count() < 12 && live.contains("… and 26 more calls"), "{live}");
}

#[test]
fn thinking_and_tokens_are_told_quietly() {
    let mut stage = Stage::new(60);
    stage.now = 3_000;
    stage.piece(AnswerEvent::ThinkingStarted);
    stage.piece(AnswerEvent::Thinking { text: "hm ".repeat(1_000) });
    stage.now = 15_000;
    assert_eq!(stage.live(20), "\n⠋ Thinking… 12 s · ~750 tokens · Esc to stop\n");
    stage.piece(AnswerEvent::BlockEnded);
    stage.answered(&[], &[]);
    assert_eq!(stage.live(20), "\n⠋ Working… 15 s · 1,200 tokens · Esc to stop\n");
    stage.piece(AnswerEvent::CallStarted { id: CallId("a".into()), name: "Write".into() });
    stage.piece(AnswerEvent::Input { json: "x".repeat(4_000) });
    assert_eq!(stage.live(20), "\n⠋ Preparing Write… 15 s · ~2,200 tokens · Esc to stop\n");
    let mut narrow = Stage::new(24);
    narrow.answered(&[], &[]);
    assert_eq!(narrow.live(20), "\n⠋ Working… 0 s\n");
}

#[test]
fn another_attempt_is_one_line_that_is_replaced() {
    let retry = |attempt| {
        let failure = json!({"kind": "overloaded", "message": "It is busy."});
        let retry = json!({"failure": failure, "attempt": attempt, "max_attempts": 10, "wait_ms": 1_000});
        AnswerEvent::Retrying(serde_json::from_value::<Retry>(retry).unwrap())
    };
    let mut stage = Stage::new(80);
    stage.piece(retry(2));
    stage.piece(retry(3));
    assert_eq!((stage.live(20).matches("attempt").count(), stage.above()), (1, String::new()));
    assert!(stage.live(20).contains("! It is busy; attempt 3 of 10 in 1 s"), "{}", stage.live(20));
    stage.piece(AnswerEvent::TextStarted);
    stage.text("Some words.");
    assert!(!stage.live(20).contains("attempt"));
    stage.piece(retry(2));
    assert!(stage.above().contains("discarding the partial answer"), "what was seen must be taken back");
}

#[test]
fn whose_turn_it_is_when_a_question_is_open() {
    let mut stage = Stage::new(60);
    let moment = FrameMoment { now: 0, spin: "⠋", room: 20, asking: true };
    let rows = stage.live_area.rows(stage.ctx, moment);
    assert_eq!(rows.last().unwrap().to_string(), "○ Waiting for your answer");
    assert!(!stage.live_area.is_animated(true) && stage.live_area.is_animated(false));
    stage.start(&[("a", "Bash", json!({"command": "x"}))]);
    assert!(stage.live_area.is_animated(true), "a call still runs beside it");
}

#[test]
fn a_line_of_the_persons_own_runs_without_a_turn() {
    let mut stage = Stage::new(60);
    stage.record(
        "turn_ended",
        json!({"turn": 1, "reason": {"type": "done"}, "usage": {}, "took_ms": 1, "model_ms": 1, "answers": 1}),
    );
    assert!(!stage.live_area.view.is_running());
    stage.record("user_shell_started", json!({"call": "s", "command": "make"}));
    stage.live_at(LiveEvent::Output { call: CallId("s".into()), text: "cc a.c\n".into() });
    stage.now = 5_000;
    assert!(stage.live_area.view.is_running());
    assert_eq!(stage.live(20), "\n⠋ ! make  5 s\n    cc a.c\n");
    stage.record("user_shell_ended", json!({"call": "s", "command": "make", "output": "cc a.c\n"}));
    assert_eq!((stage.live(20), stage.above()), (String::new(), "\n! make\n  ⎿ cc a.c\n".to_owned()));
}

#[test]
fn output_is_lines_however_it_is_cut() {
    let mut stage = Stage::new(60);
    stage.start(&[("a", "Bash", json!({"command": "make"}))]);
    for piece in ["one\ntw", "o\n\n  \n", "10 %\r2", "0 %\r", "100 %\x1b[K", "\nlast\tone"] {
        stage.live_at(LiveEvent::Output { call: CallId("a".into()), text: piece.into() });
    }
    let live = stage.live(40);
    let output: Vec<&str> = live.lines().skip(2).take(4).collect();
    assert_eq!(output, ["    one", "    two", "    100 %", "    last    one"]);
    for _ in 0..100 {
        let text = "x\r".repeat(500);
        stage.live_at(LiveEvent::Output { call: CallId("a".into()), text });
    }
    assert!(stage.live(40).contains("    x\n"), "{}", stage.live(40));
}

impl Stage {
    /// A call ends that started a shell.
    fn starts_shell(&mut self, id: &str, command: &str, sandbox: &str) {
        let call = format!("call_{id}");
        let input = json!({"command": command, "run_in_background": true});
        self.answered(&[], &[json!({"type": "tool_use", "id": call, "name": "Bash", "input": input})]);
        self.record("tool_started", json!({"call": call, "sandbox": sandbox}));
        let text = json!([{"type": "text", "text": format!("Started in the background as `{id}`")}]);
        let shell = json!({"type": "shell_started", "id": id, "command": command, "sandbox": sandbox});
        self.record(
            "tool_finished",
            json!({"result": {"tool_use_id": call, "content": text}, "status": "ran", "effects": [shell]}),
        );
    }

    fn ends_shell(&mut self, id: &str) {
        self.record("shell_ended", json!({"shell": id, "how": "exit code 1"}));
    }
}

#[test]
fn shells_in_the_background_are_counted() {
    let mut stage = Stage::new(60);
    stage.starts_shell("shell_1", "npm run dev", "off");
    assert!(stage.live(20).contains("1 shell in the background: npm run dev"), "{}", stage.live(20));
    stage.ends_shell("shell_1");
    assert!(!stage.live(20).contains("background"));
}

#[test]
fn shells_that_planning_does_not_hold_are_shown_as_such() {
    let mut stage = Stage::new(80);
    stage.starts_shell("shell_1", "npm run dev", "off");
    stage.starts_shell("shell_2", "tail -f log", "read_only");
    assert!(stage.live(20).contains("2 shells in the background: tail -f log"), "{}", stage.live(20));
    stage.plans();
    let row = "2 shells, 1 outside the fence: npm run dev";
    assert!(stage.live(20).contains(row), "{}", stage.live(20));
    stage.ends_shell("shell_2");
    let row = "1 shell outside the fence: npm run dev";
    assert!(stage.live(20).contains(row), "{}", stage.live(20));
    stage.ends_shell("shell_1");
    assert!(!stage.live(20).contains("shell"));
}

#[test]
fn what_was_applied_has_a_cell() {
    let mut stage = Stage::new(60);
    let applied = json!({"hash": "r1", "files": ["/w/src/a.rs", "/w/b.rs"], "failed": [["/w/c.rs", "it has changed since"]]});
    stage.record("rehearsal_applied", applied);
    insta::assert_snapshot!(stage.above());
}

#[test]
fn a_list_of_todos_is_shown_once_and_its_end_is_told() {
    let mut stage = Stage::new(60);
    stage.record("tool_finished", todos(0));
    assert_eq!(stage.above().lines().count(), 9);
    stage.record("tool_finished", todos(3));
    assert_eq!(stage.above(), "");
    stage.record("tool_finished", todos(7));
    assert_eq!(stage.above(), "\n☑ All 7 todos done\n");
    assert!(!stage.live(20).contains("Do "));
}

#[test]
fn words_of_an_answer_that_broke_off_stay() {
    let mut stage = Stage::new(60);
    stage.piece(AnswerEvent::TextStarted);
    stage.text("Half a sen");
    stage.record(
        "turn_ended",
        json!({"turn": 1, "reason": {"type": "interrupted"}, "usage": {}, "took_ms": 1, "model_ms": 1, "answers": 1}),
    );
    let above = stage.above();
    assert!(above.starts_with("\n● Half a sen\n") && above.contains("Interrupted"), "{above}");
}

const TEXTS: [&str; 2] = ["# One\n\nWords *and* more.\n\n```rust\nlet a = 1;\n```\n", "Two, without a break"];

/// The answer with the pieces of it that this keeps.
fn shown(keep: impl Fn(usize) -> bool) -> String {
    let mut stage = Stage::new(50);
    let mut number = 0;
    let mut kept = || {
        number += 1;
        keep(number - 1)
    };
    for text in TEXTS {
        if kept() {
            stage.piece(AnswerEvent::TextStarted);
        }
        for piece in text.as_bytes().chunks(7) {
            if kept() {
                stage.text(std::str::from_utf8(piece).unwrap());
            }
        }
        if kept() {
            stage.piece(AnswerEvent::BlockEnded);
        }
    }
    stage.answered(&TEXTS, &[]);
    stage.above()
}

#[test]
fn an_answer_that_nobody_heard_is_shown_from_the_record() {
    let whole = shown(|_| true);
    assert_eq!(shown(|_| false), whole);
    for heard in 0..16 {
        assert_eq!(shown(|at| at < heard), whole, "the first {heard} pieces came");
    }
    insta::assert_snapshot!("unheard", whole);
}

proptest! {
    #[test]
    fn whatever_pieces_are_lost_all_words_are_there(kept in prop::collection::vec(any::<bool>(), 40)) {
        let above = shown(|at| kept[at % kept.len()]);
        for words in ["One", "Words and more.", "let a = 1;", "Two, without a break"] {
            prop_assert!(above.contains(words), "{words} in {above}");
        }
    }
}
