//! How things stood at each moment of a journal: what a decision about a call depended on.

use std::collections::HashMap;

use forelook_permissions::{AgentKind, Policy, narrowed};
use forelook_protocol::{
    AbsPath, AgentId, AgentStarted, AnswerBlock, Body, CallId, Effect, Entry, PlanNamed, ToolCall,
};

/// Where an agent works.
pub(super) struct Place {
    pub(super) project: AbsPath,
    pub(super) folder: AbsPath,
}

/// How things stand after some entries.
pub(super) struct Moment<'a> {
    policy: Policy,
    project: Option<AbsPath>,
    /// Where the shell of each agent is, if it went elsewhere.
    folders: HashMap<Option<&'a AgentId>, AbsPath>,
    agents: HashMap<&'a AgentId, &'a AgentStarted>,
    plan: Option<&'a PlanNamed>,
    /// Two agents may use the same ids.
    calls: HashMap<(Option<&'a AgentId>, &'a CallId), &'a ToolCall>,
}

impl<'a> Moment<'a> {
    pub(super) fn new(policy: Policy) -> Self {
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
    pub(super) fn hear(&mut self, entry: &'a Entry) {
        let agent = entry.agent.as_ref();
        match &entry.body {
            Body::Session(header) => {
                self.policy.folders = vec![header.folder.clone()];
                self.project = Some(header.folder.clone());
            }
            Body::Mode(set) => self.policy.standing = set.standing,
            Body::Review(reviewed) => self.policy.standing = reviewed.standing,
            Body::PlanNamed(named) => self.plan = Some(named),
            Body::AgentStarted(started) => {
                self.agents.extend(agent.map(|agent| (agent, started)));
            }
            Body::Answer(answered) => {
                self.calls.extend(answered.blocks.iter().filter_map(|block| match block {
                    AnswerBlock::ToolUse(call) => Some(((agent, &call.id), call)),
                    AnswerBlock::Text { .. } | AnswerBlock::Thinking { .. } | AnswerBlock::Sealed { .. } => {
                        None
                    }
                }));
            }
            Body::Finished(finished) => {
                self.folders.extend(finished.effects.iter().filter_map(|effect| match effect {
                    Effect::SetFolder { folder } => Some((agent, folder.clone())),
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
    pub(super) fn place(&self, agent: Option<&AgentId>) -> Option<Place> {
        let project = self.project.clone()?;
        let folder = self.folders.get(&agent).unwrap_or(&project).clone();
        Some(Place { project, folder })
    }

    /// What decides about this agent.
    pub(super) fn policy(&self, agent: Option<&AgentId>) -> Policy {
        let mut policy = self.policy.clone();
        policy.plan_file = self.plan.map(|named| named.path.clone());
        let Some((id, started)) = agent.and_then(|id| self.agents.get(id).map(|started| (id, *started)))
        else {
            return policy;
        };
        policy.agent = if started.read_only { AgentKind::ReadOnly } else { AgentKind::Sub };
        policy.plan_file = self.plan.and_then(|named| own_plan(named, id));
        policy.standing = narrowed(policy.standing, started.mode);
        policy
    }
}

/// The file of a subagent's own plan, beside the session's.
fn own_plan(named: &PlanNamed, agent: &AgentId) -> Option<AbsPath> {
    let folder = named.path.parent()?;
    Some(folder.join(format!("{}-agent-{agent}.md", named.slug)))
}
