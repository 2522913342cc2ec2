//! How much text a message is, to estimate its tokens before the provider has counted them.

use forelook_protocol::{AnswerBlock, Message, ResultBlock, ToolSpec, UserBlock};

/// Providers count a picture as about 1,500 tokens, however many bytes it has.
const IMAGE: usize = 1_500 * BYTES_PER_TOKEN;

/// Bytes of English and of code that make a token, a little on the safe side.
pub(super) const BYTES_PER_TOKEN: usize = 3;

/// The tokens that so many bytes are, about.
pub(super) fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX)
}

/// The size of a system prompt.
pub(super) fn system_size(blocks: &[String]) -> usize {
    blocks.iter().map(String::len).sum()
}

/// The size of the definitions of tools.
pub(super) fn tools_size(tools: &[ToolSpec]) -> usize {
    tools
        .iter()
        .map(|tool| tool.name.len() + tool.description.len() + tool.input_schema.to_string().len())
        .sum()
}

/// The size of a message, in bytes of text.
pub(super) fn size(message: &Message) -> usize {
    match message {
        Message::User(blocks) => blocks.iter().map(user_block).sum(),
        Message::Assistant(blocks) => blocks.iter().map(answer_block).sum(),
    }
}

fn user_block(block: &UserBlock) -> usize {
    match block {
        UserBlock::Text { text } => text.len(),
        UserBlock::Image { .. } => IMAGE,
        UserBlock::ToolResult(result) => result.content.iter().map(result_block).sum(),
    }
}

fn result_block(block: &ResultBlock) -> usize {
    match block {
        ResultBlock::Text { text } => text.len(),
        ResultBlock::Image { .. } => IMAGE,
    }
}

fn answer_block(block: &AnswerBlock) -> usize {
    match block {
        AnswerBlock::Text { text } => text.len(),
        AnswerBlock::Thinking { thinking, signature } => thinking.len() + signature.len(),
        AnswerBlock::Opaque { item, .. } => item.to_string().len(),
        AnswerBlock::ToolUse(call) => call.name.len() + call.input.to_string().len(),
    }
}
