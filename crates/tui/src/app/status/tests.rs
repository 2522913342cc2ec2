//! The status line, what goes away by itself, and what is asked for beside the conversation.

use forelook_protocol::{Entry, EntryBody, Event, Mode, Status};
use ratatui_core::layout::Size;
use serde_json::{Value, json};
use std::sync::Arc;

use super::super::tests::{noon, snapshot, status};
use super::super::{App, Frame, TaskResult, UiEffect, UiTask};
use super::rows;
use crate::markdown::RenderContext;
use crate::setup::{Colors, Notifications, Terminal, UserPreferences};
use crate::term::{Code, Input, Key};
use crate::theme::{NotifyStyle, Theme};

const ID: &str = "00000000-0000-7000-8000-000000000001";

const TERMINAL: Terminal = Terminal {
    colors: Colors::Palette,
    reflows: true,
    notify_style: NotifyStyle::Osc9,
    tmux: false,
    charset: forelook_wording::Charset::Unicode,
};

fn app(width: u16, preferences: &UserPreferences) -> App {
    let snapshot = snapshot(Status { window: Some(1_000), ..status() });
    let mut app = App::new(&snapshot, Theme::DARK, Size::new(width, 24), noon(0));
    app.apply_preferences(preferences, TERMINAL);
    app
}

fn record(app: &mut App, kind: &str, data: Value) {
    let line = json!({"id": ID, "parent": null, "time": "2026-01-02T03:04:05Z", "kind": kind, "data": data});
    app.event(&Event::Recorded(Arc::new(Entry::parse(&line.to_string()).unwrap())));
}

fn shown(app: &App, width: usize) -> Vec<String> {
    rows(app, RenderContext { width, theme: Theme::DARK }, 9)
        .iter()
        .map(|row| row.to_string().trim_end().to_owned())
        .collect()
}

fn answer(input_tokens: u64) -> Value {
    json!({"message": "1", "model": "m", "blocks": [], "stop": "end_turn",
        "usage": {"input_tokens": input_tokens, "output_tokens": 30}, "cost": 12_345_678})
}

/// A call that set two todos, one of them done.
fn half_done() -> Value {
    let todos = json!([
        {"content": "a", "status": "completed", "activeForm": "a"},
        {"content": "b", "status": "pending", "activeForm": "b"},
    ]);
    let effects = json!([{"type": "set_todos", "todos": todos}]);
    json!({"result": {"tool_use_id": "c", "content": []}, "status": "ran", "effects": effects})
}

fn turn_end(took_ms: u64) -> Value {
    json!({"turn": 1, "reason": {"type": "done"}, "usage": {}, "took_ms": took_ms, "model_ms": 1, "answers": 1})
}

fn mode_state(mode: &str) -> Value {
    json!(forelook_protocol::ModeState::new(mode.parse().unwrap()))
}

#[test]
fn as_much_as_there_is_room_for() {
    let mut app = app(80, &UserPreferences::default());
    record(&mut app, "model_answered", answer(200));
    app.on_task_result(TaskResult::Branch(Some("fix".into())));
    record(&mut app, "tool_finished", half_done());
    let all: Vec<String> = [120, 100, 80, 60, 40, 20].iter().flat_map(|width| shown(&app, *width)).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn how_to_change_the_mode_and_the_model_are_seen_at_eighty_columns() {
    for model in
        ["demo/demo", "anthropic/claude-sonnet-5-5", "a-gateway/with/claude-opus-with-a-long-name-20260301"]
    {
        for mode in Mode::ALL {
            let status = Status { model: model.into(), mode, window: Some(1_000), ..status() };
            let mut app = App::new(&snapshot(status), Theme::DARK, Size::new(80, 24), noon(0));
            app.on_task_result(TaskResult::Branch(Some("fix".into())));
            for _ in 0..2 {
                let row = &shown(&app, 80)[0];
                let name = model.rsplit('/').next().unwrap();
                assert!(
                    row.contains("(Shift+Tab") && row.contains(&name[..name.len().min(14)]),
                    "{mode} {row}"
                );
                assert!(row.contains(forelook_wording::mode_words(mode).1), "{row}");
                // And when there is more to tell.
                record(&mut app, "model_answered", answer(200));
                record(&mut app, "tool_finished", half_done());
            }
        }
    }
}

#[test]
fn a_tip_hides_no_model() {
    for model in
        ["demo/demo", "anthropic/claude-sonnet-5-5", "a-gateway/with/claude-opus-with-a-long-name-20260301"]
    {
        for mode in Mode::ALL {
            let status = Status { model: model.into(), mode, window: Some(1_000), ..status() };
            let mut app = App::new(&snapshot(status), Theme::DARK, Size::new(80, 24), noon(0));
            app.apply_preferences(&UserPreferences { tip: true, ..UserPreferences::default() }, TERMINAL);
            for _ in 0..2 {
                let shown = shown(&app, 80).join("\n");
                let name = model.rsplit('/').next().unwrap();
                assert!(shown.contains("Tip: Shift+Tab switches modes"), "{shown}");
                assert!(shown.contains(&name[..name.len().min(7)]), "{mode} {shown}");
                record(&mut app, "model_answered", answer(200));
                record(&mut app, "tool_finished", half_done());
            }
        }
    }
}

#[test]
fn a_window_that_is_nearly_full_is_a_warning() {
    let mut app = app(80, &UserPreferences::default());
    for (tokens, style) in [(770, Theme::DARK.quiet), (780, Theme::DARK.warning)] {
        record(&mut app, "model_answered", answer(tokens));
        let row = rows(&app, RenderContext { width: 80, theme: Theme::DARK }, 9).pop().unwrap();
        let span = row.spans.iter().find(|span| span.content.contains("context ")).unwrap();
        assert_eq!(span.style, style, "{}", span.content);
    }
}

#[test]
fn a_mode_that_was_not_asked_for_is_told_for_ten_seconds() {
    let mut app = app(80, &UserPreferences { tip: true, ..UserPreferences::default() });
    assert!(shown(&app, 100)[0].contains("Tip: Shift+Tab"));
    let why = "Auto mode is not available; default mode is on instead";
    record(&mut app, "mode_changed", json!({"mode_state": mode_state("default"), "why": why}));
    insta::assert_snapshot!(shown(&app, 60).join("\n"));
    assert_eq!(app.next_wakeup(), Some(10_000));
    app.at(noon(10_000));
    assert!(shown(&app, 100)[0].contains("Tip: Shift+Tab"), "the tip was cut short");
    app.at(noon(30_000));
    assert_eq!((shown(&app, 60).len(), app.next_wakeup()), (1, None));
}

#[test]
fn a_line_of_the_persons_own_rests_and_fails_once() {
    let mut app = app(80, &UserPreferences { status_line: true, ..UserPreferences::default() });
    let asked = |app: &mut App| {
        let effects = app.effects();
        effects.into_iter().find_map(|effect| match effect {
            UiEffect::Spawn(UiTask::StatusLine(facts)) => Some(facts),
            _ => None,
        })
    };
    let facts = asked(&mut app).unwrap();
    insta::assert_snapshot!(
        serde_json::to_string_pretty(&facts).unwrap().replace(env!("CARGO_PKG_VERSION"), "X")
    );
    record(&mut app, "mode_changed", json!({"mode_state": mode_state("default")}));
    app.at(noon(400));
    assert_eq!(asked(&mut app), None, "it has not answered yet");
    app.on_task_result(TaskResult::StatusLine(Ok(Some("my \x1b[31mline\nsecond".into()))));
    assert!(shown(&app, 80)[0].ends_with("my line"), "{:?}", shown(&app, 80));
    assert_eq!(app.next_wakeup(), Some(300));
    app.at(noon(401));
    assert_eq!(asked(&mut app).unwrap()["mode"], "default");
    record(&mut app, "turn_ended", turn_end(1));
    app.on_task_result(TaskResult::StatusLine(Err("exit code 1".into())));
    assert!(shown(&app, 100)[0].contains("Your status line command failed: exit code 1"));
    app.at(noon(500));
    assert_eq!((asked(&mut app), app.next_wakeup()), (None, Some(701)), "at most once in 300 ms");
    app.at(noon(701));
    assert!(asked(&mut app).is_some());
    app.at(noon(20_000));
    app.on_task_result(TaskResult::StatusLine(Err("exit code 1".into())));
    assert!(!shown(&app, 100)[0].contains("failed"), "it is told once");
}

#[test]
fn the_branch_is_asked_for_after_each_turn_and_the_window_with_a_model() {
    let mut app = app(80, &UserPreferences::default());
    assert!(app.effects().contains(&UiEffect::Spawn(UiTask::Branch)));
    record(&mut app, "turn_ended", turn_end(1));
    assert_eq!(app.effects(), [UiEffect::Spawn(UiTask::Branch)]);
    record(&mut app, "model_changed", json!({"model": "a/b"}));
    assert_eq!(app.effects(), [UiEffect::Spawn(UiTask::Ask(forelook_protocol::Query::Status))]);
}

#[test]
fn who_looks_elsewhere_is_called_and_the_title_says_what_goes_on() {
    let mut app =
        app(80, &UserPreferences { notifications: Notifications::Desktop, ..UserPreferences::default() });
    let escapes = |app: &mut App| {
        let of = |effect| if let UiEffect::Escape(bytes) = effect { Some(bytes) } else { None };
        app.effects().into_iter().filter_map(of).collect::<Vec<_>>()
    };
    assert_eq!(escapes(&mut app), ["\x1b]2;forelook\x07"]);
    record(&mut app, "turn_started", json!({"turn": 1}));
    let prompt = json!({"content": [{"type": "text", "text": "fix it"}], "origin": {"type": "person"}});
    record(&mut app, "prompt_accepted", prompt);
    assert_eq!(escapes(&mut app), ["\x1b]2;… forelook · fix it\x07"]);
    app.at(noon(20_000));
    record(&mut app, "turn_ended", turn_end(20_000));
    assert_eq!(escapes(&mut app), ["\x1b]9;Forelook is done\x07", "\x1b]2;forelook · fix it\x07"]);
    app.input(Input::Focus(true));
    record(&mut app, "turn_ended", turn_end(20_000));
    assert_eq!(escapes(&mut app), [""; 0]);
    app.input(Input::Focus(false));
    record(&mut app, "turn_ended", turn_end(20_000));
    assert_eq!(escapes(&mut app).len(), 1);
    app.input(Input::Key(Key::plain(Code::Char('x'))));
}

#[test]
fn the_mode_is_to_be_seen_in_the_smallest_window() {
    let mut app = app(40, &UserPreferences { tip: true, ..UserPreferences::default() });
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
    let mut app = app(40, &UserPreferences::default());
    for mode in Mode::ALL {
        app.recorded(&Arc::new(Entry {
            id: serde_json::from_value(json!(ID)).unwrap(),
            parent: None,
            time: jiff::Timestamp::UNIX_EPOCH,
            agent: None,
            body: EntryBody::ModeChanged(
                serde_json::from_value(json!({"mode_state": mode_state(mode.name())})).unwrap(),
            ),
        }));
        let (_, words) = forelook_wording::mode_words(mode);
        let rows = shown(&app, 40);
        assert!(rows[0].contains(words) && forelook_wording::display_width(&rows[0]) <= 40, "{rows:?}");
    }
}
