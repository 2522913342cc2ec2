//! What the last line of a turn needs, gathered while it runs.

use std::collections::HashMap;

use forelook_protocol::{AgentId, AnswerBlock, Body, CallId, Entry, HostAnswer, ToolCall, Verdict};

/// A turn of the main agent's.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The model's last words.
    pub(super) words: String,
    /// Calls that were refused, a subagent's too.
    pub(super) denials: Vec<ToolCall>,
    /// Whether something was asked and nobody was there.
    pub(super) nobody: bool,
    /// Whether calls were running when it was interrupted.
    pub(super) cut_calls: bool,
    /// The plan, as the last review left it.
    pub(super) plan: Option<String>,
    calls: HashMap<(Option<AgentId>, CallId), ToolCall>,
}

impl Turn {
    /// A turn that came to nothing but words.
    pub(super) fn of_words(words: String) -> Self {
        Self { words, ..Self::default() }
    }

    /// The tool that a running call is of.
    pub(super) fn tool_of(&self, agent: Option<&AgentId>, call: &CallId) -> Option<&str> {
        let call = self.calls.get(&(agent.cloned(), call.clone()))?;
        Some(&call.name)
    }

    /// Takes an entry of any agent's.
    pub(super) fn hear(&mut self, entry: &Entry) {
        let main = entry.agent.is_none();
        match &entry.body {
            Body::Answer(answered) => {
                if main {
                    self.words = words(&answered.blocks);
                }
                for call in calls(&answered.blocks) {
                    self.calls.insert((entry.agent.clone(), call.id.clone()), call.clone());
                }
            }
            Body::Finished(finished) => {
                let call = self.calls.remove(&(entry.agent.clone(), finished.result.call.clone()));
                match finished.verdict {
                    Verdict::Denied => self.denials.extend(call),
                    Verdict::Interrupted if main => self.cut_calls = true,
                    Verdict::Interrupted | Verdict::Ran | Verdict::Invalid => {}
                }
            }
            Body::Reply(replied) => self.nobody |= replied.answer == HostAnswer::Nobody,
            Body::Review(reviewed) if main => self.plan.clone_from(&reviewed.plan),
            _ => {}
        }
    }
}

pub(super) fn calls(blocks: &[AnswerBlock]) -> impl Iterator<Item = &ToolCall> {
    blocks.iter().filter_map(|block| match block {
        AnswerBlock::ToolUse(call) => Some(call),
        AnswerBlock::Text { .. } | AnswerBlock::Thinking { .. } | AnswerBlock::Sealed { .. } => None,
    })
}

fn words(blocks: &[AnswerBlock]) -> String {
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            AnswerBlock::Text { text } => Some(text.as_str()),
            AnswerBlock::Thinking { .. } | AnswerBlock::Sealed { .. } | AnswerBlock::ToolUse(_) => None,
        })
        .collect();
    texts.join("\n")
}
