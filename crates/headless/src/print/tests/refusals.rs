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
