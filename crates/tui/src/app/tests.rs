//! The program without a terminal: events and keys in, frames and wishes out.

use std::collections::BTreeMap;
use std::sync::Arc;

use forelook_protocol::{
    AbsPath, AnswerEvent, Answered, Body, Entry, Live, StopReason, Taken, TurnEnded, Usage, UserBlock,
};
use proptest::prelude::*;
use serde_json::json;

use super::*;

pub(super) fn status() -> Status {
    Status {
        session: serde_json::from_value(json!("00000000-0000-7000-8000-000000000001")).unwrap(),
        folder: AbsPath::new("/home/me/project").unwrap(),
        mode: Mode::Plan,
        model: "demo/demo".into(),
        window: Some(200_000),
        tools: Vec::new(),
        spent: BTreeMap::new(),
        todos: Vec::new(),
        plan: None,
        agents: Vec::new(),
        turns_due: 0,
    }
}

pub(crate) struct Noon;

impl Clock for Noon {
    fn now(&self) -> jiff::Timestamp {
        "2026-03-01T12:00:00Z".parse().unwrap()
    }
}

pub(super) struct World {
    pub(super) app: App,
    above: Vec<String>,
}

impl World {
    pub(super) fn new() -> Self {
        Self { app: App::new(&status(), Theme::DARK, Size::new(60, 16), Arc::new(Noon)), above: Vec::new() }
    }

    pub(super) fn record(&mut self, body: Body) {
        let id = serde_json::from_value(json!("00000000-0000-7000-8000-000000000002")).unwrap();
        let time = jiff::Timestamp::UNIX_EPOCH;
        self.app.event(&Event::Recorded(Arc::new(Entry { id, parent: None, time, agent: None, body })));
    }

    fn piece(&mut self, event: AnswerEvent) {
        self.app.event(&Event::Live(Live::Answer { agent: None, event }));
    }

    pub(super) fn typed(&mut self, text: &str) -> Vec<Wish> {
        text.chars().flat_map(|letter| self.app.input(Input::Key(Key::plain(Code::Char(letter))))).collect()
    }

    /// What is above, and the live area.
    pub(super) fn screen(&mut self) -> String {
        let Frame::Live { finished, live: area_of, .. } = self.app.frame() else { panic!("a page") };
        self.above.extend(finished.iter().map(|row| row.to_string().trim_end().to_owned()));
        let area = area_of.area;
        let row = |y| (0..area.width).map(|x| area_of[(x, y)].symbol()).collect::<String>();
        let live = (0..area.height).map(|y| row(y).trim_end().to_owned());
        let mut all = self.above.clone();
        all.push("~".repeat(20));
        all.extend(live);
        all.join("\n")
    }
}

#[test]
fn a_turn_from_the_prompt_to_its_end() {
    let mut world = World::new();
    insta::assert_snapshot!("first", world.screen());
    world.typed("fix it");
    let sent = world.app.input(Input::Key(Key::plain(Code::Enter)));
    assert!(matches!(&sent[..], [Wish::Remember(_), Wish::Send(Command::Prompt(_))]), "{sent:?}");
    world.record(Body::Prompt(Taken { content: vec![UserBlock::text("fix it")], queued: None, plan: None }));
    world.piece(AnswerEvent::Started { id: "1".into(), model: "m".into() });
    world.piece(AnswerEvent::TextStarted);
    world.piece(AnswerEvent::Text { text: "I **look** first.\n\nThen I pl".into() });
    world.app.at(2100);
    insta::assert_snapshot!("streaming", world.screen());
    world.piece(AnswerEvent::Text { text: "an.".into() });
    world.piece(AnswerEvent::BlockEnded);
    world.record(Body::Answer(Answered {
        message: "1".into(),
        model: "m".into(),
        blocks: Vec::new(),
        stop: StopReason::EndTurn,
        usage: Usage::default(),
        cost: None,
        took_ms: 1,
    }));
    let ended = json!({"reason": {"type": "done"}, "usage": {}, "took_ms": 1, "model_ms": 1, "answers": 1});
    world.record(Body::TurnEnd(serde_json::from_value::<TurnEnded>(ended).unwrap()));
    insta::assert_snapshot!("over", world.screen());
    assert_eq!(world.app.wakes_at(), None, "an idle program does nothing");
}

#[test]
fn ctrl_c_stops_clears_and_leaves_when_pressed_twice() {
    let mut world = World::new();
    let ctrl_c = || Input::Key(Key::ctrl('c'));
    world.typed("half a word");
    assert_eq!(world.app.input(ctrl_c()), []);
    assert_eq!(world.app.input(ctrl_c()), []);
    assert!(world.screen().contains("Ctrl+C again leaves"));
    world.app.at(2500);
    assert_eq!(world.app.input(ctrl_c()), []);
    world.typed("x");
    assert!(!world.screen().contains("Ctrl+C again leaves"), "whoever writes on stays");
    assert_eq!(world.app.input(ctrl_c()), []);
    assert_eq!(world.app.input(ctrl_c()), []);
    assert_eq!(world.app.input(ctrl_c()), [Wish::Leave(Left::Done)]);
}

#[test]
fn who_stops_a_turn_is_told_that_it_was_heard() {
    let mut world = World::new();
    world.record(Body::Prompt(Taken { content: vec![UserBlock::text("go")], queued: None, plan: None }));
    assert_eq!(world.app.input(Input::Key(Key::plain(Code::Esc))), [Wish::Send(Command::Interrupt)]);
    assert!(world.screen().contains("Stopping…"));
    let ended =
        json!({"reason": {"type": "interrupted"}, "usage": {}, "took_ms": 1, "model_ms": 1, "answers": 1});
    world.record(Body::TurnEnd(serde_json::from_value::<TurnEnded>(ended).unwrap()));
    assert!(!world.screen().contains("Stopping…"));
}

#[test]
fn shift_tab_asks_for_the_next_mode() {
    let mut world = World::new();
    let cycle = vec![Wish::Send(Command::CycleMode)];
    assert_eq!(world.app.input(Input::Key(Key::shift(Code::Tab))), cycle);
}

fn entry(number: usize, body: Body) -> Arc<Entry> {
    let id = serde_json::from_value(json!(format!("00000000-0000-7000-8000-{number:012}"))).unwrap();
    Arc::new(Entry { id, parent: None, time: jiff::Timestamp::UNIX_EPOCH, agent: None, body })
}

fn prompt(words: &str) -> Body {
    Body::Prompt(Taken { content: vec![UserBlock::text(words)], queued: None, plan: None })
}

fn answer(words: &str) -> Body {
    Body::Answer(Answered {
        message: "1".into(),
        model: "m".into(),
        blocks: vec![forelook_protocol::AnswerBlock::Text { text: words.into() }],
        stop: StopReason::EndTurn,
        usage: Usage::default(),
        cost: None,
        took_ms: 1,
    })
}

fn turn_end() -> Body {
    let ended = json!({"reason": {"type": "done"}, "usage": {}, "took_ms": 1, "model_ms": 1, "answers": 1});
    Body::TurnEnd(serde_json::from_value(ended).unwrap())
}

fn permission(number: usize, tool: &str) -> Body {
    let id = format!("00000000-0000-7000-8000-{number:012}");
    let reason = json!({"step": "rest", "text": "It changes a file", "would_allow": "Bash(make)"});
    let ask = json!({"type": "permission", "tool": tool, "input": {"command": "make"}, "reason": reason});
    let question = json!({"question": {"id": id, "call": "1", "ask": ask}});
    Body::Question(serde_json::from_value(question).unwrap())
}

#[test]
fn the_end_of_a_former_conversation_is_shown_once() {
    let mut world = World::new();
    let mut entries = Vec::new();
    for turn in 0..5 {
        for body in [prompt(&format!("prompt {turn}")), answer(&format!("*answer* {turn}")), turn_end()] {
            entries.push(entry(entries.len(), body));
        }
    }
    entries.push(entry(entries.len(), prompt("killed while it ran")));
    world.app.look_back(&entries, 0);
    assert_eq!(world.app.wakes_at(), None, "nothing runs");
    world.app.event(&Event::Recorded(Arc::clone(&entries[15])));
    insta::assert_snapshot!("resumed", world.screen());
    world.app.event(&Event::Recorded(entry(99, prompt("and now"))));
    assert!(world.screen().contains("> and now"));
}

#[test]
fn a_key_never_answers_a_question_that_was_not_there_yet() {
    let mut world = World::new();
    world.record(permission(1, "Bash"));
    world.record(permission(2, "Write"));
    world.app.at(100);
    assert_eq!(world.typed("y"), [], "typed too early, it is for the composer");
    world.app.at(1000);
    assert_eq!(world.typed("y").len(), 1);
    world.app.at(1100);
    assert_eq!(world.typed("y"), [], "the next one has only just appeared");
    world.app.at(2000);
    assert_eq!(world.typed("n").len(), 1);
    assert!(world.screen().contains("> yy"));
}

#[test]
fn a_question_behind_a_view_begins_when_the_view_is_closed() {
    let mut world = World::new();
    let ctrl_r = || Input::Key(Key::ctrl('r'));
    assert_eq!(world.app.input(ctrl_r()), [Wish::See(Errand::Ask(Query::Transcript))]);
    let reply = forelook_protocol::Reply::Transcript(vec![entry(1, prompt("hello"))]);
    world.app.brought(Brought::Reply(Ok(reply)));
    assert!(matches!(world.app.frame(), Frame::Page { .. }));
    world.record(permission(1, "Bash"));
    world.app.at(5000);
    assert_eq!(world.app.input(ctrl_r()), []);
    world.app.at(5100);
    assert_eq!(world.typed("y"), []);
    world.app.at(6000);
    assert_eq!(world.typed("y").len(), 1);
}

#[test]
fn a_dialog_fits_beside_half_written_words() {
    let mut world = World::new();
    world.app.resized(Size::new(40, 15));
    world.app.input(Input::Paste("half\na\nsentence".into()));
    world.record(permission(1, "Bash"));
    let screen = world.screen();
    assert!(screen.contains("n no (Esc)") && screen.contains("plan mode on"), "{screen}");
    insta::assert_snapshot!("dialog_beside_words", screen);
}

#[test]
fn what_commands_ask_for() {
    use forelook_protocol::Reply;
    let see = |errand| vec![Wish::See(errand)];
    for (line, expected) in [
        ("/cost", see(Errand::Ask(Query::Status))),
        ("/permissions", see(Errand::Ask(Query::Rules))),
        ("/model", see(Errand::Ask(Query::Models))),
        ("/model a/b", vec![Wish::Send(Command::SetModel("a/b".into()))]),
        ("/mode acceptedits", vec![Wish::Send(Command::SetMode(Mode::AcceptEdits))]),
        ("/mode nonsense", vec![]),
        ("/mode", vec![]),
        ("/resume", see(Errand::Sessions)),
        ("/export", see(Errand::Ask(Query::Transcript))),
        ("/clear", vec![Wish::Leave(Left::ForNew)]),
        ("/exit", vec![Wish::Leave(Left::Done)]),
        ("/theme dark", see(Errand::KeepTheme("dark"))),
        ("/theme plaid", vec![]),
        ("/help", vec![]),
        ("/nonsense", vec![]),
    ] {
        assert_eq!(World::new().app.say(line), expected, "{line}");
    }
    let mut world = World::new();
    world.app.say("/export notes.md");
    let written = world.app.brought(Brought::Reply(Ok(Reply::Transcript(vec![entry(1, prompt("hello"))]))));
    assert!(
        matches!(&written[..], [Wish::See(Errand::Write { name, .. })] if name == "notes.md"),
        "{written:?}"
    );
    world.app.say("/cost");
    world.app.say("/todos");
    world.app.brought(Brought::Reply(Ok(Reply::Status(status()))));
    let screen = world.screen();
    assert!(
        screen.contains("No model has answered yet") && screen.contains("The todo list is empty"),
        "{screen}"
    );
}

proptest! {
    /// Whatever is typed, however fast: a call is allowed only by `y`, `s` or `a`, and only after a calm.
    #[test]
    fn no_key_allows_by_chance(keys in prop::collection::vec(("[yosanw x]", 0u64..600), 0..30)) {
        let mut world = World::new();
        world.record(permission(1, "Bash"));
        let (mut now, mut calm) = (0, false);
        for (letter, pause) in keys {
            now += pause;
            calm |= pause >= 350;
            world.app.at(now);
            for wish in world.typed(&letter) {
                if let Wish::Send(Command::Answer { answer: forelook_protocol::Answer::Allow { .. }, .. }) = wish {
                    prop_assert!(calm && ["y", "s", "a"].contains(&letter.as_str()), "{letter} at {now}");
                }
            }
        }
    }
}

#[test]
fn a_frame_takes_so_many_rows_and_the_next_ones_take_the_rest() {
    let mut world = World::new();
    let lines: String = (0..500).map(|at| format!("line {at}\n")).collect();
    world.piece(AnswerEvent::Started { id: "1".into(), model: "m".into() });
    world.piece(AnswerEvent::TextStarted);
    world.piece(AnswerEvent::Text { text: format!("```\n{lines}```\n") });
    for (rows, behind) in [(200, true), (400, true), (501, false)] {
        world.screen();
        assert_eq!((world.above.len(), world.app.is_behind()), (rows, behind));
    }
    assert_eq!(world.above.last().unwrap().trim(), "line 499");
    world.piece(AnswerEvent::Text { text: format!("```\n{lines}```\n") });
    world.screen();
    assert_eq!(world.app.take_finished().len(), 301, "with the blank row between them");
    assert!(!world.app.is_behind());
}

#[test]
fn what_is_below_does_not_jump_while_a_turn_runs() {
    let mut world = World::new();
    world.app.resized(Size::new(60, 30));
    let heights = |world: &mut World| {
        let Frame::Live { finished, live, .. } = world.app.frame() else { panic!("a page") };
        (finished.len(), live.area.height)
    };
    world.record(Body::Prompt(Taken { content: vec![UserBlock::text("go")], queued: None, plan: None }));
    let call = json!({"type": "tool_use", "id": "a", "name": "Read", "input": {"file_path": "/a"}});
    let answer = json!({"message": "1", "model": "m", "blocks": [call], "stop": "tool_use", "usage": {}});
    world.record(Body::Answer(serde_json::from_value(answer).unwrap()));
    world.record(Body::Started(serde_json::from_value(json!({"call": "a"})).unwrap()));
    let text = "1\n2\n3\n4\n".to_owned();
    world.app.event(&Event::Live(Live::Output { call: forelook_protocol::CallId("a".into()), text }));
    let (_, before) = heights(&mut world);
    let result = json!({"tool_use_id": "a", "content": [{"type": "text", "text": "x"}]});
    world
        .record(Body::Finished(serde_json::from_value(json!({"result": result, "verdict": "ran"})).unwrap()));
    let (finished, after) = heights(&mut world);
    assert_eq!(usize::from(before), finished + usize::from(after));
    let ended = json!({"reason": {"type": "done"}, "usage": {}, "took_ms": 1, "model_ms": 1, "answers": 1});
    world.record(Body::TurnEnd(serde_json::from_value::<TurnEnded>(ended).unwrap()));
    assert_eq!(heights(&mut world), (0, 5), "nothing is held when the turn is over");
}
