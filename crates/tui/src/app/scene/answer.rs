//! The answer that streams.
//!
//! What comes live is shown at once; what is recorded at the end is what counts. A front end that was slow may have
//! missed pieces: whatever of the record was not shown is shown then.

use forelook_protocol::{AnswerBlock, AnswerEvent};
use ratatui_core::text::Line;

use crate::cells::Cell;
use crate::markdown::{Look, Stream};
use crate::text::harmless;

/// Characters of a text that make a token, roughly.
const LETTERS_PER_TOKEN: usize = 4;

/// An answer on its way.
#[derive(Debug, Default)]
pub(super) struct Answer {
    block: Open,
    /// The blocks of words that have come.
    heard: Vec<Heard>,
    /// Characters of everything that has come.
    letters: usize,
    pub(super) again: Option<String>,
}

/// The block that is open.
#[derive(Debug, Default)]
enum Open {
    #[default]
    Nothing,
    /// Boxed: a stream is much larger than the rest.
    Words(Box<Words>),
    /// Thinking, since then.
    Thinking(u64),
    /// The input of a call of this tool.
    Call(String),
}

#[derive(Debug, Default)]
struct Words {
    stream: Stream,
    /// Whether rows of it were handed out.
    begun: bool,
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

    /// Whether the text begins with this, and there is something to it.
    fn begins(self, text: &str) -> bool {
        let before = text.get(..self.length).filter(|before| !before.is_empty());
        before.is_some_and(|before| Self::NOTHING.more(before) == self)
    }
}

impl Answer {
    /// A piece of it; cells that are finished now.
    pub(super) fn piece(&mut self, event: &AnswerEvent, look: Look, now: u64) -> Option<Cell> {
        match event {
            AnswerEvent::TextStarted => {
                let cell = self.close(look);
                self.block = Open::Words(Box::default());
                self.heard.push(Heard::NOTHING);
                return cell;
            }
            AnswerEvent::Text { text } => {
                self.again = None;
                self.letters += text.len();
                let Open::Words(words) = &mut self.block else { return None };
                if let Some(heard) = self.heard.last_mut() {
                    *heard = heard.more(text);
                }
                return words.push(text, look);
            }
            AnswerEvent::ThinkingStarted => {
                self.again = None;
                let cell = self.close(look);
                self.block = Open::Thinking(now);
                return cell;
            }
            AnswerEvent::CallStarted { name, .. } => {
                self.again = None;
                let cell = self.close(look);
                self.block = Open::Call(harmless(name).into_owned());
                return cell;
            }
            AnswerEvent::Thinking { text } | AnswerEvent::Input { json: text } => self.letters += text.len(),
            AnswerEvent::BlockEnded => return self.close(look),
            _ => {}
        }
        None
    }

    /// The open block is whole.
    fn close(&mut self, look: Look) -> Option<Cell> {
        match std::mem::take(&mut self.block) {
            Open::Words(mut words) => words.finish(look),
            Open::Nothing | Open::Thinking(_) | Open::Call(_) => None,
        }
    }

    /// It is recorded now: what has not been shown of it is, and nothing twice.
    pub(super) fn recorded(mut self, blocks: &[AnswerBlock], look: Look) -> Vec<Cell> {
        let texts = blocks.iter().filter_map(|block| match block {
            AnswerBlock::Text { text } => Some(text.as_str()),
            _ => None,
        });
        let mut open = match std::mem::take(&mut self.block) {
            Open::Words(words) => Some(*words),
            _ => None,
        };
        let (mut cells, mut next) = (Vec::new(), 0);
        let mut recorded = false;
        for text in texts {
            recorded = true;
            let heard = self.heard.iter().skip(next).position(|heard| heard.begins(text));
            let Some(at) = heard.map(|at| next + at) else {
                cells.extend(whole(text, look));
                continue;
            };
            next = at + 1;
            let rest = text.get(self.heard[at].length..).unwrap_or_default();
            // The last block that came may still be open: it goes on where it is.
            let going_on = if next == self.heard.len() { open.take() } else { None };
            match going_on {
                Some(mut words) => {
                    cells.extend(words.push(rest, look));
                    cells.extend(words.finish(look));
                }
                None if rest.trim().is_empty() => {}
                // It was closed without its end. Half a word cannot go on further down: it is said again.
                None => cells.extend(whole(text, look)),
            }
        }
        // Without a record, what was said stands all the same.
        if !recorded {
            cells.extend(open.and_then(|mut words| words.finish(look)));
        }
        cells
    }

    /// What has come is void. Whether somebody has seen some of it.
    pub(super) fn void(&mut self) -> bool {
        let seen = self.heard.iter().any(|heard| heard.length > 0);
        *self = Self::default();
        seen
    }

    /// The rows of what is not final.
    pub(super) fn tail(&self, look: Look) -> (Vec<Line<'static>>, bool) {
        match &self.block {
            Open::Words(words) => (words.stream.tail(look), !words.begun),
            _ => (Vec::new(), false),
        }
    }

    /// What is being made, and since when: the turn began `since`.
    pub(super) fn doing(&self, since: u64) -> (String, u64) {
        match &self.block {
            Open::Thinking(since) => ("Thinking…".to_owned(), *since),
            // A long text for a file takes its time, and nothing else is to be seen of it.
            Open::Call(tool) => (format!("Writing a call of {tool}…"), since),
            Open::Nothing | Open::Words(_) => ("Working…".to_owned(), since),
        }
    }

    /// Tokens that have come, roughly.
    pub(super) fn tokens(&self) -> usize {
        self.letters / LETTERS_PER_TOKEN
    }
}

fn whole(text: &str, look: Look) -> Vec<Cell> {
    let mut words = Words::default();
    let cell = words.push(text, look);
    cell.into_iter().chain(words.finish(look)).collect()
}

impl Words {
    fn push(&mut self, text: &str, look: Look) -> Option<Cell> {
        let rows = self.stream.push(text, look);
        self.cell(rows)
    }

    fn finish(&mut self, look: Look) -> Option<Cell> {
        let rows = self.stream.finish(look);
        self.cell(rows)
    }

    fn cell(&mut self, rows: Vec<Line<'static>>) -> Option<Cell> {
        if rows.is_empty() {
            return None;
        }
        let begins = !std::mem::replace(&mut self.begun, true);
        Some(Cell::Answer { rows, begins })
    }
}
