//! The program without a terminal: events and keys in, frames and wishes out.

use std::collections::BTreeMap;
use std::sync::Arc;

use forelook_protocol::{AbsPath, AnswerEvent, Answered, Entry, StopReason, Taken, TurnEnded, Usage};
use serde_json::json;

use super::*;

mod asking;

fn status() -> Status {
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

struct Noon;

impl Clock for Noon {
    fn now(&self) -> jiff::Timestamp {
        "2026-03-01T12:00:00Z".parse().unwrap()
    }
}

struct World {
    app: App,
    above: Vec<String>,
}

impl World {
    fn new() -> Self {
        Self { app: App::new(&status(), Theme::DARK, Size::new(60, 16), Arc::new(Noon)), above: Vec::new() }
    }

    fn record(&mut self, body: Body) {
        let id = serde_json::from_value(json!("00000000-0000-7000-8000-000000000002")).unwrap();
        let time = jiff::Timestamp::UNIX_EPOCH;
        self.app.event(&Event::Recorded(Arc::new(Entry { id, parent: None, time, agent: None, body })));
    }

    fn piece(&mut self, event: AnswerEvent) {
        self.app.event(&Event::Live(Live::Answer { agent: None, event }));
    }

    fn typed(&mut self, text: &str) -> Vec<Wish> {
        text.chars().flat_map(|letter| self.app.input(Input::Key(Key::plain(Code::Char(letter))))).collect()
    }

    /// What is above, and the live area.
    fn screen(&mut self) -> String {
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
    assert!(matches!(&sent[..], [Wish::Send(Command::Prompt(_))]), "{sent:?}");
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
    assert_eq!(world.app.input(ctrl_c()), [Wish::Leave(Left::Done)]);
}

#[test]
fn shift_tab_asks_for_the_next_mode() {
    let mut world = World::new();
    let cycle = vec![Wish::Send(Command::CycleMode)];
    assert_eq!(world.app.input(Input::Key(Key::shift(Code::Tab))), cycle);
}
