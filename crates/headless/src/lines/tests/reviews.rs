//! Reviews of a plan: what is shown, what is sent, and what becomes of a plan that changes meanwhile.

use forelook_protocol::{Approval, PlanAnswer, PlanReview};

use super::*;
use crate::testing::review;

/// A turn with a review, which any answer to it ends.
fn line_review(stage: &mut Stage, command: &Command) -> Result<(), CommandError> {
    match command {
        Command::Plan(PlanCommand::Open) => {
            stage.edits("vi", EditorState::Opening { in_terminal: true });
            stage.edits("vi", EditorState::Opened);
        }
        Command::Plan(_) => {
            stage.record(None, planning());
            stage.begins("x");
            stage.says(None, "I have a plan.");
            stage.calls(None, "call_1", "ExitPlanMode", json!({}));
            stage.asks(1, HostAsk::Review(Box::new(review())));
        }
        Command::Answer { answer: HostAnswer::Plan(answer), .. } => {
            stage.reviews(1, answer.clone());
            stage.finishes(None, "call_1", CallStatus::Ran);
            stage.ends(EndReason::Done);
        }
        _ => {}
    }
    Ok(())
}

#[tokio::test]
async fn a_plan_from_the_first_word_to_the_yes() {
    let typed = ["/plan add a flag", "", "e", "#1 shorter", "y: mind the tests", "/exit"];
    let (page, fake) = talked(&typed, line_review).await;
    insta::assert_snapshot!(page);
    let approval = Approval {
        hash: review().hash,
        note: Some("mind the tests\nOn `# Add a flag`: shorter".into()),
        ..Approval::default()
    };
    assert!(fake.commands().iter().any(
        |it| matches!(it, Command::Answer { answer: HostAnswer::Plan(PlanAnswer::Approve(yes)), .. } if *yes == approval)
    ));
}

#[tokio::test]
async fn words_send_a_plan_back() {
    let (page, _) = talked(&["/plan x", "use another name", "/exit"], line_review).await;
    assert!(page.contains("✗ Plan sent back: Add a flag\n  ⎿ use another name\n"), "{page}");
    assert!(page.ends_with("⏸ plan > /exit\n"), "{page}");
}

#[tokio::test]
async fn a_review_without_anybody_is_left_alone() {
    let (_, fake) = talked(&["/plan x", "/exit"], |stage, command| {
        if *command == Command::Unattended {
            stage.closes(1, HostAnswer::Nobody);
            stage.ends(EndReason::Done);
        }
        line_review(stage, command)
    })
    .await;
    assert!(!fake.commands().iter().any(|command| matches!(command, Command::Answer { .. })));
}

#[tokio::test]
async fn an_answer_that_is_refused_is_asked_for_again() {
    let mut refusals = 1;
    let (page, fake) = talked(&["/plan x", "y", "n", "/exit"], move |stage, command| {
        if matches!(command, Command::Answer { .. }) && refusals > 0 {
            refusals -= 1;
            return Err(CommandError::Plan("The disk is full".into()));
        }
        line_review(stage, command)
    })
    .await;
    assert!(page.contains("✗ The disk is full"), "{page}");
    let answers = fake.commands().iter().filter(|command| matches!(command, Command::Answer { .. })).count();
    assert_eq!(answers, 2);
}

#[tokio::test]
async fn a_plan_that_changed_is_shown_as_it_is_now() {
    let mut refusals = 1;
    let (page, _) = talked(&["/plan x", "y", "y", "/exit"], move |stage, command| {
        if matches!(command, Command::Answer { .. }) && refusals > 0 {
            refusals -= 1;
            stage.closes(1, HostAnswer::Outdated);
            let plan = Some("# Another plan\n".into());
            stage.asks(2, HostAsk::Review(Box::new(PlanReview { plan, ..review() })));
            return Err(CommandError::PlanChanged { now: Box::new(review()) });
        }
        line_review(stage, command)
    })
    .await;
    let (_, after) = page.split_once("The plan file changed").unwrap();
    assert!(after.contains("│ # Another plan"), "{page}");
}

/// The plan after a visit to the editor.
fn edited() -> PlanReview {
    let plan = review()
        .plan
        .map(|plan| plan.replace("1. Read the arguments", "1. Parse the arguments\n1a. Test it"));
    PlanReview { plan, hash: "def456".into(), ..review() }
}

#[tokio::test]
async fn a_plan_that_was_edited_is_shown_at_once() {
    // The session may ask anew before or after it says that the editor is closed.
    for asked_first in [true, false] {
        let typed = ["/plan x", "#4 why?", "#3 which?", "e", "y", "/exit"];
        let (page, fake) = talked(&typed, move |stage, command| {
            match command {
                Command::Plan(PlanCommand::Open) => {
                    stage.edits("vi", EditorState::Opening { in_terminal: true });
                    stage.closes(1, HostAnswer::Outdated);
                    if asked_first {
                        stage.asks(2, HostAsk::Review(Box::new(edited())));
                    }
                    stage.edits("vi", EditorState::Opened);
                    if !asked_first {
                        stage.asks(2, HostAsk::Review(Box::new(edited())));
                    }
                }
                Command::Answer { answer: HostAnswer::Plan(answer), .. } => {
                    stage.reviews(2, answer.clone());
                    stage.ends(EndReason::Done);
                }
                _ => return line_review(stage, command),
            }
            Ok(())
        })
        .await;
        let (_, page) = page.split_once("> e\n").unwrap();
        insta::assert_snapshot!("a_plan_that_was_edited_is_shown_at_once", page);
        let note =
            Some("On `2. Act on the flag, which is a long step and needs more than one line`: why?".into());
        let approval = Approval { hash: edited().hash, note, ..Approval::default() };
        let yes = HostAnswer::Plan(PlanAnswer::Approve(approval));
        assert!(
            fake.commands().iter().any(|it| matches!(it, Command::Answer { answer, .. } if *answer == yes))
        );
    }
}

#[tokio::test]
async fn without_an_editor_nothing_is_promised() {
    let (page, _) = talked(&["/plan x", "e", "n", "/exit"], |stage, command| match command {
        Command::Plan(PlanCommand::Open) => Err(CommandError::Plan("No editor is known".into())),
        _ => line_review(stage, command),
    })
    .await;
    assert!(page.contains("> e\n✗ No editor is known\n\n? The plan is waiting"), "{page}");
    assert!(!page.contains("see it again"), "{page}");
}

#[tokio::test]
async fn an_interrupted_review_is_told_in_a_line() {
    let (signal, signals) = tokio::sync::mpsc::channel(1);
    let setting = Setting { prompt: Some("/plan x".into()), width: None, signals };
    let (page, _) = talked_in(setting, &["e"], move |stage, command| {
        match command {
            Command::Plan(PlanCommand::Open) => {
                signal.try_send(forelook_protocol::StopSignal::Interrupt).unwrap()
            }
            Command::Interrupt => {
                stage.closes(1, HostAnswer::Interrupted);
                stage.finishes(None, "call_1", CallStatus::Interrupted);
                stage.ends(EndReason::Interrupted);
                stage.types("/exit");
            }
            _ => return line_review(stage, command),
        }
        Ok(())
    })
    .await;
    let end =
        "> e\n\n✗ The plan is not approved; it is saved in /plans/calm-weaving-otter.md\n\n⏸ plan > /exit\n";
    assert!(page.ends_with(end), "{page}");
}

#[tokio::test]
async fn the_path_is_told_twice_and_no_more() {
    let (_signal, signals) = tokio::sync::mpsc::channel(1);
    let setting = Setting { prompt: Some("/plan x".into()), width: None, signals };
    let (page, _) = talked_in(setting, &["y", "/exit"], |stage, command| {
        if let Command::Plan(_) = command {
            let named = forelook_protocol::PlanNamed { slug: "calm-weaving-otter".into(), path: path() };
            stage.record(None, EntryBody::PlanNamed(named));
            stage.record(None, planning());
            stage.begins("x");
            stage.calls(None, "w", "Write", json!({"file_path": path(), "content": "# A"}));
            stage.finishes_with(None, "w", &format!("Created `{}` (1 line)", path()));
            stage.calls(None, "call_1", "ExitPlanMode", json!({}));
            stage.asks(1, HostAsk::Review(Box::new(review())));
            return Ok(());
        }
        line_review(stage, command)
    })
    .await;
    assert!(page.contains("● Write(the plan)\n  ⎿ Created the plan (1 line)\n"), "{page}");
    assert_eq!(page.matches(&path().to_string()).count(), 2, "{page}");
    // What was said on the command line stands like what is typed.
    assert!(page.starts_with("> /plan x\n⏸ plan mode on\n"), "{page}");
}
