//! What is asked of the session and shown of what it says; questions that wait, and keys that come too early.

use std::sync::Arc;

use forelook_protocol::{Entry, ModelAnswered, PromptAccepted, Query, StopReason, Usage};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::term::{Input, Key};

fn entry(number: usize, body: EntryBody) -> Arc<Entry> {
    let id = serde_json::from_value(json!(format!("00000000-0000-7000-8000-{number:012}"))).unwrap();
    Arc::new(Entry { id, parent: None, time: jiff::Timestamp::UNIX_EPOCH, agent: None, body })
}

fn prompt(words: &str) -> EntryBody {
    EntryBody::PromptAccepted(PromptAccepted::person(vec![UserBlock::text(words)]))
}

fn answer(words: &str) -> EntryBody {
    EntryBody::ModelAnswered(ModelAnswered {
        message: "1".into(),
        model: "m".into(),
        wrapped: Vec::new(),
        blocks: vec![forelook_protocol::AnswerBlock::Text { text: words.into() }],
        stop: StopReason::EndTurn,
        usage: Usage::default(),
        cost: None,
        took_ms: 1,
    })
}

fn turn_end() -> EntryBody {
    let ended = json!({"turn": 1, "reason": {"type": "done"}, "usage": {}, "took_ms": 1, "model_ms": 1, "answers": 1});
    EntryBody::TurnEnded(serde_json::from_value(ended).unwrap())
}

pub(super) fn permission(number: usize, tool: &str) -> EntryBody {
    let id = format!("00000000-0000-7000-8000-{number:012}");
    let reason = json!({"step": "fallback", "text": "It changes a file", "suggested_rule": "Bash(make)"});
    let ask = json!({"type": "permission", "tool": tool, "input": {"command": "make"}, "reason": reason});
    let question = json!({"question": {"id": id, "call": "1", "ask": ask}});
    EntryBody::QuestionOpened(serde_json::from_value(question).unwrap())
}

#[test]
fn the_end_of_a_former_conversation_is_shown() {
    let mut world = World::new();
    let mut entries = Vec::new();
    for turn in 0..5 {
        for body in [prompt(&format!("prompt {turn}")), answer(&format!("*answer* {turn}")), turn_end()] {
            entries.push(entry(entries.len(), body));
        }
    }
    entries.push(entry(entries.len(), prompt("killed while it ran")));
    world.app.begin(&snapshot(status()), &entries, 3);
    assert_eq!(world.app.next_wakeup(), None, "nothing runs");
    insta::assert_snapshot!("resumed", world.screen());
    world.app.event(&Event::Recorded(entry(99, prompt("and now"))));
    assert!(world.screen().contains("> and now"));
}

/// A mode can answer a question, so the key for modes waits as others do.
#[test]
fn shift_tab_does_not_answer_a_question_that_was_not_there_yet() {
    let mut world = World::new();
    world.record(permission(1, "Edit"));
    let shift_tab = Input::Key(Key::shift(crate::term::Code::Tab));
    world.app.at(noon(100));
    assert_eq!(world.app.input(shift_tab.clone()), []);
    world.app.at(noon(1000));
    assert_eq!(world.app.input(shift_tab), [UiEffect::Send(Command::CycleMode)]);
}

#[test]
fn a_key_never_answers_a_question_that_was_not_there_yet() {
    let mut world = World::new();
    world.record(permission(1, "Bash"));
    world.record(permission(2, "Write"));
    world.app.at(noon(100));
    assert_eq!(world.typed("y"), [], "typed too early, it is for the composer");
    world.app.at(noon(1000));
    assert_eq!(world.typed("y").len(), 1);
    world.app.at(noon(1100));
    assert_eq!(world.typed("y"), [], "the next one has only just appeared");
    world.app.at(noon(2000));
    assert_eq!(world.typed("n").len(), 1);
    assert!(world.screen().contains("> yy"));
}

#[test]
fn shift_tab_answers_nothing_while_words_or_rules_are_written() {
    let shift_tab = || Input::Key(Key::shift(crate::term::Code::Tab));
    for writes in ["w", "wuse make", "r"] {
        let mut world = World::new();
        world.record(permission(1, "Bash"));
        world.app.at(noon(1000));
        world.typed(writes);
        assert_eq!(world.app.input(shift_tab()), [], "{writes}");
        assert!(world.screen().contains("press Esc first"), "{}", world.screen());
        world.app.input(Input::Key(Key::plain(crate::term::Code::Esc)));
        assert_eq!(world.app.input(shift_tab()), [UiEffect::Send(Command::CycleMode)]);
    }
}

#[test]
fn shift_tab_answers_no_question_behind_a_view() {
    let mut world = World::new();
    world.app.input(Input::Key(Key::ctrl('o')));
    let reply = forelook_protocol::Reply::Transcript(vec![entry(1, prompt("hello"))]);
    world.app.on_task_result(TaskResult::Reply(reply));
    world.record(permission(1, "Bash"));
    world.app.at(noon(1000));
    assert_eq!(world.app.input(Input::Key(Key::shift(crate::term::Code::Tab))), []);
}

#[test]
fn what_is_typed_in_one_go_with_an_answer_is_not_sent() {
    use crate::term::Code;
    let enter = || Input::Key(Key::plain(Code::Enter));
    let answered = |words: &str, key: Code| {
        let mut world = World::new();
        world.record(permission(1, "Bash"));
        world.app.at(noon(1000));
        let mut effects = world.typed(words);
        effects.extend(world.app.input(Input::Key(Key::plain(key))));
        let answers =
            effects.iter().filter(|it| matches!(it, UiEffect::Send(Command::Answer { .. }))).count();
        assert_eq!((answers, effects.len()), (1, 1), "{words}: {effects:?}");
        world
    };
    for (words, rest) in [("yes", "es"), ("yep", "ep"), ("no", "o"), ("nope", "ope")] {
        for sends in [Code::Enter, Code::Tab] {
            let mut world = answered(words, sends);
            assert!(!world.screen().contains(&format!("> {rest}")), "{}", world.screen());
        }
    }
    // Words of their own are kept, also a single one, and a second Enter sends them.
    for (words, kept) in [("nuse make", "use make"), ("nmake", "make"), ("ynext", "next")] {
        let mut world = answered(words, Code::Enter);
        let screen = world.screen();
        assert!(screen.contains(&format!("> {kept}")) && screen.contains("Not sent"), "{screen}");
        world.app.at(noon(2000));
        let sent = world.app.input(enter());
        assert!(matches!(&sent[..], [.., UiEffect::Send(Command::Prompt(_))]), "{sent:?}");
    }
    // A command is no rest of an answer.
    let mut world = World::new();
    world.record(permission(1, "Bash"));
    world.app.at(noon(1000));
    world.typed("y/help");
    world.app.input(enter());
    assert!(world.screen().contains("Commands"), "{}", world.screen());
}

/// A yes to what nobody can see is none, however small the window.
#[test]
fn no_window_is_so_small_that_a_yes_is_to_nothing() {
    for (width, height) in (16..=48).step_by(4).flat_map(|width| (1..=12).map(move |height| (width, height)))
    {
        let mut world = World::new();
        world.app.resized(Size::new(width, height));
        world.record(permission(1, "Bash"));
        world.app.at(noon(1000));
        let screen = world.screen();
        let allowed = !world.typed("y").is_empty();
        assert_eq!(allowed, screen.contains("make"), "{width}x{height}\n{screen}");
        assert!(allowed || height < 6, "{width}x{height}\n{screen}");
        if !allowed && height > 5 {
            assert!(world.screen().contains("Enlarge the window"), "{}", world.screen());
        }
    }
}

#[test]
fn a_question_behind_a_view_begins_when_the_view_is_closed() {
    let mut world = World::new();
    let ctrl_o = || Input::Key(Key::ctrl('o'));
    assert_eq!(world.app.input(ctrl_o()), [UiEffect::Spawn(UiTask::Ask(Query::Transcript { until: None }))]);
    let reply = forelook_protocol::Reply::Transcript(vec![entry(1, prompt("hello"))]);
    world.app.on_task_result(TaskResult::Reply(reply));
    assert!(matches!(world.app.frame(), Frame::Page { .. }));
    world.record(permission(1, "Bash"));
    world.app.at(noon(5000));
    assert_eq!(world.app.input(ctrl_o()), []);
    world.app.at(noon(5100));
    assert_eq!(world.typed("y"), []);
    world.app.at(noon(6000));
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
    let see = |task| vec![UiEffect::Spawn(task)];
    for (line, expected) in [
        ("/cost", see(UiTask::Ask(Query::Status))),
        ("/permissions", see(UiTask::Ask(Query::Rules))),
        ("/hooks", see(UiTask::Ask(Query::Hooks))),
        ("/model", see(UiTask::Ask(Query::Models))),
        ("/model a/b", vec![UiEffect::Send(Command::SetModel("a/b".into()))]),
        ("/mode acceptedits", vec![UiEffect::Send(Command::SetMode(Mode::AcceptEdits))]),
        ("/mode nonsense", vec![]),
        ("/mode", see(UiTask::Ask(Query::Status))),
        ("/resume", see(UiTask::Sessions)),
        ("/export", see(UiTask::Ask(Query::Transcript { until: None }))),
        ("/clear", vec![UiEffect::Leave(ExitReason::NewSession)]),
        ("/exit", vec![UiEffect::Leave(ExitReason::Done)]),
        ("/theme dark", see(UiTask::SaveTheme("dark"))),
        ("/theme plaid", vec![]),
        ("/help", vec![]),
        ("/nonsense", vec![]),
    ] {
        assert_eq!(World::new().app.submit_text(line), expected, "{line}");
    }
    let mut world = World::new();
    world.app.submit_text("/help");
    let screen = world.screen();
    assert!(screen.find("> /help") < screen.find("Commands"), "what was asked stands above: {screen}");
    world.app.submit_text("/export notes.md");
    let written =
        world.app.on_task_result(TaskResult::Reply(Reply::Transcript(vec![entry(1, prompt("hello"))])));
    assert!(
        matches!(&written[..], [UiEffect::Spawn(UiTask::Write { name, .. })] if name == "notes.md"),
        "{written:?}"
    );
    world.app.submit_text("/cost");
    world.app.submit_text("/todos");
    world.app.on_task_result(TaskResult::Reply(Reply::Status(status())));
    let screen = world.screen();
    assert!(screen.contains("No usage yet") && screen.contains("The todo list is empty"), "{screen}");
}

/// What a command shows stands below its own line, however quickly another one follows.
#[test]
fn what_is_shown_stands_below_the_line_that_asked_for_it() {
    use forelook_protocol::Reply;
    let mut world = World::new();
    for line in ["/status", "/cost", "/todos", "/plan list"] {
        world.app.submit_text(line);
    }
    world.app.on_task_result(TaskResult::Reply(Reply::Plan(forelook_protocol::PlanReply::List(vec![]))));
    world.app.on_task_result(TaskResult::Reply(Reply::Status(status())));
    let screen = world.screen();
    let order =
        ["> /plan list", "> /status", "Version", "> /cost", "No usage yet", "> /todos", "The todo list"];
    let places: Vec<Option<usize>> = order.iter().map(|words| screen.find(words)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} {screen}");
    for line in ["> /todos", "> /plan list", "> /status", "> /cost"] {
        assert_eq!(screen.matches(line).count(), 1, "{screen}");
    }
    // What a line shows behind another one stands below its line again.
    let fence = Reply::Fence { report: Default::default(), outside: Vec::new() };
    world.app.on_task_result(TaskResult::Reply(fence));
    assert_eq!(world.screen().matches("> /status").count(), 2, "{}", world.screen());
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
            world.app.at(noon(now));
            for effect in world.typed(&letter) {
                if let UiEffect::Send(Command::Answer { answer: forelook_protocol::HostAnswer::Allow { .. }, .. }) = effect {
                    prop_assert!(calm && ["y", "s", "a"].contains(&letter.as_str()), "{letter} at {now}");
                }
            }
        }
    }
}
