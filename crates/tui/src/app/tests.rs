//! The program without a terminal: events and keys in, frames and wishes out.

use std::collections::BTreeMap;
use std::sync::Arc;

use forelook_protocol::{
    AbsPath, AnswerEvent, Entry, EntryBody, EntryId, FrontEndId, LiveEvent, Mode, ModelAnswered,
    PromptAccepted, Status, StopReason, TurnEnded, TurnId, TurnStarted, Usage, UserBlock,
};
use serde_json::json;

use super::*;
use crate::term::{Code, Input, Key};
use forelook_protocol::Command;

mod asking;
mod elsewhere;
mod opening;
mod pieces;
mod watching;

pub(crate) fn status() -> Status {
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
        unavailable_modes: BTreeMap::new(),
    }
}

/// A session that has only just begun.
pub(super) fn snapshot(status: Status) -> SessionSnapshot {
    SessionSnapshot {
        front_end: FrontEndId(1),
        status,
        last: None,
        turn: None,
        queue: Vec::new(),
        shells: Vec::new(),
        requests: Vec::new(),
    }
}

/// So many milliseconds after the start, at noon.
pub(crate) fn noon(ms: u64) -> Now {
    Now { ms, wall: "2026-03-01T12:00:00Z".parse().unwrap() }
}

pub(super) struct World {
    pub(super) app: App,
    above: Vec<String>,
}

impl World {
    pub(super) fn new() -> Self {
        let app = App::new(&snapshot(status()), Theme::DARK, Size::new(60, 16), noon(0));
        Self { app, above: Vec::new() }
    }

    /// A turn begins with these words.
    fn begin(&mut self, words: &str) {
        self.record(EntryBody::TurnStarted(TurnStarted { turn: TurnId(1) }));
        self.record(EntryBody::PromptAccepted(PromptAccepted::person(vec![UserBlock::text(words)])));
    }

    pub(super) fn record(&mut self, body: EntryBody) {
        let id = serde_json::from_value(json!("00000000-0000-7000-8000-000000000002")).unwrap();
        let time = jiff::Timestamp::UNIX_EPOCH;
        self.app.event(&Event::Recorded(Arc::new(Entry { id, parent: None, time, agent: None, body })));
    }

    fn piece(&mut self, event: AnswerEvent) {
        self.app.event(&Event::Live(LiveEvent::Answer { agent: None, event }));
    }

    pub(super) fn typed(&mut self, text: &str) -> Vec<UiEffect> {
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
    assert!(matches!(&sent[..], [UiEffect::Remember(_), UiEffect::Send(Command::Prompt(_))]), "{sent:?}");
    world.begin("fix it");
    world.piece(AnswerEvent::Started { id: "1".into(), model: "m".into() });
    world.piece(AnswerEvent::TextStarted);
    world.piece(AnswerEvent::Text { text: "I **look** first.\n\nThen I pl".into() });
    world.app.at(noon(2100));
    insta::assert_snapshot!("streaming", world.screen());
    world.piece(AnswerEvent::Text { text: "an.".into() });
    world.piece(AnswerEvent::BlockEnded);
    world.record(EntryBody::ModelAnswered(ModelAnswered {
        message: "1".into(),
        model: "m".into(),
        blocks: Vec::new(),
        wrapped: Vec::new(),
        stop: StopReason::EndTurn,
        usage: Usage::default(),
        cost: None,
        took_ms: 1,
    }));
    let ended = json!({"turn": 1, "reason": {"type": "done"}, "usage": {}, "took_ms": 1, "model_ms": 1, "answers": 1});
    world.record(EntryBody::TurnEnded(serde_json::from_value::<TurnEnded>(ended).unwrap()));
    insta::assert_snapshot!("over", world.screen());
    assert_eq!(world.app.next_wakeup(), None, "an idle program does nothing");
}

#[test]
fn ctrl_c_stops_clears_and_leaves_when_pressed_twice() {
    let mut world = World::new();
    let ctrl_c = || Input::Key(Key::ctrl('c'));
    world.typed("half a word");
    assert_eq!(world.app.input(ctrl_c()), []);
    assert_eq!(world.app.input(ctrl_c()), []);
    assert!(world.screen().contains("Press Ctrl+C again to exit"));
    world.app.at(noon(2500));
    assert_eq!(world.app.input(ctrl_c()), []);
    world.typed("x");
    assert!(!world.screen().contains("Press Ctrl+C again to exit"), "whoever writes on stays");
    assert_eq!(world.app.input(ctrl_c()), []);
    assert_eq!(world.app.input(ctrl_c()), []);
    assert_eq!(world.app.input(ctrl_c()), [UiEffect::Leave(ExitReason::Done)]);
}

#[test]
fn who_stops_a_turn_is_told_that_it_was_heard() {
    let mut world = World::new();
    world.begin("go");
    assert_eq!(world.app.input(Input::Key(Key::plain(Code::Esc))), [UiEffect::Send(Command::Interrupt)]);
    assert!(world.screen().contains("Stopping…"));
    let ended = json!({"turn": 1, "reason": {"type": "interrupted"}, "usage": {}, "took_ms": 1, "model_ms": 1, "answers": 1});
    world.record(EntryBody::TurnEnded(serde_json::from_value::<TurnEnded>(ended).unwrap()));
    assert!(!world.screen().contains("Stopping…"));
}

#[test]
fn shift_tab_asks_for_the_next_mode() {
    let mut world = World::new();
    let cycle = vec![UiEffect::Send(Command::CycleMode)];
    assert_eq!(world.app.input(Input::Key(Key::shift(Code::Tab))), cycle);
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
    world.typed("x");
    world.screen();
    assert!(
        world.above.len() == 501 + 200 + 20 && world.app.is_behind(),
        "a key is shown with few other rows"
    );
    assert_eq!(world.app.take_finished().len(), 281, "with the blank row between them");
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
    world.begin("go");
    let call = json!({"type": "tool_use", "id": "a", "name": "Read", "input": {"file_path": "/a"}});
    let answer = json!({"message": "1", "model": "m", "blocks": [call], "stop": "tool_use", "usage": {}});
    world.record(EntryBody::ModelAnswered(serde_json::from_value(answer).unwrap()));
    world.record(EntryBody::ToolStarted(serde_json::from_value(json!({"call": "a"})).unwrap()));
    let text = "1\n2\n3\n4\n".to_owned();
    world.app.event(&Event::Live(LiveEvent::Output { call: forelook_protocol::CallId("a".into()), text }));
    let (_, before) = heights(&mut world);
    let result = json!({"tool_use_id": "a", "content": [{"type": "text", "text": "x"}]});
    world.record(EntryBody::ToolFinished(
        serde_json::from_value(json!({"result": result, "status": "ran"})).unwrap(),
    ));
    let (finished, after) = heights(&mut world);
    assert_eq!(usize::from(before), finished + usize::from(after));
    let ended = json!({"turn": 1, "reason": {"type": "done"}, "usage": {}, "took_ms": 1, "model_ms": 1, "answers": 1});
    world.record(EntryBody::TurnEnded(serde_json::from_value::<TurnEnded>(ended).unwrap()));
    assert_eq!(heights(&mut world), (0, 5), "nothing is held when the turn is over");
}
