//! Models that are busy, chosen and paid for, in every form of output.

use forelook_protocol::{Cost, FailureKind, ModelUsage, ProviderFailure, TotalCost};

use super::hosts::{permission, response};
use super::*;
use crate::testing::{model, retry};

fn spent(input_tokens: u64, cost: u64) -> ModelUsage {
    ModelUsage { usage: Usage { input_tokens, ..Usage::default() }, cost: TotalCost::Exact(Cost(cost)) }
}

/// A turn whose answer breaks off once, and whose subagent is sent to another model.
fn broken(stage: &mut Stage, command: &Command) -> Result<(), CommandError> {
    if let Command::Prompt(_) = command {
        stage.begins("go");
        let started = |id: &str| AnswerEvent::Started { id: id.to_owned(), model: "demo".to_owned() };
        // As a slow front end hears it: what came in many pieces comes in one, up to the attempt's end.
        let pieces = [
            started("m1"),
            AnswerEvent::TextStarted,
            AnswerEvent::Text { text: "One, two".into() },
            AnswerEvent::BlockEnded,
            AnswerEvent::TextStarted,
            AnswerEvent::Text { text: "thr".into() },
            AnswerEvent::Retrying(retry("The connection was lost", 750)),
            started("m2"),
            AnswerEvent::Opaque { wire_format: "anthropic".into(), item: json!({"type": "hidden"}) },
            AnswerEvent::TextStarted,
            AnswerEvent::Text { text: "All".into() },
            AnswerEvent::BlockEnded,
        ];
        for event in pieces {
            stage.piece(None, event);
        }
        stage.calls(None, "call_a", "Agent", json!({"description": "a"}));
        stage.starts_agent("a", "call_a");
        let fallback = Some("openai/other".to_owned());
        let again = forelook_protocol::Retry { fallback, ..retry("The server is overloaded", 0) };
        stage.piece(Some("a"), AnswerEvent::Retrying(again.clone()));
        // One that nobody saw begin.
        stage.piece(Some("b"), AnswerEvent::Retrying(again));
        stage.finishes(None, "call_a", CallStatus::Ran);
        stage.says(None, "All is well.");
        stage.ends(EndReason::Done);
    }
    Ok(())
}

#[tokio::test]
async fn a_host_hears_of_every_attempt() {
    let seen = prompted("go", Output::Stream { partial: true }, broken).await;
    let told: Vec<String> = seen
        .lines()
        .into_iter()
        .filter(|line| line["type"] == "stream_event" || line["subtype"] == "api_retry")
        .map(|line| match line["event"].is_object() {
            true => line["event"].to_string(),
            false => line.to_string(),
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
    for output in [Output::Stream { partial: true }, STREAM] {
        let seen = prompted("go", output, broken).await;
        assert_eq!(seen.of("api_retry").len(), 2);
        let result = &seen.of("result")[0];
        assert_eq!((&result["result"], &result["is_error"]), (&json!("All is well."), &json!(false)));
        assert!(!seen.stdout.contains("hidden"));
        assert_eq!(seen.stderr, "");
    }
}

#[tokio::test]
async fn without_a_stream_attempts_are_told_on_the_side() {
    for output in [Output::Text, Output::Json] {
        let seen = prompted("go", output, broken).await;
        assert_eq!(
            seen.stderr,
            "The connection was lost; attempt 3 of 10 in 0.8 s\n\
             Explore (Look for a): The server is overloaded; attempt 3 of 10 with openai/other now\n"
        );
        match output {
            Output::Text => assert_eq!(seen.stdout, "All is well.\n"),
            _ => assert_eq!(seen.of("result")[0]["result"], "All is well."),
        }
    }
}

#[tokio::test]
async fn a_result_has_what_the_session_cost_so_far() {
    let mut turns = 0;
    let seen = streamed(HostQuestions::Everything, STREAM, &[&user("one")], move |stage, command| {
        match command {
            Command::Prompt(_) => {
                turns += 1;
                stage.begins("go");
                stage.asks(turns, permission());
                stage.types(response(turns, json!({"behavior": "allow"})));
            }
            // The turn has begun long ago, and the model answers only now.
            Command::Answer { answer, .. } => {
                stage.closes(turns, answer.clone());
                stage.spent.insert("one".into(), spent(100 * turns, 1_500_000 * turns));
                if turns == 1 {
                    stage.types(user("two"));
                } else {
                    stage.spent.insert("small".into(), spent(7, 250_000));
                    stage.hangs_up();
                }
                stage.ends(EndReason::Done);
            }
            _ => {}
        }
        Ok(())
    })
    .await;
    let results = seen.of("result");
    assert_eq!(
        (&results[0]["total_cost_usd"], &results[1]["total_cost_usd"]),
        (&json!(0.0015), &json!(0.00325))
    );
    assert_eq!(results[0]["modelUsage"]["one"]["inputTokens"], 100);
    assert_eq!(results[0]["modelUsage"]["one"]["contextWindow"], 0);
    assert_eq!(results[1]["modelUsage"]["one"]["costUSD"], 0.003);
    assert_eq!(results[1]["modelUsage"]["small"]["inputTokens"], 7);
}

#[tokio::test]
async fn a_host_is_told_which_models_there_are() {
    let request = |id: &str, request: Value| {
        json!({"type": "control_request", "request_id": id, "request": request}).to_string()
    };
    let lines = [
        request("1", json!({"subtype": "initialize"})),
        request("2", json!({"subtype": "set_model", "model": "a/one"})),
        request("3", json!({"subtype": "list_models"})),
        user("go"),
    ];
    let (fake, input) = stage(&lines.each_ref().map(String::as_str), |stage, command| {
        match command {
            Command::SetModel(name) => assert_eq!(name, "a/one"),
            Command::Prompt(_) => {
                stage.begins("go");
                stage.spent.insert("one".into(), spent(1, 1));
                stage.ends(EndReason::Done);
                stage.hangs_up();
            }
            _ => {}
        }
        Ok(())
    });
    fake.offer(vec![model("a/one", Some((3_000, 15_000)))]);
    let seen = go(fake, Input::Stream(input), HostQuestions::Nobody, STREAM).await;
    let expected = json!([{
        "value": "a/one", "displayName": "ONE",
        "description": "200k tokens of context; price per million tokens: $3 in, $15 out",
    }]);
    let responses = seen.of("control_response");
    assert_eq!(responses[0]["response"]["response"]["models"], expected);
    assert_eq!(responses[1]["response"]["response"], json!({}));
    assert_eq!(responses[2]["response"]["response"], json!({ "models": expected }));
    // Whoever has asked for models knows their windows.
    assert_eq!(seen.of("result")[0]["modelUsage"]["one"]["contextWindow"], 200_000);
}

#[tokio::test]
async fn failures_of_a_model_as_results() {
    for (kind, status, terminal) in [
        (FailureKind::Authentication, Some(401), "api_error"),
        (FailureKind::Overloaded, Some(529), "api_error"),
        (FailureKind::Connection, None, "api_error"),
        (FailureKind::ContextOverflow, Some(400), "prompt_too_long"),
    ] {
        let failure = ProviderFailure::new(kind, "It said no").hint("Do this");
        let failure = ProviderFailure { status, ..failure };
        let seen = prompted("go", Output::Json, move |stage, command| {
            if let Command::Prompt(_) = command {
                stage.begins("go");
                stage.ends(EndReason::Provider { failure: failure.clone() });
            }
            Ok(())
        })
        .await;
        let result = &seen.of("result")[0];
        assert_eq!(result["api_error_status"], json!(status), "{kind:?}");
        assert_eq!(result["terminal_reason"], terminal, "{kind:?}");
        assert_eq!((&result["is_error"], &result["result"]), (&json!(true), &json!("It said no\nDo this")));
        assert_eq!(seen.ended, RunOutcome::Provider);
    }
    let seen = prompted("go", Output::Json, broken).await;
    assert!(seen.of("result")[0].get("api_error_status").is_none());
}
