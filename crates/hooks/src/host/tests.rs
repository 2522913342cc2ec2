//! Callbacks of a host that is not real: what it is told, and what its answers do.

use std::sync::{Arc, Mutex};

use forelook_protocol::{AbsPath, HookDecision, Mode, SessionId};
use forelook_sandbox::ChildEnv;
use futures::FutureExt;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::{
    Hook, HookContext, HookEvent, HookHandler, HookInput, HookOutcome, HookPayload, HookToolCall, Hooks,
    Matcher,
};

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
    Hook { handler: HookHandler::Callback { id: id.into(), host }, ..Hook::new(event, "", "host") }
}

/// Runs them at an event in this folder.
async fn run_in(
    folder: &TempDir,
    hooks: Vec<Hook>,
    event: HookEvent,
    cancel: &CancellationToken,
) -> HookOutcome {
    let folder = AbsPath::new(folder.path().canonicalize().unwrap()).unwrap();
    let mut env = ChildEnv::default();
    env.set("PATH", "/usr/local/bin:/usr/bin:/bin");
    let context = HookContext {
        session_id: SessionId(uuid::Uuid::nil()),
        transcript_path: &folder,
        cwd: &folder,
        permission_mode: Mode::Default,
        agent: None,
    };
    let (input, response, id) = (json!({"z": "ä", "a": 1.5}), json!(["b", null]), CallId("t1".into()));
    let call = HookToolCall { tool_name: "Bash", tool_input: &input, tool_use_id: &id };
    let payload = match event {
        HookEvent::PreToolUse => HookPayload::PreToolUse(call),
        HookEvent::PermissionRequest => HookPayload::PermissionRequest(call),
        HookEvent::PostToolUse => HookPayload::PostToolUse { call, tool_response: &response },
        HookEvent::UserPromptSubmit => HookPayload::UserPromptSubmit { prompt: "hi" },
        other => panic!("{other} is not tried here"),
    };
    let input = HookInput { context, payload };
    Hooks::new(Vec::new(), env, folder.clone()).with(hooks).run(input, cancel.clone()).await
}

async fn run_all(hooks: Vec<Hook>) -> HookOutcome {
    let event = hooks[0].event;
    run_in(&tempfile::tempdir().unwrap(), hooks, event, &CancellationToken::new()).await
}

fn deny(why: &str) -> Option<HookDecision> {
    Some(HookDecision::Deny(format!("{why} (hook host)")))
}

#[tokio::test]
async fn an_answer_has_the_weight_of_a_commands() {
    use HookEvent::{PermissionRequest, PostToolUse, PreToolUse, UserPromptSubmit};
    let ask = |why: &str| Some(HookDecision::Ask(format!("{why} (hook host)")));
    let allow = |why: &str| Some(HookDecision::Allow(format!("{why} (hook host)")));
    let word = |decision: Option<HookDecision>| HookOutcome { decision, ..HookOutcome::default() };
    let decision = |word: &str| {
        json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": "why",
        }})
    };
    let behavior = json!({"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "why"}}});
    let context = json!({"hookSpecificOutput": {"additionalContext": "note"}});
    for (event, answer, expected) in [
        (PreToolUse, json!({}), HookOutcome::default()),
        (PreToolUse, json!({"async": true, "asyncTimeout": 5000}), HookOutcome::default()),
        (PreToolUse, decision("allow"), word(allow("why"))),
        (PreToolUse, decision("deny"), word(deny("why"))),
        (PreToolUse, decision("ask"), word(ask("why"))),
        (PreToolUse, decision("defer"), HookOutcome::default()),
        (PermissionRequest, behavior, word(deny("why"))),
        (PreToolUse, json!({"decision": "block", "reason": "why"}), word(deny("why"))),
        (PostToolUse, json!({"decision": "block", "reason": "why"}), word(deny("why"))),
        (UserPromptSubmit, json!({"decision": "block", "reason": "why"}), word(deny("why"))),
        (UserPromptSubmit, context, HookOutcome { context: vec!["note".into()], ..HookOutcome::default() }),
        (
            PreToolUse,
            json!({"hookSpecificOutput": {"updatedInput": {"b": 1, "a": 2}}}),
            HookOutcome { updated_input: Some(json!({"b": 1, "a": 2})), ..HookOutcome::default() },
        ),
        (
            PostToolUse,
            json!({"continue": false, "stopReason": "enough", "systemMessage": "look"}),
            HookOutcome {
                stop: Some("enough (hook host)".into()),
                messages: vec!["look".into()],
                ..HookOutcome::default()
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
    assert_eq!(outcome.decision, deny("The hook denied this, but the rest of its response is invalid"));
    let [problem] = &outcome.problems[..] else { panic!("{outcome:?}") };
    assert!(
        problem.starts_with("PreToolUse hook `callback hook_0` (host) returned an invalid response"),
        "{problem}"
    );
    assert!(problem.ends_with("must return a JSON object"), "{problem}");
}

#[tokio::test]
async fn a_failure_blocks_only_if_it_must() {
    let host = Fake::new(Err(HookHostError::Failed("KeyError: 'a'".into())));
    let open = callback(HookEvent::PreToolUse, "hook_0", &host);
    let closed = Hook { fail_closed: true, ..open.clone() };
    let words = "PreToolUse hook `callback hook_0` (host) failed: KeyError: 'a'\n";
    for (hook, decision) in [(open, None), (closed, deny("A `failClosed` hook failed: KeyError: 'a'"))] {
        let outcome = run_all(vec![hook]).await;
        assert_eq!((outcome.decision, outcome.problems.len()), (decision, 1));
        assert!(outcome.problems[0].starts_with(words), "{:?}", outcome.problems);
    }
}

#[tokio::test]
async fn without_its_host_a_hook_denies_what_waits_for_it() {
    let host = Fake::new(Err(HookHostError::Gone));
    for (event, decision) in [
        (HookEvent::PreToolUse, deny("The host of this hook is not connected")),
        (HookEvent::PostToolUse, None),
    ] {
        let outcome = run_all(vec![callback(event, "hook_0", &host)]).await;
        assert_eq!((outcome.decision, outcome.problems.len()), (decision, 1), "{event}");
    }
}

#[tokio::test]
async fn a_time_out_is_that_of_a_command() {
    let timeout = Duration::from_millis(1);
    let open = Hook { timeout, ..callback(HookEvent::PreToolUse, "hook_0", &Fake::silent()) };
    let command = Hook { timeout, ..Hook::new(HookEvent::PreToolUse, "callback hook_0", "host") };
    let expected = crate::response::interpret(&command, RunResult::TimedOut);
    assert_eq!(run_all(vec![open.clone()]).await, expected);
    let closed = run_all(vec![Hook { fail_closed: true, ..open }]).await;
    assert_eq!(closed.decision, deny("A `failClosed` hook timed out after 0.001 s"));
}

#[tokio::test]
async fn a_time_out_without_end_is_none() {
    let host = Fake::new(Ok(json!({})));
    let hook = Hook { timeout: Duration::MAX, ..callback(HookEvent::PreToolUse, "hook_0", &host) };
    assert_eq!(run_all(vec![hook]).await, HookOutcome::default());
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
    let expected = crate::response::interpret(&hook, RunResult::Interrupted);
    let hooks = vec![hook];
    let (outcome, ()) = tokio::join!(run_in(&folder, hooks.clone(), HookEvent::PreToolUse, &cancel), called);
    assert_eq!(outcome, expected);
    assert_eq!(outcome.decision, deny("Interrupted before the hook answered"));
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
        assert_eq!(run_in(&folder, hooks, event, &CancellationToken::new()).await, HookOutcome::default());
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
    let why = "A `failClosed` hook failed: no (hook host and again)";
    assert_eq!(outcome.decision, Some(HookDecision::Deny(why.into())));
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
        let (HookDecision::Deny(said) | HookDecision::Ask(said) | HookDecision::Allow(said)) =
            outcome.decision.unwrap();
        assert_eq!(said, expected, "{command} and {host}");
    }
}

#[test]
fn more_hooks_come_after_the_first_and_are_listed_by_their_ids() {
    let folder = AbsPath::new("/w").unwrap();
    let own = Hooks::new(vec![Hook::new(HookEvent::Stop, "a.sh", "s:1")], ChildEnv::default(), folder);
    let more = own.with(vec![callback(HookEvent::PreToolUse, "hook_0", &Fake::silent())]);
    let shown = |hooks: &Hooks| {
        let listed = hooks.list().into_iter();
        listed.map(|hook| format!("{} {} ({})", hook.event, hook.command, hook.origin)).collect::<Vec<_>>()
    };
    assert_eq!(shown(&own), ["Stop a.sh (s:1)"]);
    assert_eq!(shown(&more), ["Stop a.sh (s:1)", "PreToolUse callback hook_0 (host)"]);
    assert!(more.has_hook_for(HookEvent::PreToolUse) && !own.has_hook_for(HookEvent::PreToolUse));
}
