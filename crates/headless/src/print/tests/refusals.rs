//! Prompts that the session does not take, and lines that are too long to be any.

use std::io::{Cursor, Read};

use super::*;
use crate::input::lines_of;

/// A host that counts results waits for one to each prompt.
#[tokio::test]
async fn a_prompt_that_is_refused_has_a_result_too() {
    let (bad, good) = (user("bad"), user("good"));
    let seen = streamed(HostQuestions::Nobody, STREAM, &[&bad, &good], |stage, command| {
        let Command::Prompt(prompt) = command else { return Ok(()) };
        if prompt.content == [UserBlock::text("bad")] {
            return Err(CommandError::BadPrompt("it is bad".into()));
        }
        stage.begins("good");
        stage.says(None, "Said.");
        stage.ends(EndReason::Done);
        stage.hangs_up();
        Ok(())
    })
    .await;
    let results = seen.of("result");
    let [refused, done] = &results[..] else { panic!("{results:#?}") };
    assert_eq!((&refused["is_error"], &done["is_error"]), (&json!(true), &json!(false)));
    assert!(refused.to_string().contains("it is bad"), "{refused}");
    assert_eq!(done["result"], "Said.");
}

/// The refusal is known while the turn before still runs; its result comes behind that turn's.
#[tokio::test]
async fn the_result_of_the_last_prompt_counts_for_the_run() {
    let end = json!({"type": "control_request", "request_id": "1", "request": {"subtype": "interrupt"}});
    for (prompts, errors, ended) in [
        (["good", "bad"], [false, true], RunOutcome::Failed),
        (["bad", "good"], [true, false], RunOutcome::Done),
    ] {
        let lines = [user(prompts[0]), user(prompts[1]), end.to_string()];
        let lines = lines.each_ref().map(String::as_str);
        let seen = streamed(HostQuestions::Nobody, STREAM, &lines, |stage, command| {
            match command {
                Command::Prompt(prompt) if prompt.content == [UserBlock::text("bad")] => {
                    return Err(CommandError::BadPrompt("it is bad".into()));
                }
                Command::Prompt(_) => stage.begins("good"),
                // Here it is only the moment at which the turn ends.
                Command::Interrupt => {
                    stage.says(None, "Said.");
                    stage.ends(EndReason::Done);
                    stage.hangs_up();
                }
                _ => {}
            }
            Ok(())
        })
        .await;
        let told: Vec<Value> = seen.of("result").iter().map(|line| line["is_error"].clone()).collect();
        assert_eq!((told, seen.ended), (errors.map(Value::from).to_vec(), ended), "{prompts:?}");
    }
}

/// What stands behind the longest line that is read would be words of somebody's choice, at the start of a line.
#[tokio::test]
async fn the_end_of_a_line_that_is_too_long_is_no_line_of_its_own() {
    let long = std::io::repeat(b'x').take(64 * 1024 * 1024);
    let rest = Cursor::new(format!("{}\nnext\n", user("smuggled in")));
    let mut lines = lines_of(long.chain(rest));
    let first = lines.recv().await.unwrap();
    assert!(first.map_or(true, |line| line.bytes().all(|byte| byte == b'x')));
    assert_eq!(lines.recv().await.unwrap().unwrap(), "next");
    assert!(lines.recv().await.is_none());
}

/// A session that broke off answers nothing any more: every prompt that was read has a result that says so.
#[tokio::test]
async fn a_session_that_broke_off_is_a_failure_of_every_prompt() {
    for output in [STREAM, Output::Json, Output::Text] {
        let lines = [user("one"), user("two")];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut prompts = 0;
        let (fake, input) = stage(&lines, move |stage, command| {
            if let Command::Prompt(prompt) = command {
                prompts += 1;
                if prompts == 1 {
                    stage.begins("one");
                } else {
                    stage.queues(prompt);
                    let text = "The session failed inside Forelook".to_owned();
                    let level = forelook_protocol::NoticeLevel::Error;
                    stage.live(LiveEvent::Failed(Notice { level, text }));
                    stage.live(LiveEvent::Closed);
                }
            }
            Ok(())
        });
        let seen = go(fake, Input::Stream(input), HostQuestions::Nobody, output).await;
        assert_eq!(seen.ended, RunOutcome::Failed, "{output:?}");
        let told =
            seen.stdout.matches("failed inside").count() + seen.stderr.matches("failed inside").count();
        match output {
            Output::Text => assert_eq!(told, 1),
            _ => {
                let results = seen.of("result");
                assert_eq!(results.len(), 2, "{results:#?}");
                assert!(
                    results
                        .iter()
                        .all(|it| it["is_error"] == true && it.to_string().contains("failed inside"))
                );
            }
        }
    }
}

#[tokio::test]
async fn a_model_that_declines_is_a_failure_that_says_so() {
    for (words, output) in [("", Output::Json), ("I would", STREAM), ("", Output::Text)] {
        let seen = prompted("go", output, move |stage, command| {
            if let Command::Prompt(_) = command {
                stage.begins("go");
                if !words.is_empty() {
                    stage.says(None, words);
                }
                stage.ends(EndReason::Refusal);
            }
            Ok(())
        })
        .await;
        assert_eq!(seen.ended, RunOutcome::Failed);
        if output == Output::Text {
            assert!(seen.stderr.contains("declined to answer"), "{}", seen.stderr);
            continue;
        }
        let result = &seen.of("result")[0];
        assert_eq!((&result["is_error"], &result["terminal_reason"]), (&json!(true), &json!("refusal")));
        assert!(result["errors"][0].as_str().unwrap().contains("declined to answer"), "{result}");
        // What there is of an answer is worth having.
        assert_eq!((&result["result"], &result["stop_reason"]), (&json!(words), &json!("refusal")));
    }
}

/// A disk that takes no more.
struct Full;

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn output_that_cannot_be_written_is_a_failure_that_says_so() {
    let (fake, _) = stage(&[], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            stage.says(None, "Said.");
            stage.ends(EndReason::Done);
        }
        Ok(())
    });
    let stderr = SharedBuffer::default();
    let (_signal, signals) = tokio::sync::mpsc::channel(1);
    let run = PrintSetup {
        attached: fake.attach(),
        input: Input::Prompt(Prompt::person(vec![UserBlock::text("go")], Delivery::NextTurn)),
        output: Output::Text,
        asks: HostQuestions::Nobody,
        notices: Vec::new(),
        stdout: Box::new(Full),
        stderr: Box::new(stderr.clone()),
        ids: Arc::new(Counter::default()),
        clock: Arc::new(Noon),
        signals,
    };
    assert_eq!(super::run(run).await, RunOutcome::Failed);
    assert!(stderr.text().starts_with("Cannot write the output"), "{}", stderr.text());
}
