//! `serve --stdio`: the protocol itself, one JSON object a line, for a front end in another process.

mod handshake;
#[cfg(test)]
mod tests;

use std::future::ready;
use std::io::Write;
use std::sync::Arc;

use forelook_protocol::{
    BoxFuture, ClientFrame, Command, CommandAccepted, CommandError, Event, FrontEnd, LiveEvent, Reply,
    SessionConnection, SessionFrame, SessionPort, StopSignal, WIRE_VERSION,
};
use forelook_view::Turns;
use tokio::sync::mpsc::Receiver;
use tokio::task::JoinSet;

use crate::RunOutcome;
use crate::events::Events;
use crate::input::InputLines;
use handshake::Handshake;

/// Attaches a front end to the session.
pub type Attach =
    Box<dyn FnOnce(FrontEnd) -> BoxFuture<'static, Result<SessionConnection, CommandError>> + Send>;

/// Everything that serving needs.
pub struct ServeSetup {
    /// How the front end is attached, once it has said who it is.
    pub attach: Attach,
    /// Its lines.
    pub input: InputLines,
    /// Where ours go.
    pub stdout: Box<dyn Write + Send>,
    /// Each one is a wish to stop.
    pub signals: Receiver<StopSignal>,
}

/// Serves one front end, until its input ends and no turn runs, or the session ends.
pub async fn run(serve: ServeSetup) -> RunOutcome {
    let ServeSetup { attach, mut input, stdout, mut signals } = serve;
    let mut out = SessionFrameWriter(stdout);
    let first = tokio::select! {
        biased;
        Some(_) = signals.recv() => return RunOutcome::Interrupted,
        first = handshake::first(&mut input) => first,
    };
    let Handshake { front_end, whole_answers } = match first {
        Ok(handshake) => handshake,
        Err(message) => return out.reject(message, RunOutcome::BadInput),
    };
    let SessionConnection { session, events, snapshot } = match attach(front_end).await {
        Ok(attached) => attached,
        Err(refused) => return out.reject(refused.to_string(), RunOutcome::Failed),
    };
    let mut events = Events::new(events);
    if whole_answers {
        events.skip_deltas();
    }
    let mut served = ServedFrontEnd::new(session, events, out, Turns::new(&snapshot));
    let attached = SessionFrame::Attached { version: WIRE_VERSION, snapshot: Box::new(snapshot) };
    let ended = match served.out.write(&attached) {
        Ok(()) => served.talk(input, signals).await,
        Err(unheard) => Err(unheard),
    };
    match ended {
        Ok(ended) => ended,
        Err(FrontEndGone) => {
            let _ = served.session.send(Command::Interrupt).await;
            served.events.close(&*served.session).await;
            RunOutcome::Interrupted
        }
    }
}

/// Nobody reads our lines any more.
struct FrontEndGone;

struct SessionFrameWriter(Box<dyn Write + Send>);

impl SessionFrameWriter {
    fn write(&mut self, frame: &SessionFrame) -> Result<(), FrontEndGone> {
        let line = serde_json::to_string(frame).map_err(|_| FrontEndGone)?;
        writeln!(self.0, "{line}").and_then(|()| self.0.flush()).map_err(|_| FrontEndGone)
    }

    /// The first line, where there is nothing to attach.
    fn reject(&mut self, message: String, ended: RunOutcome) -> RunOutcome {
        // Whoever does not read it needs no answer.
        let _ = self.write(&SessionFrame::Closed { message: Some(message) });
        ended
    }
}

type PendingCommand = BoxFuture<'static, (u64, Result<CommandAccepted, CommandError>)>;

/// A front end that is attached.
struct ServedFrontEnd {
    session: Arc<dyn SessionPort>,
    events: Events,
    out: SessionFrameWriter,
    turns: Turns,
    /// The command on its way. Never two: they are carried out in the order of their lines.
    sending: Option<PendingCommand>,
    /// Queries on their way. They may take long, and nothing waits for them.
    queries: JoinSet<(u64, Result<Reply, CommandError>)>,
    /// The session was told to end.
    closing: bool,
    gives_up: bool,
}

impl ServedFrontEnd {
    fn new(session: Arc<dyn SessionPort>, events: Events, out: SessionFrameWriter, turns: Turns) -> Self {
        let (sending, queries) = (None, JoinSet::new());
        Self { session, events, out, turns, sending, queries, closing: false, gives_up: false }
    }

    async fn talk(
        &mut self,
        input: InputLines,
        mut signals: Receiver<StopSignal>,
    ) -> Result<RunOutcome, FrontEndGone> {
        let mut input = Some(input);
        let mut ended = RunOutcome::Done;
        let mut failed = false;
        while !self.is_over() {
            let listens = !self.closing && self.sending.is_none();
            tokio::select! {
                biased;
                Some(_) = signals.recv() => {
                    ended = RunOutcome::Interrupted;
                    self.close().await;
                }
                event = self.events.next() => {
                    failed |= matches!(event, Event::Live(LiveEvent::Failed(_)));
                    self.event(event)?;
                }
                (id, result) = sent(&mut self.sending) => self.accepted(id, result).await?,
                Some(Ok((id, result))) = self.queries.join_next() => self.replied(id, result)?,
                // From here on, everything is told that has happened so far.
                () = ready(()), if input.is_none() && listens && self.is_done() => self.close().await,
                line = InputLines::next(&mut input), if listens => match line {
                    Some(Ok(line)) => self.line(&line)?,
                    Some(Err(_)) | None => {
                        input = None;
                        let _ = self.session.send(Command::Unattended).await;
                    }
                },
            }
        }
        self.out.write(&SessionFrame::Closed { message: None })?;
        Ok(if failed { RunOutcome::Failed } else { ended })
    }

    /// Whether nothing follows. The command that ended the session is answered before.
    fn is_over(&self) -> bool {
        self.gives_up || (self.events.over() && self.sending.is_none())
    }

    /// Ends the session. Where that is wanted twice, or refused, nothing more is waited for.
    async fn close(&mut self) {
        let again = std::mem::replace(&mut self.closing, true);
        self.gives_up = again || self.session.send(Command::Close).await.is_err();
    }

    /// Whether all that was asked for is done.
    fn is_done(&self) -> bool {
        self.turns.is_idle() && self.queries.is_empty()
    }

    fn event(&mut self, event: Event) -> Result<(), FrontEndGone> {
        self.turns.on_event(&event, 0);
        self.out.write(&SessionFrame::Event(event))
    }

    fn line(&mut self, line: &str) -> Result<(), FrontEndGone> {
        if line.trim().is_empty() {
            return Ok(());
        }
        let session = Arc::clone(&self.session);
        let message = match serde_json::from_str(line) {
            Ok(ClientFrame::Command { id, command }) => {
                self.sending = Some(Box::pin(async move { (id, session.send(command).await) }));
                return Ok(());
            }
            Ok(ClientFrame::Query { id, query }) => {
                self.queries.spawn(async move { (id, session.query(query).await) });
                return Ok(());
            }
            Ok(ClientFrame::Attach { .. }) => "This front end is already attached".to_owned(),
            Err(error) => format!("Cannot parse the line: {error}"),
        };
        self.out.write(&SessionFrame::NotUnderstood { message })
    }

    /// A command was carried out. What it caused stands before the answer.
    async fn accepted(
        &mut self,
        id: u64,
        result: Result<CommandAccepted, CommandError>,
    ) -> Result<(), FrontEndGone> {
        if let Ok(accepted) = result {
            self.turns.accepted(accepted);
        }
        while let Some(event) = self.events.waiting().await {
            self.event(event)?;
        }
        self.answer(id, result.map(|accepted| SessionFrame::Accepted { id, accepted }))
    }

    fn replied(&mut self, id: u64, result: Result<Reply, CommandError>) -> Result<(), FrontEndGone> {
        self.answer(id, result.map(|reply| SessionFrame::Reply { id, reply }))
    }

    fn answer(&mut self, id: u64, answer: Result<SessionFrame, CommandError>) -> Result<(), FrontEndGone> {
        let refusal =
            |refused: CommandError| SessionFrame::Refused { id, message: refused.to_string(), refused };
        self.out.write(&answer.unwrap_or_else(refusal))
    }
}

/// What came of the command on its way.
async fn sent(sending: &mut Option<PendingCommand>) -> (u64, Result<CommandAccepted, CommandError>) {
    let Some(on_its_way) = sending else { return std::future::pending().await };
    let result = on_its_way.await;
    *sending = None;
    result
}
