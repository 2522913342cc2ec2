//! What of a journal is shown, in the order in which one reads it: calls with their results, what agents did under them.

use std::collections::HashMap;
use std::sync::Arc;

use forelook_protocol::{AgentId, AnswerBlock, CallId, EndReason, Entry, EntryBody, Origin, ToolCall};
use forelook_view::PersonTexts;

/// Something to read.
#[derive(Debug, Clone)]
pub(crate) struct TranscriptItem {
    pub(crate) entry: Arc<Entry>,
    /// For a call that ended: the answer that asked for it, and which of its blocks.
    call: Option<(Arc<Entry>, usize)>,
    /// What the person reads instead of the call's result.
    pub(crate) person_text: Option<String>,
}

/// The items of a journal. More may come while it is looked at.
#[derive(Debug, Default)]
pub(crate) struct TranscriptItems {
    all: Vec<TranscriptItem>,
    calls: HashMap<(Option<AgentId>, CallId), (Arc<Entry>, usize)>,
    /// Behind the last item of each agent.
    ends: HashMap<AgentId, usize>,
    person_texts: PersonTexts,
}

impl TranscriptItem {
    /// The call that ended here.
    pub(crate) fn call(&self) -> Option<&ToolCall> {
        let (entry, at) = self.call.as_ref()?;
        match &entry.body {
            EntryBody::ModelAnswered(answered) => match answered.blocks.get(*at)? {
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

impl TranscriptItems {
    pub(crate) fn new(entries: &[Arc<Entry>]) -> Self {
        let mut items = Self::default();
        for entry in entries {
            items.push(entry);
        }
        items
    }

    pub(crate) fn get(&self, at: usize) -> Option<&TranscriptItem> {
        self.all.get(at)
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Takes an entry; where it was put, if it is one to read.
    pub(crate) fn push(&mut self, entry: &Arc<Entry>) -> Option<usize> {
        self.person_texts.read(entry);
        if let EntryBody::ModelAnswered(answered) = &entry.body {
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
            EntryBody::ToolFinished(finished) => {
                self.calls.remove(&(entry.agent.clone(), finished.result.call.clone()))
            }
            _ => None,
        };
        let mut item = TranscriptItem { entry: Arc::clone(entry), call, person_text: None };
        if let EntryBody::ToolFinished(finished) = &entry.body {
            item.person_text = self.person_texts.take(entry.agent.as_ref(), item.call(), finished);
        }
        let at = entry.agent.as_ref().and_then(|agent| self.ends.get(agent)).copied();
        let at = at.unwrap_or(self.all.len());
        for end in self.ends.values_mut().filter(|end| **end > at) {
            *end += 1;
        }
        if let Some(agent) = &entry.agent {
            self.ends.insert(agent.clone(), at + 1);
        }
        self.all.insert(at, item);
        Some(at)
    }
}

/// Whether there is something to read in it for a person.
fn is_read(body: &EntryBody) -> bool {
    match body {
        EntryBody::ModelAnswered(answered) => answered.blocks.iter().any(|block| match block {
            AnswerBlock::Text { text } | AnswerBlock::Thinking { thinking: text, .. } => {
                !text.trim().is_empty()
            }
            AnswerBlock::Opaque { .. } | AnswerBlock::ToolUse(_) => false,
        }),
        EntryBody::TurnEnded(ended) => ended.reason != EndReason::Done,
        // The answer to the review says it already.
        EntryBody::PromptAccepted(accepted) => accepted.origin != Origin::Review,
        EntryBody::FilesAttached(_)
        | EntryBody::Compacted(_)
        | EntryBody::ToolFinished(_)
        | EntryBody::UserShellEnded(_)
        | EntryBody::PlanReviewed(_)
        | EntryBody::RehearsalApplied(_)
        | EntryBody::AgentStarted(_)
        | EntryBody::ModeChanged(_)
        | EntryBody::PermissionsChanged(_)
        | EntryBody::ModelChanged(_) => true,
        EntryBody::SessionHeader(_)
        | EntryBody::TurnStarted(_)
        | EntryBody::PromptBlocked(_)
        | EntryBody::PromptQueued(_)
        | EntryBody::PromptsWithdrawn(_)
        | EntryBody::PermissionDecided(_)
        | EntryBody::ToolStarted(_)
        | EntryBody::FileBefore(_)
        | EntryBody::ResultsCleared(_)
        | EntryBody::SmallModelAnswered(_)
        | EntryBody::UserShellStarted(_)
        | EntryBody::ShellEnded(_)
        | EntryBody::QuestionOpened(_)
        | EntryBody::QuestionClosed(_)
        | EntryBody::ReviewDrafted(_)
        | EntryBody::PlanNamed(_)
        | EntryBody::FileSnapshot(_)
        | EntryBody::AgentEnded(_)
        | EntryBody::Reminder(_)
        | EntryBody::Unknown { .. } => false,
    }
}
