//! Hooks of a front end come before everything that they are promised: calls, prompts, what was left undone, the end.

use std::time::{Duration, Instant};

use forelook_engine::{Client, Config, SessionStart};
use forelook_protocol::{
    AnswerEvent, CallId, CallStatus, Command, Decision, Delivery, EndReason, EntryBody, Event, FrontEnd,
    HookEvent, HostAnswer, HostAsk, HostHook, HostRequest, LiveEvent, Mode, RequestKind,
};
use serde_json::{Value, json};

use crate::common::{Front, Home, SESSION, life, results};

const WRITES: &str = r#"
[[answer]]
call = [{ tool = "Write", input = { file_path = "PROJECT/written", content = "x" } }]
[[answer]]
text = "Done."
"#;

/// The question holds the turn for as long as a test needs it.
const ASKS: &str = r#"
[[answer]]
call = [{ tool = "AskUserQuestion", input = { questions = [{ question = "Which?", header = "Which", options = [{ label = "A" }, { label = "B" }] }] } }]
[[answer]]
name = "say"
text = "Said."
next = [{ goto = "say" }]
"#;

/// An answer that takes a while.
const SLOW: &str = "chunk = 1\n[[answer]]\nname = 'say'\npace_ms = 20\ntext = 'One two three four five six.'\n\
                    next = [{ goto = 'say' }]\n";

fn script(home: &Home, script: &str) -> String {
    script.replace("PROJECT", &home.project.to_string())
}

/// A front end with a person that also carries out hooks.
fn host() -> FrontEnd {
    let mut front_end = FrontEnd::attended("host");
    front_end.answers.insert(RequestKind::Hook);
    front_end
}

fn hook(event: HookEvent, matcher: &str) -> Command {
    let (matcher, callback) = (matcher.into(), "hook_1".into());
    Command::DefineHooks(vec![HostHook { event, matcher, callback, timeout_ms: None, fail_closed: false }])
}

/// A session in this mode, with a host.
async fn begin(home: &Home, mode: Mode, text: &str) -> Front {
    let config = home.config(SessionStart::New(Some(SESSION)), &script(home, text));
    let client = forelook_engine::open(Config { mode: Some(mode), ..config }).await.unwrap();
    Front::attach(&client, host()).await
}

/// The next request to the program: its id, and what the hook is told.
async fn request(front: &mut Front) -> (HostRequest, Value) {
    loop {
        if let Event::Live(LiveEvent::Request(request)) = front.event().await {
            let HostAsk::Hook { input, .. } = &request.ask else { panic!("{request:?}") };
            let input = input.clone();
            return (*request, input);
        }
    }
}

async fn says(front: &Front, request: &HostRequest, output: Value) {
    front.answer(request, HostAnswer::Hook { output }).await.unwrap();
}

/// Hears that this prompt comes, and says this of it.
async fn of_prompt(front: &mut Front, words: &str, output: Value) {
    let (request, input) = request(front).await;
    assert_eq!((&input["hook_event_name"], &input["prompt"]), (&json!("UserPromptSubmit"), &json!(words)));
    says(front, &request, output).await;
}

fn deny() -> Value {
    json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not today",
    }})
}

fn block() -> Value {
    json!({ "decision": "block", "reason": "it is secret" })
}

/// Gives the session the time to do what it should not do.
async fn a_moment() {
    tokio::time::sleep(Duration::from_millis(200)).await;
}

/// The write met the hook: it was denied with the hook's words.
fn assert_denied(home: &Home) {
    let [(status, text)] = &results(home)[..] else { panic!("one call, one result: {:?}", results(home)) };
    assert_eq!(*status, CallStatus::Denied);
    assert!(text.contains("not today"), "{text}");
    assert_eq!(home.text("written"), None);
}

#[test]
fn what_a_hook_allows_instead_of_a_person_is_a_decision_in_the_journal() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Default, WRITES).await;
        front.send(hook(HookEvent::PermissionRequest, "")).await.unwrap();
        front.say("Do it").await;
        let (asked, input) = request(&mut front).await;
        assert_eq!(input["hook_event_name"], "PermissionRequest");
        let allow = json!({ "hookEventName": "PermissionRequest", "decision": { "behavior": "allow" } });
        says(&front, &asked, json!({ "hookSpecificOutput": allow })).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(home.text("written").as_deref(), Some("x"));
        let mut decided = home.entries().into_iter().filter_map(|entry| match entry.body {
            EntryBody::PermissionDecided(decided) => Some((decided.call, decided.decision)),
            EntryBody::QuestionOpened(opened) => panic!("a person was asked: {opened:?}"),
            _ => None,
        });
        let (call, allowed) = decided.find(|(_, it)| matches!(it, Decision::Allow(_))).expect("no allow");
        assert_eq!(call, CallId("call_1_1".into()));
        let Decision::Allow(reason) = allowed else { panic!("{allowed:?}") };
        assert!(reason.text.contains("hook"), "{reason:?}");
        front.close().await;
    });
}

#[test]
fn what_a_hook_denies_instead_of_a_person_is_a_decision_in_the_journal() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Default, WRITES).await;
        front.send(hook(HookEvent::PermissionRequest, "")).await.unwrap();
        front.say("Do it").await;
        let (asked, _) = request(&mut front).await;
        let decision = json!({ "behavior": "deny", "message": "not today" });
        let deny = json!({ "hookEventName": "PermissionRequest", "decision": decision });
        says(&front, &asked, json!({ "hookSpecificOutput": deny })).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_denied(&home);
        let decided: Vec<Decision> = home
            .entries()
            .into_iter()
            .filter_map(|entry| match entry.body {
                EntryBody::PermissionDecided(decided) => Some(decided.decision),
                _ => None,
            })
            .collect();
        let [Decision::Deny(reason)] = &decided[..] else { panic!("{decided:?}") };
        assert!(reason.text.starts_with("A hook denied this: not today"), "{reason:?}");
        front.close().await;
    });
}

#[test]
fn a_hook_that_comes_while_a_person_thinks_is_asked_all_the_same() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Default, WRITES).await;
        front.say("Do it").await;
        let question = front.question().await;
        front.send(hook(HookEvent::PreToolUse, "Write")).await.unwrap();
        front.answer(&question, HostAnswer::yes()).await.unwrap();
        let (asked, input) = request(&mut front).await;
        assert_eq!(input["hook_event_name"], "PreToolUse");
        says(&front, &asked, deny()).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_denied(&home);
        front.close().await;
    });
}

/// A session that was killed while its first call waited for a person, or while a prompt waited behind a turn.
fn killed(queued: bool) -> Home {
    let home = Home::new();
    life(async {
        let text = if queued { SLOW } else { WRITES };
        let mut front = begin(&home, Mode::Default, text).await;
        front.say("Do it").await;
        if queued {
            front.say("Do that too").await;
            front.until(|body| matches!(body, EntryBody::PromptQueued(_)).then_some(())).await;
        } else {
            front.question().await;
        }
    });
    home
}

/// The session again, before anybody is there.
async fn resume(home: &Home) -> Client {
    let config = home.config(SessionStart::Resume(SESSION), &script(home, WRITES));
    forelook_engine::open(Config { mode: Some(Mode::BypassPermissions), ..config }).await.unwrap()
}

#[test]
fn what_was_left_undone_waits_for_the_hooks_of_whoever_brings_some() {
    for queued in [false, true] {
        let home = killed(queued);
        let requests = home.requests().len();
        life(async {
            let client = resume(&home).await;
            let mut front = Front::attach(&client, host()).await;
            let entries = home.entries().len();
            a_moment().await;
            assert_eq!((home.entries().len(), home.requests().len()), (entries, requests), "{queued}");
            assert_eq!(home.text("written"), None);
            front.send(hook(HookEvent::PreToolUse, "Write")).await.unwrap();
            let (asked, _) = request(&mut front).await;
            says(&front, &asked, deny()).await;
            assert_eq!(front.turn_end().await, EndReason::Done);
            assert_denied(&home);
            front.close().await;
        });
    }
}

#[test]
fn what_was_left_undone_is_taken_up_at_once_where_nobody_brings_hooks() {
    for queued in [false, true] {
        let home = killed(queued);
        life(async {
            let client = resume(&home).await;
            let mut front = Front::attach(&client, FrontEnd::attended("plain")).await;
            assert_eq!(front.turn_end().await, EndReason::Done);
            assert!(home.text("written").is_some(), "{queued}");
            front.close().await;
        });
    }
}

/// Whether these words are in anything that the model was sent.
fn was_sent(home: &Home, words: &str) -> bool {
    home.requests().iter().any(|request| request.to_string().contains(words))
}

#[test]
fn a_prompt_that_steers_and_is_blocked_never_reaches_the_model_and_the_turn_goes_on() {
    life(async {
        // Taken before the next request, and where the model has said all it had to say.
        for slow in [false, true] {
            let home = Home::new();
            let mut front = begin(&home, Mode::Default, if slow { SLOW } else { ASKS }).await;
            front.send(hook(HookEvent::UserPromptSubmit, "")).await.unwrap();
            front.say("Do it").await;
            of_prompt(&mut front, "Do it", json!({})).await;
            if slow {
                let text = |it: &Event| {
                    matches!(it, Event::Live(LiveEvent::Answer { event: AnswerEvent::Text { .. }, .. }))
                };
                while !text(&front.event().await) {}
                front.say_for("the password", Delivery::Steer).await;
            } else {
                let question = front.question().await;
                front.say_for("the password", Delivery::Steer).await;
                front.answer(&question, HostAnswer::Dismissed).await.unwrap();
            }
            of_prompt(&mut front, "the password", block()).await;
            let told = loop {
                match front.event().await {
                    Event::Live(LiveEvent::Notice(notice)) if notice.text.contains("it is secret") => {
                        break true;
                    }
                    Event::Recorded(entry) if matches!(entry.body, EntryBody::TurnEnded(_)) => break false,
                    _ => {}
                }
            };
            assert!(told, "the person was not told that their prompt was kept away");
            assert_eq!(front.turn_end().await, EndReason::Done);
            assert_eq!(home.requests().len(), if slow { 1 } else { 2 });
            front.say("Go on").await;
            of_prompt(&mut front, "Go on", json!({})).await;
            assert_eq!(front.turn_end().await, EndReason::Done);
            home.last_request();
            assert!(was_sent(&home, "Go on") && !was_sent(&home, "the password"));
            front.close().await;
        }
    });
}

#[test]
fn a_first_prompt_that_is_blocked_is_not_in_the_next_request_either() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Default, SLOW).await;
        front.send(hook(HookEvent::UserPromptSubmit, "")).await.unwrap();
        front.say("the password").await;
        of_prompt(&mut front, "the password", block()).await;
        let ended = front.turn_end().await;
        assert!(matches!(ended, EndReason::Hook { .. }), "{ended:?}");
        assert_eq!(home.requests().len(), 0);
        front.say("Go on").await;
        of_prompt(&mut front, "Go on", json!({})).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        home.last_request();
        assert!(was_sent(&home, "Go on") && !was_sent(&home, "the password"));
        front.close().await;
    });
}

/// Each prompt meets the hooks by itself: one from before the kill, and the new words after it.
#[test]
fn hooks_hear_what_waited_before_a_kill_and_the_new_words_one_by_one() {
    for newest_blocked in [false, true] {
        let home = killed(true);
        let requests = home.requests().len();
        life(async {
            let client = resume(&home).await;
            let mut front = Front::attach(&client, host().with_prompt(true)).await;
            front.send(hook(HookEvent::UserPromptSubmit, "")).await.unwrap();
            front.say("STOP").await;
            let (older, newest) = if newest_blocked { (json!({}), block()) } else { (block(), json!({})) };
            of_prompt(&mut front, "Do that too", older).await;
            of_prompt(&mut front, "STOP", newest).await;
            let ended = front.turn_end().await;
            assert_eq!(matches!(ended, EndReason::Hook { .. }), newest_blocked, "{ended:?}");
            assert_eq!(home.requests().len() > requests, !newest_blocked);
            assert!(!was_sent(&home, if newest_blocked { "STOP" } else { "Do that too" }));
            front.close().await;
        });
    }
}

#[test]
fn a_hook_is_asked_when_the_session_ends_and_its_answer_ends_the_wait() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Default, WRITES).await;
        front.send(hook(HookEvent::SessionEnd, "")).await.unwrap();
        front.send(Command::Close).await.unwrap();
        let (asked, input) = request(&mut front).await;
        assert_eq!(input["hook_event_name"], "SessionEnd");
        let answered = Instant::now();
        says(&front, &asked, json!({})).await;
        front.closed().await;
        assert!(answered.elapsed() < Duration::from_secs(2), "{:?}", answered.elapsed());
    });
}
