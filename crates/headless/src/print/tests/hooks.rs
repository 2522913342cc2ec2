//! Hooks that a host carries out itself.

use forelook_protocol::{AnsweredBy, HookEvent, HostHook, HostRequest};

use super::hosts::response;
use super::*;
use crate::testing::question;

fn initialize(hooks: Value) -> String {
    let request = json!({"subtype": "initialize", "hooks": hooks});
    json!({"type": "control_request", "request_id": "r", "request": request}).to_string()
}

fn guard() -> Value {
    json!([{"matcher": "Write", "hookCallbackIds": ["hook_0"], "timeout": 30, "onFailure": "block"}])
}

fn hook(number: u64) -> HostRequest {
    let input = json!({"hook_event_name": "PreToolUse"});
    question(number, HostAsk::Hook { callback: "hook_0".into(), input })
}

/// Ends when the hooks are defined.
fn defining(
    refusal: Option<CommandError>,
) -> impl FnMut(&mut Stage, &Command) -> Result<(), CommandError> + Send {
    move |stage, command| match command {
        Command::DefineHooks(_) => {
            stage.hangs_up();
            refusal.clone().map_or(Ok(()), Err)
        }
        _ => Ok(()),
    }
}

#[tokio::test]
async fn hooks_of_a_host_are_defined() {
    let line = initialize(json!({"Dreaming": guard(), "PreToolUse": guard()}));
    let seen = streamed(HostQuestions::Nobody, STREAM, &[&line], defining(None)).await;
    let expected = HostHook {
        event: HookEvent::PreToolUse,
        matcher: "Write".into(),
        callback: "hook_0".into(),
        timeout_ms: Some(30_000),
        fail_closed: true,
    };
    assert_eq!(seen.fake.commands(), [Command::DefineHooks(vec![expected]), Command::Unattended]);
    let answer = &seen.of("control_response")[0]["response"];
    assert_eq!(answer["subtype"], "success");
    let told = &answer["response"];
    assert_eq!((&told["hooks_applied"], &told["hook_on_failure_supported"]), (&json!(true), &json!(true)));
    assert!(seen.stderr.contains("`Dreaming`") && !seen.stdout.contains("Dreaming"), "{}", seen.stderr);
}

#[tokio::test]
async fn hooks_that_are_not_taken_are_an_error_to_the_host() {
    let refused = CommandError::Hooks("Too many".into());
    let good = initialize(json!({"PreToolUse": guard()}));
    let bad = initialize(json!({"PreToolUse": "always"}));
    let seen = streamed(HostQuestions::Nobody, STREAM, &[&bad, &good], defining(Some(refused))).await;
    let errors: Vec<String> =
        seen.of("control_response").iter().map(|line| line["response"]["error"].to_string()).collect();
    assert!(errors[0].contains("`PreToolUse`") && errors[1].contains("Too many"), "{errors:?}");
    // Where nothing can be called, nothing may rely on it.
    let end = json!({"type": "user", "message": {"content": "go"}}).to_string();
    let seen = streamed(HostQuestions::Nobody, Output::Text, &[&good, &end], |stage, _| {
        stage.hangs_up();
        Ok(())
    })
    .await;
    assert!(!seen.fake.commands().iter().any(|command| matches!(command, Command::DefineHooks(_))));
    assert!(seen.stdout.contains("--output-format stream-json"), "{}", seen.stdout);
}

#[tokio::test]
async fn a_hook_is_called_and_its_answer_passed_on() {
    let failed = json!({"type": "control_response", "response": {"subtype": "error", "request_id": uuid(1), "error": "boom"}});
    let nothing =
        json!({"type": "control_response", "response": {"subtype": "success", "request_id": uuid(1)}});
    let block = json!({"decision": "block", "reason": "no"});
    for (line, expected) in [
        (response(1, block.clone()), HostAnswer::Hook { output: block.clone() }),
        (response(1, json!(null)), HostAnswer::Hook { output: json!({}) }),
        (nothing, HostAnswer::Hook { output: json!({}) }),
        (failed, HostAnswer::Failed { message: "boom".into() }),
    ] {
        let seen = streamed(HostQuestions::Nobody, STREAM, &[&user("go")], move |stage, command| {
            match command {
                Command::Prompt(_) => {
                    stage.begins("go");
                    stage.live(LiveEvent::Request(Box::new(hook(1))));
                    stage.types(&line);
                }
                Command::Answer { request, .. } => {
                    let by = AnsweredBy::Session;
                    stage.live(LiveEvent::RequestClosed { request: *request, by });
                    stage.ends(EndReason::Done);
                    stage.hangs_up();
                }
                _ => {}
            }
            Ok(())
        })
        .await;
        assert_eq!(seen.answers(), [expected]);
        let request = &seen.of("control_request")[0]["request"];
        assert_eq!(
            (&request["subtype"], &request["callback_id"]),
            (&json!("hook_callback"), &json!("hook_0"))
        );
        assert!(seen.of("control_cancel_request").is_empty());
    }
}

#[tokio::test]
async fn a_hook_that_takes_too_long_is_taken_back() {
    let seen = streamed(HostQuestions::Nobody, STREAM, &[&user("go")], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            stage.live(LiveEvent::Request(Box::new(hook(1))));
            stage.live(LiveEvent::RequestClosed { request: hook(1).id, by: AnsweredBy::Session });
            stage.ends(EndReason::Done);
            stage.hangs_up();
        }
        Ok(())
    })
    .await;
    assert_eq!(seen.of("control_cancel_request")[0]["request_id"], json!(uuid(1)));
}
