//! Callbacks of a host that is not real: what it is told, and what its answers do.

use std::sync::{Arc, Mutex};

use forelook_protocol::{AbsPath, HookSays, Mode, SessionId};
use forelook_sandbox::ChildEnv;
use futures::FutureExt;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::{Call, Happening, Hook, HookEvent, HookRun, Hooks, Matcher, Occasion, Outcome, Scene};

/// Gives the same answer every time, or none ever, and keeps what it was told.
#[derive(Debug)]
struct Fake {
    answer: Option<Result<Value, HookHostError>>,
    told: Mutex<Vec<HookCall>>,
}

impl Fake {
    fn new(answer: Result<Value, HookHostError>) -> Arc<Self> {
        Arc::new(Self { answer: Some(answer), told: Mutex::default() })
    }

    fn silent() -> Arc<Self> {
        Arc::new(Self { answer: None, told: Mutex::default() })
    }

    fn told(&self) -> Vec<HookCall> {
        self.told.lock().unwrap().clone()
    }
}

impl HookHost for Fake {
    fn call(&self, call: HookCall) -> BoxFuture<'_, Result<Value, HookHostError>> {
        self.told.lock().unwrap().push(call);
        match self.answer.clone() {
            Some(answer) => async { answer }.boxed(),
            None => futures::future::pending().boxed(),
        }
    }
}

fn callback(event: HookEvent, id: &str, host: &Arc<Fake>) -> Hook {
    let host: Arc<dyn HookHost> = Arc::<Fake>::clone(host);
    Hook { run: HookRun::Callback { id: id.into(), host }, ..Hook::new(event, "", "host") }
}

/// Runs them at an event in this folder.
async fn run_in(folder: &TempDir, hooks: Vec<Hook>, event: HookEvent, cancel: &CancellationToken) -> Outcome {
    let folder = AbsPath::new(folder.path().canonicalize().unwrap()).unwrap();
    let mut env = ChildEnv::default();
    env.set("PATH", "/usr/local/bin:/usr/bin:/bin");
    let scene = Scene {
        session_id: SessionId(uuid::Uuid::nil()),
        transcript_path: &folder,
        cwd: &folder,
        permission_mode: Mode::Default,
        inside: None,
    };
    let (input, response, id) = (json!({"z": "ä", "a": 1.5}), json!(["b", null]), CallId("t1".into()));
    let call = Call { tool_name: "Bash", tool_input: &input, tool_use_id: &id };
    let happening = match event {
        HookEvent::PreToolUse => Happening::PreToolUse(call),
        HookEvent::PermissionRequest => Happening::PermissionRequest(call),
        HookEvent::PostToolUse => Happening::PostToolUse { call, tool_response: &response },
        HookEvent::UserPromptSubmit => Happening::UserPromptSubmit { prompt: "hi" },
        other => panic!("{other} is not tried here"),
    };
    let occasion = Occasion { scene, happening };
    Hooks::new(Vec::new(), env, folder.clone()).with(hooks).run(occasion, cancel.clone()).await
}

async fn run_all(hooks: Vec<Hook>) -> Outcome {
    let event = hooks[0].event;
    run_in(&tempfile::tempdir().unwrap(), hooks, event, &CancellationToken::new()).await
}

fn deny(why: &str) -> Option<HookSays> {
    Some(HookSays::Deny(format!("{why} (hook host)")))
}

#[tokio::test]
async fn an_answer_has_the_weight_of_a_commands() {
    use HookEvent::{PermissionRequest, PostToolUse, PreToolUse, UserPromptSubmit};
    let ask = |why: &str| Some(HookSays::Ask(format!("{why} (hook host)")));
    let allow = |why: &str| Some(HookSays::Allow(format!("{why} (hook host)")));
    let word = |says: Option<HookSays>| Outcome { says, ..Outcome::default() };
    let decision = |word: &str| {
        json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": "why",
        }})
    };
    let behavior = json!({"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "why"}}});
    let context = json!({"hookSpecificOutput": {"additionalContext": "note"}});
    for (event, answer, expected) in [
        (PreToolUse, json!({}), Outcome::default()),
        (PreToolUse, json!({"async": true, "asyncTimeout": 5000}), Outcome::default()),
        (PreToolUse, decision("allow"), word(allow("why"))),
        (PreToolUse, decision("deny"), word(deny("why"))),
        (PreToolUse, decision("ask"), word(ask("why"))),
        (PreToolUse, decision("defer"), Outcome::default()),
        (PermissionRequest, behavior, word(deny("why"))),
        (PreToolUse, json!({"decision": "block", "reason": "why"}), word(deny("why"))),
        (PostToolUse, json!({"decision": "block", "reason": "why"}), word(deny("why"))),
        (UserPromptSubmit, json!({"decision": "block", "reason": "why"}), word(deny("why"))),
        (UserPromptSubmit, context, Outcome { context: vec!["note".into()], ..Outcome::default() }),
        (
            PreToolUse,
            json!({"hookSpecificOutput": {"updatedInput": {"b": 1, "a": 2}}}),
            Outcome { updated_input: Some(json!({"b": 1, "a": 2})), ..Outcome::default() },
        ),
        (
            PostToolUse,
            json!({"continue": false, "stopReason": "enough", "systemMessage": "look"}),
            Outcome {
                stop: Some("enough (hook host)".into()),
                messages: vec!["look".into()],
                ..Outcome::default()
            },
        ),
    ] {
        let outcome = run_all(vec![callback(event, "hook_0", &Fake::new(Ok(answer.clone())))]).await;
        assert_eq!(outcome, expected, "{event} {answer}");
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_a_failure_that_names_the_callback() {
    let host = Fake::new(Ok(json!({"decision": "block", "continue": "yes"})));
    let outcome = run_all(vec![callback(HookEvent::PreToolUse, "hook_0", &host)]).await;
    assert_eq!(outcome.says, deny("The answer says no, and the rest of it cannot be read"));
    let [problem] = &outcome.problems[..] else { panic!("{outcome:?}") };
    assert!(problem.starts_with("Hook `callback hook_0` (host) at PreToolUse gave an answer"), "{problem}");
    assert!(problem.ends_with("should answer with a JSON object"), "{problem}");
}

#[tokio::test]
async fn a_failure_blocks_only_if_it_must() {
    let host = Fake::new(Err(HookHostError::Failed("KeyError: 'a'".into())));
    let open = callback(HookEvent::PreToolUse, "hook_0", &host);
    let closed = Hook { fail_closed: true, ..open.clone() };
    let words = "Hook `callback hook_0` (host) at PreToolUse failed: KeyError: 'a'\n";
    for (hook, says) in [(open, None), (closed, deny("A hook that must not fail failed: KeyError: 'a'"))] {
        let outcome = run_all(vec![hook]).await;
        assert_eq!((outcome.says, outcome.problems.len()), (says, 1));
        assert!(outcome.problems[0].starts_with(words), "{:?}", outcome.problems);
    }
}

#[tokio::test]
async fn without_its_host_a_hook_denies_what_waits_for_it() {
    let host = Fake::new(Err(HookHostError::Gone));
    for (event, says) in [
        (HookEvent::PreToolUse, deny("The host that this hook belongs to is gone")),
        (HookEvent::PostToolUse, None),
    ] {
        let outcome = run_all(vec![callback(event, "hook_0", &host)]).await;
        assert_eq!((outcome.says, outcome.problems.len()), (says, 1), "{event}");
    }
}

#[tokio::test]
async fn a_time_out_is_that_of_a_command() {
    let timeout = Duration::from_millis(1);
    let open = Hook { timeout, ..callback(HookEvent::PreToolUse, "hook_0", &Fake::silent()) };
    let command = Hook { timeout, ..Hook::new(HookEvent::PreToolUse, "callback hook_0", "host") };
    let expected = crate::answer::read(&command, Ran::TimedOut);
    assert_eq!(run_all(vec![open.clone()]).await, expected);
    let closed = run_all(vec![Hook { fail_closed: true, ..open }]).await;
    assert_eq!(closed.says, deny("A hook that must not fail was ended after 0.001 s"));
}

#[tokio::test]
async fn a_time_out_without_end_is_none() {
    let host = Fake::new(Ok(json!({})));
    let hook = Hook { timeout: Duration::MAX, ..callback(HookEvent::PreToolUse, "hook_0", &host) };
    assert_eq!(run_all(vec![hook]).await, Outcome::default());
}

#[tokio::test]
async fn a_cancel_is_that_of_a_command() {
    let (host, folder, cancel) = (Fake::silent(), tempfile::tempdir().unwrap(), CancellationToken::new());
    let called = async {
        while host.told().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let hook = callback(HookEvent::PreToolUse, "hook_0", &host);
    let expected = crate::answer::read(&hook, Ran::Interrupted);
    let hooks = vec![hook];
    let (outcome, ()) = tokio::join!(run_in(&folder, hooks.clone(), HookEvent::PreToolUse, &cancel), called);
    assert_eq!(outcome, expected);
    assert_eq!(outcome.says, deny("Interrupted before the hook had answered"));
    // A token that is cancelled already calls nobody.
    assert_eq!(run_in(&folder, hooks, HookEvent::PreToolUse, &cancel).await, expected);
    assert_eq!(host.told().len(), 1);
}

#[tokio::test]
async fn it_is_told_what_a_command_is_told() {
    let t1 = Some(CallId("t1".into()));
    for (event, call) in [
        (HookEvent::PreToolUse, t1.clone()),
        (HookEvent::PermissionRequest, t1.clone()),
        (HookEvent::PostToolUse, t1),
        (HookEvent::UserPromptSubmit, None),
    ] {
        let (host, folder) = (Fake::new(Ok(json!({}))), tempfile::tempdir().unwrap());
        let hooks = vec![Hook::new(event, "cat > told", "s:1"), callback(event, "hook_7", &host)];
        assert_eq!(run_in(&folder, hooks, event, &CancellationToken::new()).await, Outcome::default());
        let text = std::fs::read_to_string(folder.path().join("told")).unwrap();
        let input: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(input.to_string(), text, "the order of keys is the same too");
        assert_eq!(host.told(), [HookCall { callback: "hook_7".into(), input, call }], "{event}");
    }
}

#[tokio::test]
async fn the_same_callback_of_the_same_host_is_called_once() {
    let event = HookEvent::PreToolUse;
    let failing = || Fake::new(Err(HookHostError::Failed("no".into())));
    let (host, other) = (failing(), failing());
    let elsewhere = Matcher::new("Edit", "host").unwrap();
    let outcome = run_all(vec![
        callback(event, "hook_0", &host),
        callback(event, "hook_1", &host),
        Hook { fail_closed: true, origin: "again".into(), ..callback(event, "hook_0", &host) },
        callback(event, "hook_0", &other),
        Hook { matcher: elsewhere, ..callback(event, "hook_2", &host) },
        Hook::new(event, "true callback hook_0", "s:1"),
    ])
    .await;
    let ids = |host: &Fake| host.told().into_iter().map(|call| call.callback).collect::<Vec<_>>();
    assert_eq!((ids(&host), ids(&other)), (vec!["hook_0".into(), "hook_1".into()], vec!["hook_0".into()]));
    assert_eq!(outcome.problems.len(), 3, "{outcome:?}");
    let why = "A hook that must not fail failed: no (hook host and again)";
    assert_eq!(outcome.says, Some(HookSays::Deny(why.into())));
}

#[tokio::test]
async fn of_commands_and_callbacks_the_stricter_wins() {
    let decision = |word: &str| json!({"hookSpecificOutput": {"permissionDecision": word}, "reason": word});
    for (command, host, expected) in [
        ("allow", "deny", "deny (hook host)"),
        ("deny", "allow", "deny (hook s:1)"),
        ("deny", "deny", "deny (hook s:1)\ndeny (hook host)"),
        ("ask", "allow", "ask (hook s:1)"),
        ("allow", "ask", "ask (hook host)"),
        ("defer", "allow", "allow (hook host)"),
    ] {
        let echo = format!("printf '%s' '{}'", decision(command));
        let outcome = run_all(vec![
            Hook::new(HookEvent::PreToolUse, echo, "s:1"),
            callback(HookEvent::PreToolUse, "hook_0", &Fake::new(Ok(decision(host)))),
        ])
        .await;
        let (HookSays::Deny(said) | HookSays::Ask(said) | HookSays::Allow(said)) = outcome.says.unwrap();
        assert_eq!(said, expected, "{command} and {host}");
    }
}

#[test]
fn more_hooks_come_after_the_first_and_are_listed_by_their_ids() {
    let folder = AbsPath::new("/w").unwrap();
    let own = Hooks::new(vec![Hook::new(HookEvent::Stop, "a.sh", "s:1")], ChildEnv::default(), folder);
    let more = own.with(vec![callback(HookEvent::PreToolUse, "hook_0", &Fake::silent())]);
    let shown = |hooks: &Hooks| {
        let listed = hooks.listed().into_iter();
        listed.map(|hook| format!("{} {} ({})", hook.event, hook.command, hook.origin)).collect::<Vec<_>>()
    };
    assert_eq!(shown(&own), ["Stop a.sh (s:1)"]);
    assert_eq!(shown(&more), ["Stop a.sh (s:1)", "PreToolUse callback hook_0 (host)"]);
    assert!(more.listen_to(HookEvent::PreToolUse) && !own.listen_to(HookEvent::PreToolUse));
}
