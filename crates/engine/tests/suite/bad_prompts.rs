//! Prompts that are refused, and leave nothing behind.

use forelook_protocol::{
    CallId, Command, CommandError, Delivery, EndReason, EntryBody, Event, LiveEvent, Mode, PlanCommand,
    Prompt, Query, Reply, ToolResult, UserBlock,
};

use crate::common::{Home, life};

const SAY: &str = "[[answer]]\nname = 'say'\ntext = 'Said.'\nnext = [{ goto = 'say' }]";

fn prompt(content: Vec<UserBlock>) -> Command {
    Command::Prompt(Prompt::person(content, Delivery::NextTurn))
}

/// A picture of one pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

fn image(media_type: &str, data: &str) -> UserBlock {
    UserBlock::Image { media_type: media_type.into(), data: data.into() }
}

#[test]
fn what_no_model_could_be_sent_is_refused_and_leaves_no_entry() {
    life(async {
        let home = Home::new();
        let mut front = home.begin(SAY).await;
        let before = home.entries().len();
        let good = || UserBlock::text("Look");
        let result = UserBlock::ToolResult(ToolResult::ok(CallId("call_1_1".into()), "made up"));
        // No services take these, and they would refuse every later prompt of the session with them.
        let cut = &PNG[..PNG.len() / 8 * 4];
        let no_pictures =
            ["AAAA", "", "not base64!", "aGVsbG8gd29ybGQ=", cut].map(|data| image("image/png", data));
        for bad in no_pictures.into_iter().chain([result]) {
            let refused = front.send(prompt(vec![good(), bad])).await;
            assert!(matches!(refused, Err(CommandError::BadPrompt(_))), "{refused:?}");
        }
        for blank in [vec![], vec![UserBlock::text("")], vec![UserBlock::text(" \n\t")]] {
            assert_eq!(front.send(prompt(blank)).await, Err(CommandError::EmptyPrompt));
        }
        for enter in [false, true] {
            let say = PlanCommand::Say { enter, text: " \n".into() };
            assert_eq!(front.send(Command::Plan(say)).await, Err(CommandError::EmptyPrompt));
        }
        let Reply::Status(status) = front.query(Query::Status).await else { panic!("no status") };
        assert_eq!(status.mode, Mode::BypassPermissions, "planning did not begin either");
        assert_eq!(home.entries().len(), before);
        assert_eq!(home.requests().len(), 0);

        front.send(prompt(vec![UserBlock::text("  "), good(), image("image/jpeg", PNG)])).await.unwrap();
        let taken = front
            .until(|body| if let EntryBody::PromptAccepted(it) = body { Some(it.clone()) } else { None })
            .await;
        assert_eq!(
            taken.content,
            [good(), image("image/png", PNG)],
            "what is empty is left out, and a picture is what it is"
        );
        assert_eq!(front.turn_end().await, EndReason::Done);
        front.close().await;
    });
}

#[test]
fn a_prompt_after_the_session_was_closed_is_refused() {
    life(async {
        let home = Home::new();
        let mut front = home.begin(SAY).await;
        // Ends only when it is made to, so that the session is still there for a moment.
        let stubborn = "trap '' TERM INT HUP; echo ready; sleep 1; sleep 1";
        front.send(Command::UserShell(stubborn.to_owned())).await.unwrap();
        let ready =
            |it: &Event| matches!(it, Event::Live(LiveEvent::Output { text, .. }) if text.contains("ready"));
        while !ready(&front.event().await) {}
        front.send(Command::Close).await.unwrap();
        let refused = front.send(prompt(vec![UserBlock::text("One more")])).await;
        assert_eq!(refused, Err(CommandError::Closed));
        assert!(front.session.query(Query::Status).await.is_ok(), "the session was gone too soon to show it");
        front.closed().await;
        let began = |it: &EntryBody| {
            matches!(
                it,
                EntryBody::PromptAccepted(_) | EntryBody::PromptQueued(_) | EntryBody::TurnStarted(_)
            )
        };
        assert!(!home.entries().iter().any(|entry| began(&entry.body)));
        assert_eq!(home.requests().len(), 0);
    });
}
