//! Answers while they arrive, and attempts that are made again.

use forelook_protocol::{AgentId, AnswerEvent, Retry};

use super::{Output, Printer};
use crate::figures;
use crate::print::out::Unheard;
use crate::wire::{models, partial};

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

    /// Whoever reads a stream is told what became of its pieces; anybody else, on the side, why it takes so long.
    fn again(&mut self, agent: Option<&AgentId>, retry: &Retry) -> Result<(), Unheard> {
        let started = match agent.map(|id| self.agents.started(id)) {
            None => None,
            Some(Some(started)) => Some(started),
            // It belongs to a session that is being made whole.
            Some(None) => return Ok(()),
        };
        if self.out.streams() {
            let (uuid, parent) = (self.out.id(), started.map(|it| &it.call));
            return self.out.stream(|session| models::again(uuid, session, parent, retry));
        }
        let words = figures::again(retry, None);
        self.out.complain(&match started {
            Some(started) => format!("{} ({}): {words}", started.kind, started.description),
            None => words,
        });
        Ok(())
    }
}
