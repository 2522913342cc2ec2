//! The status line, what goes away by itself, and what is asked for beside the conversation.

use forelook_protocol::{Body, Entry, Event, Mode, Status};
use ratatui_core::layout::Size;
use serde_json::{Value, json};
use std::sync::Arc;

use super::super::tests::{noon, snapshot, status};
use super::super::{App, Brought, Errand, Frame, Wish};
use super::rows;
use crate::markdown::Look;
use crate::setup::{Colours, Habits, Notifications, Terminal};
use crate::term::{Code, Input, Key};
use crate::theme::{Speaks, Theme};

const ID: &str = "00000000-0000-7000-8000-000000000001";

fn app(width: u16, habits: &Habits) -> App {
    let snapshot = snapshot(Status { window: Some(1_000), ..status() });
    let mut app = App::new(&snapshot, Theme::DARK, Size::new(width, 24), noon(0));
    let terminal = Terminal { colours: Colours::Palette, reflows: true, speaks: Speaks::Osc9, tmux: false };
    app.live_with(habits, terminal);
    app
}

fn record(app: &mut App, kind: &str, data: Value) {
    let line = json!({"id": ID, "parent": null, "time": "2026-01-02T03:04:05Z", "kind": kind, "data": data});
    app.event(&Event::Recorded(Arc::new(Entry::parse(&line.to_string()).unwrap())));
}

fn shown(app: &App, width: usize) -> Vec<String> {
    rows(app, Look { width, theme: Theme::DARK }, 9)
        .iter()
        .map(|row| row.to_string().trim_end().to_owned())
        .collect()
}

fn answer(input_tokens: u64) -> Value {
    json!({"message": "1", "model": "m", "blocks": [], "stop": "end_turn",
        "usage": {"input_tokens": input_tokens, "output_tokens": 30}, "cost": 12_345_678})
}

fn turn_end(took_ms: u64) -> Value {
    json!({"turn": 1, "reason": {"type": "done"}, "usage": {}, "took_ms": took_ms, "model_ms": 1, "answers": 1})
}

fn standing(mode: &str) -> Value {
    json!(forelook_protocol::Standing::at(mode.parse().unwrap()))
}

#[test]
fn as_much_as_there_is_room_for() {
    let mut app = app(80, &Habits::default());
    record(&mut app, "answer", answer(200));
    app.brought(Brought::Branch(Some("fix".into())));
    let todos = json!([
        {"content": "a", "status": "completed", "activeForm": "a"},
        {"content": "b", "status": "pending", "activeForm": "b"},
    ]);
    let effects = json!([{"type": "set_todos", "todos": todos}]);
    let result = json!({"tool_use_id": "c", "content": []});
    record(&mut app, "finished", json!({"result": result, "verdict": "ran", "effects": effects}));
    let all: Vec<String> = [120, 100, 80, 60, 40, 20].iter().flat_map(|width| shown(&app, *width)).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn a_window_that_is_nearly_full_is_a_warning() {
    let mut app = app(80, &Habits::default());
    for (tokens, style) in [(770, Theme::DARK.quiet), (780, Theme::DARK.warning)] {
        record(&mut app, "answer", answer(tokens));
        let row = rows(&app, Look { width: 80, theme: Theme::DARK }, 9).pop().unwrap();
        let span = row.spans.iter().find(|span| span.content.contains("% full")).unwrap();
        assert_eq!(span.style, style, "{}", span.content);
    }
}

#[test]
fn a_mode_that_was_not_asked_for_is_told_for_ten_seconds() {
    let mut app = app(80, &Habits { tip: true, ..Habits::default() });
    assert!(shown(&app, 100)[0].contains("Tip: Shift+Tab"));
    let why = "Auto mode is not to be had; default mode is on instead";
    record(&mut app, "mode", json!({"standing": standing("default"), "why": why}));
    insta::assert_snapshot!(shown(&app, 60).join("\n"));
    assert_eq!(app.wakes_at(), Some(10_000));
    app.at(noon(10_000));
    assert!(shown(&app, 100)[0].contains("Tip: Shift+Tab"), "the tip was cut short");
    app.at(noon(30_000));
    assert_eq!((shown(&app, 60).len(), app.wakes_at()), (1, None));
}

#[test]
fn a_line_of_the_persons_own_rests_and_fails_once() {
    let mut app = app(80, &Habits { status_line: true, ..Habits::default() });
    let asked = |app: &mut App| {
        let wishes = app.wishes();
        wishes.into_iter().find_map(|wish| match wish {
            Wish::See(Errand::StatusLine(facts)) => Some(facts),
            _ => None,
        })
    };
    let facts = asked(&mut app).unwrap();
    insta::assert_snapshot!(
        serde_json::to_string_pretty(&facts).unwrap().replace(env!("CARGO_PKG_VERSION"), "X")
    );
    record(&mut app, "mode", json!({"standing": standing("default")}));
    app.at(noon(400));
    assert_eq!(asked(&mut app), None, "it has not answered yet");
    app.brought(Brought::StatusLine(Ok(Some("my \x1b[31mline\nsecond".into()))));
    assert!(shown(&app, 80)[0].ends_with("my line"), "{:?}", shown(&app, 80));
    assert_eq!(app.wakes_at(), Some(300));
    app.at(noon(401));
    assert_eq!(asked(&mut app).unwrap()["mode"], "default");
    record(&mut app, "turn_end", turn_end(1));
    app.brought(Brought::StatusLine(Err("exit code 1".into())));
    assert!(shown(&app, 100)[0].contains("Your status line failed: exit code 1"));
    app.at(noon(500));
    assert_eq!((asked(&mut app), app.wakes_at()), (None, Some(701)), "at most once in 300 ms");
    app.at(noon(701));
    assert!(asked(&mut app).is_some());
    app.at(noon(20_000));
    app.brought(Brought::StatusLine(Err("exit code 1".into())));
    assert!(!shown(&app, 100)[0].contains("failed"), "it is told once");
}

#[test]
fn the_branch_is_asked_for_after_each_turn_and_the_window_with_a_model() {
    let mut app = app(80, &Habits::default());
    assert!(app.wishes().contains(&Wish::See(Errand::Branch)));
    record(&mut app, "turn_end", turn_end(1));
    assert_eq!(app.wishes(), [Wish::See(Errand::Branch)]);
    record(&mut app, "model", json!({"model": "a/b"}));
    assert_eq!(app.wishes(), [Wish::See(Errand::Ask(forelook_protocol::Query::Status))]);
}

#[test]
fn who_looks_elsewhere_is_called_and_the_title_says_what_goes_on() {
    let mut app = app(80, &Habits { notifications: Notifications::Desktop, ..Habits::default() });
    let escapes = |app: &mut App| {
        let of = |wish| if let Wish::Escape(bytes) = wish { Some(bytes) } else { None };
        app.wishes().into_iter().filter_map(of).collect::<Vec<_>>()
    };
    assert_eq!(escapes(&mut app), ["\x1b]2;forelook\x07"]);
    record(&mut app, "turn_started", json!({"turn": 1}));
    let prompt = json!({"content": [{"type": "text", "text": "fix it"}], "origin": {"type": "person"}});
    record(&mut app, "prompt", prompt);
    assert_eq!(escapes(&mut app), ["\x1b]2;… forelook · fix it\x07"]);
    app.at(noon(20_000));
    record(&mut app, "turn_end", turn_end(20_000));
    assert_eq!(escapes(&mut app), ["\x1b]9;The assistant is done\x07", "\x1b]2;forelook · fix it\x07"]);
    app.input(Input::Focus(true));
    record(&mut app, "turn_end", turn_end(20_000));
    assert_eq!(escapes(&mut app), [""; 0]);
    app.input(Input::Focus(false));
    record(&mut app, "turn_end", turn_end(20_000));
    assert_eq!(escapes(&mut app).len(), 1);
    app.input(Input::Key(Key::plain(Code::Char('x'))));
}

#[test]
fn the_mode_is_to_be_seen_in_the_smallest_window() {
    let mut app = app(40, &Habits { tip: true, ..Habits::default() });
    for height in 1..12 {
        app.resized(Size::new(40, height));
        let Frame::Live { live, .. } = app.frame() else { panic!("a page") };
        let last = live.area.height - 1;
        let row: String = (0..40).map(|x| live[(x, last)].symbol()).collect();
        assert!(live.area.height <= height && row.contains("plan mode on"), "{height}: {row}");
    }
}

#[test]
fn entries_of_every_mode_fit_into_forty_columns() {
    let mut app = app(40, &Habits::default());
    for mode in Mode::ALL {
        app.recorded(&Arc::new(Entry {
            id: serde_json::from_value(json!(ID)).unwrap(),
            parent: None,
            time: jiff::Timestamp::UNIX_EPOCH,
            agent: None,
            body: Body::Mode(serde_json::from_value(json!({"standing": standing(mode.name())})).unwrap()),
        }));
        let (_, words) = forelook_wording::mode_words(mode);
        let rows = shown(&app, 40);
        assert!(rows[0].contains(words) && forelook_wording::measure(&rows[0]) <= 40, "{rows:?}");
    }
}
