//! Turns events into output.

mod pieces;
mod prompts;

use std::sync::Arc;

use forelook_protocol::{
    AgentId, Body, Clock, EndReason, Entry, Event, Live, NoticeLevel, Query, Reply, SessionPort, Status,
    TurnEnded,
};

use super::Output;
use super::agents::Agents;
use super::control::{self, Models};
use super::editor::Editor;
use super::host::Host;
use super::out::{Out, Unheard};
use super::turn::Turn;
use crate::Ended;
use crate::turns::{Heard, Turns};
use crate::wire::incoming::{self, Incoming};
use crate::wire::outgoing::{self, Outcome};
use crate::wire::partial::Partial;
use crate::wire::plan;

/// The front end itself: what it knows, and what it has to say.
pub(super) struct Printer {
    pub(super) out: Out,
    pub(super) turns: Turns,
    pub(super) host: Host,
    clock: Arc<dyn Clock>,
    status: Status,
    models: Models,
    partial: Partial,
    turn: Turn,
    agents: Agents,
    /// A `/plan` whose consequences are not all heard, with the prompts that had been taken before it.
    asked: Option<usize>,
    /// What was shown since then, in words.
    shown: Vec<String>,
    editor: Editor,
    /// Results of prompts that began no turn, which wait until no turn is running.
    owed: Vec<(EndReason, String)>,
    last: Option<EndReason>,
    pub(super) stopped: bool,
    pub(super) bad_input: bool,
    line_number: usize,
}

impl Printer {
    pub(super) fn new(out: Out, host: Host, clock: Arc<dyn Clock>, status: Status) -> Self {
        Self {
            out,
            host,
            clock,
            turns: Turns::new(&status),
            models: Models { first: status.model.clone(), known: Vec::new() },
            status,
            partial: Partial::default(),
            turn: Turn::default(),
            agents: Agents::default(),
            asked: None,
            shown: Vec::new(),
            editor: Editor::default(),
            owed: Vec::new(),
            last: None,
            stopped: false,
            bad_input: false,
            line_number: 0,
        }
    }

    /// Whether nothing is running and nothing is owed.
    pub(super) fn idle(&self) -> bool {
        self.turns.idle() && (!self.editor.is_open() || self.stopped)
    }

    pub(super) async fn event(&mut self, session: &dyn SessionPort, event: Event) -> Result<(), Unheard> {
        match event {
            Event::Recorded(entry) => match &entry.agent {
                None => self.recorded(session, &entry).await,
                Some(agent) => self.of_agent(agent, &entry),
            },
            Event::Live(Live::Answer { agent, event }) => self.piece(agent.as_ref(), &event),
            Event::Live(Live::Progress { agent, call, elapsed_ms, .. }) => {
                self.progress(agent.as_ref(), &call, elapsed_ms)
            }
            Event::Live(Live::Output { .. } | Live::Closed) => Ok(()),
            Event::Live(Live::Notice(notice)) => {
                self.out.notice(&notice)?;
                // An editor that could not be opened, or failed, reports so.
                if self.editor.is_open() && notice.level == NoticeLevel::Error {
                    let reason = EndReason::Internal { message: notice.text };
                    self.last = Some(reason.clone());
                    return self.edited(reason, String::new());
                }
                Ok(())
            }
            Event::Live(Live::Plan(shown)) => self.plan(&shown),
            Event::Live(Live::Unrecorded(reason)) => {
                self.turns.end();
                self.turn_end(session, &outgoing::unrecorded(&reason)).await
            }
        }
    }

    async fn recorded(&mut self, session: &dyn SessionPort, entry: &Entry) -> Result<(), Unheard> {
        let heard = self.turns.hear(&entry.body);
        if heard == Heard::Begins {
            self.tell_shown();
            self.turn_begin(session).await?;
        }
        self.question(&entry.body)?;
        // What is recorded outside of a turn makes an old session whole; it is no news.
        if heard == Heard::Outside {
            return Ok(());
        }
        self.turn.hear(entry);
        match &entry.body {
            Body::Answer(answered) => {
                self.out.stream(|session| outgoing::assistant(entry, session, None, answered))
            }
            Body::Finished(finished) => {
                self.out.stream(|session| outgoing::tool_result(entry, session, None, finished))
            }
            Body::RehearsalApplied(applied) => {
                self.out.stream(|session| plan::applied(entry.id, session, applied))
            }
            Body::TurnEnd(ended) => self.turn_end(session, ended).await,
            _ => Ok(()),
        }
    }

    /// An entry of a subagent's. It changes nothing about the turn but what was refused.
    fn of_agent(&mut self, id: &AgentId, entry: &Entry) -> Result<(), Unheard> {
        self.question(&entry.body)?;
        if !self.agents.know(id, entry) {
            return Ok(());
        }
        self.turn.hear(entry);
        self.agents.tell(&mut self.out, id, entry)
    }

    fn question(&mut self, body: &Body) -> Result<(), Unheard> {
        let line = match body {
            Body::Question(opened) => self.host.opened(&opened.question),
            Body::Reply(replied) => self.host.closed(replied.question),
            Body::Review(reviewed) => reviewed.question.and_then(|question| self.host.closed(question)),
            _ => None,
        };
        line.map_or(Ok(()), |line| self.out.stream(|_| line))
    }

    async fn turn_begin(&mut self, session: &dyn SessionPort) -> Result<(), Unheard> {
        self.turn = Turn::default();
        self.look(session).await;
        let line = outgoing::init(self.out.id(), &self.status);
        self.out.stream(|_| line)
    }

    /// Looks how things stand.
    async fn look(&mut self, session: &dyn SessionPort) {
        if let Ok(Reply::Status(status)) = session.query(Query::Status).await {
            self.status = status;
        }
    }

    async fn turn_end(&mut self, session: &dyn SessionPort, ended: &TurnEnded) -> Result<(), Unheard> {
        self.last = Some(ended.reason.clone());
        if self.out.output != Output::Text {
            self.look(session).await;
        }
        let mut turn = std::mem::take(&mut self.turn);
        if let (EndReason::Planned { .. }, Some(plan)) = (&ended.reason, turn.plan.take()) {
            turn.words = plan;
        }
        if let (Output::Text, Some(problem)) = (self.out.output, outgoing::explain(&ended.reason)) {
            self.out.complain(&problem);
        }
        let printed = self.result(ended, &turn);
        self.turn = turn;
        printed?;
        self.pay()
    }

    fn result(&mut self, ended: &TurnEnded, turn: &Turn) -> Result<(), Unheard> {
        if self.out.output != Output::Text {
            let outcome = Outcome {
                session: self.out.session,
                ended,
                words: &turn.words,
                denials: &turn.denials,
                cut_calls: turn.cut_calls,
                spent: &self.status.spent,
                models: &self.models.known,
            };
            let line = outgoing::result(self.out.id(), &outcome);
            return self.out.write(&line.to_string());
        }
        // A plan is printed byte for byte, so that a file made of it has the plan's hash.
        match turn.words.strip_suffix('\n').unwrap_or(&turn.words) {
            "" => Ok(()),
            words => self.out.write(words),
        }
    }

    pub(super) async fn line(&mut self, session: &dyn SessionPort, line: &str) {
        self.line_number += 1;
        if line.trim().is_empty() {
            return;
        }
        match incoming::parse(line) {
            Ok(Incoming::User(content)) => self.prompt(session, content).await,
            Ok(Incoming::Control { id, request }) => {
                let done = control::carry_out(&mut self.out, session, request, &mut self.models).await;
                // A host that is gone will be noticed at the next event.
                let _ = self.out.write(&outgoing::control_response(&id, done).to_string());
            }
            Ok(Incoming::Response { id, response }) => {
                self.host.response(&mut self.out, session, &id, response).await;
            }
            Ok(Incoming::Other(kind)) => tracing::debug!(kind, "a line that is passed over"),
            Err(bad) => {
                let text = format!("Line {} of the input was not understood. {bad}", self.line_number);
                self.out.complain(&text);
                self.bad_input = true;
            }
        }
    }

    /// How the run ended. A host that drives us hears of refused calls itself.
    pub(super) fn ended(&self, streaming_input: bool) -> Ended {
        if self.bad_input {
            return Ended::BadInput;
        }
        let unanswered = self.turn.nobody && !self.turn.denials.is_empty() && !streaming_input;
        match self.last.as_ref().map_or(Ended::Done, Ended::of) {
            Ended::Interrupted => Ended::Interrupted,
            _ if self.stopped => Ended::Interrupted,
            Ended::Done if unanswered && !self.planned() => Ended::NobodyToAsk,
            ended => ended,
        }
    }

    /// The plan is there, or the person did not want it: both are what was asked for.
    fn planned(&self) -> bool {
        matches!(self.last, Some(EndReason::Planned { .. } | EndReason::Parked | EndReason::Abandoned))
    }
}
