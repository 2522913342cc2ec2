//! What endings and outputs mean, as tables.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::HookEvent;

fn hook(event: HookEvent) -> Hook {
    Hook::new(event, "h.sh", "s:1")
}

fn ended(ending: Ending, stdout: &[u8], stderr: &[u8]) -> Ran {
    let kept = |bytes: &[u8]| Kept { bytes: bytes.to_vec(), cut: false };
    Ran::Ended(Finished { ending, stdout: kept(stdout), stderr: kept(stderr) })
}

/// What a command says with this answer, after a look at whether a host says the same with it.
fn json(event: HookEvent, answer: &Value) -> Outcome {
    let by_command = read(&hook(event), ended(Ending::Exited(0), answer.to_string().as_bytes(), b"ignored"));
    let by_host = read(&hook(event), Ran::Answered(answer.clone()));
    assert_eq!(by_host.problems.len(), by_command.problems.len(), "{by_host:?}");
    // Only an output has lines and columns for a problem to name.
    assert_eq!(Outcome { problems: by_command.problems.clone(), ..by_host }, by_command, "{answer}");
    by_command
}

fn deny(why: &str) -> Option<HookSays> {
    Some(HookSays::Deny(format!("{why} (hook s:1)")))
}
fn ask(why: &str) -> Option<HookSays> {
    Some(HookSays::Ask(format!("{why} (hook s:1)")))
}
fn allow(why: &str) -> Option<HookSays> {
    Some(HookSays::Allow(format!("{why} (hook s:1)")))
}

#[test]
fn failures_are_told_and_block_only_if_they_must() {
    let failures = [
        (Ran::NotStarted("no bash".into()), "could not be started: no bash"),
        (Ran::TimedOut, "was ended after 60 s"),
        (Ran::Failed("boom\x1b[31m".into()), "failed: boom[31m"),
        (Ran::Answered(json!({"continue": "no"})), "gave an answer that cannot be read: invalid type"),
        (Ran::Answered(json!([false])), "gave an answer that cannot be read: it is not an object"),
        (Ran::Answered(Value::Null), "gave an answer that cannot be read: it is not an object"),
        (ended(Ending::Exited(1), b"", b"boom\x1b[31m"), "failed with exit code 1: boom[31m"),
        (ended(Ending::Exited(3), b"{}", b""), "failed with exit code 3"),
        (ended(Ending::Exited(127), b"", b"x: command not found"), "could not be run: x: command not found"),
        (ended(Ending::Signalled(9), b"", b""), "failed: ended by signal SIGKILL"),
        (ended(Ending::Unknown, b"", b""), "failed: was killed"),
        (ended(Ending::Exited(0), b"{not json", b""), "gave an answer that cannot be read: "),
        (ended(Ending::Exited(0), b"{\"reason\": \"\xff\"}", b""), "it is not UTF-8"),
        (ended(Ending::Exited(0), b"{} and more", b""), "trailing characters"),
        (ended(Ending::Exited(0), b"{\"reason\": \"a\", \"reason\": \"b\"}", b""), "duplicate field"),
        (ended(Ending::Exited(0), b"{\"continue\": \"no\"}", b""), "invalid type"),
    ];
    for (ran, words) in failures {
        let open = read(&hook(HookEvent::PreToolUse), ran.clone());
        assert_eq!(open.says, None, "{ran:?}");
        let [problem] = &open.problems[..] else { panic!("{:?}", open.problems) };
        assert!(
            problem.starts_with("Hook `h.sh` (s:1) at PreToolUse ") && problem.contains(words),
            "{problem}"
        );
        assert_eq!(problem.lines().count(), 2, "{problem}");

        let closed = read(&Hook { fail_closed: true, ..hook(HookEvent::PreToolUse) }, ran.clone());
        let Some(HookSays::Deny(why)) = &closed.says else { panic!("{closed:?}") };
        assert!(why.contains(words) && why.ends_with("(hook s:1)"), "{why}");
        assert_eq!(closed.problems, open.problems);

        let told = read(&Hook { fail_closed: true, ..hook(HookEvent::PlanReviewed) }, ran);
        assert_eq!((told.says, told.problems.len()), (None, 1));
    }
}

#[test]
fn a_time_out_names_the_time() {
    let hook = Hook { timeout: Duration::from_millis(1500), ..hook(HookEvent::Stop) };
    assert!(read(&hook, Ran::TimedOut).problems[0].contains("after 1.5 s"));
}

#[test]
fn exit_2_blocks_where_there_is_something_to_block() {
    for event in HookEvent::ALL {
        let outcome = read(&hook(event), ended(Ending::Exited(2), b"{\"continue\": false}", b"not so\n"));
        let (says, problems) = if event.can_block() { (deny("not so"), 0) } else { (None, 1) };
        assert_eq!((outcome.says, outcome.problems.len(), outcome.stop), (says, problems, None), "{event}");
    }
    let silent = read(&hook(HookEvent::Stop), ended(Ending::Exited(2), b"", b""));
    assert_eq!(silent.says, deny("Blocked without a reason"));
}

#[test]
fn an_interrupt_lets_nothing_pass_and_keeps_nobody_going() {
    for event in HookEvent::ALL {
        let outcome = read(&hook(event), Ran::Interrupted);
        assert_eq!(outcome.says.is_some(), event.is_gate(), "{event}");
        assert!(outcome.problems.is_empty());
    }
}

#[test]
fn a_host_that_is_gone_lets_nothing_pass() {
    for event in HookEvent::ALL {
        for fail_closed in [false, true] {
            let outcome = read(&Hook { fail_closed, ..hook(event) }, Ran::Gone);
            let says = if event.is_gate() {
                deny("The host that this hook belongs to is gone")
            } else if fail_closed && event.can_block() {
                deny("A hook that must not fail could not be carried out: its host is gone")
            } else {
                None
            };
            assert_eq!((outcome.says, outcome.problems.len()), (says, 1), "{event}");
        }
    }
}

#[test]
fn plain_output_is_context_where_a_model_listens() {
    for (event, expected) in [
        (HookEvent::UserPromptSubmit, Some("be \u{fffd} brief")),
        (HookEvent::SessionStart, Some("be \u{fffd} brief")),
        (HookEvent::PreToolUse, None),
        (HookEvent::Stop, None),
    ] {
        let outcome = read(&hook(event), ended(Ending::Exited(0), b" be \xff brief\n", b"log"));
        assert_eq!(outcome.context.first().map(String::as_str), expected, "{event}");
        assert_eq!(outcome, Outcome { context: outcome.context.clone(), ..Outcome::default() });
    }
    let blank = read(&hook(HookEvent::SessionStart), ended(Ending::Exited(0), b" \n", b""));
    assert_eq!(blank, Outcome::default());
}

#[test]
fn too_long_an_output_is_cut_as_text_and_refused_as_json() {
    let cut = |bytes: &[u8]| {
        let stdout = Kept { bytes: bytes.to_vec(), cut: true };
        Ran::Ended(Finished { ending: Ending::Exited(0), stdout, stderr: Kept::default() })
    };
    let text = read(&hook(HookEvent::SessionStart), cut(b"long"));
    assert_eq!((text.context.len(), text.problems.len()), (1, 1));
    let unheard = read(&hook(HookEvent::PreToolUse), cut(b"long"));
    assert_eq!(unheard, Outcome::default());
    let answer = read(&hook(HookEvent::PreToolUse), cut(b"{}"));
    assert!(answer.problems[0].contains("longer than 1048576 bytes"), "{answer:?}");
}

#[test]
fn words_about_a_call() {
    use HookEvent::{PermissionRequest, PostToolUse, PreToolUse, Stop};
    let specific = |fields: Value| json!({ "hookSpecificOutput": fields, "unknown": [1] });
    let decision =
        |word: &str| specific(json!({"permissionDecision": word, "permissionDecisionReason": "why"}));
    let behavior = |word: &str| specific(json!({"decision": {"behavior": word, "message": "why"}}));
    for (event, answer, expected) in [
        (PreToolUse, json!({}), None),
        (PreToolUse, json!({"async": true, "asyncTimeout": 5000}), None),
        (PreToolUse, decision("deny"), deny("why")),
        (PreToolUse, decision("ask"), ask("why")),
        (PreToolUse, decision("allow"), allow("why")),
        (PreToolUse, decision("defer"), None),
        (PreToolUse, specific(json!({"permissionDecision": "deny"})), deny("Blocked without a reason")),
        (PreToolUse, specific(json!({"permissionDecision": null})), None),
        (PreToolUse, json!({"decision": "block", "reason": "why"}), deny("why")),
        (PreToolUse, json!({"decision": "approve"}), allow("Allowed")),
        (PreToolUse, behavior("deny"), None),
        (
            PreToolUse,
            json!({"decision": "block", "reason": "a", "hookSpecificOutput": {"permissionDecision": "allow"}}),
            deny("a"),
        ),
        (PermissionRequest, behavior("allow"), allow("why")),
        (PermissionRequest, behavior("deny"), deny("why")),
        (PermissionRequest, decision("deny"), deny("why")),
        (PostToolUse, json!({"decision": "block", "reason": "why"}), deny("why")),
        (PostToolUse, decision("allow"), None),
        (PostToolUse, json!({"decision": "approve"}), None),
        (Stop, json!({"decision": "block", "reason": "why"}), deny("why")),
    ] {
        let outcome = json(event, &answer);
        assert_eq!(outcome, Outcome { says: expected, ..Outcome::default() }, "{event} {answer}");
    }
}

#[test]
fn a_no_is_heard_in_an_answer_with_a_slip() {
    use HookEvent::{Notification, PermissionRequest, PreToolUse};
    let no = deny("The answer says no, and the rest of it cannot be read");
    for (event, answer, expected) in [
        (PreToolUse, json!({"decision": "block", "continue": "yes"}), no.clone()),
        (
            PreToolUse,
            json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "permissionDecision": "deny"}}),
            no.clone(),
        ),
        (
            PermissionRequest,
            json!({"hookSpecificOutput": {"decision": {"behavior": "deny", "message": 1}}}),
            no,
        ),
        (PreToolUse, json!({"hookSpecificOutput": {"permissionDecision": "Allow"}}), None),
        (PreToolUse, json!({"hookSpecificOutput": {"updatedInput": "ls"}}), None),
        (
            PreToolUse,
            json!({"hookSpecificOutput": {"hookEventName": "Stop", "permissionDecision": "allow"}}),
            None,
        ),
        (Notification, json!({"decision": "block", "continue": "yes"}), None),
    ] {
        let outcome = json(event, &answer);
        assert_eq!((outcome.says, outcome.problems.len()), (expected, 1), "{answer}");
        assert_eq!(outcome.updated_input, None);
    }
}

#[test]
fn the_other_fields() {
    let outcome = json(
        HookEvent::PreToolUse,
        &json!({
            "continue": false, "stopReason": "enough", "systemMessage": "look\u{7}", "suppressOutput": true,
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse", "updatedInput": {"b": 1, "a": 2}, "additionalContext": "note"
            },
        }),
    );
    assert_eq!(
        outcome,
        Outcome {
            says: None,
            updated_input: Some(json!({"b": 1, "a": 2})),
            context: vec!["note".into()],
            stop: Some("enough (hook s:1)".into()),
            messages: vec!["look".into()],
            problems: vec![],
        }
    );
    let stop = json(HookEvent::Stop, &json!({"continue": false}));
    assert_eq!(stop.stop.as_deref(), Some("Stopped without a reason (hook s:1)"));
    assert_eq!(json(HookEvent::Stop, &json!({"continue": true, "stopReason": "x"})), Outcome::default());
    let asked = json!({"hookSpecificOutput": {"decision": {"behavior": "allow", "updatedInput": {"a": 1}}}});
    assert_eq!(json(HookEvent::PermissionRequest, &asked).updated_input, Some(json!({"a": 1})));
    let elsewhere = json!({"hookSpecificOutput": {"updatedInput": {"a": 1}}});
    assert_eq!(json(HookEvent::PostToolUse, &elsewhere).updated_input, None);
}
