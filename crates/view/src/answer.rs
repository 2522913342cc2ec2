//! The streaming response.
//!
//! Live events are passed on at once, but the recorded response is what counts. A slow front end may have missed parts
//! of it: whatever was not passed on yet is passed on when the response is recorded.

use std::hash::{DefaultHasher, Hasher};

use forelook_protocol::{AnswerBlock, AnswerEvent, Retry};

use crate::{TextUpdate, ViewItem};

/// Roughly how many characters make a token.
const LETTERS_PER_TOKEN: usize = 4;

/// A response in progress.
#[derive(Debug, Default)]
pub struct StreamingAnswer {
    open: OpenBlock,
    /// The text blocks received so far.
    received: Vec<ReceivedText>,
    /// The number of characters received so far, of all kinds.
    letters: usize,
    retry: Option<(Retry, bool)>,
}

/// The open block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OpenBlock {
    /// No block.
    #[default]
    Nothing,
    /// Text.
    Text,
    /// Thinking.
    Thinking {
        /// When it started, in milliseconds on the front end's clock.
        since: u64,
    },
    /// The input of a tool call.
    Call {
        /// The tool's name, as the model wrote it.
        tool: String,
    },
}

/// What has been received of a text block: enough to know what is missing.
#[derive(Debug, Clone, Default)]
struct ReceivedText {
    length: usize,
    /// Independent of how the text was split. Hashing byte by byte (FNV) took 10 ms for a response of 5 MB, and the
    /// screen did not react to keys in that time.
    hash: DefaultHasher,
}

impl ReceivedText {
    fn push(&mut self, text: &str) {
        self.length += text.len();
        self.hash.write(text.as_bytes());
    }

    /// The rest of the text after what was received; `None` if the text starts differently or nothing is left.
    fn rest<'a>(&self, text: &'a str) -> Option<&'a str> {
        let (before, rest) = text.split_at_checked(self.length).filter(|(before, _)| !before.is_empty())?;
        let mut same = Self::default();
        same.push(before);
        (same.hash.finish() == self.hash.finish()).then_some(rest)
    }
}

impl StreamingAnswer {
    /// The open block.
    pub fn open(&self) -> &OpenBlock {
        &self.open
    }

    /// Roughly how many tokens have been received.
    pub fn tokens(&self) -> usize {
        self.letters / LETTERS_PER_TOKEN
    }

    /// The pending retry, and whether text from the previous attempt was passed on.
    pub fn retry(&self) -> Option<(&Retry, bool)> {
        self.retry.as_ref().map(|(retry, void)| (retry, *void))
    }

    /// Whether any of its text was passed on.
    pub fn has_partial_text(&self) -> bool {
        self.received.iter().any(|received| received.length > 0)
    }

    /// Handles one part of the response.
    pub(crate) fn piece(&mut self, event: &AnswerEvent, now: u64, items: &mut Vec<ViewItem>) {
        match event {
            AnswerEvent::TextStarted => {
                self.begin(OpenBlock::Text, items);
                self.received.push(ReceivedText::default());
                items.push(ViewItem::Text(TextUpdate::Started));
            }
            AnswerEvent::Text { text } => self.text(text, items),
            AnswerEvent::ThinkingStarted => {
                self.retry = None;
                self.begin(OpenBlock::Thinking { since: now }, items);
            }
            AnswerEvent::CallStarted { name, .. } => {
                self.retry = None;
                self.begin(OpenBlock::Call { tool: name.clone() }, items);
            }
            AnswerEvent::Thinking { text } | AnswerEvent::Input { json: text } => self.letters += text.len(),
            AnswerEvent::BlockEnded => self.begin(OpenBlock::Nothing, items),
            AnswerEvent::Retrying(retry) => self.restart(retry, items),
            AnswerEvent::Started { .. }
            | AnswerEvent::Signature { .. }
            | AnswerEvent::Opaque { .. }
            | AnswerEvent::Done { .. }
            | AnswerEvent::Failed(_) => {}
        }
    }

    fn text(&mut self, text: &str, items: &mut Vec<ViewItem>) {
        self.retry = None;
        self.letters += text.len();
        if self.open != OpenBlock::Text {
            return;
        }
        if let Some(received) = self.received.last_mut() {
            received.push(text);
        }
        items.push(ViewItem::Text(TextUpdate::Appended(text.to_owned())));
    }

    /// Discards what has been received.
    fn restart(&mut self, retry: &Retry, items: &mut Vec<ViewItem>) {
        let void = self.has_partial_text();
        self.drop_open(items);
        *self = Self { retry: Some((retry.clone(), void)), ..Self::default() };
        items.push(ViewItem::Retry { agent: None, retry: retry.clone(), void });
    }

    /// Closes the open block and opens this one.
    fn begin(&mut self, block: OpenBlock, items: &mut Vec<ViewItem>) {
        if std::mem::replace(&mut self.open, block) == OpenBlock::Text {
            items.push(ViewItem::Text(TextUpdate::Ended));
        }
    }

    fn drop_open(&mut self, items: &mut Vec<ViewItem>) {
        if std::mem::take(&mut self.open) == OpenBlock::Text {
            items.push(ViewItem::Text(TextUpdate::Dropped));
        }
    }

    /// The turn ended before the response was recorded. The text that was passed on stays.
    pub(crate) fn abandoned(mut self, items: &mut Vec<ViewItem>) {
        self.begin(OpenBlock::Nothing, items);
    }

    /// The response was recorded: passes on what is missing, and nothing twice.
    pub(crate) fn recorded(mut self, blocks: &[AnswerBlock], items: &mut Vec<ViewItem>) {
        let texts = blocks.iter().filter_map(|block| match block {
            AnswerBlock::Text { text } => Some(text.as_str()),
            _ => None,
        });
        let (updates, goes_on, any) = self.missing(texts);
        match (any, goes_on) {
            (false, _) => self.begin(OpenBlock::Nothing, items),
            (true, true) => {}
            (true, false) => self.drop_open(items),
        }
        items.extend(updates.into_iter().map(ViewItem::Text));
        let thinking = blocks.iter().filter_map(|block| match block {
            AnswerBlock::Thinking { thinking, .. } if !thinking.is_empty() => Some(thinking.clone()),
            _ => None,
        });
        items.extend(thinking.map(ViewItem::Thinking));
    }

    /// The missing parts of these texts; whether the open block is one of them; whether there are any texts.
    fn missing<'a>(&self, texts: impl Iterator<Item = &'a str>) -> (Vec<TextUpdate>, bool, bool) {
        let (mut words, mut next, mut any) = (Vec::new(), 0, false);
        let mut open = self.open == OpenBlock::Text;
        let was_open = open;
        for text in texts {
            any = true;
            let later = self.received.iter().enumerate().skip(next);
            let found = later.filter_map(|(at, received)| received.rest(text).map(|rest| (at, rest))).next();
            let Some((at, rest)) = found else {
                words.push(TextUpdate::Whole(text.to_owned()));
                continue;
            };
            next = at + 1;
            // The last received block may still be open: it continues where it is.
            if next == self.received.len() && std::mem::take(&mut open) {
                words.extend((!rest.is_empty()).then(|| TextUpdate::Appended(rest.to_owned())));
                words.push(TextUpdate::Ended);
            } else if !rest.trim().is_empty() {
                // It was closed before its end. Half a word cannot continue further down, so the whole text is
                // repeated.
                words.push(TextUpdate::Whole(text.to_owned()));
            }
        }
        (words, was_open && !open, any)
    }
}
