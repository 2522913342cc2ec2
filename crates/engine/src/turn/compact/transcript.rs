//! A conversation as text, for a model that cannot be sent the conversation itself.

use std::fmt::Write;
use std::sync::Arc;

use forelook_protocol::{AnswerBlock, Message, ResultBlock, UserBlock, shorten_middle};
use forelook_providers::WireCached;

/// Bytes of one part of the conversation. A result that is longer says what it is by then.
const MAX_PART: usize = 4_000;

/// The text of a conversation, at most so many bytes of it: of one that is longer, its beginning and its end. Tells how many
/// bytes that are.
pub(super) fn transcript(messages: &[Arc<WireCached<Message>>], room: Option<usize>) -> (String, usize) {
    let mut text = String::from("This is the conversation so far:\n");
    for message in messages {
        match &***message {
            Message::User(blocks) => blocks.iter().for_each(|block| user(&mut text, block)),
            Message::Assistant(blocks) => blocks.iter().for_each(|block| answer(&mut text, block)),
        }
    }
    let room = room.unwrap_or(text.len() / 2).min(text.len());
    (shorten_middle(&text, room), room)
}

fn user(text: &mut String, block: &UserBlock) {
    match block {
        UserBlock::Text { text: words } => part(text, "Told", words),
        UserBlock::Image { .. } => part(text, "Told", "[an image]"),
        UserBlock::ToolResult(result) => {
            for block in &result.content {
                match block {
                    ResultBlock::Text { text: words } => part(text, "Result", words),
                    ResultBlock::Image { .. } => part(text, "Result", "[an image]"),
                }
            }
        }
    }
}

fn answer(text: &mut String, block: &AnswerBlock) {
    match block {
        AnswerBlock::Text { text: words } => part(text, "You", words),
        AnswerBlock::ToolUse(call) => part(text, "You called", &format!("{} {}", call.name, call.input)),
        AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } => {}
    }
}

fn part(text: &mut String, who: &str, words: &str) {
    let _ = write!(text, "\n{who}: {}\n", shorten_middle(words, MAX_PART));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_conversation_keeps_its_ends() {
        let said: Vec<_> = (0..1_000)
            .map(|number| {
                let words = UserBlock::text(format!("words {number} {}", "é".repeat(50)));
                Arc::new(WireCached::new(Message::User(vec![words])))
            })
            .collect();
        let (all, _) = transcript(&said, Some(usize::MAX));
        let (text, room) = transcript(&said, Some(10_000));
        assert!(all.len() > 100_000 && text.len() < 10_100 && room == 10_000);
        assert!(text.contains("words 0 ") && text.contains("words 999 ") && !text.contains("words 500 "));
    }
}
