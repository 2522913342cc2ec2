//! Turns events into output.

mod input;
mod pieces;
mod prompts;
mod refusals;
mod results;
mod reviews;

use std::collections::HashMap;
use std::sync::Arc;

use forelook_protocol::{
    AgentId, Clock, Command, EndReason, Entry, EntryBody, Event, HostRequest, LiveEvent, PlanReviewed, Query,
    Reply, RequestId, SessionPort, SessionSnapshot, Status, TurnId,
};
use forelook_view::{SessionView, ViewItem};
use forelook_wording::{AttachedLine, attached_lines};
use serde_json::Value;

use super::Output;
use super::agents;
use super::control::Models;
use super::host::HostChannel;
use super::out::{OutputClosed, PrintOutput};
use super::owed::OwedResults;
use crate::wire::partial::PartialMessages;
use crate::wire::{outgoing, plan};

/// The front end itself: what it knows, and what it has to say.
pub(super) struct Printer {
    pub(super) out: PrintOutput,
    session: Arc<dyn SessionPort>,
    view: SessionView,
    host: HostChannel,
    clock: Arc<dyn Clock>,
    status: Status,
    models: Models,
    /// What counts the pieces of answers, the main agent's and others'.
    partials: HashMap<Option<AgentId>, PartialMessages>,
    owed: OwedResults,
    /// The review that is open, and whether no call waits for it.
    review: Option<(RequestId, bool)>,
    /// The turn that runs.
    turn: Option<TurnId>,
    /// Prompts come from a program: nothing is taken up before its first one.
    prompts_first: bool,
    /// There was one.
    spoken: bool,
    /// How the prompt ended whose result was printed last.
    last: Option<EndReason>,
    /// Why nothing is saved any more: no turn is a success from then on.
    journal_lost: Option<String>,
    pub(super) stopped: bool,
    /// The session broke off.
    broken: bool,
    bad_input: bool,
    line_number: usize,
}

impl Printer {
    pub(super) fn new(
        session: Arc<dyn SessionPort>,
        out: PrintOutput,
        host: HostChannel,
        clock: Arc<dyn Clock>,
        snapshot: &SessionSnapshot,
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
            owed: OwedResults::default(),
            review: None,
            turn: snapshot.turn,
            prompts_first: false,
            spoken: false,
            last: None,
            journal_lost: None,
            stopped: false,
            broken: false,
            bad_input: false,
            line_number: 0,
        }
    }

    /// Tells what runs already, and puts what is open to the host.
    pub(super) async fn begin(&mut self, snapshot: &SessionSnapshot) -> Result<(), OutputClosed> {
        if let Some(turn) = snapshot.turn {
            self.turn_begin(turn).await?;
        }
        for request in &snapshot.requests {
            self.opened(request)?;
        }
        Ok(())
    }

    /// Prompts come from a program, as they come.
    pub(super) fn prompts_first(&mut self) {
        self.prompts_first = true;
    }

    /// Something was begun before there was a prompt: it has a result too.
    pub(super) fn begun(&mut self) {
        self.owed.begun();
    }

    /// Whether nothing is running and nothing is owed. What an earlier process left undone waits for the first prompt, and
    /// is nobody's until then.
    pub(super) fn idle(&self) -> bool {
        let waits = self.owed.awaits_turn() || (self.owed.awaits_editor() && !self.stopped);
        let runs = self.view.turns().is_running() && (self.spoken || !self.prompts_first);
        !runs && !waits
    }

    /// A wish to stop.
    pub(super) async fn stop(&mut self) {
        self.stopped = true;
        let _ = self.session.send(Command::Interrupt).await;
    }

    pub(super) async fn event(&mut self, event: Event) -> Result<(), OutputClosed> {
        // Nothing that is printed here depends on the time, and everything has a form of its own on the wire.
        self.view.apply(&event, 0);
        for item in self.view.take_items() {
            if let ViewItem::Call(ended) = item {
                self.call_refused(&ended);
            }
        }
        match event {
            Event::Recorded(entry) => match &entry.agent {
                None => self.recorded(&entry).await,
                Some(agent) => self.of_agent(agent, &entry),
            },
            Event::Live(LiveEvent::Answer { agent, event }) => self.piece(agent.as_ref(), &event),
            Event::Live(LiveEvent::Progress { agent, call, elapsed_ms, .. }) => {
                self.progress(agent.as_ref(), &call, elapsed_ms)
            }
            Event::Live(LiveEvent::Output { .. } | LiveEvent::Closed) => Ok(()),
            Event::Live(LiveEvent::Notice(notice)) => self.out.notice(&notice),
            Event::Live(LiveEvent::JournalLost(notice)) => {
                let told = self.out.notice(&notice);
                self.journal_lost = Some(notice.text);
                told
            }
            Event::Live(LiveEvent::Failed(notice)) => self.failed(&notice),
            Event::Live(LiveEvent::PlanEditor(told)) => self.editor(&told),
            Event::Live(LiveEvent::Request(request)) => {
                let line = self.host.opened(&request);
                self.tell(line)
            }
            Event::Live(LiveEvent::RequestClosed { request, .. }) => self.taken_back(request),
            Event::Live(LiveEvent::Unrecorded { turn, reason }) => {
                self.turn_end(&outgoing::unrecorded(turn, &reason)).await
            }
            Event::Live(LiveEvent::NotStarted { prompt, message }) => self.not_started(prompt, message),
        }
    }

    async fn recorded(&mut self, entry: &Entry) -> Result<(), OutputClosed> {
        self.question(&entry.body)?;
        match &entry.body {
            EntryBody::TurnStarted(started) => self.turn_begin(started.turn).await,
            EntryBody::PromptAccepted(accepted) => {
                accepted.queued.zip(self.turn).into_iter().for_each(|(it, turn)| self.owed.joins(it, turn));
                Ok(())
            }
            EntryBody::ModelAnswered(answered) => {
                self.out.stream(|session| outgoing::assistant(entry, session, None, answered))
            }
            EntryBody::ToolFinished(finished) => {
                self.out.stream(|session| outgoing::tool_result(entry, session, None, finished))
            }
            EntryBody::RehearsalApplied(applied) => {
                self.out.stream(|session| plan::applied(entry.id, session, applied))
            }
            EntryBody::FilesAttached(attached) => {
                for line in attached_lines(attached) {
                    if let AttachedLine::Refused(text) = line {
                        self.out.warn(text);
                    }
                }
                Ok(())
            }
            EntryBody::TurnEnded(ended) => {
                self.turn_end(ended).await?;
                self.host.turn_over(&mut self.out, &*self.session).await
            }
            EntryBody::PlanReviewed(reviewed) => self.reviewed(reviewed),
            EntryBody::PromptsWithdrawn(withdrawn) => self.withdrawn(&withdrawn.prompts),
            _ => Ok(()),
        }
    }

    /// An entry of a subagent's. One that we never saw begin was started before we came.
    fn of_agent(&mut self, id: &AgentId, entry: &Entry) -> Result<(), OutputClosed> {
        self.question(&entry.body)?;
        if matches!(entry.body, EntryBody::AgentEnded(_)) {
            self.partials.remove(&Some(id.clone()));
        }
        let Some(agent) = self.view.agents().get(id) else { return Ok(()) };
        agents::tell(&mut self.out, agent, entry)
    }

    fn question(&mut self, body: &EntryBody) -> Result<(), OutputClosed> {
        match body {
            EntryBody::QuestionOpened(opened) => self.opened(&opened.question),
            EntryBody::QuestionClosed(replied) => {
                self.taken_back(replied.question)?;
                self.review_closed(replied)
            }
            EntryBody::PlanReviewed(PlanReviewed { question: Some(question), .. }) => {
                self.taken_back(*question)
            }
            _ => Ok(()),
        }
    }

    /// A request is open: it is put to the host, if it is the host's to answer.
    fn opened(&mut self, request: &HostRequest) -> Result<(), OutputClosed> {
        self.review_opened(request);
        let line = self.host.opened(request);
        self.tell(line)
    }

    /// A request is not open any more.
    fn taken_back(&mut self, request: RequestId) -> Result<(), OutputClosed> {
        let line = self.host.closed(&mut self.out, request);
        self.tell(line)
    }

    /// A line of the stream, if there is one to tell.
    fn tell(&mut self, line: Option<Value>) -> Result<(), OutputClosed> {
        line.map_or(Ok(()), |line| self.out.stream(|_| line))
    }

    async fn turn_begin(&mut self, turn: TurnId) -> Result<(), OutputClosed> {
        self.turn = Some(turn);
        self.owed.turn_begins(turn);
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
