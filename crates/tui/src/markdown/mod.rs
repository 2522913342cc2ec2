//! Markdown on a screen, also while it still arrives.
//!
//! What can no longer change is rendered once and handed out; only the last, unfinished block is rendered again when
//! more of it comes. So a long answer costs what its text costs, however many pieces it comes in.

mod blocks;
mod inside;
mod lines;
mod placed;
mod render;
mod table;
mod whence;

use forelook_wording::Filter;
use ratatui_core::text::Line;

use crate::syntax::Painter;
use crate::text::{Hang, wrap};
use crate::theme::Theme;
use blocks::{Block, Blocks};
pub(crate) use placed::{Placed, placed};

/// How Markdown is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    /// Columns that a row may have.
    pub(crate) width: usize,
    pub(crate) theme: Theme,
}

/// A whole text as rows.
pub(crate) fn rows(text: &str, look: Look) -> Vec<Line<'static>> {
    let mut stream = Stream::default();
    let mut rows = stream.push(text, look);
    rows.extend(stream.finish(look));
    rows
}

/// A text that arrives in pieces.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// A sequence that a terminal would obey may be cut in two.
    filter: Filter,
    blocks: Blocks,
    /// Whether rows were handed out: a blank row stands between blocks.
    begun: bool,
    /// Colours the open block of code, from where it is.
    painter: Painter,
}

impl Stream {
    /// Takes a piece; gives the rows that are now final.
    pub(crate) fn push(&mut self, piece: &str, look: Look) -> Vec<Line<'static>> {
        let done = self.blocks.push(&self.filter.push(piece));
        self.show(&done, look)
    }

    /// The rows of what is not final yet, as it stands.
    pub(crate) fn tail(&self, look: Look) -> Vec<Line<'static>> {
        let Some(block) = self.blocks.rest() else { return Vec::new() };
        let mut rows = Vec::new();
        if self.begun && block.is_new() {
            rows.push(Line::default());
        }
        rows.extend(block_rows(&block, &mut self.painter.clone(), look));
        rows
    }

    /// Nothing more comes: the rest is final.
    pub(crate) fn finish(&mut self, look: Look) -> Vec<Line<'static>> {
        let rest = self.blocks.finish();
        self.show(&rest, look)
    }

    fn show(&mut self, blocks: &[Block], look: Look) -> Vec<Line<'static>> {
        let mut rows = Vec::new();
        for block in blocks {
            if block.is_new() && self.begun {
                rows.push(Line::default());
            }
            self.begun = true;
            rows.extend(block_rows(block, &mut self.painter, look));
        }
        rows
    }
}

fn block_rows(block: &Block, painter: &mut Painter, look: Look) -> Vec<Line<'static>> {
    match block {
        Block::Text { text, .. } => render::rows(text, look),
        Block::Code { text, language, first } => {
            if *first {
                *painter = Painter::fenced(language);
            }
            let row = |line| wrap(&Line::from(painter.line(line, look.theme)), look.width, &Hang::all("  "));
            text.lines().flat_map(row).collect()
        }
    }
}

#[cfg(test)]
mod tests;
