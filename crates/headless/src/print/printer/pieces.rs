//! Answers while they arrive, attempts that are made again, and calls that take long.

use forelook_protocol::{AgentId, AgentStarted, AnswerEvent, CallId, Retry};
use forelook_view::SessionView;

use super::{Output, Printer};
use crate::print::out::OutputClosed;
use crate::wire::{models, outgoing, partial};

impl Printer {
    pub(super) fn piece(&mut self, agent: Option<&AgentId>, event: &AnswerEvent) -> Result<(), OutputClosed> {
        if let AnswerEvent::Retrying(retry) = event {
            return self.on_retry(agent, retry);
        }
        if self.out.output != (Output::Stream { partial: true }) {
            return Ok(());
        }
        let Some(started) = parent(&self.view, agent) else { return Ok(()) };
        let parent = started.map(|it| &it.call);
        let partial = self.partials.entry(agent.cloned()).or_default();
        for raw in partial.events(event) {
            let line = partial::line(self.out.id(), self.out.session, parent, raw);
            self.out.write(&line.to_string())?;
        }
        Ok(())
    }

    /// A call takes long. Only who reads a stream wants to know: words on the side would come every second.
    pub(super) fn progress(
        &mut self,
        agent: Option<&AgentId>,
        call: &CallId,
        elapsed_ms: u64,
    ) -> Result<(), OutputClosed> {
        let Some(started) = parent(&self.view, agent) else { return Ok(()) };
        let Some(tool) = self.view.calls().tool_of(agent, call) else { return Ok(()) };
        let (uuid, parent) = (self.out.id(), started.map(|it| &it.call));
        self.out.stream(|session| outgoing::tool_progress((uuid, session), parent, (call, tool), elapsed_ms))
    }

    /// Whoever reads a stream is told what became of its pieces; anybody else, on the side, why it takes so long.
    fn on_retry(&mut self, agent: Option<&AgentId>, retry: &Retry) -> Result<(), OutputClosed> {
        let Some(started) = parent(&self.view, agent) else { return Ok(()) };
        if self.out.streams() {
            let (uuid, parent) = (self.out.id(), started.map(|it| &it.call));
            return self.out.stream(|session| models::api_retry(uuid, session, parent, retry));
        }
        let words = forelook_wording::retry_message(retry, None);
        self.out.complain(&match started {
            Some(started) => format!("{} ({}): {words}", started.kind, started.description),
            None => words,
        });
        Ok(())
    }
}

/// How the agent began, with the call that started it; nothing for the main agent. Nothing at all for one that was
/// started before we came.
fn parent<'a>(view: &'a SessionView, agent: Option<&AgentId>) -> Option<Option<&'a AgentStarted>> {
    match agent {
        None => Some(None),
        Some(id) => view.agents().get(id).map(|agent| Some(&agent.started)),
    }
}
