//! What endings and outputs mean, as tables.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::HookEvent;

fn hook(event: HookEvent) -> Hook {
    Hook::new(event, "h.sh", "s:1")
}

fn ended(ending: ChildExit, stdout: &[u8], stderr: &[u8]) -> RunResult {
    let kept = |bytes: &[u8]| CapturedOutput { bytes: bytes.to_vec(), truncated: false };
    RunResult::Ended(ProcessOutput { ending, stdout: kept(stdout), stderr: kept(stderr) })
}

/// What a command says with this answer, after a look at whether a host says the same with it.
fn json(event: HookEvent, answer: &Value) -> HookOutcome {
    let by_command =
        interpret(&hook(event), ended(ChildExit::Exited(0), answer.to_string().as_bytes(), b"ignored"));
    let by_host = interpret(&hook(event), RunResult::Answered(answer.clone()));
    assert_eq!(by_host.problems.len(), by_command.problems.len(), "{by_host:?}");
    // Only an output has lines and columns for a problem to name.
    assert_eq!(HookOutcome { problems: by_command.problems.clone(), ..by_host }, by_command, "{answer}");
    by_command
}

fn deny(why: &str) -> Option<HookDecision> {
    Some(HookDecision::Deny(format!("{why} (hook s:1)")))
}
fn ask(why: &str) -> Option<HookDecision> {
    Some(HookDecision::Ask(format!("{why} (hook s:1)")))
}
fn allow(why: &str) -> Option<HookDecision> {
    Some(HookDecision::Allow(format!("{why} (hook s:1)")))
}

#[test]
fn failures_are_told_and_block_only_if_they_must() {
    let failures = [
        (RunResult::NotStarted("no bash".into()), "could not be started: no bash"),
        (RunResult::TimedOut, "timed out after 60 s"),
        (RunResult::Failed("boom\x1b[31m".into()), "failed: boom[31m"),
        (RunResult::Answered(json!({"continue": "no"})), "returned an invalid response: invalid type"),
        (RunResult::Answered(json!([false])), "returned an invalid response: it is not an object"),
        (RunResult::Answered(Value::Null), "returned an invalid response: it is not an object"),
        (ended(ChildExit::Exited(1), b"", b"boom\x1b[31m"), "failed with exit code 1: boom[31m"),
        (ended(ChildExit::Exited(3), b"{}", b""), "failed with exit code 3"),
        (
            ended(ChildExit::Exited(127), b"", b"x: command not found"),
            "could not be run: x: command not found",
        ),
        (ended(ChildExit::Signalled(9), b"", b""), "failed: ended by signal SIGKILL"),
        (ended(ChildExit::Unknown, b"", b""), "failed: was killed"),
        (ended(ChildExit::Exited(0), b"{not json", b""), "returned an invalid response: "),
        (ended(ChildExit::Exited(0), b"{\"reason\": \"\xff\"}", b""), "it is not UTF-8"),
        (ended(ChildExit::Exited(0), b"{} and more", b""), "trailing characters"),
        (ended(ChildExit::Exited(0), b"{\"reason\": \"a\", \"reason\": \"b\"}", b""), "duplicate field"),
        (ended(ChildExit::Exited(0), b"{\"continue\": \"no\"}", b""), "invalid type"),
    ];
    for (run_result, words) in failures {
        let open = interpret(&hook(HookEvent::PreToolUse), run_result.clone());
        assert_eq!(open.decision, None, "{run_result:?}");
        let [problem] = &open.problems[..] else { panic!("{:?}", open.problems) };
        assert!(problem.starts_with("PreToolUse hook `h.sh` (s:1) ") && problem.contains(words), "{problem}");
        assert_eq!(problem.lines().count(), 2, "{problem}");

        let closed =
            interpret(&Hook { fail_closed: true, ..hook(HookEvent::PreToolUse) }, run_result.clone());
        let Some(HookDecision::Deny(why)) = &closed.decision else { panic!("{closed:?}") };
        assert!(why.contains(words) && why.ends_with("(hook s:1)"), "{why}");
        assert_eq!(closed.problems, open.problems);

        let told = interpret(&Hook { fail_closed: true, ..hook(HookEvent::PlanReviewed) }, run_result);
        assert_eq!((told.decision, told.problems.len()), (None, 1));
    }
}

#[test]
fn a_time_out_names_the_time() {
    let hook = Hook { timeout: Duration::from_millis(1500), ..hook(HookEvent::Stop) };
    assert!(interpret(&hook, RunResult::TimedOut).problems[0].contains("after 1.5 s"));
}

#[test]
fn exit_2_blocks_where_there_is_something_to_block() {
    for event in HookEvent::ALL {
        let outcome =
            interpret(&hook(event), ended(ChildExit::Exited(2), b"{\"continue\": false}", b"not so\n"));
        let (decision, problems) = if event.can_block() { (deny("not so"), 0) } else { (None, 1) };
        assert_eq!(
            (outcome.decision, outcome.problems.len(), outcome.stop),
            (decision, problems, None),
            "{event}"
        );
    }
    let silent = interpret(&hook(HookEvent::Stop), ended(ChildExit::Exited(2), b"", b""));
    assert_eq!(silent.decision, deny("Blocked without a reason"));
}

#[test]
fn an_interrupt_lets_nothing_pass_and_keeps_nobody_going() {
    for event in HookEvent::ALL {
        let outcome = interpret(&hook(event), RunResult::Interrupted);
        assert_eq!(outcome.decision.is_some(), event.is_gate(), "{event}");
        assert!(outcome.problems.is_empty());
    }
}

#[test]
fn a_host_that_is_gone_lets_nothing_pass() {
    for event in HookEvent::ALL {
        for fail_closed in [false, true] {
            let outcome = interpret(&Hook { fail_closed, ..hook(event) }, RunResult::Gone);
            let decision = if event.is_gate() {
                deny("The host of this hook is not connected")
            } else if fail_closed && event.can_block() {
                deny("A `failClosed` hook could not run: its host is not connected")
            } else {
                None
            };
            assert_eq!((outcome.decision, outcome.problems.len()), (decision, 1), "{event}");
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
        let outcome = interpret(&hook(event), ended(ChildExit::Exited(0), b" be \xff brief\n", b"log"));
        assert_eq!(outcome.context.first().map(String::as_str), expected, "{event}");
        assert_eq!(outcome, HookOutcome { context: outcome.context.clone(), ..HookOutcome::default() });
    }
    let blank = interpret(&hook(HookEvent::SessionStart), ended(ChildExit::Exited(0), b" \n", b""));
    assert_eq!(blank, HookOutcome::default());
}

#[test]
fn too_long_an_output_is_cut_as_text_and_refused_as_json() {
    let truncated = |bytes: &[u8]| {
        let stdout = CapturedOutput { bytes: bytes.to_vec(), truncated: true };
        RunResult::Ended(ProcessOutput {
            ending: ChildExit::Exited(0),
            stdout,
            stderr: CapturedOutput::default(),
        })
    };
    let text = interpret(&hook(HookEvent::SessionStart), truncated(b"long"));
    assert_eq!((text.context.len(), text.problems.len()), (1, 1));
    let unheard = interpret(&hook(HookEvent::PreToolUse), truncated(b"long"));
    assert_eq!(unheard, HookOutcome::default());
    let answer = interpret(&hook(HookEvent::PreToolUse), truncated(b"{}"));
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
        assert_eq!(outcome, HookOutcome { decision: expected, ..HookOutcome::default() }, "{event} {answer}");
    }
}

#[test]
fn a_no_is_heard_in_an_answer_with_a_slip() {
    use HookEvent::{Notification, PermissionRequest, PreToolUse};
    let no = deny("The hook denied this, but the rest of its response is invalid");
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
        assert_eq!((outcome.decision, outcome.problems.len()), (expected, 1), "{answer}");
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
        HookOutcome {
            decision: None,
            updated_input: Some(json!({"b": 1, "a": 2})),
            context: vec!["note".into()],
            stop: Some("enough (hook s:1)".into()),
            messages: vec!["look".into()],
            problems: vec![],
        }
    );
    let stop = json(HookEvent::Stop, &json!({"continue": false}));
    assert_eq!(stop.stop.as_deref(), Some("Stopped without a reason (hook s:1)"));
    assert_eq!(json(HookEvent::Stop, &json!({"continue": true, "stopReason": "x"})), HookOutcome::default());
    let asked = json!({"hookSpecificOutput": {"decision": {"behavior": "allow", "updatedInput": {"a": 1}}}});
    assert_eq!(json(HookEvent::PermissionRequest, &asked).updated_input, Some(json!({"a": 1})));
    let elsewhere = json!({"hookSpecificOutput": {"updatedInput": {"a": 1}}});
    assert_eq!(json(HookEvent::PostToolUse, &elsewhere).updated_input, None);
}
