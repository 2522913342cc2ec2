//! What of a journal is shown, in the order in which one reads it: calls with their results, what agents did under them.

use std::collections::HashMap;
use std::sync::Arc;

use forelook_protocol::{AgentId, AnswerBlock, Body, CallId, EndReason, Entry, ToolCall};

/// Something to read.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) entry: Arc<Entry>,
    /// For a call that ended: the answer that asked for it, and which of its blocks.
    call: Option<(Arc<Entry>, usize)>,
}

/// The items of a journal. More may come while it is looked at.
#[derive(Debug, Default)]
pub(crate) struct Items {
    all: Vec<Item>,
    calls: HashMap<(Option<AgentId>, CallId), (Arc<Entry>, usize)>,
    /// Behind the last item of each agent.
    ends: HashMap<AgentId, usize>,
}

impl Item {
    /// The call that ended here.
    pub(crate) fn call(&self) -> Option<&ToolCall> {
        let (entry, at) = self.call.as_ref()?;
        match &entry.body {
            Body::Answer(answered) => match answered.blocks.get(*at)? {
                AnswerBlock::ToolUse(call) => Some(call),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn is_agents(&self) -> bool {
        self.entry.agent.is_some()
    }
}

impl Items {
    pub(crate) fn new(entries: &[Arc<Entry>]) -> Self {
        let mut items = Self::default();
        for entry in entries {
            items.push(entry);
        }
        items
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Item> {
        self.all.get(at)
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Takes an entry; where it was put, if it is one to read.
    pub(crate) fn push(&mut self, entry: &Arc<Entry>) -> Option<usize> {
        if let Body::Answer(answered) = &entry.body {
            for (at, block) in answered.blocks.iter().enumerate() {
                if let AnswerBlock::ToolUse(call) = block {
                    self.calls.insert((entry.agent.clone(), call.id.clone()), (Arc::clone(entry), at));
                }
            }
        }
        if !is_read(&entry.body) {
            return None;
        }
        let call = match &entry.body {
            Body::Finished(finished) => {
                self.calls.remove(&(entry.agent.clone(), finished.result.call.clone()))
            }
            _ => None,
        };
        let at = entry.agent.as_ref().and_then(|agent| self.ends.get(agent)).copied();
        let at = at.unwrap_or(self.all.len());
        for end in self.ends.values_mut().filter(|end| **end > at) {
            *end += 1;
        }
        if let Some(agent) = &entry.agent {
            self.ends.insert(agent.clone(), at + 1);
        }
        self.all.insert(at, Item { entry: Arc::clone(entry), call });
        Some(at)
    }
}

/// Whether there is something to read in it for a person.
fn is_read(body: &Body) -> bool {
    match body {
        Body::Answer(answered) => answered.blocks.iter().any(|block| match block {
            AnswerBlock::Text { text } | AnswerBlock::Thinking { thinking: text, .. } => {
                !text.trim().is_empty()
            }
            AnswerBlock::Sealed { .. } | AnswerBlock::ToolUse(_) => false,
        }),
        Body::TurnEnd(ended) => ended.reason != EndReason::Done,
        Body::Prompt(_)
        | Body::Finished(_)
        | Body::ShellEnded(_)
        | Body::Review(_)
        | Body::RehearsalApplied(_)
        | Body::AgentStarted(_)
        | Body::Mode(_)
        | Body::Permission(_)
        | Body::Model(_) => true,
        Body::Session(_)
        | Body::TurnStarted(_)
        | Body::PromptBlocked(_)
        | Body::Queued(_)
        | Body::Decision(_)
        | Body::Started(_)
        | Body::SmallAnswer(_)
        | Body::ShellStarted(_)
        | Body::Question(_)
        | Body::Reply(_)
        | Body::PlanNamed(_)
        | Body::FileSnapshot(_)
        | Body::AgentEnded(_)
        | Body::Reminder(_)
        | Body::Unknown { .. } => false,
    }
}
