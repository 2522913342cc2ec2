//! The answer that streams.
//!
//! What comes live is handed on at once; what is recorded at the end is what counts. A front end that was slow may have
//! missed pieces: whatever of the record was not handed on is handed on then.

use forelook_protocol::{AnswerBlock, AnswerEvent, Retry};

use crate::{Item, Words};

/// Characters of a text that make a token, roughly.
const LETTERS_PER_TOKEN: usize = 4;

/// An answer on its way.
#[derive(Debug, Default)]
pub struct Answer {
    open: OpenBlock,
    /// The blocks of words that have come.
    heard: Vec<Heard>,
    /// Characters of everything that has come.
    letters: usize,
    retry: Option<(Retry, bool)>,
}

/// The block that is open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OpenBlock {
    /// None.
    #[default]
    Nothing,
    /// Words.
    Words,
    /// Thinking.
    Thinking {
        /// When it began, in milliseconds of the front end's clock.
        since: u64,
    },
    /// The input of a call.
    Call {
        /// The tool's name, as the model wrote it.
        tool: String,
    },
}

/// What has come of a block of words: enough to know what is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Heard {
    length: usize,
    hash: u64,
}

impl Heard {
    const NOTHING: Self = Self { length: 0, hash: 0xcbf2_9ce4_8422_2325 };

    /// FNV: the same however the text is cut.
    fn more(self, text: &str) -> Self {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        Self { length: self.length + text.len(), hash: text.bytes().fold(self.hash, step) }
    }

    /// What follows this in the text, if the text begins with it and there is something to it.
    fn rest(self, text: &str) -> Option<&str> {
        let (before, rest) = text.split_at_checked(self.length).filter(|(before, _)| !before.is_empty())?;
        (Self::NOTHING.more(before) == self).then_some(rest)
    }
}

impl Answer {
    /// The block that is open.
    pub fn open(&self) -> &OpenBlock {
        &self.open
    }

    /// Tokens that have come, roughly.
    pub fn tokens(&self) -> usize {
        self.letters / LETTERS_PER_TOKEN
    }

    /// The attempt that is waited for, and whether words of the one before were handed on.
    pub fn retry(&self) -> Option<(&Retry, bool)> {
        self.retry.as_ref().map(|(retry, void)| (retry, *void))
    }

    /// Whether words of it were handed on.
    pub fn is_half_said(&self) -> bool {
        self.heard.iter().any(|heard| heard.length > 0)
    }

    /// A piece of it.
    pub(crate) fn piece(&mut self, event: &AnswerEvent, now: u64, items: &mut Vec<Item>) {
        match event {
            AnswerEvent::TextStarted => {
                self.begin(OpenBlock::Words, items);
                self.heard.push(Heard::NOTHING);
                items.push(Item::Words(Words::Begun));
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
            AnswerEvent::Again(retry) => self.again(retry, items),
            AnswerEvent::Started { .. }
            | AnswerEvent::Signature { .. }
            | AnswerEvent::Sealed { .. }
            | AnswerEvent::Done { .. }
            | AnswerEvent::Failed(_) => {}
        }
    }

    fn text(&mut self, text: &str, items: &mut Vec<Item>) {
        self.retry = None;
        self.letters += text.len();
        if self.open != OpenBlock::Words {
            return;
        }
        if let Some(heard) = self.heard.last_mut() {
            *heard = heard.more(text);
        }
        items.push(Item::Words(Words::More(text.to_owned())));
    }

    /// What has come is void.
    fn again(&mut self, retry: &Retry, items: &mut Vec<Item>) {
        let void = self.is_half_said();
        self.drop_open(items);
        *self = Self { retry: Some((retry.clone(), void)), ..Self::default() };
        items.push(Item::Retry { agent: None, retry: retry.clone(), void });
    }

    /// The open block is whole, and this one takes its place.
    fn begin(&mut self, block: OpenBlock, items: &mut Vec<Item>) {
        if std::mem::replace(&mut self.open, block) == OpenBlock::Words {
            items.push(Item::Words(Words::Ended));
        }
    }

    fn drop_open(&mut self, items: &mut Vec<Item>) {
        if std::mem::take(&mut self.open) == OpenBlock::Words {
            items.push(Item::Words(Words::Dropped));
        }
    }

    /// The turn is over, and it was not recorded. What was said of it stands all the same.
    pub(crate) fn broke_off(mut self, items: &mut Vec<Item>) {
        self.begin(OpenBlock::Nothing, items);
    }

    /// It is recorded now: what has not been handed on of it is, and nothing twice.
    pub(crate) fn recorded(mut self, blocks: &[AnswerBlock], items: &mut Vec<Item>) {
        let texts = blocks.iter().filter_map(|block| match block {
            AnswerBlock::Text { text } => Some(text.as_str()),
            _ => None,
        });
        let (told, goes_on, any) = self.missing(texts);
        match (any, goes_on) {
            (false, _) => self.begin(OpenBlock::Nothing, items),
            (true, true) => {}
            (true, false) => self.drop_open(items),
        }
        items.extend(told.into_iter().map(Item::Words));
        let thinking = blocks.iter().filter_map(|block| match block {
            AnswerBlock::Thinking { thinking, .. } if !thinking.is_empty() => Some(thinking.clone()),
            _ => None,
        });
        items.extend(thinking.map(Item::Thinking));
    }

    /// What was not handed on of these texts; whether the open block is one of them; whether there are any.
    fn missing<'a>(&self, texts: impl Iterator<Item = &'a str>) -> (Vec<Words>, bool, bool) {
        let (mut words, mut next, mut any) = (Vec::new(), 0, false);
        let mut open = self.open == OpenBlock::Words;
        let was_open = open;
        for text in texts {
            any = true;
            let later = self.heard.iter().enumerate().skip(next);
            let found = later.filter_map(|(at, heard)| heard.rest(text).map(|rest| (at, rest))).next();
            let Some((at, rest)) = found else {
                words.push(Words::Whole(text.to_owned()));
                continue;
            };
            next = at + 1;
            // The last block that came may still be open: it goes on where it is.
            if next == self.heard.len() && std::mem::take(&mut open) {
                words.extend((!rest.is_empty()).then(|| Words::More(rest.to_owned())));
                words.push(Words::Ended);
            } else if !rest.trim().is_empty() {
                // It was closed without its end. Half a word cannot go on further down: it is said again.
                words.push(Words::Whole(text.to_owned()));
            }
        }
        (words, was_open && !open, any)
    }
}
