//! Turns events into output.

mod input;
mod pieces;
mod prompts;
mod results;

use std::collections::HashMap;
use std::sync::Arc;

use forelook_protocol::{
    AgentId, Body, Clock, Command, EndReason, Entry, Event, Live, Query, Reply, SessionPort, Snapshot, Status,
};
use forelook_view::SessionView;
use serde_json::Value;

use super::Output;
use super::agents;
use super::control::Models;
use super::host::Host;
use super::out::{Out, Unheard};
use super::owed::Owed;
use crate::wire::partial::Partial;
use crate::wire::{outgoing, plan};

/// The front end itself: what it knows, and what it has to say.
pub(super) struct Printer {
    pub(super) out: Out,
    session: Arc<dyn SessionPort>,
    view: SessionView,
    host: Host,
    clock: Arc<dyn Clock>,
    status: Status,
    models: Models,
    /// What counts the pieces of answers, the main agent's and others'.
    partials: HashMap<Option<AgentId>, Partial>,
    /// How many prompts wait for what an editor reports: that is their result.
    editors: usize,
    owed: Owed,
    last: Option<EndReason>,
    pub(super) stopped: bool,
    bad_input: bool,
    line_number: usize,
}

impl Printer {
    pub(super) fn new(
        session: Arc<dyn SessionPort>,
        out: Out,
        host: Host,
        clock: Arc<dyn Clock>,
        snapshot: &Snapshot,
    ) -> Self {
        Self {
            out,
            session,
            view: SessionView::new(snapshot),
            host,
            clock,
            status: snapshot.status.clone(),
            models: Models { first: snapshot.status.model.clone(), known: Vec::new() },
            partials: HashMap::new(),
            editors: 0,
            owed: Owed::default(),
            last: None,
            stopped: false,
            bad_input: false,
            line_number: 0,
        }
    }

    /// Tells what runs already, and puts what is open to the host.
    pub(super) async fn begin(&mut self, snapshot: &Snapshot) -> Result<(), Unheard> {
        if snapshot.turn.is_some() {
            self.turn_begin().await?;
        }
        for request in &snapshot.requests {
            let line = self.host.opened(request);
            self.tell(line)?;
        }
        Ok(())
    }

    /// Whether nothing is running and nothing is owed.
    pub(super) fn idle(&self) -> bool {
        self.view.turns().is_idle() && (self.editors == 0 || self.stopped)
    }

    /// Whether nothing more is to be read, though there may be something.
    pub(super) fn gives_up(&self) -> bool {
        self.stopped || self.bad_input
    }

    /// A wish to stop.
    pub(super) async fn stop(&mut self) {
        self.stopped = true;
        let _ = self.session.send(Command::Interrupt).await;
    }

    pub(super) async fn event(&mut self, event: Event) -> Result<(), Unheard> {
        // Nothing that is printed here depends on the time, and everything has a form of its own on the wire.
        self.view.apply(&event, 0);
        self.view.take_items();
        match event {
            Event::Recorded(entry) => match &entry.agent {
                None => self.recorded(&entry).await,
                Some(agent) => self.of_agent(agent, &entry),
            },
            Event::Live(Live::Answer { agent, event }) => self.piece(agent.as_ref(), &event),
            Event::Live(Live::Progress { agent, call, elapsed_ms, .. }) => {
                self.progress(agent.as_ref(), &call, elapsed_ms)
            }
            Event::Live(Live::Output { .. } | Live::Closed) => Ok(()),
            Event::Live(Live::Notice(notice)) => self.out.notice(&notice),
            Event::Live(Live::PlanEditor(told)) => self.editor(&told),
            Event::Live(Live::Request(request)) => {
                let line = self.host.opened(&request);
                self.tell(line)
            }
            Event::Live(Live::RequestClosed { request, .. }) => {
                let line = self.host.closed(request);
                self.tell(line)
            }
            Event::Live(Live::Unrecorded { turn, reason }) => {
                self.turn_end(&outgoing::unrecorded(turn, &reason)).await
            }
        }
    }

    async fn recorded(&mut self, entry: &Entry) -> Result<(), Unheard> {
        self.question(&entry.body)?;
        match &entry.body {
            Body::TurnStarted(_) => self.turn_begin().await,
            Body::Answer(answered) => {
                self.out.stream(|session| outgoing::assistant(entry, session, None, answered))
            }
            Body::Finished(finished) => {
                self.out.stream(|session| outgoing::tool_result(entry, session, None, finished))
            }
            Body::RehearsalApplied(applied) => {
                self.out.stream(|session| plan::applied(entry.id, session, applied))
            }
            Body::TurnEnd(ended) => self.turn_end(ended).await,
            _ => Ok(()),
        }
    }

    /// An entry of a subagent's. One that we never saw begin was started before we came.
    fn of_agent(&mut self, id: &AgentId, entry: &Entry) -> Result<(), Unheard> {
        self.question(&entry.body)?;
        if matches!(entry.body, Body::AgentEnded(_)) {
            self.partials.remove(&Some(id.clone()));
        }
        let Some(agent) = self.view.agents().get(id) else { return Ok(()) };
        agents::tell(&mut self.out, agent, entry)
    }

    fn question(&mut self, body: &Body) -> Result<(), Unheard> {
        let line = match body {
            Body::Question(opened) => self.host.opened(&opened.question),
            Body::Reply(replied) => self.host.closed(replied.question),
            Body::Review(reviewed) => reviewed.question.and_then(|question| self.host.closed(question)),
            _ => None,
        };
        self.tell(line)
    }

    /// A line of the stream, if there is one to tell.
    fn tell(&mut self, line: Option<Value>) -> Result<(), Unheard> {
        line.map_or(Ok(()), |line| self.out.stream(|_| line))
    }

    async fn turn_begin(&mut self) -> Result<(), Unheard> {
        if self.stopped {
            // It waited behind the one that was stopped, and is not wanted any more either.
            let _ = self.session.send(Command::Interrupt).await;
        }
        self.look().await;
        let line = outgoing::init(self.out.id(), &self.status);
        self.out.stream(|_| line)
    }

    /// Looks how things stand.
    async fn look(&mut self) {
        if let Ok(Reply::Status(status)) = self.session.query(Query::Status).await {
            self.status = status;
        }
    }
}
