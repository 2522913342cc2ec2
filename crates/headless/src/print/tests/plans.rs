//! `/plan`, in every form of output: what it shows is its result, unless a turn comes of it.

use forelook_protocol::{EditorState, ModeChanged, ModeState, PlanCommand, PlanReply};

use super::*;
use crate::testing::edits;

fn shown() -> PlanReply {
    PlanReply::Current {
        path: path(),
        plan: Some("# A\n\nwords".into()),
        problem: None,
        editor: Some("vi".into()),
    }
}

/// Words begin a turn.
fn planner(stage: &mut Stage, command: &Command) -> Result<(), CommandError> {
    stage.shown = shown();
    match command {
        Command::Plan(PlanCommand::Restore(9)) => {
            return Err(CommandError::Plan("There is no revision 9".into()));
        }
        Command::Plan(PlanCommand::Say { enter, text }) => {
            if *enter {
                plans(stage);
            }
            stage.begins(text);
            stage.says(None, "Planned.");
            stage.ends(EndReason::Done);
        }
        Command::Plan(PlanCommand::Enter) => plans(stage),
        Command::Prompt(_) => {
            stage.begins("x");
            stage.says(None, "Prompted.");
            stage.ends(EndReason::Done);
        }
        _ => {}
    }
    Ok(())
}

fn plans(stage: &mut Stage) {
    stage.record(
        None,
        EntryBody::ModeChanged(ModeChanged { mode_state: ModeState::new(Mode::Plan), why: None }),
    );
}

/// A prompt in a session that plans.
async fn planning(words: &str, output: Output) -> Seen {
    let (fake, _) = stage(&[], planner);
    fake.set(|stage| (stage.mode, stage.shown) = (Mode::Plan, shown()));
    go(fake, said(words), HostQuestions::Nobody, output).await
}

#[tokio::test]
async fn plan_alone_is_shown_and_no_turn_is_waited_for() {
    let seen = planning("/plan", Output::Text).await;
    assert_eq!(seen.ended, RunOutcome::Done);
    insta::assert_snapshot!(seen.stdout);
    let seen = planning("/plan", Output::Json).await;
    let result = &seen.of("result")[0];
    assert!(result["result"].as_str().unwrap().contains("# A"), "{result}");
    assert_eq!((&result["num_turns"], seen.lines().len()), (&json!(0), 1));
    let seen = planning("/plan", STREAM).await;
    assert_eq!(seen.of("plan")[0]["plan"], "# A\n\nwords");
    assert_eq!(seen.of("result").len(), 1);
    assert_eq!(seen.fake.commands(), []);
}

#[tokio::test]
async fn plan_with_words_is_a_turn() {
    let seen = prompted("/plan add a flag", Output::Text, planner).await;
    assert_eq!((seen.stdout.as_str(), seen.ended.clone()), ("Planned.\n", RunOutcome::Done));
    assert!(seen.stderr.contains("plan mode on"), "{}", seen.stderr);
    let seen = prompted("/plan add a flag", Output::Json, planner).await;
    assert_eq!(seen.of("result")[0]["result"], "Planned.");
    assert_eq!(seen.lines().len(), 1);
    // It is told before the turn that comes of it.
    let seen = prompted("/plan add a flag", STREAM, planner).await;
    let kinds: Vec<Value> = seen.lines().into_iter().map(|line| line["subtype"].clone()).collect();
    assert_eq!(kinds[..2], [json!("plan"), json!("init")]);
    assert_eq!(seen.of("plan")[0]["shown"], "entered");
}

#[tokio::test]
async fn plan_mode_that_is_entered_is_the_result() {
    let seen = prompted("/plan", Output::Text, planner).await;
    assert!(seen.stdout.contains("plan mode on") && seen.stdout.contains(&path().to_string()));
    assert_eq!(
        (seen.ended, seen.fake.commands()),
        (RunOutcome::Done, vec![Command::Plan(PlanCommand::Enter)])
    );
}

#[tokio::test]
async fn plan_that_is_refused_fails_with_its_words() {
    let seen = planning("/plan restore 9", Output::Json).await;
    assert_eq!(seen.ended, RunOutcome::Failed);
    assert_eq!(seen.of("result")[0]["errors"], json!(["There is no revision 9"]));
    assert!(seen.stderr.contains("no revision 9"));
}

#[tokio::test]
async fn every_line_of_a_host_has_its_result() {
    let lines = ["/plan with words", "/plan", "hello", "/plan continue"].map(user);
    let lines = lines.each_ref().map(String::as_str);
    let seen = streamed(HostQuestions::Nobody, STREAM, &lines, |stage, command| {
        planner(stage, command)?;
        if matches!(command, Command::Plan(PlanCommand::Say { enter: false, .. })) {
            stage.hangs_up();
        }
        Ok(())
    })
    .await;
    let results = seen.results();
    assert!(results[1].contains("# A"), "{results:?}");
    assert_eq!([&results[0], &results[2], &results[3]], ["Planned.", "Prompted.", "Planned."]);
}

/// Only a person gives commands.
#[tokio::test]
async fn words_that_a_host_made_up_are_no_command() {
    let line = json!({"type": "user", "isSynthetic": true, "message": {"content": "/plan"}}).to_string();
    let seen = streamed(HostQuestions::Nobody, STREAM, &[&line], |stage, command| {
        stage.hangs_up();
        planner(stage, command)
    })
    .await;
    let [Command::Prompt(prompt), ..] = &seen.fake.commands()[..] else { panic!("no prompt") };
    assert_eq!(prompt.origin, forelook_protocol::Origin::Host);
    assert_eq!(seen.results(), ["Prompted."]);
}

/// `/plan open`, with an editor that reports at once, or only when all else is heard.
async fn opened(output: Output, state: EditorState, late: bool) -> Seen {
    prompted_in(Mode::Plan, "/plan open", output, move |stage, command| {
        if let Command::Plan(PlanCommand::Open) = command {
            stage.edits("vi", EditorState::Opening { in_terminal: true });
            match late {
                true => stage.live_after(Duration::from_millis(30), edits("vi", state.clone())),
                false => stage.edits("vi", state.clone()),
            }
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_editor_is_waited_for_and_told_of_in_order() {
    let (done, failed) = (EditorState::Opened, EditorState::Failed { why: "it is gone".into() });
    let opening = "Opening the plan in vi; close it to return\n";
    let (was_opened, text) =
        (format!("Opened {} in vi", path()), format!("`vi` could not open `{}`: it is gone", path()));
    for late in [false, true] {
        let seen = opened(Output::Text, done.clone(), late).await;
        let expected = (format!("{opening}{was_opened}\n"), RunOutcome::Done);
        assert_eq!((seen.stdout, seen.ended), expected, "late: {late}");
        let seen = opened(Output::Text, failed.clone(), late).await;
        assert_eq!((seen.stdout.as_str(), &seen.ended), (opening, &RunOutcome::Failed), "late: {late}");
        assert_eq!(seen.stderr, format!("{text}\n"));
        let seen = opened(STREAM, done.clone(), late).await;
        assert_eq!(seen.results(), [was_opened.as_str()], "late: {late}");
        let kinds: Vec<Value> = seen.of("plan").iter().map(|line| line["shown"].clone()).collect();
        assert_eq!(kinds, ["opening", "opened"]);
        let seen = opened(Output::Json, failed.clone(), late).await;
        assert_eq!((seen.ended.clone(), seen.lines().len()), (RunOutcome::Failed, 1), "late: {late}");
        assert_eq!(seen.of("result")[0]["errors"], json!([text]));
    }
}

#[tokio::test]
async fn a_plan_that_is_not_there_is_not_opened() {
    let (fake, _) = stage(&[], |_, _| Ok(()));
    let nothing = PlanReply::Current { path: path(), plan: None, problem: None, editor: None };
    fake.set(|stage| (stage.mode, stage.shown) = (Mode::Plan, nothing));
    let seen = go(fake, said("/plan open"), HostQuestions::Nobody, Output::Text).await;
    assert!(seen.stdout.contains("No plan yet"), "{}", seen.stdout);
    assert_eq!(seen.fake.commands(), []);
}

#[tokio::test]
async fn an_editor_that_somebody_else_opened_is_no_result() {
    let seen = prompted("go", STREAM, |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            stage.edits("vi", EditorState::Opening { in_terminal: false });
            stage.edits("vi", EditorState::Opened);
            stage.says(None, "Done.");
            stage.ends(EndReason::Done);
        }
        Ok(())
    })
    .await;
    assert_eq!((seen.results(), seen.of("plan").len()), (vec!["Done.".to_owned()], 2));
}

#[tokio::test]
async fn a_host_goes_on_while_the_editor_is_open() {
    let lines = ["/plan open", "/plan"].map(user);
    let (fake, input) = stage(&lines.each_ref().map(String::as_str), |stage, command| {
        if let Command::Plan(PlanCommand::Open) = command {
            stage.edits("code", EditorState::Opening { in_terminal: false });
            stage.live_after(Duration::from_millis(30), edits("code", EditorState::Opened));
            stage.hangs_up();
        }
        Ok(())
    });
    fake.set(|stage| (stage.mode, stage.shown) = (Mode::Plan, shown()));
    let seen = go(fake, Input::Stream(input), HostQuestions::Nobody, STREAM).await;
    let results = seen.results();
    assert_eq!(results.len(), 2, "{results:?}");
    assert!(results[0].contains("# A") && results[1].starts_with("Opened"), "{results:?}");
}

#[tokio::test]
async fn a_plan_that_could_not_be_submitted_is_named() {
    let unreadable = PlanReply::Current {
        path: path(),
        plan: None,
        problem: Some("It is a directory".into()),
        editor: None,
    };
    let none = PlanReply::Current { path: path(), plan: None, problem: None, editor: None };
    for (mode, tool, there, part) in [
        (Mode::Plan, false, shown(), Some("waits for your review")),
        (Mode::Plan, false, unreadable, Some("It is a directory")),
        (Mode::Plan, false, none, None),
        (Mode::Plan, true, shown(), None),
        (Mode::Default, false, shown(), None),
    ] {
        for output in [Output::Text, Output::Json] {
            let (fake, _) = stage(&[], |stage, command| {
                if let Command::Prompt(_) = command {
                    stage.begins("go");
                    stage.says(None, "Written.");
                    stage.ends(EndReason::Done);
                }
                Ok(())
            });
            let there = there.clone();
            fake.set(|stage| {
                (stage.mode, stage.shown) = (mode, there);
                stage.tools.retain(|name| tool || name != "ExitPlanMode");
            });
            let seen = go(fake, said("go"), HostQuestions::Nobody, output).await;
            let said = if output == Output::Text { seen.stdout.clone() } else { seen.results().concat() };
            let rest = said.trim_end().strip_prefix("Written.").unwrap();
            assert_eq!(rest.is_empty(), part.is_none(), "{said}");
            assert!(part.is_none_or(|part| rest.contains(part)), "{said}");
            let named = part == Some("waits for your review");
            assert_eq!(rest.contains(&path().to_string()), named, "{said}");
            assert_eq!(seen.ended, RunOutcome::Done);
        }
    }
}
