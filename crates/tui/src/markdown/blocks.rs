//! Splits a text that still arrives into blocks that can no longer change, and a rest.

/// A part of a text that is rendered by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
    /// Anything but fenced code.
    Text(String),
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
        !matches!(self, Block::Code { first: false, .. })
    }
}

/// A paragraph longer than this is cut at a word: without that, an endless line would be rendered again and again.
const MAX_REST: usize = 16 * 1024;

/// A text on its way.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    state: State,
    /// What is not final.
    rest: String,
    /// How far `rest` has been looked at, in whole lines.
    seen: usize,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Text,
    /// A blank line has come; a block ends there unless the next line belongs to it.
    Gap {
        end: usize,
    },
    Code {
        fence: Fence,
        language: String,
        first: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    mark: char,
    length: usize,
}

impl Blocks {
    /// Takes more; gives what is final now.
    pub(super) fn push(&mut self, piece: &str) -> Vec<Block> {
        self.rest.push_str(piece);
        let mut done = Vec::new();
        while let Some(length) = self.rest[self.seen..].find('\n') {
            let (start, end) = (self.seen, self.seen + length + 1);
            self.seen = end;
            self.line(start, end, &mut done);
        }
        self.cut(&mut done);
        done
    }

    fn line(&mut self, start: usize, end: usize, done: &mut Vec<Block>) {
        let line = self.rest[start..end].trim_end();
        match &mut self.state {
            State::Code { fence, language, first } => {
                if closes(line, *fence) {
                    self.rest.drain(..end);
                    (self.state, self.seen) = (State::Text, 0);
                    return;
                }
                let (language, first) = (language.clone(), std::mem::take(first));
                let text: String = self.rest.drain(..end).collect();
                self.seen = 0;
                done.push(Block::Code { language, first, text });
            }
            State::Text if line.is_empty() => self.state = State::Gap { end: start },
            State::Gap { .. } if line.is_empty() => {}
            State::Text => self.maybe_code(start, done),
            State::Gap { end } => {
                // What is indented belongs to the list above it.
                if line.starts_with(' ') && self.rest[..*end].lines().any(is_item) {
                    self.state = State::Text;
                    return;
                }
                self.take(start, done);
                self.state = State::Text;
                self.maybe_code(0, done);
            }
        }
    }

    /// Makes what stands before `at` final.
    fn take(&mut self, at: usize, done: &mut Vec<Block>) {
        let text: String = self.rest.drain(..at).collect();
        self.seen -= at;
        if !text.trim().is_empty() {
            done.push(Block::Text(text.trim_end().to_owned()));
        }
    }

    /// If the line at `start` opens a fence, what stands before it is final. Fences inside lists stay with them.
    fn maybe_code(&mut self, start: usize, done: &mut Vec<Block>) {
        let end = start + self.rest[start..].find('\n').map_or(0, |at| at + 1);
        let Some((fence, language)) = opens(self.rest[start..end].trim_end()) else { return };
        self.take(start, done);
        self.rest.drain(..end - start);
        self.seen -= end - start;
        self.state = State::Code { fence, language, first: true };
    }

    /// What is final though no line ended.
    fn cut(&mut self, done: &mut Vec<Block>) {
        if self.rest.len() <= MAX_REST || matches!(self.state, State::Code { .. }) {
            return;
        }
        let end = self.rest.floor_char_boundary(MAX_REST);
        let at = self.rest[..end].rfind(char::is_whitespace).map_or(end, |at| at + 1);
        self.seen = self.seen.max(at);
        self.take(at, done);
        self.state = State::Text;
    }

    /// What is not final, as it stands.
    pub(super) fn rest(&self) -> Option<Block> {
        let text = match &self.state {
            State::Code { language, first, .. } => {
                let (language, first, text) = (language.clone(), *first, self.rest.clone());
                return (!text.is_empty()).then_some(Block::Code { language, first, text });
            }
            State::Text | State::Gap { .. } => self.rest.trim_end(),
        };
        (!text.is_empty()).then(|| Block::Text(text.to_owned()))
    }

    /// Nothing more comes.
    pub(super) fn finish(&mut self) -> Vec<Block> {
        let mut done = Vec::new();
        if !self.rest.is_empty() && !self.rest.ends_with('\n') {
            done = self.push("\n");
        }
        done.extend(self.rest());
        *self = Self::default();
        done
    }
}

fn opens(line: &str) -> Option<(Fence, String)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let language = line[length..].trim();
    // Behind backticks there is no other: that would be code in a line.
    let fence = length >= 3 && !(mark == '`' && language.contains('`'));
    fence.then(|| (Fence { mark, length }, language.to_owned()))
}

fn closes(line: &str, fence: Fence) -> bool {
    let line = line.trim_start();
    line.chars().all(|c| c == fence.mark) && line.chars().count() >= fence.length
}

/// Whether a line begins an item of a list.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < line.len() && (rest.starts_with(". ") || rest.starts_with(") "))
    };
    ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark)) || numbered()
}
