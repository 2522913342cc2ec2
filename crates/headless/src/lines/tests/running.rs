//! What still runs when planning begins.

use forelook_protocol::RunningShell;

use super::*;

/// A session in which something runs when planning begins.
fn running(stage: &mut Stage, command: &Command) -> Result<(), CommandError> {
    match command {
        Command::Plan(_) => {
            stage.record(None, planning());
            let shell = RunningShell { id: Some("shell_1".into()), command: "npm run dev".into() };
            stage.asks(1, HostAsk::Running { shells: vec![shell] });
        }
        Command::Answer { answer, .. } => stage.closes(1, answer.clone()),
        _ => {}
    }
    Ok(())
}

#[tokio::test]
async fn what_is_kept_is_told_as_outside_the_fence() {
    let (page, fake) = talked(&["/plan", "", "k", "/exit"], running).await;
    insta::assert_snapshot!(page);
    assert!(
        fake.commands()
            .iter()
            .any(|it| matches!(it, Command::Answer { answer: HostAnswer::Allow { .. }, .. }))
    );
}

#[tokio::test]
async fn what_is_stopped_is_told() {
    let (page, fake) = talked(&["/plan", "s", "/exit"], running).await;
    assert!(page.contains("\n  1 earlier command stopped\n") && !page.contains("keeps running"), "{page}");
    assert!(
        fake.commands()
            .iter()
            .any(|it| matches!(it, Command::Answer { answer: HostAnswer::Deny { .. }, .. }))
    );
}
