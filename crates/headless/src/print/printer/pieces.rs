//! Answers while they arrive, attempts that are made again, and calls that take long.

use forelook_protocol::{AgentId, AnswerEvent, CallId, Retry};

use super::{Output, Printer};
use crate::print::out::Unheard;
use crate::wire::{models, outgoing, partial};

impl Printer {
    pub(super) fn piece(&mut self, agent: Option<&AgentId>, event: &AnswerEvent) -> Result<(), Unheard> {
        if let AnswerEvent::Again(retry) = event {
            return self.again(agent, retry);
        }
        if self.out.output != (Output::Stream { partial: true }) {
            return Ok(());
        }
        let (partial, parent) = match agent {
            None => (&mut self.partial, None),
            Some(id) => match self.agents.partial(id) {
                Some((partial, call)) => (partial, Some(call)),
                None => return Ok(()),
            },
        };
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
    ) -> Result<(), Unheard> {
        let parent = match agent.map(|id| self.agents.started(id)) {
            None => None,
            Some(Some(started)) => Some(&started.call),
            // It was started before we came.
            Some(None) => return Ok(()),
        };
        let Some(tool) = self.turn.tool_of(agent, call) else { return Ok(()) };
        let uuid = self.out.id();
        self.out.stream(|session| outgoing::tool_progress((uuid, session), parent, (call, tool), elapsed_ms))
    }

    /// Whoever reads a stream is told what became of its pieces; anybody else, on the side, why it takes so long.
    fn again(&mut self, agent: Option<&AgentId>, retry: &Retry) -> Result<(), Unheard> {
        let started = match agent.map(|id| self.agents.started(id)) {
            None => None,
            Some(Some(started)) => Some(started),
            // It was started before we came.
            Some(None) => return Ok(()),
        };
        if self.out.streams() {
            let (uuid, parent) = (self.out.id(), started.map(|it| &it.call));
            return self.out.stream(|session| models::again(uuid, session, parent, retry));
        }
        let words = forelook_wording::again(retry, None);
        self.out.complain(&match started {
            Some(started) => format!("{} ({}): {words}", started.kind, started.description),
            None => words,
        });
        Ok(())
    }
}
