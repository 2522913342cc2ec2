//! The words of an answer, as Markdown.

use forelook_view::{OpenBlock, SessionView, Words};
use ratatui_core::text::Line;

use super::Scene;
use crate::cells::Cell;
use crate::markdown::{Look, Stream};
use crate::text::harmless;

/// The block of words that is open.
#[derive(Debug, Default)]
pub(super) struct Block {
    stream: Stream,
    /// Whether rows of it were handed out.
    begun: bool,
}

impl Scene {
    /// Words of the answer; what is final of them is finished.
    pub(super) fn words(&mut self, words: &Words, look: Look) {
        let look = inner(look);
        let block = self.words.as_mut();
        let cell = match words {
            Words::Begun => {
                self.words = Some(Box::default());
                None
            }
            Words::More(text) => block.and_then(|block| block.push(text, look)),
            Words::Ended => self.words.take().and_then(|mut block| block.finish(look)),
            Words::Dropped => {
                self.words = None;
                None
            }
            Words::Whole(text) => {
                let mut block = Block::default();
                self.finished.extend(block.push(text, look));
                block.finish(look)
            }
        };
        self.finished.extend(cell);
    }

    /// The rows of what is not final, and whether an answer begins with them.
    pub(super) fn tail(&self, look: Look) -> (Vec<Line<'static>>, bool) {
        match &self.words {
            Some(block) => (block.stream.tail(inner(look)), !block.begun),
            None => (Vec::new(), false),
        }
    }
}

/// An answer stands two columns in.
fn inner(look: Look) -> Look {
    Look { width: look.width.saturating_sub(2), ..look }
}

/// What is being made, and since when: the turn began `since`.
pub(super) fn doing(view: &SessionView, since: u64) -> (String, u64) {
    match view.answer().open() {
        OpenBlock::Thinking { since } => ("Thinking…".to_owned(), *since),
        // A long text for a file takes its time, and nothing else is to be seen of it.
        OpenBlock::Call { tool } => (format!("Writing a call of {}…", harmless(tool)), since),
        OpenBlock::Nothing | OpenBlock::Words => ("Working…".to_owned(), since),
    }
}

impl Block {
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
