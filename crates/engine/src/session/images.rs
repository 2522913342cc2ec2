//! How many pictures a conversation can hold. Providers refuse a request with more, and then every later one too.
//!
//! When there are too many the oldest go, half of them at once: each time costs the provider's cache of everything after
//! the first that goes, so it must be seldom. It is part of the fold, so a session that is loaded again is the same.

use std::sync::Arc;

use forelook_protocol::{Message, ResultBlock, UserBlock};
use forelook_providers::WireCached;

/// What the strictest provider takes in one request, with room for words: 32 MB and 100 pictures.
const LIMIT: ImageUsage = ImageUsage { bytes: 20 * 1024 * 1024, images: 80 };

/// What stands where a picture was.
const PLACEHOLDER: &str = "[An image was here. It was left out because the conversation has too many; view its file \
                           again if you need it]";

/// What pictures come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ImageUsage {
    bytes: usize,
    images: usize,
}

impl ImageUsage {
    fn one(data: &str) -> Self {
        Self { bytes: data.len(), images: 1 }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, images: self.images + other.images }
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(other.bytes),
            images: self.images.saturating_sub(other.images),
        }
    }

    fn fits(self, limit: Self) -> bool {
        self.bytes <= limit.bytes && self.images <= limit.images
    }

    fn half(self) -> Self {
        Self { bytes: self.bytes / 2, images: self.images / 2 }
    }

    /// What the pictures of a message weigh.
    pub(super) fn of(message: &Message) -> Self {
        let Message::User(blocks) = message else { return Self::default() };
        blocks.iter().fold(Self::default(), |sum, block| match block {
            UserBlock::Text { .. } => sum,
            UserBlock::Image { data, .. } => sum.and(Self::one(data)),
            UserBlock::ToolResult(result) => result.content.iter().fold(sum, |sum, part| match part {
                ResultBlock::Text { .. } => sum,
                ResultBlock::Image { data, .. } => sum.and(Self::one(data)),
            }),
        })
    }

    /// Adds the newest message, and takes out the oldest pictures if there are too many then.
    pub(super) fn push(
        &mut self,
        messages: &mut Vec<Arc<WireCached<Message>>>,
        message: Arc<WireCached<Message>>,
    ) {
        let new = Self::of(&message);
        messages.push(message);
        *self = self.and(new);
        if self.fits(LIMIT) {
            return;
        }
        // What was just shown is what the model is about to look at: it goes only if it is too much by itself.
        let keep = if new.fits(LIMIT) { LIMIT.half().larger(new) } else { LIMIT };
        for message in messages {
            if self.fits(keep) {
                break;
            }
            if Self::of(message).images > 0 {
                *message = Arc::new(WireCached::new(self.drop_images((**message).clone(), keep)));
            }
        }
    }

    fn larger(self, other: Self) -> Self {
        Self { bytes: self.bytes.max(other.bytes), images: self.images.max(other.images) }
    }

    /// Takes pictures out of a message until all are within `keep`.
    fn drop_images(&mut self, message: Message, keep: Self) -> Message {
        let Message::User(mut blocks) = message else { return message };
        for block in &mut blocks {
            match block {
                UserBlock::Text { .. } => {}
                UserBlock::Image { data, .. } => {
                    if !self.fits(keep) {
                        *self = self.without(Self::one(data));
                        *block = UserBlock::text(PLACEHOLDER);
                    }
                }
                UserBlock::ToolResult(result) => {
                    for part in &mut result.content {
                        if let ResultBlock::Image { data, .. } = part
                            && !self.fits(keep)
                        {
                            *self = self.without(Self::one(data));
                            *part = ResultBlock::Text { text: PLACEHOLDER.to_owned() };
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
        let image =
            |size: &usize| ResultBlock::Image { media_type: "image/png".into(), data: "A".repeat(*size) };
        let content = sizes.iter().map(image).collect();
        let result = ToolResult { call: CallId("c".into()), content, is_error: false };
        Message::User(vec![UserBlock::text("x"), UserBlock::ToolResult(result)])
    }

    fn pushed(all: &[Message]) -> (ImageUsage, Vec<Arc<WireCached<Message>>>) {
        let (mut image_usage, mut messages) = (ImageUsage::default(), Vec::new());
        for message in all {
            image_usage.push(&mut messages, Arc::new(WireCached::new(message.clone())));
        }
        (image_usage, messages)
    }

    fn left(messages: &[Arc<WireCached<Message>>]) -> Vec<usize> {
        messages.iter().map(|message| ImageUsage::of(message).images).collect()
    }

    #[test]
    fn the_oldest_half_goes_and_the_rest_stays_as_it_is() {
        let one = shown(&[100]);
        let (_, before) = pushed(&vec![one.clone(); LIMIT.images]);
        assert!(left(&before).iter().all(|&count| count == 1), "as many as there may be");
        let (image_usage, after) = pushed(&vec![one; LIMIT.images + 1]);
        assert_eq!(image_usage.images, LIMIT.images / 2);
        let gone = LIMIT.images + 1 - LIMIT.images / 2;
        assert!(left(&after[..gone]).iter().all(|&count| count == 0));
        assert!(left(&after[gone..]).iter().all(|&count| count == 1));
        let text = serde_json::to_string(&**after[0]).unwrap();
        assert!(text.contains("An image was here"), "{text}");
    }

    #[test]
    fn what_was_just_shown_stays() {
        let large = LIMIT.bytes - 10;
        let (_, messages) = pushed(&[shown(&[5]), shown(&[6]), shown(&[large])]);
        assert_eq!(left(&messages), [0, 0, 1]);
        // Unless it alone is too much for any request.
        let (image_usage, messages) = pushed(&[shown(&[large, large])]);
        assert_eq!((left(&messages), image_usage.bytes), (vec![1], large));
        let person = UserBlock::Image { media_type: "image/png".into(), data: "A".repeat(LIMIT.bytes + 1) };
        let (image_usage, messages) = pushed(&[Message::User(vec![person])]);
        assert_eq!((left(&messages), image_usage), (vec![0], ImageUsage::default()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Whatever is shown: it is never too much, nothing is miscounted, and nothing but pictures goes.
        #[test]
        fn never_too_much(counts in proptest::collection::vec(0_usize..4, 1..40), size in 1_usize..900_000) {
            let all: Vec<Message> = counts.iter().map(|&count| shown(&vec![size; count])).collect();
            let (image_usage, messages) = pushed(&all);
            prop_assert!(image_usage.fits(LIMIT));
            let sum = messages.iter().fold(ImageUsage::default(), |sum, message| sum.and(ImageUsage::of(message)));
            prop_assert_eq!(sum, image_usage);
            prop_assert_eq!(messages.len(), all.len());
            let newest = all.last().map(ImageUsage::of);
            prop_assert_eq!(messages.last().map(|it| ImageUsage::of(it)), newest);
        }
    }
}
