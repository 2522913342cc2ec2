//! How many pictures a conversation can hold. Providers refuse a request with more, and then every later one too.
//!
//! When there are too many the oldest go, half of them at once: each time costs the provider's cache of everything after
//! the first that goes, so it must be seldom. It is part of the fold, so a session that is loaded again is the same.

use std::sync::Arc;

use forelook_protocol::{Message, Part, UserBlock};
use forelook_providers::Kept;

/// What the strictest provider takes in one request, with room for words: 32 MB and 100 pictures.
const MOST: Weight = Weight { bytes: 20 * 1024 * 1024, pictures: 80 };

/// What stands where a picture was.
const GONE: &str = "[A picture stood here. It was left out because the conversation has too many; \
                    look at its file again if you need it]";

/// What pictures come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Weight {
    bytes: usize,
    pictures: usize,
}

impl Weight {
    fn one(data: &str) -> Self {
        Self { bytes: data.len(), pictures: 1 }
    }

    fn and(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, pictures: self.pictures + other.pictures }
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(other.bytes),
            pictures: self.pictures.saturating_sub(other.pictures),
        }
    }

    fn within(self, limit: Self) -> bool {
        self.bytes <= limit.bytes && self.pictures <= limit.pictures
    }

    fn half(self) -> Self {
        Self { bytes: self.bytes / 2, pictures: self.pictures / 2 }
    }

    /// What the pictures of a message weigh.
    pub(super) fn of(message: &Message) -> Self {
        let Message::User(blocks) = message else { return Self::default() };
        blocks.iter().fold(Self::default(), |sum, block| match block {
            UserBlock::Text { .. } => sum,
            UserBlock::Image { data, .. } => sum.and(Self::one(data)),
            UserBlock::ToolResult(result) => result.content.iter().fold(sum, |sum, part| match part {
                Part::Text { .. } => sum,
                Part::Image { data, .. } => sum.and(Self::one(data)),
            }),
        })
    }

    /// Adds the newest message, and takes out the oldest pictures if there are too many then.
    pub(super) fn push(&mut self, messages: &mut Vec<Arc<Kept<Message>>>, message: Arc<Kept<Message>>) {
        let new = Self::of(&message);
        messages.push(message);
        *self = self.and(new);
        if self.within(MOST) {
            return;
        }
        // What was just shown is what the model is about to look at: it goes only if it is too much by itself.
        let keep = if new.within(MOST) { MOST.half().larger(new) } else { MOST };
        for message in messages {
            if self.within(keep) {
                break;
            }
            if Self::of(message).pictures > 0 {
                *message = Arc::new(Kept::new(self.lighten((**message).clone(), keep)));
            }
        }
    }

    fn larger(self, other: Self) -> Self {
        Self { bytes: self.bytes.max(other.bytes), pictures: self.pictures.max(other.pictures) }
    }

    /// Takes pictures out of a message until all are within `keep`.
    fn lighten(&mut self, message: Message, keep: Self) -> Message {
        let Message::User(mut blocks) = message else { return message };
        for block in &mut blocks {
            match block {
                UserBlock::Text { .. } => {}
                UserBlock::Image { data, .. } => {
                    if !self.within(keep) {
                        *self = self.without(Self::one(data));
                        *block = UserBlock::text(GONE);
                    }
                }
                UserBlock::ToolResult(result) => {
                    for part in &mut result.content {
                        if let Part::Image { data, .. } = part
                            && !self.within(keep)
                        {
                            *self = self.without(Self::one(data));
                            *part = Part::Text { text: GONE.to_owned() };
                        }
                    }
                }
            }
        }
        Message::User(blocks)
    }
}

#[cfg(test)]
mod tests {
    use forelook_protocol::{CallId, ToolResult};
    use proptest::prelude::*;

    use super::*;

    fn shown(sizes: &[usize]) -> Message {
        let image = |size: &usize| Part::Image { media_type: "image/png".into(), data: "A".repeat(*size) };
        let content = sizes.iter().map(image).collect();
        let result = ToolResult { call: CallId("c".into()), content, is_error: false };
        Message::User(vec![UserBlock::text("x"), UserBlock::ToolResult(result)])
    }

    fn pushed(all: &[Message]) -> (Weight, Vec<Arc<Kept<Message>>>) {
        let (mut weight, mut messages) = (Weight::default(), Vec::new());
        for message in all {
            weight.push(&mut messages, Arc::new(Kept::new(message.clone())));
        }
        (weight, messages)
    }

    fn left(messages: &[Arc<Kept<Message>>]) -> Vec<usize> {
        messages.iter().map(|message| Weight::of(message).pictures).collect()
    }

    #[test]
    fn the_oldest_half_goes_and_the_rest_stays_as_it_is() {
        let one = shown(&[100]);
        let (_, before) = pushed(&vec![one.clone(); MOST.pictures]);
        assert!(left(&before).iter().all(|&count| count == 1), "as many as there may be");
        let (weight, after) = pushed(&vec![one; MOST.pictures + 1]);
        assert_eq!(weight.pictures, MOST.pictures / 2);
        let gone = MOST.pictures + 1 - MOST.pictures / 2;
        assert!(left(&after[..gone]).iter().all(|&count| count == 0));
        assert!(left(&after[gone..]).iter().all(|&count| count == 1));
        let text = serde_json::to_string(&**after[0]).unwrap();
        assert!(text.contains("A picture stood here"), "{text}");
    }

    #[test]
    fn what_was_just_shown_stays() {
        let large = MOST.bytes - 10;
        let (_, messages) = pushed(&[shown(&[5]), shown(&[6]), shown(&[large])]);
        assert_eq!(left(&messages), [0, 0, 1]);
        // Unless it alone is too much for any request.
        let (weight, messages) = pushed(&[shown(&[large, large])]);
        assert_eq!((left(&messages), weight.bytes), (vec![1], large));
        let person = UserBlock::Image { media_type: "image/png".into(), data: "A".repeat(MOST.bytes + 1) };
        let (weight, messages) = pushed(&[Message::User(vec![person])]);
        assert_eq!((left(&messages), weight), (vec![0], Weight::default()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Whatever is shown: it is never too much, nothing is miscounted, and nothing but pictures goes.
        #[test]
        fn never_too_much(counts in proptest::collection::vec(0_usize..4, 1..40), size in 1_usize..900_000) {
            let all: Vec<Message> = counts.iter().map(|&count| shown(&vec![size; count])).collect();
            let (weight, messages) = pushed(&all);
            prop_assert!(weight.within(MOST));
            let sum = messages.iter().fold(Weight::default(), |sum, message| sum.and(Weight::of(message)));
            prop_assert_eq!(sum, weight);
            prop_assert_eq!(messages.len(), all.len());
            let newest = all.last().map(Weight::of);
            prop_assert_eq!(messages.last().map(|it| Weight::of(it)), newest);
        }
    }
}
