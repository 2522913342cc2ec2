//! A program that drives us is asked, answers, and goes away.

use super::*;

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

#[tokio::test]
async fn nothing_but_a_clear_yes_approves_a_plan() {
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
        let seen =
            streamed(HostQuestions::Everything, STREAM, &[&user("go")], reviewed_turn(line.clone())).await;
        let [HostAnswer::Plan(PlanAnswer::KeepPlanning { feedback: Some(words), .. })] = &seen.answers()[..]
        else {
            panic!("{line} gave {:?}", seen.answers())
        };
        assert!(words.contains(part), "{words}");
        assert!(seen.of("notice")[0]["text"].as_str().unwrap().contains(part), "{}", seen.stdout);
    }
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
    let changed = CommandError::PlanChanged { now: Box::new(review()) };
    for (refused, answers) in [(changed.clone(), 1), (CommandError::Plan("The disk is full".into()), 2)] {
        let mut refusal = Some(refused.clone());
        let mut turn =
            reviewed_turn(response(1, json!({"behavior": "allow", "updatedInput": {"plan": "x"}})));
        let seen = streamed(HostQuestions::Plans, STREAM, &[&user("go")], move |stage, command| {
            if let (Command::Answer { .. }, Some(refused)) =
                (command, refusal.take_if(|_| matches!(command, Command::Answer { .. })))
            {
                if matches!(refused, CommandError::PlanChanged { .. }) {
                    // The session asks anew by itself.
                    stage.closes(1, HostAnswer::Outdated);
                    stage.ends(EndReason::Done);
                    stage.hangs_up();
                }
                return Err(refused);
            }
            turn(stage, command)
        })
        .await;
        assert_eq!(seen.answers().len(), answers, "{refused}");
        assert_eq!(seen.of("notice")[0]["text"], refused.to_string());
        if answers == 2 {
            assert_eq!(seen.answers()[1], kept("The disk is full"));
        }
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
