//! What all three servers demand of a conversation: every call has its result, right after the answer it is in.

use std::collections::HashSet;

use forelook_protocol::{AnswerBlock, Message, UserBlock};

/// Whether calls and results belong together.
pub(super) fn check(messages: &[Message]) -> Result<(), String> {
    let mut ids = HashSet::new();
    let mut due: Vec<String> = Vec::new();
    for message in messages {
        match message {
            Message::User(blocks) => {
                for result in blocks.iter().filter_map(result_of) {
                    let Some(at) = due.iter().position(|id| *id == result) else {
                        return Err(format!("the result of `{result}` follows no answer with that call"));
                    };
                    due.remove(at);
                }
                if let Some(id) = due.first() {
                    return Err(format!("the call `{id}` has no result in what follows it"));
                }
            }
            Message::Assistant(blocks) => {
                if let Some(id) = due.first() {
                    return Err(format!("the call `{id}` is followed by another answer"));
                }
                due = blocks.iter().filter_map(call_of).collect();
                if let Some(id) = due.iter().find(|id| !ids.insert((*id).clone())) {
                    return Err(format!("the id `{id}` is used by two calls"));
                }
            }
        }
    }
    due.first().map_or(Ok(()), |id| Err(format!("the call `{id}` has no result")))
}

fn result_of(block: &UserBlock) -> Option<String> {
    match block {
        UserBlock::ToolResult(result) => Some(result.call.0.clone()),
        UserBlock::Text { .. } | UserBlock::Image { .. } => None,
    }
}

fn call_of(block: &AnswerBlock) -> Option<String> {
    match block {
        AnswerBlock::ToolUse(call) => Some(call.id.0.clone()),
        AnswerBlock::Text { .. } | AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } => None,
    }
}
