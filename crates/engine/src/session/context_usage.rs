//! What fills the model's context window, for a person who wants to know where the room went.

use std::collections::HashMap;

use forelook_protocol::{ContextPart, ContextPartKind, ContextUsage, Message};

use super::Session;
use super::size::{size, tokens, tools_size};
use crate::classifier::Author;

impl Session {
    /// What the next request of the main agent would be made of.
    pub(super) fn context_usage(&self) -> ContextUsage {
        let model = self.config.models.resolve(self.model()).ok();
        let window = model.as_ref().and_then(|model| model.facts.window);
        let thread = &self.state.main;
        let mut parts = self.runtime.prompt.sizes();
        let tools = tools_size(self.runtime.tools.snapshot().specs());
        parts.push((ContextPartKind::Tools, None, tools));
        let mut said: HashMap<ContextPartKind, usize> = HashMap::new();
        for authored in thread.conversation.authored_messages() {
            *said.entry(kind(&authored.author, &authored.message)).or_default() += size(&authored.message);
        }
        let kinds = [
            ContextPartKind::Prompts,
            ContextPartKind::Results,
            ContextPartKind::Answers,
            ContextPartKind::Reminders,
        ];
        parts.extend(kinds.into_iter().map(|kind| (kind, None, said.remove(&kind).unwrap_or_default())));
        let estimated: usize = parts.iter().map(|(_, _, bytes)| bytes).sum();
        let used = match thread.context_tokens {
            0 => tokens(estimated),
            counted => counted.saturating_add(tokens(thread.conversation.bytes().since_answer)),
        };
        let part = |(kind, name, bytes): (ContextPartKind, Option<String>, usize)| ContextPart {
            kind,
            name,
            tokens: share(used, bytes, estimated),
        };
        let parts = parts.into_iter().filter(|(_, _, bytes)| *bytes > 0).map(part).collect();
        let limit = self.config.compaction.limit(window);
        ContextUsage { model: self.model().to_owned(), window, limit, used, parts }
    }
}

/// A summary is the model's, and yet no answer: it stands where reminders do.
fn kind(author: &Author, message: &Message) -> ContextPartKind {
    match (author, message) {
        (Author::Prompt(_), _) => ContextPartKind::Prompts,
        (Author::Results, _) => ContextPartKind::Results,
        (Author::Model, Message::Assistant(_)) => ContextPartKind::Answers,
        (Author::Reminder, _) | (Author::Model, Message::User(_)) => ContextPartKind::Reminders,
    }
}

/// The part of the tokens that so many of all bytes are: the provider counts only the whole.
fn share(used: u64, bytes: usize, all: usize) -> u64 {
    let (bytes, all) = (wide(bytes), wide(all).max(1));
    u64::try_from(u128::from(used) * bytes / all).unwrap_or(u64::MAX)
}

fn wide(bytes: usize) -> u128 {
    u128::try_from(bytes).unwrap_or(u128::MAX >> 64)
}

#[cfg(test)]
mod tests {
    use forelook_protocol::UserBlock;

    use super::*;

    #[test]
    fn the_whole_is_split_by_bytes() {
        assert_eq!((share(1_000, 1, 4), share(1_000, 0, 0), share(u64::MAX, 9, 9)), (250, 0, u64::MAX));
    }

    #[test]
    fn a_summary_is_no_answer() {
        let summary = Message::User(vec![UserBlock::text("…")]);
        assert_eq!(kind(&Author::Model, &summary), ContextPartKind::Reminders);
    }
}
