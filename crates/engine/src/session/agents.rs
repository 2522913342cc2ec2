//! Subagents begin, and hosts define kinds of them.

use std::sync::Arc;

use forelook_permissions::child_mode_state;
use forelook_plan::{ReaderTools, reminder_text};
use forelook_protocol::{
    AgentId, AgentStarted, CommandError, EntryBody, Origin, PromptAccepted, Reminder, ReminderKind, UserBlock,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Session;
use super::tasks::AgentAtWork;
use crate::agents::{agents_from_json, merge_agents};
use crate::call::ToolRuntime;
use crate::handle::RecordError;
use crate::turn::Subagents;

/// How many subagents one turn may begin. Far more than a plan needs; a model that asks for more has lost its way.
const MAX_IN_A_TURN: usize = 100;

/// How much of an id names an agent: it stands in file names and on screens.
const SHORT: usize = 8;

impl Session {
    pub(super) async fn begin_agent(
        &mut self,
        started: AgentStarted,
        prompt: String,
        cancel: CancellationToken,
    ) -> Result<Result<AgentId, String>, RecordError> {
        if self.state.agents_started >= MAX_IN_A_TURN {
            return Ok(Err(format!(
                "{MAX_IN_A_TURN} agents were already started in this turn, which is the limit; do the rest yourself"
            )));
        }
        let id = self.config.ids.next().simple().to_string();
        let id = AgentId(id[id.len() - SHORT..].to_owned());
        let read_only = started.read_only;
        if child_mode_state(self.state.mode_state, started.mode).is_planning() {
            // Its plan file has a name of the session's, which has none where it never planned.
            self.name_plan().await?;
        }
        let mut bodies = vec![
            EntryBody::AgentStarted(started),
            EntryBody::PromptAccepted(PromptAccepted {
                origin: Origin::Agent,
                ..PromptAccepted::person(vec![UserBlock::text(prompt)])
            }),
        ];
        if read_only {
            let kind = ReminderKind::ReadOnlyAgent;
            let text = reminder_text(&kind, &self.config.planning.workflow, &ReaderTools::default());
            bodies.push(EntryBody::Reminder(Reminder { kind, text }));
        }
        self.record_for(Some(id.clone()), bodies).await?;
        self.agents_at_work.retain(|id, _| self.state.agents.contains_key(id));
        let since = crate::clock::instant();
        self.agents_at_work.insert(id.clone(), AgentAtWork { cancel, since });
        self.allow_rehearsals();
        Ok(Ok(id))
    }

    /// Kinds that a host brings along, over those that are there.
    pub(super) fn define_agents(&mut self, agents: &Value) -> Result<(), CommandError> {
        if self.state.turn.is_some() || !self.state.main.conversation.messages().is_empty() {
            return Err(CommandError::Agents(
                "the conversation has started; define agents before the first prompt".into(),
            ));
        }
        let (kinds, problems) = agents_from_json(agents);
        for problem in problems {
            self.warn(&problem.text);
        }
        let known = std::mem::take(&mut self.config.agent_catalog.kinds);
        self.config.agent_catalog.kinds = merge_agents([known, kinds]);
        let listings = self.config.agent_catalog.kinds.iter().map(|kind| kind.listing()).collect();
        self.runtime.tools.set_agents(listings);
        let agents = Arc::new(Subagents::new(&self.config, Arc::clone(&self.runtime.prompt)));
        self.runtime = Arc::new(ToolRuntime { agents, ..(*self.runtime).clone() });
        self.reset_tool_prefixes();
        Ok(())
    }
}
