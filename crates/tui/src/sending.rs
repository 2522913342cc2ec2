//! Commands on their way to the session.

use forelook_protocol::{Command, PlanShown, Query, Refused, Reply, SessionPort, Status};

/// Sends a command; what is to be shown of it, once it was accepted. That is waited for and no errand, so that it stands
/// above what the command started: the events of that wait in the stream until then.
pub(crate) async fn send(command: Command, session: &dyn SessionPort) -> Result<Option<PlanShown>, Refused> {
    let done = match &command {
        Command::Plan(done) => Some(done.clone()),
        _ => None,
    };
    session.send(command).await?;
    let Some(done) = done else { return Ok(None) };
    match session.query(Query::Status).await {
        Ok(Reply::Status(Status { plan: Some(path), .. })) => Ok(done.shown(path)),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use forelook_protocol::{AbsPath, Accepted, Boxed, PlanCommand};
    use futures::FutureExt;

    use super::*;
    use crate::app::status_sample;

    /// A session that accepts or refuses everything.
    struct Fake {
        refuses: bool,
        heard: Mutex<Vec<Command>>,
    }

    impl SessionPort for Fake {
        fn send(&self, command: Command) -> Boxed<'_, Result<Accepted, Refused>> {
            self.heard.lock().unwrap().push(command);
            let answer = if self.refuses { Err(Refused::Closed) } else { Ok(Accepted::Nothing) };
            Box::pin(async move { answer })
        }

        fn query(&self, query: Query) -> Boxed<'_, Result<Reply, Refused>> {
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
        let entered = || Some(PlanShown::Entered { path: path() });
        for (command, expected) in [
            (Command::Plan(PlanCommand::Enter), entered()),
            (Command::Plan(say(true)), entered()),
            (Command::Plan(say(false)), None),
            (Command::Plan(PlanCommand::Restore(3)), Some(PlanShown::Restored { revision: 3, path: path() })),
            (Command::Plan(PlanCommand::Open), None),
            (Command::CycleMode, None),
        ] {
            for (refuses, expected) in [(false, Ok(expected)), (true, Err(Refused::Closed))] {
                let fake = Fake { refuses, heard: Mutex::default() };
                let shown = send(command.clone(), &fake).now_or_never().unwrap();
                assert_eq!(shown, expected, "{command:?}");
                assert_eq!(fake.heard.into_inner().unwrap(), std::slice::from_ref(&command));
            }
        }
    }
}
