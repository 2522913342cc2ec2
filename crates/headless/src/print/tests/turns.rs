//! Turns, subagents and `/plan`, in every form of output.

use super::*;

/// Two subagents at once, one of which is refused something.
fn agents(stage: &mut Stage) {
    stage.begins("go");
    stage.calls(None, "call_a", "Agent", json!({"description": "a"}));
    stage.starts_agent("a", "call_a");
    stage.starts_agent("b", "call_b");
    let event = AnswerEvent::Text { text: "hm".into() };
    stage.live(Live::Answer { agent: Some(forelook_protocol::AgentId("a".into())), event });
    stage.calls(Some("a"), "r", "Read", json!({"file_path": "x.rs"}));
    stage.calls(Some("b"), "r", "Write", json!({"file_path": "y.rs"}));
    stage.finishes(Some("a"), "r", Verdict::Ran);
    stage.finishes(Some("b"), "r", Verdict::Denied);
    stage.says(Some("a"), "Found it.");
    for agent in ["a", "b"] {
        let usage = Usage { input_tokens: 1_000, output_tokens: 234, ..Usage::default() };
        let reason = if agent == "a" { EndReason::Done } else { EndReason::Interrupted };
        stage.record(Some(agent), Body::AgentEnded(AgentEnded { reason, usage, calls: 1, took_ms: 4_200 }));
    }
    stage.finishes(None, "call_a", Verdict::Ran);
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
    assert_eq!(seen.ended, Ended::Done);
}

/// Two calls that take long, one of them a subagent's.
fn waits(stage: &mut Stage) {
    let progress = |agent: Option<&str>, call: &str, elapsed_ms| Live::Progress {
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
    stage.finishes(Some("a"), "r", Verdict::Ran);
    // Of calls that have ended, or were never seen, nothing is told.
    stage.live(progress(Some("a"), "r", 3_000));
    stage.live(progress(Some("stranger"), "r", 3_000));
    stage.finishes(None, "call_a", Verdict::Ran);
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
    assert_eq!((seen.stdout, seen.ended), (plan, Ended::Done));
}

#[tokio::test]
async fn ends_and_their_exit_codes() {
    for (reason, ended, error) in [
        (EndReason::Parked, Ended::Done, false),
        (EndReason::Abandoned, Ended::Done, false),
        (EndReason::Stuck { message: "three times".into() }, Ended::Failed, true),
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

/// `/plan` shows, `/plan words` begins a turn.
fn planner(stage: &mut Stage, command: &Command) -> Result<(), Refused> {
    match command {
        Command::Plan(rest) if rest.is_empty() => {
            let (plan, editor) = (Some("# A\n\nwords".into()), Some("vi".into()));
            stage.live(Live::Plan(PlanShown::Current { path: path(), plan, editor }));
        }
        Command::Plan(rest) if rest == "restore 9" => {
            return Err(Refused::Plan("There is no revision 9".into()));
        }
        Command::Plan(rest) => {
            stage.live(Live::Plan(PlanShown::Entered { path: path() }));
            stage.begins(rest);
            stage.says(None, "Planned.");
            stage.ends(EndReason::Done);
        }
        Command::Prompt(_) => {
            stage.begins("x");
            stage.says(None, "Prompted.");
            stage.ends(EndReason::Done);
        }
        _ => {}
    }
    Ok(())
}

#[tokio::test]
async fn plan_alone_is_shown_and_no_turn_is_waited_for() {
    let seen = prompted("/plan", Output::Text, planner).await;
    assert_eq!(seen.ended, Ended::Done);
    insta::assert_snapshot!(seen.stdout);
    let seen = prompted("/plan", Output::Json, planner).await;
    let result = &seen.of("result")[0];
    assert!(result["result"].as_str().unwrap().contains("# A"), "{result}");
    assert_eq!((&result["num_turns"], seen.lines().len()), (&json!(0), 1));
    let seen = prompted("/plan", STREAM, planner).await;
    assert_eq!(seen.of("plan")[0]["plan"], "# A\n\nwords");
    assert_eq!(seen.of("result").len(), 1);
}

#[tokio::test]
async fn plan_with_words_is_a_turn() {
    let seen = prompted("/plan add a flag", Output::Text, planner).await;
    assert_eq!((seen.stdout.as_str(), seen.ended.clone()), ("Planned.\n", Ended::Done));
    assert!(seen.stderr.contains("plan mode on"), "{}", seen.stderr);
    let seen = prompted("/plan add a flag", Output::Json, planner).await;
    assert_eq!(seen.of("result")[0]["result"], "Planned.");
    assert_eq!(seen.lines().len(), 1);
}

#[tokio::test]
async fn plan_that_is_refused_fails_with_its_words() {
    let seen = prompted("/plan restore 9", Output::Json, planner).await;
    assert_eq!(seen.ended, Ended::Failed);
    assert_eq!(seen.of("result")[0]["errors"], json!(["There is no revision 9"]));
    assert!(seen.stderr.contains("no revision 9"));
}

#[tokio::test]
async fn every_line_of_a_host_has_its_result() {
    let lines = ["/plan", "hello", "/plan with words"].map(user);
    let lines = lines.each_ref().map(String::as_str);
    let (fake, events, input) = stage(&lines, |stage, command| {
        planner(stage, command)?;
        if matches!(command, Command::Plan(rest) if !rest.is_empty()) {
            stage.hangs_up();
        }
        Ok(())
    });
    let seen = go(fake, events, Input::Stream(input), Asks::Nobody, STREAM).await;
    let results: Vec<String> =
        seen.of("result").iter().map(|line| line["result"].as_str().unwrap().to_owned()).collect();
    assert!(results[0].contains("# A"), "{results:?}");
    assert_eq!(results[1..], ["Prompted.", "Planned."]);
}

#[tokio::test]
async fn what_was_begun_before_is_waited_for() {
    let (fake, events, _) = stage(&[], |stage, command| {
        if matches!(command, Command::Implement(_)) {
            stage.begins("the plan");
            stage.says(None, "Built.");
            stage.ends(EndReason::Done);
        }
        Ok(())
    });
    let task = forelook_protocol::Implement { path: path(), plan: "# A".into(), note: None };
    fake.send(Command::Implement(task)).await.unwrap();
    let seen = go(fake, events, Input::Begun, Asks::Nobody, Output::Text).await;
    assert_eq!((seen.stdout.as_str(), seen.ended), ("Built.\n", Ended::Done));
}

/// `/plan open`, with an editor that reports at once, or only when all else is settled.
async fn opened(output: Output, report: Live, late: bool) -> Seen {
    let (fake, events, _) = stage(&[], move |stage, command| {
        if let Command::Plan(_) = command {
            let (path, editor) = (path(), "vi".to_owned());
            stage.live(Live::Plan(PlanShown::Opening { path, editor, in_terminal: true }));
            match late {
                true => stage.live_after(Duration::from_millis(30), report.clone()),
                false => stage.live(report.clone()),
            }
        }
        Ok(())
    });
    go(fake, events, Input::Prompt(vec![UserBlock::text("/plan open")]), Asks::Nobody, output).await
}

#[tokio::test]
async fn an_editor_is_waited_for_and_told_of_in_order() {
    let done = || Live::Plan(PlanShown::Opened { path: path(), editor: "vi".into() });
    let text = "`vi` did not open the plan: it is gone";
    let failed = || Live::Notice(Notice { level: forelook_protocol::NoticeLevel::Error, text: text.into() });
    let opening = "Opening the plan in vi; close it to come back\n";
    let was_opened = format!("Opened {} in vi", path());
    for late in [false, true] {
        let seen = opened(Output::Text, done(), late).await;
        assert_eq!(
            (seen.stdout, seen.ended),
            (format!("{opening}{was_opened}\n"), Ended::Done),
            "late: {late}"
        );
        let seen = opened(Output::Text, failed(), late).await;
        assert_eq!((seen.stdout.as_str(), &seen.ended), (opening, &Ended::Failed), "late: {late}");
        assert_eq!(seen.stderr, format!("{text}\n"));
        let seen = opened(STREAM, done(), late).await;
        let results = seen.of("result");
        assert_eq!((results.len(), &results[0]["result"]), (1, &json!(was_opened)), "late: {late}");
        let seen = opened(Output::Json, failed(), late).await;
        assert_eq!((seen.ended.clone(), seen.lines().len()), (Ended::Failed, 1), "late: {late}");
        assert_eq!(seen.of("result")[0]["errors"], json!([text]));
    }
}

#[tokio::test]
async fn a_host_goes_on_while_the_editor_is_open() {
    let lines = ["/plan open", "/plan"].map(user);
    let (fake, events, input) = stage(&lines.each_ref().map(String::as_str), |stage, command| {
        match command {
            Command::Plan(rest) if rest == "open" => {
                let (path, editor) = (path(), "code".to_owned());
                stage.live(Live::Plan(PlanShown::Opening { path, editor, in_terminal: false }));
            }
            Command::Plan(_) => {
                planner(stage, command)?;
                let opened = PlanShown::Opened { path: path(), editor: "code".into() };
                stage.live_after(Duration::from_millis(30), Live::Plan(opened));
                stage.hangs_up();
            }
            _ => {}
        }
        Ok(())
    });
    let seen = go(fake, events, Input::Stream(input), Asks::Nobody, STREAM).await;
    let results: Vec<String> =
        seen.of("result").iter().map(|line| line["result"].as_str().unwrap().to_owned()).collect();
    assert_eq!(results.len(), 2, "{results:?}");
    assert!(results[0].contains("# A") && results[1].starts_with("Opened"), "{results:?}");
}
