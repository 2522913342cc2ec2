//! Models that are busy, chosen and paid for.

use forelook_protocol::{Cost, FailureKind, ModelChanged, ModelUsage, ProviderFailure, TotalCost};

use super::*;
use crate::testing::{model, retry};

fn text(text: &str) -> AnswerEvent {
    AnswerEvent::Text { text: text.into() }
}

fn again(message: &str, wait_ms: u64) -> AnswerEvent {
    AnswerEvent::Retrying(retry(message, wait_ms))
}

async fn narrow(
    typed: &[&str],
    react: impl FnMut(&mut Stage, &Command) -> Result<(), CommandError> + Send + 'static,
) -> String {
    let (_signal, signals) = tokio::sync::mpsc::channel(1);
    talked_in(Setting { prompt: None, width: Some(60), signals }, typed, react).await.0
}

#[tokio::test]
async fn words_of_an_answer_that_is_void_are_closed_off() {
    let page = narrow(&["go", "/exit"], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            // As a slow front end hears it: what came in many pieces comes in one, up to the attempt's end.
            stage.piece(None, AnswerEvent::TextStarted);
            stage.piece(None, text("The cause is that each share is roun"));
            stage.piece(None, again("The connection was lost", 750));
            stage.piece(None, AnswerEvent::TextStarted);
            stage.piece(None, text("The cause is another."));
            stage.piece(None, AnswerEvent::BlockEnded);
            stage.says(None, "The cause is another.");
            // Nothing of this answer was heard before it failed.
            let mut elsewhere = retry("The server is overloaded", 0);
            elsewhere.fallback = Some("openai/other".into());
            stage.piece(None, AnswerEvent::Retrying(elsewhere));
            stage.piece(None, AnswerEvent::TextStarted);
            stage.piece(None, again("The server is overloaded", 4_000));
            speaks(stage, &["Done."]);
            stage.says(None, "Done.");
            stage.ends(EndReason::Done);
        }
        Ok(())
    })
    .await;
    insta::assert_snapshot!(page);
}

#[tokio::test]
async fn attempts_of_subagents_stand_under_them() {
    let page = narrow(&["go", "/exit"], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            stage.calls(None, "a", "Agent", json!({"description": "Look for a"}));
            stage.starts_agent("a", "a");
            stage.piece(Some("a"), AnswerEvent::TextStarted);
            stage.piece(Some("a"), text("never shown"));
            stage.piece(Some("a"), again("The server is overloaded", 12_000));
            stage.finishes(None, "a", CallStatus::Ran);
            stage.ends(EndReason::Done);
        }
        Ok(())
    })
    .await;
    insta::assert_snapshot!(page);
}

#[tokio::test]
async fn an_answer_that_never_came_leaves_nothing_behind() {
    let mut turns = 0;
    let page = narrow(&["one", "two", "three", "four", "/exit"], move |stage, command| {
        if let Command::Prompt(_) = command {
            turns += 1;
            stage.begins("go");
            let failure =
                ProviderFailure::new(FailureKind::Connection, "The connection was lost (10 attempts)");
            let reason = EndReason::Provider { failure: failure.hint("Check the network") };
            match turns {
                1 => {
                    stage.piece(None, AnswerEvent::TextStarted);
                    stage.piece(None, text("Half a sen"));
                    stage.ends(reason);
                }
                // The words above belong to the turn before, and were closed off there.
                2 => {
                    stage.piece(None, again("The connection was lost", 500));
                    stage.ends(reason);
                }
                3 => {
                    speaks(stage, &["A long answer"]);
                    stage.says(None, "A long answer");
                    stage.ends(EndReason::MaxTokens);
                }
                _ => stage.ends(EndReason::Refusal),
            }
        }
        Ok(())
    })
    .await;
    insta::assert_snapshot!(page);
}

#[tokio::test]
async fn a_model_is_chosen_and_costs_are_shown() {
    let typed = ["/model", "/cost", "go", "/cost", "/model b/two", "/model", "/model b/none", "/exit"];
    let (page, fake) = talked(&typed, |stage, command| {
        match command {
            Command::Prompt(_) => {
                stage.begins("go");
                stage.says(None, "Done.");
                let usage = Usage { input_tokens: 12_000, output_tokens: 345, ..Usage::default() };
                stage
                    .spent
                    .insert("one".into(), ModelUsage { usage, cost: TotalCost::Exact(Cost(41_175_000)) });
                stage.spent.insert("demo".into(), ModelUsage { usage, cost: TotalCost::AtLeast(Cost(0)) });
                stage.models = vec![model("a/one", Some((3_000, 15_000))), model("b/two", None)];
                stage.ends(EndReason::Done);
            }
            Command::SetModel(name) if name == "b/none" => {
                return Err(CommandError::Model { model: name.clone(), why: "`b` has no such model".into() });
            }
            Command::SetModel(name) => {
                stage.record(None, EntryBody::ModelChanged(ModelChanged { model: name.clone() }));
            }
            _ => {}
        }
        Ok(())
    })
    .await;
    insta::assert_snapshot!(page);
    let chosen = [Command::SetModel("b/two".into()), Command::SetModel("b/none".into())];
    assert_eq!(fake.commands()[1..3], chosen);
}
