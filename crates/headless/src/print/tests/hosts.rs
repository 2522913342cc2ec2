//! A program that drives us is asked, answers, and goes away.

use forelook_protocol::{HostRequest, PlanCommand, PlanReviewed, QuestionOpened, RequestId};

use super::*;
use crate::testing::{question, reviewed};

pub(super) fn response(question: u64, response: Value) -> Value {
    let response = json!({"subtype": "success", "request_id": uuid(question), "response": response});
    json!({"type": "control_response", "response": response})
}

pub(super) fn permission() -> HostAsk {
    let suggested_rules = vec!["Bash(ls)".into()];
    let reason = Reason { suggested_rules, ..Reason::new(DecisionStep::Fallback, "x") };
    HostAsk::Permission { tool: "Bash".into(), input: json!({"command": "ls"}), reason, change: None }
}

/// A turn that asks for a review; the host answers with `said`. Whatever closes the review ends the turn.
fn reviewed_turn(said: Value) -> impl FnMut(&mut Stage, &Command) -> Result<(), CommandError> + Send {
    move |stage, command| {
        match command {
            Command::Prompt(_) => {
                stage.begins("go");
                stage.asks(1, HostAsk::Review(Box::new(review())));
                stage.types(&said);
            }
            Command::Answer { answer: HostAnswer::Plan(answer), .. } => {
                stage.reviews(1, answer.clone());
                stage.says(None, "Done.");
                stage.ends(EndReason::Done);
                stage.hangs_up();
            }
            _ => {}
        }
        Ok(())
    }
}

fn approved(mode: Option<Mode>, edited: Option<&str>) -> HostAnswer {
    let edited = edited.map(str::to_owned);
    HostAnswer::Plan(PlanAnswer::Approve(Approval {
        hash: review().hash,
        mode,
        edited,
        ..Approval::default()
    }))
}

fn kept(feedback: &str) -> HostAnswer {
    HostAnswer::Plan(PlanAnswer::KeepPlanning { feedback: Some(feedback.into()), comments: Vec::new() })
}

#[tokio::test]
async fn a_host_reviews_a_plan() {
    let plan = review().plan.unwrap();
    let to = |mode: &str| json!([{"type": "setMode", "mode": mode, "destination": "session"}]);
    let input = json!({"plan": plan, "planFilePath": "/plans/calm-weaving-otter.md", "hash": "abc123"});
    for (said, expected) in [
        (json!({"behavior": "allow", "updatedInput": input}), approved(None, None)),
        (
            json!({"behavior": "allow", "updatedInput": input, "updatedPermissions": to("acceptEdits")}),
            approved(Some(Mode::AcceptEdits), None),
        ),
        (json!({"behavior": "allow", "updatedInput": {"plan": "# Mine"}}), approved(None, Some("# Mine"))),
        (json!({"behavior": "deny", "message": "shorter"}), kept("shorter")),
    ] {
        for asks in [HostQuestions::Plans, HostQuestions::Everything] {
            let react = reviewed_turn(response(1, said.clone()));
            let seen = streamed(asks, STREAM, &[&user("go")], react).await;
            assert_eq!(seen.answers(), std::slice::from_ref(&expected), "{said}");
            assert_eq!(seen.ended, RunOutcome::Done);
            let requests = seen.of("control_request");
            assert_eq!(requests.len(), 1);
            assert_eq!(requests[0]["request"]["tool_name"], "ExitPlanMode");
            assert_eq!(requests[0]["request"]["input"], input);
            assert!(seen.of("control_cancel_request").is_empty());
            assert_eq!(seen.of("result")[0]["result"], "Done.");
        }
    }
}

/// The same to a request that is put again.
fn again(times: u32, response: Value) -> Value {
    let mut line = self::response(1, response);
    line["response"]["request_id"] = json!(format!("{}-{times}", uuid(1)));
    line
}

/// A turn that asks for a review; the host says all this. Whatever closes the review ends the turn.
fn reviewed_turn_with(
    said: Vec<Value>,
    mut refusals: Vec<CommandError>,
) -> impl FnMut(&mut Stage, &Command) -> Result<(), CommandError> + Send {
    move |stage, command| {
        match command {
            Command::Prompt(_) => {
                stage.begins("go");
                stage.asks(1, HostAsk::Review(Box::new(review())));
                said.iter().for_each(|line| stage.types(line));
            }
            Command::Answer { .. } if !refusals.is_empty() => return Err(refusals.remove(0)),
            Command::Answer { answer, .. } => {
                match answer {
                    HostAnswer::Plan(answer) => stage.reviews(1, answer.clone()),
                    answer => stage.closes(1, answer.clone()),
                }
                stage.says(None, "Done.");
                stage.ends(EndReason::Done);
                stage.hangs_up();
            }
            _ => {}
        }
        Ok(())
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_used_is_nobodys_no() {
    let error = json!({"type": "control_response", "response": {"subtype": "error", "request_id": uuid(1), "error": "boom"}});
    for (line, part) in [
        (error, "boom"),
        (response(1, json!({"behavior": "perhaps"})), "Cannot parse the host's"),
        (response(1, json!(null)), "Cannot parse the host's"),
        (
            response(1, json!({"behavior": "allow", "updatedPermissions": [{"type": "fly"}]})),
            "Cannot parse the host's",
        ),
        (response(1, json!({"behavior": "allow", "updatedInput": {"hash": "other"}})), "a different text"),
    ] {
        let yes = again(2, json!({"behavior": "allow"}));
        let react = reviewed_turn_with(vec![line.clone(), yes], Vec::new());
        let seen = streamed(HostQuestions::Everything, STREAM, &[&user("go")], react).await;
        assert_eq!(seen.answers(), [approved(None, None)], "{line}");
        let requests = seen.of("control_request");
        let why = requests[1]["request"]["decision_reason"].as_str().unwrap();
        assert!(why.contains(part) && requests.len() == 2, "{requests:?}");
        assert!(seen.of("notice")[0]["text"].as_str().unwrap().contains(why), "{}", seen.stdout);
        // A host that always says the same does not keep the turn from ending.
        let bad = json!({"behavior": "perhaps"});
        let said = vec![line.clone(), again(2, bad.clone()), again(3, bad)];
        let react = reviewed_turn_with(said, Vec::new());
        let seen = streamed(HostQuestions::Everything, STREAM, &[&user("go")], react).await;
        assert_eq!(seen.answers(), [HostAnswer::Dismissed], "{line}");
        assert_eq!((seen.of("control_request").len(), seen.of("notice").len()), (3, 3));
    }
}

#[tokio::test]
async fn a_mode_that_there_is_not_is_default() {
    let yolo = json!([{"type": "setMode", "mode": "yolo", "destination": "session"}]);
    let said = response(1, json!({"behavior": "allow", "updatedPermissions": yolo}));
    let seen = streamed(HostQuestions::Plans, STREAM, &[&user("go")], reviewed_turn(said)).await;
    assert_eq!(seen.answers(), [approved(Some(Mode::Default), None)]);
    assert!(seen.of("notice")[0]["text"].as_str().unwrap().contains("no mode `yolo`"), "{}", seen.stdout);
}

#[tokio::test]
async fn a_denial_may_interrupt() {
    let said = response(1, json!({"behavior": "deny", "message": "stop", "interrupt": true}));
    let seen = streamed(HostQuestions::Everything, STREAM, &[&user("go")], reviewed_turn(said)).await;
    assert_eq!(seen.answers(), [kept("stop")]);
    assert!(seen.fake.commands().contains(&Command::Interrupt));
}

#[tokio::test]
async fn two_questions_are_answered_in_another_order() {
    let mut open = 2;
    let seen = streamed(HostQuestions::Everything, STREAM, &[&user("go")], move |stage, command| {
        match command {
            Command::Prompt(_) => {
                stage.begins("go");
                stage.asks(1, permission());
                stage.asks(2, permission());
                let rule = json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "ls"}], "behavior": "allow"});
                stage.types(response(2, json!({"behavior": "allow", "updatedInput": {"command": "ls"}, "updatedPermissions": [rule]})));
                stage.types(response(2, json!({"behavior": "allow"})));
                stage.types(response(1, json!({"behavior": "allow", "updatedInput": {"command": "rm"}})));
            }
            Command::Answer { request: question, answer } => {
                stage.closes(u64::try_from(question.0.as_u128()).unwrap(), answer.clone());
                open -= 1;
                if open == 0 {
                    stage.ends(EndReason::Done);
                    stage.hangs_up();
                }
            }
            _ => {}
        }
        Ok(())
    })
    .await;
    let [HostAnswer::Allow { updates, input: None }, HostAnswer::Allow { input: Some(changed), .. }] =
        &seen.answers()[..]
    else {
        panic!("{:?}", seen.answers())
    };
    // What the host made of a call is for the session to decide on.
    assert_eq!((updates.len(), changed), (1, &json!({"command": "rm"})));
    let notices: Vec<String> = seen.of("notice").iter().map(|line| line["text"].to_string()).collect();
    assert!(notices.len() == 1 && notices[0].contains("already answered"), "{notices:?}");
    insta::assert_snapshot!(seen.of("control_request")[0]);
}

#[tokio::test]
async fn a_question_that_something_else_closes_is_taken_back() {
    let seen = streamed(HostQuestions::Everything, STREAM, &[&user("go")], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            stage.asks(1, permission());
            stage.closes(1, HostAnswer::Interrupted);
            stage.asks(2, HostAsk::Review(Box::new(review())));
            stage.reviews(2, PlanAnswer::Park);
            stage.ends(EndReason::Parked);
            stage.hangs_up();
        }
        Ok(())
    })
    .await;
    let cancelled: Vec<Value> =
        seen.of("control_cancel_request").iter().map(|line| line["request_id"].clone()).collect();
    assert_eq!(cancelled, [json!(uuid(1)), json!(uuid(2))]);
    assert_eq!((seen.answers(), seen.ended), (vec![], RunOutcome::Done));
}

#[tokio::test]
async fn an_answer_that_is_refused_leaves_nothing_waiting() {
    let edited = || json!({"behavior": "allow", "updatedInput": {"plan": "x"}});
    let full = || CommandError::Plan("The disk is full".into());
    // What could not be written is asked about again, and that ends.
    for (refusals, last) in
        [(1, approved(None, Some("x"))), (2, approved(None, Some("x"))), (3, HostAnswer::Dismissed)]
    {
        let said = vec![response(1, edited()), again(2, edited()), again(3, edited())];
        let react = reviewed_turn_with(said, vec![full(); refusals]);
        let seen = streamed(HostQuestions::Plans, STREAM, &[&user("go")], react).await;
        assert_eq!((seen.answers().pop(), seen.answers().len()), (Some(last), refusals + 1));
        assert!(seen.of("notice")[0]["text"].as_str().unwrap().starts_with("The disk is full"));
        assert_eq!(seen.of("control_request")[1]["request"]["decision_reason"], "The disk is full");
    }
    // The session asks anew by itself.
    let changed = CommandError::PlanChanged { now: Box::new(review()) };
    let refused = changed.clone();
    let seen = streamed(HostQuestions::Plans, STREAM, &[&user("go")], move |stage, command| {
        match command {
            Command::Prompt(_) => {
                stage.begins("go");
                stage.asks(1, HostAsk::Review(Box::new(review())));
                stage.types(response(1, edited()));
            }
            Command::Answer { .. } => {
                stage.closes(1, HostAnswer::Outdated);
                stage.ends(EndReason::Done);
                stage.hangs_up();
                return Err(refused.clone());
            }
            _ => {}
        }
        Ok(())
    })
    .await;
    assert_eq!((seen.answers().len(), seen.of("control_request").len()), (1, 1));
    assert_eq!(seen.of("notice")[0]["text"], changed.to_string());
}

/// A review that no call waits for.
fn own_review(stage: &mut Stage) {
    let asked = HostRequest { call: None, ..question(1, HostAsk::Review(Box::new(review()))) };
    stage.record(None, EntryBody::QuestionOpened(QuestionOpened { question: asked }));
}

fn own_reviewed(stage: &mut Stage, answer: PlanAnswer) {
    let question = Some(RequestId(uuid(1)));
    stage.record(None, EntryBody::PlanReviewed(PlanReviewed { question, call: None, ..reviewed(answer) }));
}

#[tokio::test]
async fn an_answer_during_a_turn_counts_when_it_ends() {
    let mut runs = true;
    let lines = ["/plan review", "go"].map(user);
    let seen = streamed(
        HostQuestions::Plans,
        STREAM,
        &lines.each_ref().map(String::as_str),
        move |stage, command| {
            match command {
                Command::Plan(PlanCommand::Review) => own_review(stage),
                Command::Prompt(_) => {
                    stage.begins("go");
                    stage.types(response(1, json!({"behavior": "allow"})));
                }
                Command::Answer { .. } if std::mem::take(&mut runs) => {
                    stage.says(None, "Gone.");
                    stage.ends(EndReason::Done);
                    return Err(CommandError::TurnRunning);
                }
                Command::Answer { answer: HostAnswer::Plan(answer), .. } => {
                    own_reviewed(stage, answer.clone());
                    stage.begins("the plan");
                    stage.says(None, "Implemented.");
                    stage.ends(EndReason::Done);
                    stage.hangs_up();
                }
                _ => {}
            }
            Ok(())
        },
    )
    .await;
    assert_eq!(seen.answers(), [approved(None, None), approved(None, None)]);
    assert_eq!(seen.results(), ["Gone.", "Implemented."], "{}", seen.stdout);
    assert_eq!(seen.of("control_request").len(), 1, "asked once");
    assert!(seen.of("notice")[0]["text"].as_str().unwrap().contains("counts when it ends"));
}

#[tokio::test]
async fn what_becomes_of_a_review_is_the_result_of_who_opened_it() {
    let deny = json!({"behavior": "deny", "message": "shorter"});
    for (said, expected) in [
        (Some(json!({"behavior": "allow"})), json!(["Followed."])),
        (Some(deny), json!(["Followed."])),
        (None, json!([""])),
    ] {
        let seen = streamed(HostQuestions::Plans, STREAM, &[&user("/plan review")], move |stage, command| {
            match command {
                Command::Plan(PlanCommand::Review) => {
                    own_review(stage);
                    match &said {
                        Some(said) => stage.types(response(1, said.clone())),
                        None => stage.hangs_up(),
                    }
                }
                Command::Answer { answer: HostAnswer::Plan(answer), .. } => {
                    own_reviewed(stage, answer.clone());
                    stage.begins("the plan");
                    stage.says(None, "Followed.");
                    stage.ends(EndReason::Done);
                    stage.hangs_up();
                }
                Command::Unattended => stage.closes(1, HostAnswer::Nobody),
                _ => {}
            }
            Ok(())
        })
        .await;
        let kinds: Vec<Value> = seen.lines().iter().map(|line| line["type"].clone()).collect();
        let at = |kind: &str| kinds.iter().position(|it| it == kind).unwrap();
        assert!(at("control_request") < at("result"), "{kinds:?}");
        assert_eq!(json!(seen.results()), expected, "{}", seen.stdout);
    }
}

#[tokio::test]
async fn when_the_input_ends_nobody_is_there() {
    for asks in [HostQuestions::Plans, HostQuestions::Everything] {
        let seen = streamed(asks, STREAM, &[&user("go")], |stage, command| {
            match command {
                Command::Prompt(_) => {
                    stage.begins("go");
                    stage.asks(1, HostAsk::Review(Box::new(review())));
                    stage.hangs_up();
                }
                Command::Unattended => {
                    stage.closes(1, HostAnswer::Nobody);
                    stage.ends(EndReason::Done);
                }
                _ => {}
            }
            Ok(())
        })
        .await;
        assert_eq!(seen.ended, RunOutcome::Done);
        assert_eq!(seen.of("result").len(), 1);
    }
}

#[tokio::test]
async fn without_a_stream_both_ways_nobody_is_asked() {
    let (fake, _) = stage(&[], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            stage.ends(EndReason::Done);
        }
        Ok(())
    });
    let input = said("go");
    let seen = go(fake, input, HostQuestions::Everything, Output::Text).await;
    assert_eq!(seen.fake.commands()[0], Command::Unattended);
}

#[tokio::test]
async fn with_plans_only_other_questions_are_not_the_hosts() {
    let seen = streamed(HostQuestions::Plans, STREAM, &[&user("go")], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            stage.asks(1, permission());
            stage.closes(1, HostAnswer::Nobody);
            stage.ends(EndReason::Done);
            stage.hangs_up();
        }
        Ok(())
    })
    .await;
    assert!(seen.of("control_request").is_empty() && seen.of("control_cancel_request").is_empty());
}

#[tokio::test]
async fn agents_of_a_host_are_defined_or_refused() {
    let line = json!({"type": "control_request", "request_id": "r", "request": {"subtype": "initialize", "agents": {"rev": {"prompt": "p"}}}});
    for refused in [false, true] {
        let seen = streamed(HostQuestions::Nobody, STREAM, &[&line.to_string()], move |stage, command| {
            if let Command::DefineAgents(_) = command {
                stage.hangs_up();
                if refused {
                    return Err(CommandError::Agents("no description".into()));
                }
            }
            Ok(())
        })
        .await;
        assert_eq!(seen.fake.commands()[0], Command::DefineAgents(json!({"rev": {"prompt": "p"}})));
        let kind = if refused { "error" } else { "success" };
        assert_eq!(seen.of("control_response")[0]["response"]["subtype"], kind);
    }
}
