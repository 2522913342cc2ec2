//! Other front ends beside this one, and what went on before it came.

use forelook_protocol::{
    DecisionStep, Delivery, Prompt, PromptAccepted, QueuedPrompt, Reason, TurnId, UserBlock,
};

use super::*;
use crate::testing::{entry, question};

fn permission() -> HostAsk {
    let reason = Reason::new(DecisionStep::Fallback, "x");
    HostAsk::Permission { tool: "Bash".into(), input: json!({"command": "ls"}), reason, change: None }
}

fn setting() -> Setting {
    // Nobody will stop it.
    Setting { prompt: None, width: None, signals: tokio::sync::mpsc::channel(1).1 }
}

#[tokio::test]
async fn a_question_from_before_is_asked_and_the_turn_waited_for() {
    let queued = forelook_protocol::EntryId(crate::testing::uuid(50));
    let (fake, input) = stage(&["y", "/exit"], move |stage, command| {
        if let Command::Answer { answer, .. } = command {
            assert_eq!(*answer, HostAnswer::yes());
            stage.closes(7, answer.clone());
            stage.ends(EndReason::Done);
            stage.begins_with("go on", Some(queued));
            speaks(stage, &["All done."]);
            stage.ends(EndReason::Done);
        }
        Ok(())
    });
    fake.set(|stage| stage.runs(TurnId(4)));
    let mut attached = fake.attach();
    attached.snapshot.turn = Some(TurnId(4));
    let prompt = Prompt::person(vec![UserBlock::text("go on")], Delivery::NextTurn);
    attached.snapshot.queue = vec![QueuedPrompt { id: queued, prompt }];
    attached.snapshot.requests = vec![question(7, permission())];
    let page = talked_with(setting(), attached, input).await;
    assert!(page.starts_with("\n? Allow Bash(ls)?\n"), "{page}");
    assert!(page.ends_with("> y\n\n● All done.\n\n> /exit\n"), "{page}");
}

#[tokio::test]
async fn a_question_that_somebody_else_answers_is_gone() {
    let (page, fake) = talked(&["go"], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            stage.asks(1, permission());
            stage.answers_elsewhere(1, HostAnswer::yes());
            stage.ends(EndReason::Done);
            stage.types("/exit");
        }
        Ok(())
    })
    .await;
    assert!(page.ends_with("> go\n  Answered by web page\n\n> /exit\n"), "{page}");
    assert!(!fake.commands().iter().any(|command| matches!(command, Command::Answer { .. })));
}

#[tokio::test]
async fn a_session_that_ends_elsewhere_ends_the_conversation() {
    let (page, fake) = talked(&["go"], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            stage.ends(EndReason::Interrupted);
            stage.live(LiveEvent::Closed);
        }
        Ok(())
    })
    .await;
    assert!(page.ends_with("✗ Interrupted\n  The session was ended in another program\n"), "{page}");
    assert_eq!(fake.commands().len(), 1);
}

#[tokio::test]
async fn a_session_that_breaks_off_says_so_and_no_more() {
    let (page, _) = talked(&["go"], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            let (level, text) = (forelook_protocol::NoticeLevel::Error, "The session failed".to_owned());
            stage.live(LiveEvent::Failed(forelook_protocol::Notice { level, text }));
            stage.live(LiveEvent::Closed);
        }
        Ok(())
    })
    .await;
    assert!(page.contains("The session failed") && !page.contains("another program"), "{page}");
}

#[tokio::test]
async fn only_the_journal_of_a_session_from_before_is_read() {
    let body = EntryBody::PromptAccepted(PromptAccepted::person(vec![UserBlock::text("long ago")]));
    let entry = Arc::new(entry(1, body));
    for (has_past, typed, has_conversation) in
        [(false, &["/exit"][..], false), (true, &["/exit"], true), (false, &["go", "/exit"], true)]
    {
        let (fake, input) = stage(typed, |stage, command| {
            if let Command::Prompt(_) = command {
                stage.begins("go");
                stage.ends(EndReason::Done);
            }
            Ok(())
        });
        fake.set(|stage| stage.journal = vec![Arc::clone(&entry)]);
        let (ended, page) = talked_since(HasPast(has_past), setting(), fake.attach(), input).await;
        assert_eq!(
            (fake.journal_reads(), ended.has_conversation),
            (usize::from(has_past), has_conversation),
            "{page}"
        );
    }
}
