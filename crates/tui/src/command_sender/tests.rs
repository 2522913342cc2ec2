//! Commands on their way to sessions that answer, late or never.

use std::sync::Mutex;

use forelook_protocol::{AbsPath, BoxFuture, CommandAccepted, PlanCommand};
use futures::FutureExt;

use super::*;
use crate::app::status_sample;

/// A session that accepts or refuses everything.
struct Fake {
    refuses: bool,
    heard: Mutex<Vec<Command>>,
}

impl SessionPort for Fake {
    fn send(&self, command: Command) -> BoxFuture<'_, Result<CommandAccepted, CommandError>> {
        self.heard.lock().unwrap().push(command);
        let answer = if self.refuses { Err(CommandError::Closed) } else { Ok(CommandAccepted::Nothing) };
        Box::pin(async move { answer })
    }

    fn query(&self, query: Query) -> BoxFuture<'_, Result<Reply, CommandError>> {
        assert_eq!((query, self.heard.lock().unwrap().len()), (Query::Status, 1));
        Box::pin(async { Ok(Reply::Status(Status { plan: Some(path()), ..status_sample() })) })
    }
}

fn path() -> AbsPath {
    AbsPath::new("/plans/a.md").unwrap()
}

#[test]
fn what_is_shown_of_a_command_once_it_was_accepted() {
    let say = |enter| PlanCommand::Say { enter, text: "a cache".into() };
    let entered = || Some(PlanReply::Entered { path: path() });
    for (command, expected) in [
        (Command::Plan(PlanCommand::Enter), entered()),
        (Command::Plan(say(true)), entered()),
        (Command::Plan(say(false)), None),
        (Command::Plan(PlanCommand::Restore(3)), Some(PlanReply::Restored { revision: 3, path: path() })),
        (Command::Plan(PlanCommand::Open), None),
        (Command::CycleMode, None),
    ] {
        for (refuses, expected) in [(false, Ok(expected)), (true, Err(CommandError::Closed))] {
            let fake = Fake { refuses, heard: Mutex::default() };
            let shown = send(command.clone(), &fake).now_or_never().unwrap();
            assert_eq!(shown, expected, "{command:?}");
            assert_eq!(fake.heard.into_inner().unwrap(), std::slice::from_ref(&command));
        }
    }
}

/// A session that answers each command when it is let, in the order of its own.
struct Late {
    heard: Mutex<Vec<Command>>,
    let_through: tokio::sync::Semaphore,
}

impl Late {
    fn new() -> Arc<Self> {
        Arc::new(Self { heard: Mutex::default(), let_through: tokio::sync::Semaphore::new(0) })
    }

    fn heard(&self) -> Vec<Command> {
        self.heard.lock().unwrap().clone()
    }
}

impl SessionPort for Late {
    fn send(&self, command: Command) -> BoxFuture<'_, Result<CommandAccepted, CommandError>> {
        self.heard.lock().unwrap().push(command);
        Box::pin(async {
            self.let_through.acquire().await.unwrap().forget();
            Ok(CommandAccepted::Nothing)
        })
    }

    fn query(&self, _: Query) -> BoxFuture<'_, Result<Reply, CommandError>> {
        Box::pin(async { Err(CommandError::Closed) })
    }
}

async fn settled() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn commands_keep_their_order_however_late_they_are_answered() {
    let late = Late::new();
    let mut sending = CommandSender::to(late.clone());
    let all = [
        Command::CycleMode,
        Command::Plan(PlanCommand::Enter),
        Command::UserShell("ls".into()),
        Command::Interrupt,
    ];
    for command in &all {
        assert!(sending.send(command.clone()));
    }
    settled().await;
    assert_eq!(late.heard(), all[..1], "the next one waits for its answer");
    assert_eq!(sending.next().now_or_never(), None);
    assert!(sending.holds_events(), "something is to be shown of a plan");
    for count in 1..=all.len() {
        late.let_through.add_permits(1);
        assert_eq!(sending.next().await, Ok(None));
        settled().await;
        assert_eq!(late.heard(), all[..(count + 1).min(all.len())]);
        assert_eq!(sending.holds_events(), count < 2);
    }
}

#[tokio::test]
async fn what_was_sent_is_waited_for_at_the_end() {
    let late = Late::new();
    let mut sending = CommandSender::to(late.clone());
    assert!(sending.send(Command::CycleMode) && sending.send(Command::Interrupt));
    late.let_through.add_permits(3);
    sending.close().await;
    assert_eq!(late.heard(), [Command::CycleMode, Command::Interrupt, Command::Close]);
}

#[tokio::test]
async fn a_session_that_never_answers_holds_nobody_up_and_is_bounded() {
    let late = Late::new();
    let mut sending = CommandSender::to(late.clone());
    let sent = (0..1000).take_while(|_| sending.send(Command::CycleMode)).count();
    assert_eq!(sent, WAITING);
    settled().await;
    assert_eq!(late.heard().len(), 1);
    drop(sending);
    settled().await;
    assert_eq!(Arc::strong_count(&late), 1, "the task is gone");
}
