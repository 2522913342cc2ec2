//! Splits a text that still arrives into blocks that can no longer change, and a rest.
//!
//! Every byte is looked at a few times however small the pieces are, and the rest never becomes large: that is what
//! keeps a long answer from costing more than its length.

use super::lines::{CodeFence, closes, is_item, opens, table_head};

/// A part of a text that is rendered by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
    /// Anything but fenced code.
    Text {
        /// Whether it begins here, or goes on after a cut.
        first: bool,
        text: String,
    },
    /// Lines of fenced code: each is final as soon as it is whole.
    Code {
        /// What stands behind the fence.
        language: String,
        /// Whether these are the first lines of it.
        first: bool,
        text: String,
    },
}

impl Block {
    /// Whether it begins something, so that a blank row stands before it.
    pub(super) fn is_new(&self) -> bool {
        let (Block::Text { first, .. } | Block::Code { first, .. }) = self;
        *first
    }
}

/// A block longer than this is cut: without that, an endless one would be rendered again and again.
pub(super) const MAX_REST: usize = 16 * 1024;

/// A text on its way.
#[derive(Debug)]
pub(crate) struct BlockSplitter {
    state: SplitState,
    /// Whether the rest begins a block, or goes on with one that was cut.
    first: bool,
    /// What is not final, behind what became final just now.
    text: String,
    /// Where what is not final begins.
    start: usize,
    /// How far it has been looked at, in whole lines.
    seen: usize,
    /// Up to here there is no further end of a line.
    searched: usize,
}

impl Default for BlockSplitter {
    fn default() -> Self {
        Self { state: SplitState::Text, first: true, text: String::new(), start: 0, seen: 0, searched: 0 }
    }
}

#[derive(Debug)]
enum SplitState {
    Text,
    /// A blank line has come; a block ends there unless the next line belongs to it.
    Gap {
        end: usize,
    },
    Code {
        fence: CodeFence,
        language: String,
        first: bool,
    },
}

impl BlockSplitter {
    /// Takes more; gives what is final now.
    pub(super) fn push(&mut self, piece: &str) -> Vec<Block> {
        self.text.push_str(piece);
        let mut done = Vec::new();
        loop {
            let from = self.searched.max(self.seen);
            let end = self.text[from..].find('\n').map(|length| from + length + 1);
            let reach = end.unwrap_or(self.text.len());
            if reach - self.start > MAX_REST {
                self.cut(&mut done);
                continue;
            }
            let Some(end) = end else {
                self.searched = reach;
                break;
            };
            let start = std::mem::replace(&mut self.seen, end);
            self.line(start, end, &mut done);
        }
        self.forget();
        done
    }

    /// What is final need not be kept. Once for each piece: at each line it would cost the length of the piece.
    fn forget(&mut self) {
        let gone = std::mem::take(&mut self.start);
        self.text.drain(..gone);
        self.seen -= gone;
        self.searched = self.searched.saturating_sub(gone);
        if let SplitState::Gap { end } = &mut self.state {
            *end -= gone;
        }
    }

    fn line(&mut self, start: usize, end: usize, done: &mut Vec<Block>) {
        let line = self.text[start..end].trim_end();
        match &mut self.state {
            SplitState::Code { fence, .. } => {
                if closes(line, *fence) {
                    (self.state, self.start) = (SplitState::Text, end);
                } else {
                    self.take_code(end, done);
                }
            }
            SplitState::Text if line.is_empty() => self.state = SplitState::Gap { end: start },
            SplitState::Gap { .. } if line.is_empty() => {}
            SplitState::Text => self.maybe_code(start, end, done),
            SplitState::Gap { end: gap } => {
                // What is indented belongs to the list above it.
                let belongs = line.starts_with(' ') && self.text[self.start..*gap].lines().any(is_item);
                self.state = SplitState::Text;
                if !belongs {
                    self.take(start, done);
                    self.maybe_code(start, end, done);
                }
            }
        }
    }

    /// Makes what stands before `at` final; another block begins there.
    fn take(&mut self, at: usize, done: &mut Vec<Block>) {
        let text = self.text[self.start..at].trim_end();
        let first = std::mem::replace(&mut self.first, true);
        if !text.trim_start().is_empty() {
            done.push(Block::Text { first, text: text.to_owned() });
        }
        self.start = at;
    }

    /// The same with code. Lines that came together stay together.
    fn take_code(&mut self, at: usize, done: &mut Vec<Block>) {
        let SplitState::Code { language, first, .. } = &mut self.state else { return };
        let lines = &self.text[self.start..at];
        // A line that was cut is two.
        let end = if lines.ends_with('\n') { "" } else { "\n" };
        match done.last_mut() {
            Some(Block::Code { text, .. }) if !*first => text.extend([lines, end]),
            _ => {
                let (language, first) = (language.clone(), std::mem::take(first));
                done.push(Block::Code { language, first, text: [lines, end].concat() });
            }
        }
        self.start = at;
    }

    /// If the line opens a fence, what stands before it is final. Fences inside lists stay with them.
    fn maybe_code(&mut self, start: usize, end: usize, done: &mut Vec<Block>) {
        let Some((fence, language)) = opens(self.text[start..end].trim_end()) else { return };
        self.take(start, done);
        self.start = end;
        self.state = SplitState::Code { fence, language, first: true };
    }

    /// Makes some of a block final that is too long: up to a line that stands at the edge, else up to any line, else up
    /// to a word.
    fn cut(&mut self, done: &mut Vec<Block>) {
        let end = self.text.floor_char_boundary(self.start + MAX_REST);
        let word = self.text[self.start..end].rfind(char::is_whitespace).map(|at| self.start + at);
        let word = word.map_or(end, |at| self.text.ceil_char_boundary(at + 1));
        if matches!(self.state, SplitState::Code { .. }) {
            self.seen = self.seen.max(word);
            self.take_code(word, done);
            return;
        }
        let at = self.last_line().unwrap_or(word);
        let head = table_head(&self.text[self.start..at])
            // A row that is too long for a block: a head alone would be repeated for ever.
            .filter(|head| self.start + head.len() < at)
            .map(str::to_owned);
        self.seen = self.seen.max(at);
        if matches!(self.state, SplitState::Gap { end } if end <= at) {
            self.state = SplitState::Text;
        }
        self.take(at, done);
        self.first = false;
        if let Some(head) = head {
            self.repeat(at, &head);
        }
    }

    /// Where the last line begins that a cut may stand before.
    fn last_line(&self) -> Option<usize> {
        let seen = &self.text[self.start..self.seen];
        let begins = |inner: bool| {
            let mut at = seen.len();
            while let Some(before) = seen[..at].rfind('\n') {
                let line = &self.text[self.start + before + 1..];
                if before > 0 && (inner || !line.starts_with([' ', '\t', '\n'])) {
                    return Some(self.start + before + 1);
                }
                at = before;
            }
            None
        };
        begins(false).or_else(|| begins(true))
    }

    /// Without its head, the rest of a table would be none.
    fn repeat(&mut self, at: usize, head: &str) {
        self.text.insert_str(at, head);
        self.seen += head.len();
        self.searched += head.len();
        if let SplitState::Gap { end } = &mut self.state {
            *end += head.len();
        }
    }

    /// What is not final, as it stands.
    pub(super) fn rest(&self) -> Option<Block> {
        let rest = &self.text[self.start..];
        match &self.state {
            SplitState::Code { language, first, .. } => {
                let (language, first, text) = (language.clone(), *first, rest.to_owned());
                (!rest.is_empty()).then_some(Block::Code { language, first, text })
            }
            SplitState::Text | SplitState::Gap { .. } => {
                let (first, text) = (self.first, rest.trim_end());
                (!text.is_empty()).then(|| Block::Text { first, text: text.to_owned() })
            }
        }
    }

    /// Nothing more comes.
    pub(super) fn finish(&mut self) -> Vec<Block> {
        let mut done = Vec::new();
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            done = self.push("\n");
        }
        done.extend(self.rest());
        *self = Self::default();
        done
    }
}
