//! How things stood at each moment of a journal: what a decision about a call depended on.

use std::collections::HashMap;

use forelook_permissions::{AgentKind, PermissionPolicy, child_mode_state};
use forelook_protocol::{
    AbsPath, AgentId, AgentStarted, AnswerBlock, CallId, Entry, EntryBody, PlanNamed, SessionEffect, ToolCall,
};

/// Where an agent works.
pub(super) struct CallFolders {
    pub(super) project: AbsPath,
    pub(super) folder: AbsPath,
}

/// How things stand after some entries.
pub(super) struct JournalState<'a> {
    policy: PermissionPolicy,
    project: Option<AbsPath>,
    /// Where the shell of each agent is, if it went elsewhere.
    folders: HashMap<Option<&'a AgentId>, AbsPath>,
    agents: HashMap<&'a AgentId, &'a AgentStarted>,
    plan: Option<&'a PlanNamed>,
    /// Two agents may use the same ids.
    calls: HashMap<(Option<&'a AgentId>, &'a CallId), &'a ToolCall>,
}

impl<'a> JournalState<'a> {
    pub(super) fn new(policy: PermissionPolicy) -> Self {
        Self {
            policy,
            project: None,
            folders: HashMap::new(),
            agents: HashMap::new(),
            plan: None,
            calls: HashMap::new(),
        }
    }

    /// Takes the next entry.
    pub(super) fn apply(&mut self, entry: &'a Entry) {
        let agent = entry.agent.as_ref();
        match &entry.body {
            EntryBody::SessionHeader(header) => {
                self.policy.folders = vec![header.folder.clone()];
                self.project = Some(header.folder.clone());
            }
            EntryBody::ModeChanged(set) => self.policy.mode_state = set.mode_state,
            EntryBody::PlanReviewed(reviewed) => self.policy.mode_state = reviewed.mode_state,
            EntryBody::PlanNamed(named) => self.plan = Some(named),
            EntryBody::AgentStarted(started) => {
                self.agents.extend(agent.map(|agent| (agent, started)));
            }
            EntryBody::ModelAnswered(answered) => {
                self.calls.extend(answered.blocks.iter().filter_map(|block| match block {
                    AnswerBlock::ToolUse(call) => Some(((agent, &call.id), call)),
                    AnswerBlock::Text { .. } | AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } => {
                        None
                    }
                }));
            }
            EntryBody::ToolFinished(finished) => {
                self.folders.extend(finished.effects.iter().filter_map(|effect| match effect {
                    SessionEffect::SetFolder { folder } => Some((agent, folder.clone())),
                    _ => None,
                }));
            }
            _ => {}
        }
    }

    /// The call of this agent with this id.
    pub(super) fn call(&self, agent: Option<&AgentId>, id: &CallId) -> Option<&'a ToolCall> {
        self.calls.get(&(agent, id)).copied()
    }

    /// Where this agent works.
    pub(super) fn folders(&self, agent: Option<&AgentId>) -> Option<CallFolders> {
        let project = self.project.clone()?;
        let folder = self.folders.get(&agent).unwrap_or(&project).clone();
        Some(CallFolders { project, folder })
    }

    /// What decides about this agent.
    pub(super) fn policy(&self, agent: Option<&AgentId>) -> PermissionPolicy {
        let mut policy = self.policy.clone();
        policy.plan_file = self.plan.map(|named| named.path.clone());
        let Some((id, started)) = agent.and_then(|id| self.agents.get(id).map(|started| (id, *started)))
        else {
            return policy;
        };
        policy.agent = if started.read_only { AgentKind::ReadOnly } else { AgentKind::Sub };
        policy.plan_file = self.plan.and_then(|named| own_plan(named, id));
        policy.mode_state = child_mode_state(policy.mode_state, started.mode);
        policy
    }
}

/// The file of a subagent's own plan, beside the session's.
fn own_plan(named: &PlanNamed, agent: &AgentId) -> Option<AbsPath> {
    let folder = named.path.parent()?;
    Some(folder.join(format!("{}-agent-{agent}.md", named.slug)))
}
