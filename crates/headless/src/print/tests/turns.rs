//! Turns, subagents and `/plan`, in every form of output.

use forelook_protocol::SessionPort;

use super::*;

/// Two subagents at once, one of which is refused something.
fn agents(stage: &mut Stage) {
    stage.begins("go");
    stage.calls(None, "call_a", "Agent", json!({"description": "a"}));
    stage.starts_agent("a", "call_a");
    stage.starts_agent("b", "call_b");
    let event = AnswerEvent::Text { text: "hm".into() };
    stage.live(LiveEvent::Answer { agent: Some(forelook_protocol::AgentId("a".into())), event });
    stage.calls(Some("a"), "r", "Read", json!({"file_path": "x.rs"}));
    stage.calls(Some("b"), "r", "Write", json!({"file_path": "y.rs"}));
    stage.finishes(Some("a"), "r", CallStatus::Ran);
    stage.finishes(Some("b"), "r", CallStatus::Denied);
    stage.says(Some("a"), "Found it.");
    for agent in ["a", "b"] {
        let usage = Usage { input_tokens: 1_000, output_tokens: 234, ..Usage::default() };
        let reason = if agent == "a" { EndReason::Done } else { EndReason::Interrupted };
        stage.record(
            Some(agent),
            EntryBody::AgentEnded(AgentEnded { reason, usage, calls: 1, took_ms: 4_200 }),
        );
    }
    stage.finishes(None, "call_a", CallStatus::Ran);
    stage.says(None, "All done.");
    stage.ends(EndReason::Done);
}

#[tokio::test]
async fn subagents_speak_under_the_call_that_started_them() {
    let seen = prompted("go", Output::Stream { partial: true }, |stage, command| {
        if let Command::Prompt(_) = command {
            agents(stage);
        }
        Ok(())
    })
    .await;
    let brief: Vec<String> = seen
        .lines()
        .into_iter()
        .map(|mut line| {
            for key in ["uuid", "session_id"] {
                line.as_object_mut().unwrap().shift_remove(key);
            }
            line.to_string()
        })
        .collect();
    insta::assert_snapshot!(brief.join("\n"));
    assert_eq!(seen.ended, RunOutcome::Done);
}

/// Two calls that take long, one of them a subagent's.
fn waits(stage: &mut Stage) {
    let progress = |agent: Option<&str>, call: &str, elapsed_ms| LiveEvent::Progress {
        agent: agent.map(|id| forelook_protocol::AgentId(id.into())),
        call: forelook_protocol::CallId(call.into()),
        elapsed_ms,
        note: Some("half of it".into()),
    };
    stage.begins("go");
    stage.calls(None, "call_a", "Agent", json!({"description": "a"}));
    stage.starts_agent("a", "call_a");
    stage.calls(Some("a"), "r", "Bash", json!({"command": "make"}));
    stage.live(progress(Some("a"), "r", 1_003));
    stage.live(progress(None, "call_a", 2_500));
    stage.finishes(Some("a"), "r", CallStatus::Ran);
    // Of calls that have ended, or were never seen, nothing is told.
    stage.live(progress(Some("a"), "r", 3_000));
    stage.live(progress(Some("stranger"), "r", 3_000));
    stage.finishes(None, "call_a", CallStatus::Ran);
    stage.says(None, "All done.");
    stage.ends(EndReason::Done);
}

#[tokio::test]
async fn a_stream_says_how_long_calls_have_been_running() {
    let react = |stage: &mut Stage, command: &Command| {
        if let Command::Prompt(_) = command {
            waits(stage);
        }
        Ok(())
    };
    let seen = prompted("go", Output::Stream { partial: false }, react).await;
    let mut lines = seen.of("tool_progress");
    for line in &mut lines {
        assert!(line["uuid"].is_string(), "{line}");
        line.as_object_mut().unwrap().shift_remove("uuid");
    }
    let line = |id: &str, name: &str, parent: Value, seconds: u64| {
        json!({
            "type": "tool_progress", "tool_use_id": id, "tool_name": name, "parent_tool_use_id": parent,
            "elapsed_time_seconds": seconds, "session_id": crate::testing::uuid(0),
        })
    };
    assert_eq!(lines, [line("r", "Bash", json!("call_a"), 1), line("call_a", "Agent", Value::Null, 2)]);
    // In words, and in one JSON object, only the end is told.
    let text = prompted("go", Output::Text, react).await;
    assert_eq!(text.stdout, "All done.\n");
    assert_eq!(text.stderr, "");
    assert_eq!(prompted("go", Output::Json, react).await.lines().len(), 1);
}

#[tokio::test]
async fn a_plan_can_be_the_result() {
    let plan = review().plan.unwrap();
    let planned = || {
        |stage: &mut Stage, command: &Command| {
            if let Command::Prompt(_) = command {
                stage.begins("go");
                stage.says(None, "Here is the plan.");
                stage.reviews(1, PlanAnswer::HandOver);
                stage.ends(EndReason::Planned { path: path(), hash: "abc123".into() });
            }
            Ok(())
        }
    };
    let seen = prompted("go", Output::Json, planned()).await;
    let result = &seen.of("result")[0];
    assert_eq!((&result["subtype"], &result["is_error"]), (&json!("success"), &json!(false)));
    assert_eq!(result["result"], plan);
    assert_eq!(result["plan"], json!({"file_path": path(), "hash": "abc123"}));
    let seen = prompted("go", Output::Text, planned()).await;
    assert_eq!((seen.stdout, seen.ended), (plan, RunOutcome::Done));
}

#[tokio::test]
async fn ends_and_their_exit_codes() {
    for (reason, ended, error) in [
        (EndReason::Parked, RunOutcome::Done, false),
        (EndReason::Abandoned, RunOutcome::Done, false),
        (EndReason::Stuck { message: "three times".into() }, RunOutcome::Failed, true),
    ] {
        let end = reason.clone();
        let seen = prompted("go", Output::Json, move |stage, command| {
            if let Command::Prompt(_) = command {
                stage.begins("go");
                stage.ends(end.clone());
            }
            Ok(())
        })
        .await;
        assert_eq!(
            (seen.ended.clone(), seen.of("result")[0]["is_error"].clone()),
            (ended, json!(error)),
            "{reason:?}"
        );
    }
}

#[tokio::test]
async fn what_was_begun_before_is_waited_for() {
    let (fake, _) = stage(&[], |stage, command| {
        if matches!(command, Command::ImplementPlan(_)) {
            stage.begins("the plan");
            stage.says(None, "Built.");
            stage.ends(EndReason::Done);
        }
        Ok(())
    });
    let task = forelook_protocol::ImplementPlan { path: path(), plan: "# A".into(), note: None };
    fake.send(Command::ImplementPlan(task)).await.unwrap();
    let seen = go(fake, Input::Begun, HostQuestions::Nobody, Output::Text).await;
    assert_eq!((seen.stdout.as_str(), seen.ended), ("Built.\n", RunOutcome::Done));
}
