//! Requests to the program that drives us: put to it once, answered once, taken back when something else closes them.

use forelook_protocol::{Command, CommandError, FrontEnd, HostRequest, RequestId, RequestKind, SessionPort};
use forelook_view::question::denial;
use serde_json::Value;

use super::out::PrintOutput;
use crate::wire::ask;

/// The requests that wait for the host.
pub(super) struct HostChannel {
    front_end: FrontEnd,
    open: Vec<HostRequest>,
}

impl HostChannel {
    pub(super) fn new(front_end: FrontEnd) -> Self {
        Self { front_end, open: Vec::new() }
    }

    /// Whether the host answers anything.
    pub(super) fn answers(&self) -> bool {
        !self.front_end.answers.is_empty()
    }

    /// Whether the host can be called as a hook.
    pub(super) fn takes_hooks(&self) -> bool {
        self.front_end.answers.contains(&RequestKind::Hook)
    }

    /// The line for a request that was opened, if it is the host's to answer.
    pub(super) fn opened(&mut self, request: &HostRequest) -> Option<Value> {
        if !self.front_end.can_answer(&request.ask) {
            return None;
        }
        let line = ask::request(request)?;
        self.open.push(request.clone());
        Some(line)
    }

    /// The line that takes a request back, if the host had not answered when it was closed.
    pub(super) fn closed(&mut self, request: RequestId) -> Option<Value> {
        let at = self.open.iter().position(|open| open.id == request)?;
        self.open.remove(at);
        Some(ask::cancel(request))
    }

    /// Takes a response of the host's. Every request that it names is closed by this, with a yes or with a no.
    pub(super) async fn response(
        &mut self,
        out: &mut PrintOutput,
        session: &dyn SessionPort,
        id: &str,
        response: Result<Value, String>,
    ) {
        let Some(at) = self.open.iter().position(|open| open.id.to_string() == id) else {
            return out
                .warn(format!("Ignored an answer to request `{id}`: it was already answered or canceled"));
        };
        let asked = self.open.remove(at);
        let reply = ask::read(&asked, response);
        if let Some(problem) = reply.problem {
            out.warn(problem);
        }
        let answer = session.send(Command::Answer { request: asked.id, answer: reply.answer });
        let answered = match reply.interrupt {
            false => answer.await,
            // Sent right behind the answer, before anything can follow from it.
            true => tokio::join!(answer, session.send(Command::Interrupt)).0,
        };
        if let Err(refused) = answered {
            out.warn(refused.to_string());
            no_instead(session, &asked, &refused).await;
        }
    }
}

/// The host believes that it has answered; a request that its answer did not close must not wait forever.
async fn no_instead(session: &dyn SessionPort, asked: &HostRequest, refused: &CommandError) {
    match refused {
        // Closed already; where the plan has changed, the session asks anew by itself.
        CommandError::NotOpen { .. }
        | CommandError::PlanChanged { .. }
        | CommandError::StateChanged
        | CommandError::Closed => {}
        _ => {
            let answer = denial(&asked.ask, Some(&refused.to_string()));
            // If this is refused too, the session is ending or cannot write; it says so itself.
            let _ = session.send(Command::Answer { request: asked.id, answer }).await;
        }
    }
}
