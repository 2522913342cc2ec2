//! Hooks that a front end carries out: asked before a call, answered as a command hook answers, and missed when it is gone.

use std::time::Duration;

use forelook_protocol::{
    AnsweredBy, CallStatus, Command, CommandError, EndReason, EntryBody, Event, FrontEnd, HookEvent,
    HostAnswer, HostAsk, HostHook, HostRequest, LiveEvent, RequestId, RequestKind, RequestState, TurnId,
};
use serde_json::{Value, json};

use crate::common::{Front, Home, ends, life, results};

/// Reads, which no hook listens to, and writes, to which one does.
const WRITES: &str = r#"
[[answer]]
call = [{ tool = "Read", input = { file_path = "PROJECT/a.txt" } }]
[[answer]]
call = [{ tool = "Write", input = { file_path = "PROJECT/written", content = "x" } }]
[[answer]]
text = "Done."
"#;

/// A front end that carries out hooks.
fn host(name: &str) -> FrontEnd {
    let mut front_end = FrontEnd::attended(name);
    front_end.answers.insert(RequestKind::Hook);
    front_end
}

fn on_write() -> HostHook {
    HostHook {
        event: HookEvent::PreToolUse,
        matcher: "Write".into(),
        callback: "hook_1".into(),
        timeout_ms: None,
        fail_closed: false,
    }
}

/// A session whose front end wants to be asked with this hook.
async fn begin(home: &Home, hook: HostHook) -> Front {
    home.file("a.txt", "one\n");
    let script = WRITES.replace("PROJECT", &home.project.to_string());
    let watching = home.begin(&script).await;
    let front = Front::attach(&watching.client, host("host")).await;
    front.send(Command::DefineHooks(vec![hook])).await.unwrap();
    front
}

/// The next request that is not in the journal.
async fn request(front: &mut Front) -> HostRequest {
    loop {
        if let Event::Live(LiveEvent::Request(request)) = front.event().await {
            return *request;
        }
    }
}

/// The next request of this front end that is closed by somebody else.
async fn closed(front: &mut Front) -> (RequestId, AnsweredBy) {
    loop {
        if let Event::Live(LiveEvent::RequestClosed { request, by }) = front.event().await {
            return (request, by);
        }
    }
}

/// All that are closed before the turn is over.
async fn closed_until_the_end(front: &mut Front) -> Vec<(RequestId, AnsweredBy)> {
    let mut all = Vec::new();
    loop {
        match front.event().await {
            Event::Live(LiveEvent::RequestClosed { request, by }) => all.push((request, by)),
            Event::Recorded(entry) if matches!(entry.body, EntryBody::TurnEnded(_)) => return all,
            _ => {}
        }
    }
}

fn says(output: Value) -> HostAnswer {
    HostAnswer::Hook { output }
}

fn specific(mut fields: Value) -> HostAnswer {
    fields["hookEventName"] = json!("PreToolUse");
    says(json!({ "hookSpecificOutput": fields }))
}

/// What came of the write.
fn write(home: &Home) -> (CallStatus, String) {
    results(home).pop().unwrap()
}

/// A session that waits for its callback.
async fn asked(home: &Home, hook: HostHook) -> (Front, HostRequest) {
    let mut front = begin(home, hook).await;
    front.say("Do it").await;
    let request = request(&mut front).await;
    (front, request)
}

#[test]
fn a_callback_is_told_what_a_command_would_be() {
    life(async {
        let home = Home::new();
        let (mut front, request) = asked(&home, on_write()).await;
        assert_eq!(request.call.as_ref().map(ToString::to_string).as_deref(), Some("call_2_1"));
        let HostAsk::Hook { callback, input } = &request.ask else { panic!("{request:?}") };
        assert_eq!(callback, "hook_1");
        assert_eq!((&input["hook_event_name"], &input["tool_name"]), (&json!("PreToolUse"), &json!("Write")));
        assert_eq!(input["tool_input"]["content"], "x");
        let wrong = front.answer(&request, HostAnswer::yes()).await;
        assert_eq!(wrong, Err(CommandError::DoesNotFit(request.id)), "and it is still open");
        front.answer(&request, says(json!({}))).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(home.text("written").as_deref(), Some("x"));
        let late = front.answer(&request, says(json!({}))).await;
        assert!(
            matches!(late, Err(CommandError::NotOpen { request: id, .. }) if id == request.id),
            "{late:?}"
        );
        // Programs are asked outside of the journal.
        assert!(
            !home
                .entries()
                .iter()
                .any(|it| matches!(it.body, EntryBody::QuestionOpened(_) | EntryBody::QuestionClosed(_)))
        );
        front.close().await;
    });
}

#[test]
fn a_callback_that_denies_is_obeyed_and_the_model_is_told() {
    life(async {
        let home = Home::new();
        let (mut front, request) = asked(&home, on_write()).await;
        let deny = json!({ "permissionDecision": "deny", "permissionDecisionReason": "not today" });
        front.answer(&request, specific(deny)).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(home.text("written"), None);
        let (status, text) = write(&home);
        assert_eq!(status, CallStatus::Denied);
        assert!(text.contains("not today"), "{text}");
        let told = home.last_request().iter().map(crate::common::words).collect::<String>();
        assert!(told.contains("not today"), "{told}");
        front.close().await;
    });
}

#[test]
fn a_callback_may_change_the_input() {
    life(async {
        let home = Home::new();
        let (mut front, request) = asked(&home, on_write()).await;
        let other = json!({ "file_path": home.project.join("other").to_string(), "content": "y" });
        front.answer(&request, specific(json!({ "updatedInput": other }))).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!((home.text("written"), home.text("other").as_deref()), (None, Some("y")));
        let started = home.entries().into_iter().rev().find_map(|entry| match entry.body {
            EntryBody::ToolStarted(started) => started.input,
            _ => None,
        });
        assert_eq!(started, Some(other), "the journal says what really ran");
        front.close().await;
    });
}

/// What the host was promised to be asked about is not let through because nobody is there to ask.
#[test]
fn a_write_is_denied_when_the_host_is_gone() {
    life(async {
        for in_the_middle in [false, true] {
            let home = Home::new();
            let front = begin(&home, on_write()).await;
            let mut other = Front::attach(&front.client, FrontEnd::attended("other")).await;
            let mut host = Some(front);
            if in_the_middle {
                other.say("Do it").await;
                request(host.as_mut().unwrap()).await;
                host = None;
            } else {
                host = None;
                other.say("Do it").await;
            }
            assert!(host.is_none());
            assert_eq!(other.turn_end().await, EndReason::Done);
            assert_eq!(home.text("written"), None);
            let (status, text) = write(&home);
            assert_eq!(status, CallStatus::Denied);
            assert!(text.contains("not connected"), "{text}");
            other.close().await;
        }
    });
}

#[test]
fn an_interrupt_takes_the_request_back() {
    life(async {
        // When it has been out for a while; and in the very moment in which it goes out, which not every round meets.
        for pause in std::iter::once(50).chain([0; 100]).map(Duration::from_millis) {
            let home = Home::new();
            let (mut front, request) = asked(&home, on_write()).await;
            tokio::time::sleep(pause).await;
            front.send(Command::Interrupt).await.unwrap();
            let taken_back = closed_until_the_end(&mut front).await;
            assert_eq!(taken_back, [(request.id, AnsweredBy::Session)], "after {pause:?}");
            let late = front.answer(&request, says(json!({}))).await;
            assert_eq!(late, Err(CommandError::NotOpen { request: request.id, now: RequestState::Unknown }));
            assert_eq!(ends(&home), [(TurnId(1), EndReason::Interrupted)]);
            assert_eq!(home.text("written"), None);
            front.close().await;
        }
    });
}

#[test]
fn a_callback_that_takes_too_long_is_taken_back_and_blocks_only_if_it_should() {
    life(async {
        for fail_closed in [false, true] {
            let home = Home::new();
            let hook = HostHook { timeout_ms: Some(30), fail_closed, ..on_write() };
            let (mut front, request) = asked(&home, hook).await;
            assert_eq!(closed(&mut front).await, (request.id, AnsweredBy::Session));
            assert_eq!(front.turn_end().await, EndReason::Done);
            assert_eq!(home.text("written").is_none(), fail_closed);
            front.close().await;
        }
    });
}

/// A request to a program is that program's: another front end neither hears of it nor answers it, even one that carries
/// out hooks of its own.
#[test]
fn a_request_to_one_host_is_no_others() {
    life(async {
        let home = Home::new();
        let (mut front, request) = asked(&home, on_write()).await;
        let other = Front::attach(&front.client, host("other")).await;
        assert_eq!(other.snapshot.requests, []);
        let refused = other.answer(&request, says(json!({}))).await;
        assert_eq!(refused, Err(CommandError::NotOpen { request: request.id, now: RequestState::Unknown }));
        front.answer(&request, says(json!({}))).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(home.text("written").is_some());
        front.close().await;
    });
}

#[test]
fn hooks_that_are_defined_again_take_the_place_of_the_former_and_a_bad_matcher_changes_nothing() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, on_write()).await;
        let bad = HostHook { matcher: "(".into(), ..on_write() };
        let refused = front.send(Command::DefineHooks(vec![bad])).await;
        assert!(matches!(refused, Err(CommandError::Hooks(_))), "{refused:?}");
        let read = HostHook { matcher: "Read".into(), callback: "hook_2".into(), ..on_write() };
        front.send(Command::DefineHooks(vec![read])).await.unwrap();
        front.say("Do it").await;
        let request = request(&mut front).await;
        let HostAsk::Hook { callback, .. } = &request.ask else { panic!("{request:?}") };
        assert_eq!(callback, "hook_2");
        front.answer(&request, says(json!({}))).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done, "the write is not asked about");
        assert!(home.text("written").is_some());
        front.close().await;
    });
}
