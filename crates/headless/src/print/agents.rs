//! Subagents on the wire: told with the call that started them, so that a host can keep them apart.

use std::collections::HashMap;

use forelook_protocol::{AgentId, AgentStarted, Body, CallId, Entry};
use jiff::Timestamp;

use super::out::{Out, Unheard};
use super::turn::calls;
use crate::wire::agents::{self, Progress};
use crate::wire::outgoing;
use crate::wire::partial::Partial;

/// The subagents that are running.
#[derive(Default)]
pub(super) struct Agents {
    running: HashMap<AgentId, Agent>,
}

/// A subagent that is running.
struct Agent {
    started: AgentStarted,
    partial: Partial,
    progress: Progress,
    since: Timestamp,
}

impl Agent {
    fn new(started: &AgentStarted, since: Timestamp) -> Self {
        Self { started: started.clone(), partial: Partial::default(), progress: Progress::default(), since }
    }

    /// Counts an answer of its own, and says which tool it asked for last.
    fn answered<'a>(&mut self, entry: &'a Entry) -> Option<&'a str> {
        let Body::Answer(answered) = &entry.body else { return None };
        self.progress.usage += answered.usage;
        let took = entry.time.duration_since(self.since).as_millis();
        self.progress.took_ms = u64::try_from(took).unwrap_or(0);
        let mut last = None;
        for call in calls(&answered.blocks) {
            self.progress.calls += 1;
            last = Some(call.name.as_str());
        }
        last
    }
}

impl Agents {
    /// Whether the agent is one of ours. One that we never saw begin was started before we came.
    pub(super) fn know(&mut self, id: &AgentId, entry: &Entry) -> bool {
        if let Body::AgentStarted(started) = &entry.body {
            self.running.insert(id.clone(), Agent::new(started, entry.time));
        }
        self.running.contains_key(id)
    }

    /// What counts the pieces of its answers, and the call that started it.
    pub(super) fn partial(&mut self, id: &AgentId) -> Option<(&mut Partial, &CallId)> {
        self.running.get_mut(id).map(|agent| (&mut agent.partial, &agent.started.call))
    }

    /// How it began.
    pub(super) fn started(&self, id: &AgentId) -> Option<&AgentStarted> {
        self.running.get(id).map(|agent| &agent.started)
    }

    /// Tells what it did.
    pub(super) fn tell(&mut self, out: &mut Out, id: &AgentId, entry: &Entry) -> Result<(), Unheard> {
        let Some(agent) = self.running.get_mut(id) else { return Ok(()) };
        let last = agent.answered(entry);
        let (which, parent) = ((id, &agent.started), Some(&agent.started.call));
        match &entry.body {
            Body::AgentStarted(started) => {
                let uuid = out.id();
                out.stream(|session| agents::started(uuid, session, id, started))
            }
            Body::Answer(answered) => {
                out.stream(|session| outgoing::assistant(entry, session, parent, answered))?;
                let uuid = out.id();
                out.stream(|session| agents::progress(uuid, session, which, agent.progress, last))
            }
            Body::Finished(finished) => {
                out.stream(|session| outgoing::tool_result(entry, session, parent, finished))
            }
            Body::AgentEnded(ended) => {
                let uuid = out.id();
                out.stream(|session| agents::ended(uuid, session, which, ended))?;
                self.running.remove(id);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
