//! Commands on their way to the session.
//!
//! One task sends them, each when the one before is answered: two commands arrive in the order in which they were wished
//! for, and nobody who types waits for the session's disk. The answers come back to the loop like keys.

use std::sync::Arc;
use std::time::Duration;

use forelook_protocol::{Command, CommandError, PlanReply, Query, Reply, SessionPort, Status};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// So many commands wait for a session that does not answer; what comes then is refused.
const WAITING: usize = 64;
/// How long the session is waited for at the end.
const CLOSING: Duration = Duration::from_secs(5);

/// The way to the session. Whatever is on it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct CommandSender {
    queue: mpsc::Sender<Command>,
    answers: mpsc::Receiver<SentCommand>,
    worker: JoinSet<()>,
    /// Commands about plans that are not answered yet.
    plans: usize,
}

/// What came of a command.
pub(crate) type SendResult = Result<Option<PlanReply>, CommandError>;

#[derive(Debug)]
struct SentCommand {
    answer: SendResult,
    about_plans: bool,
}

impl CommandSender {
    /// Begins to send to this session.
    pub(crate) fn to(session: Arc<dyn SessionPort>) -> Self {
        let (queue, commands) = mpsc::channel(WAITING);
        let (sent, answers) = mpsc::channel(WAITING);
        let mut worker = JoinSet::new();
        worker.spawn(work(session, commands, sent));
        Self { queue, answers, worker, plans: 0 }
    }

    /// Sends a command behind all others; whether there was room for it.
    pub(crate) fn send(&mut self, command: Command) -> bool {
        let about_plans = is_about_plans(&command);
        let sent = self.queue.try_send(command).is_ok();
        self.plans += usize::from(sent && about_plans);
        sent
    }

    /// Whether events wait. What is shown of a command about plans stands above what the command started.
    pub(crate) fn holds_events(&self) -> bool {
        self.plans > 0
    }

    /// What the session answers next; never, if nothing is on its way.
    pub(crate) async fn next(&mut self) -> SendResult {
        match self.answers.recv().await {
            Some(sent) => {
                self.plans -= usize::from(sent.about_plans);
                sent.answer
            }
            None => std::future::pending().await,
        }
    }

    /// Closes the session behind everything that was sent, and returns when that is done or was waited for long enough.
    pub(crate) async fn close(self) {
        let Self { queue, answers, mut worker, .. } = self;
        // Nobody is left to tell, and the worker must not wait for us.
        drop(answers);
        let close = async {
            let _ = queue.send(Command::Close).await;
            drop(queue);
            worker.join_next().await;
        };
        if tokio::time::timeout(CLOSING, close).await.is_err() {
            tracing::warn!("The session did not close in time");
        }
    }
}

async fn work(
    session: Arc<dyn SessionPort>,
    mut commands: mpsc::Receiver<Command>,
    answers: mpsc::Sender<SentCommand>,
) {
    while let Some(command) = commands.recv().await {
        let about_plans = is_about_plans(&command);
        let answer = send(command, &*session).await;
        // What is sent last has nobody who listens, and is sent all the same.
        let _ = answers.send(SentCommand { answer, about_plans }).await;
    }
}

fn is_about_plans(command: &Command) -> bool {
    matches!(command, Command::Plan(_))
}

/// Sends a command; what is to be shown of it, once it was accepted.
async fn send(command: Command, session: &dyn SessionPort) -> SendResult {
    let done = match &command {
        Command::Plan(done) => Some(done.clone()),
        _ => None,
    };
    let is_draft = matches!(command, Command::SaveReviewDraft { .. });
    match session.send(command).await {
        // The review was closed meanwhile: what is written goes on in the next one.
        Err(CommandError::NotOpen { .. } | CommandError::NotDeclared(_)) if is_draft => return Ok(None),
        sent => sent?,
    };
    let Some(done) = done else { return Ok(None) };
    match session.query(Query::Status).await {
        Ok(Reply::Status(Status { plan: Some(path), .. })) => Ok(done.shown(path)),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests;
