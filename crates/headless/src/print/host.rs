//! Requests to the program that drives us: each answered once, put again where an answer to a review cannot be used, and
//! taken back when something else closes them.

use forelook_protocol::{
    Command, CommandError, FrontEnd, HostAnswer, HostAsk, HostRequest, RequestId, RequestKind, SessionPort,
};
use forelook_view::question::denial;
use serde_json::Value;

use super::out::{OutputClosed, PrintOutput};
use crate::wire::ask;

/// How often a plan is put to a host that gives no answer that can be used. A host that always says the same must not
/// keep a turn from ending.
const MAX_ASKED: u32 = 3;

/// The requests that wait for the host.
pub(super) struct HostChannel {
    front_end: FrontEnd,
    open: Vec<AskedRequest>,
    /// Answers that count when the running turn is over: what they lead to is a turn.
    held: Vec<(AskedRequest, HostAnswer)>,
}

/// A request, and how often the host was asked.
struct AskedRequest {
    request: HostRequest,
    times: u32,
}

impl AskedRequest {
    fn id(&self) -> String {
        ask::wire_id(self.request.id, self.times)
    }

    fn line(&self, why: Option<&str>) -> Option<Value> {
        ask::request(&self.request, self.times, why)
    }

    fn can_be_asked_again(&self) -> bool {
        matches!(self.request.ask, HostAsk::Review(_)) && self.times < MAX_ASKED
    }
}

impl HostChannel {
    pub(super) fn new(front_end: FrontEnd) -> Self {
        Self { front_end, open: Vec::new(), held: Vec::new() }
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
        let asked = AskedRequest { request: request.clone(), times: 1 };
        let line = asked.line(None)?;
        self.open.push(asked);
        Some(line)
    }

    /// The line that takes a request back, if the host had not answered when it was closed.
    pub(super) fn closed(&mut self, out: &mut PrintOutput, request: RequestId) -> Option<Value> {
        let held = self.held.len();
        self.held.retain(|(asked, _)| asked.request.id != request);
        if self.held.len() < held {
            out.warn("The review was closed before the running turn ended, so its answer does not count");
        }
        let at = self.open.iter().position(|open| open.request.id == request)?;
        Some(ask::cancel(&self.open.remove(at).id()))
    }

    /// Takes a response of the host's. Every request that it names is closed by this, or put again.
    pub(super) async fn response(
        &mut self,
        out: &mut PrintOutput,
        session: &dyn SessionPort,
        id: &str,
        response: Result<Value, String>,
    ) -> Result<(), OutputClosed> {
        let Some(at) = self.open.iter().position(|open| open.id() == id) else {
            out.blame(format!(
                "Ignored an answer to request `{id}`: no such request is open. It was already answered or canceled, or \
                 there never was one"
            ));
            return Ok(());
        };
        let asked = self.open.remove(at);
        let reply = ask::read(&asked.request, response);
        if let Some(problem) = reply.problem {
            if reply.unusable && asked.can_be_asked_again() {
                return self.ask_again(out, asked, &problem);
            }
            out.warn(problem);
        }
        let answer =
            session.send(Command::Answer { request: asked.request.id, answer: reply.answer.clone() });
        let answered = match reply.interrupt {
            false => answer.await,
            // Sent right behind the answer, before anything can follow from it.
            true => tokio::join!(answer, session.send(Command::Interrupt)).0,
        };
        let Err(refused) = answered else { return Ok(()) };
        if let CommandError::TurnRunning = refused {
            out.warn("A turn is running; the answer to the review counts when it ends");
        }
        self.refused(out, session, (asked, reply.answer), refused).await
    }

    /// Takes a response that cannot be read. If one request alone is open, it is the answer to that one, and allows nothing:
    /// the turn would wait for ever for a host that believes that it has answered.
    pub(super) async fn unreadable(
        &mut self,
        out: &mut PrintOutput,
        session: &dyn SessionPort,
    ) -> Result<(), OutputClosed> {
        let [only] = &self.open[..] else {
            if !self.open.is_empty() {
                out.complain(
                    "Several requests are open, so it is unknown which one this answers; all stay open",
                );
            }
            return Ok(());
        };
        let id = only.id();
        out.complain(&format!(
            "It is taken as the answer to request `{id}`, the only one open; it allows nothing"
        ));
        self.response(out, session, &id, Err("its answer cannot be read".to_owned())).await
    }

    /// A turn is over: what waited for that is answered now, unless the next one has begun.
    pub(super) async fn turn_over(
        &mut self,
        out: &mut PrintOutput,
        session: &dyn SessionPort,
    ) -> Result<(), OutputClosed> {
        for (asked, answer) in std::mem::take(&mut self.held) {
            let command = Command::Answer { request: asked.request.id, answer: answer.clone() };
            if let Err(refused) = session.send(command).await {
                self.refused(out, session, (asked, answer), refused).await?;
            }
        }
        Ok(())
    }

    /// The host believes that it has answered; a request that its answer did not close must not wait forever.
    async fn refused(
        &mut self,
        out: &mut PrintOutput,
        session: &dyn SessionPort,
        (asked, answer): (AskedRequest, HostAnswer),
        refused: CommandError,
    ) -> Result<(), OutputClosed> {
        match &refused {
            CommandError::TurnRunning => self.held.push((asked, answer)),
            // Closed already; where the plan has changed, the session asks anew by itself.
            CommandError::NotOpen { .. }
            | CommandError::PlanChanged { .. }
            | CommandError::StateChanged
            | CommandError::Closed => out.warn(refused.to_string()),
            _ if asked.can_be_asked_again() => return self.ask_again(out, asked, &refused.to_string()),
            _ => {
                out.warn(refused.to_string());
                let ask = &asked.request.ask;
                let answer = ask::no_answer(ask).unwrap_or_else(|| denial(ask, Some(&refused.to_string())));
                // If this is refused too, the session is ending or cannot write; it says so itself.
                let _ = session.send(Command::Answer { request: asked.request.id, answer }).await;
            }
        }
        Ok(())
    }

    /// Puts a plan to the host once more, with what was wrong with its answer: nobody has said no.
    fn ask_again(
        &mut self,
        out: &mut PrintOutput,
        asked: AskedRequest,
        why: &str,
    ) -> Result<(), OutputClosed> {
        out.warn(format!("{why}\nNothing was decided; the plan is put to the host again"));
        let asked = AskedRequest { times: asked.times + 1, ..asked };
        let line = asked.line(Some(why));
        self.open.push(asked);
        line.map_or(Ok(()), |line| out.stream(|_| line))
    }
}
