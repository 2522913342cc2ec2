//! The words of an answer, as Markdown.

use forelook_view::{OpenBlock, SessionView, TextUpdate};
use ratatui_core::text::Line;

use super::LiveArea;
use crate::cells::Cell;
use crate::markdown::{MarkdownStream, RenderContext};
use crate::text::sanitize;

/// The block of words that is open.
#[derive(Debug, Default)]
pub(super) struct AnswerBlockStream {
    stream: MarkdownStream,
    /// Whether rows of it were handed out.
    begun: bool,
}

impl LiveArea {
    /// Words of the answer; what is final of them is finished.
    pub(super) fn words(&mut self, words: &TextUpdate, ctx: RenderContext) {
        let ctx = inner(ctx);
        let block = self.words.as_mut();
        let cell = match words {
            TextUpdate::Started => {
                self.words = Some(Box::default());
                None
            }
            TextUpdate::Appended(text) => block.and_then(|block| block.push(text, ctx)),
            TextUpdate::Ended => self.words.take().and_then(|mut block| block.finish(ctx)),
            TextUpdate::Dropped => {
                self.words = None;
                None
            }
            TextUpdate::Whole(text) => {
                let mut block = AnswerBlockStream::default();
                self.finished.extend(block.push(text, ctx));
                block.finish(ctx)
            }
        };
        self.finished.extend(cell);
    }

    /// The rows of what is not final, and whether an answer begins with them.
    pub(super) fn tail(&self, ctx: RenderContext) -> (Vec<Line<'static>>, bool) {
        match &self.words {
            Some(block) => (block.stream.tail(inner(ctx)), !block.begun),
            None => (Vec::new(), false),
        }
    }
}

/// An answer stands two columns in.
fn inner(ctx: RenderContext) -> RenderContext {
    RenderContext { width: ctx.width.saturating_sub(2), ..ctx }
}

/// What is being made, and since when: the turn began `since`.
pub(super) fn doing(view: &SessionView, since: u64) -> (String, u64) {
    match view.answer().open() {
        OpenBlock::Thinking { since } => ("Thinking…".to_owned(), *since),
        // A long text for a file takes its time, and nothing else is to be seen of it.
        OpenBlock::Call { tool } => (format!("Preparing {}…", sanitize(tool)), since),
        OpenBlock::Nothing | OpenBlock::Text => ("Working…".to_owned(), since),
    }
}

impl AnswerBlockStream {
    fn push(&mut self, text: &str, ctx: RenderContext) -> Option<Cell> {
        let rows = self.stream.push(text, ctx);
        self.cell(rows)
    }

    fn finish(&mut self, ctx: RenderContext) -> Option<Cell> {
        let rows = self.stream.finish(ctx);
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
