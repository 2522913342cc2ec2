//! How a session begins on the screen.

use forelook_protocol::{CommandError, Notice, NoticeLevel};

use super::*;
use crate::setup::Entrance;

fn opening(entrance: Entrance, prompt: Option<&str>) -> Opening {
    let notice = Notice { level: NoticeLevel::Info, text: "to know".into() };
    Opening {
        snapshot: snapshot(status()),
        entrance,
        notices: vec![notice],
        prompt: prompt.map(str::to_owned),
    }
}

fn said(words: &str) -> Arc<Entry> {
    let id = serde_json::from_value(json!("00000000-0000-7000-8000-000000000009")).unwrap();
    let body = EntryBody::PromptAccepted(PromptAccepted::person(vec![UserBlock::text(words)]));
    Arc::new(Entry { id, parent: None, time: jiff::Timestamp::UNIX_EPOCH, agent: None, body })
}

#[test]
fn a_new_one_hears_at_once() {
    let mut world = World::new();
    let effects = world.app.open_session(opening(Entrance::Cleared, Some("go")));
    assert!(matches!(&effects[..], [UiEffect::Send(Command::Prompt(_))]), "{effects:?}");
    assert!(world.app.accepts_events() && world.screen().contains("to know"));
}

#[test]
fn one_from_before_takes_keys_while_it_is_read() {
    let mut world = World::new();
    let opening = opening(Entrance::Resumed, Some("go"));
    assert_eq!(world.app.open_session(opening), [UiEffect::Spawn(UiTask::Journal(None))]);
    assert!(!world.app.accepts_events(), "what was before is to be seen above");
    world.typed("meanwhile");
    assert!(world.screen().contains("> meanwhile"));
    let effects = world.app.on_task_result(TaskResult::Journal(vec![said("long ago")]));
    assert!(matches!(&effects[..], [UiEffect::Send(Command::Prompt(_))]), "{effects:?}");
    let screen = world.screen();
    assert!(world.app.accepts_events() && screen.find("long ago") < screen.find("to know"), "{screen}");
    assert!(screen.contains("long ago") && screen.contains("> meanwhile"), "{screen}");
    assert_eq!(world.app.on_task_result(TaskResult::Journal(vec![said("twice")])), []);
    assert!(!world.screen().contains("twice"));
}

#[test]
fn what_came_of_a_command_is_told_when_it_is_known() {
    let mut world = World::new();
    world.app.on_task_result(TaskResult::Sent(Ok(None)));
    assert!(!world.screen().contains('!'));
    world.app.on_task_result(TaskResult::Sent(Err(CommandError::Closed)));
    assert!(world.screen().contains(&CommandError::Closed.to_string()), "{}", world.screen());
}

#[test]
fn a_line_says_what_became_of_the_session() {
    for (entrance, expected) in [
        (Entrance::Start, None),
        (Entrance::Cleared, Some("── New session · /resume goes back to the one before ───────")),
        (Entrance::Resumed, Some("── Resumed · 2 prompts, 20,513 days ago · long ago ─────────")),
        (Entrance::Continued, Some("── Resumed · 2 prompts, 20,513 days ago · long ago ─────────")),
        (Entrance::Returned, Some("── Back in this session ────────────────────────────────────")),
    ] {
        let mut world = World::new();
        world.app.open_session(opening(entrance, None));
        world.app.on_task_result(TaskResult::Branch(None));
        world.app.on_task_result(TaskResult::Journal(vec![said("long ago\nmore"), said("then")]));
        let screen = world.screen();
        let line = screen.split("~~~").next().unwrap_or_default().lines().find(|row| row.starts_with("──"));
        assert_eq!(line.map(str::to_owned), expected.map(|it| it.to_owned()), "{screen}");
        assert_eq!(screen.contains("Forelook"), matches!(entrance, Entrance::Start | Entrance::Continued));
        // Whoever comes back has the conversation above already.
        let is_new_here = matches!(entrance, Entrance::Resumed | Entrance::Continued);
        assert_eq!(screen.contains("> then"), is_new_here, "{screen}");
        assert_eq!(world.app.has_conversation(), entrance.has_past());
    }
}
