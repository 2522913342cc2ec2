//! Markdown on a screen, also while it still arrives.
//!
//! What can no longer change is rendered once and handed out; only the last, unfinished block is rendered again when
//! more of it comes. So a long answer costs what its text costs, however many pieces it comes in.

mod blocks;
mod container;
mod lines;
mod render;
mod source_ranges;
mod source_rows;
mod table;

use forelook_wording::EscapeFilter;
use ratatui_core::text::Line;

use crate::syntax::Highlighter;
use crate::text::{Indent, wrap};
use crate::theme::Theme;
use blocks::{Block, BlockSplitter};
pub(crate) use source_rows::{SourceRow, source_rows};

/// How Markdown is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RenderContext {
    /// Columns that a row may have.
    pub(crate) width: usize,
    pub(crate) theme: Theme,
}

/// A whole text as rows.
pub(crate) fn rows(text: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    let mut stream = MarkdownStream::default();
    let mut rows = stream.push(text, ctx);
    rows.extend(stream.finish(ctx));
    rows
}

/// A text that arrives in pieces.
#[derive(Debug, Default)]
pub(crate) struct MarkdownStream {
    /// A sequence that a terminal would obey may be cut in two.
    filter: EscapeFilter,
    blocks: BlockSplitter,
    /// Whether rows were handed out: a blank row stands between blocks.
    begun: bool,
    /// Colours the open block of code, from where it is.
    highlighter: Highlighter,
}

impl MarkdownStream {
    /// Takes a piece; gives the rows that are now final.
    pub(crate) fn push(&mut self, piece: &str, ctx: RenderContext) -> Vec<Line<'static>> {
        let done = self.blocks.push(&self.filter.push(piece));
        self.show(&done, ctx)
    }

    /// The rows of what is not final yet, as it stands.
    pub(crate) fn tail(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let Some(block) = self.blocks.rest() else { return Vec::new() };
        let mut rows = Vec::new();
        if self.begun && block.is_new() {
            rows.push(Line::default());
        }
        rows.extend(block_rows(&block, &mut self.highlighter.clone(), ctx));
        rows
    }

    /// Nothing more comes: the rest is final.
    pub(crate) fn finish(&mut self, ctx: RenderContext) -> Vec<Line<'static>> {
        let rest = self.blocks.finish();
        self.show(&rest, ctx)
    }

    fn show(&mut self, blocks: &[Block], ctx: RenderContext) -> Vec<Line<'static>> {
        let mut rows = Vec::new();
        for block in blocks {
            if block.is_new() && self.begun {
                rows.push(Line::default());
            }
            self.begun = true;
            rows.extend(block_rows(block, &mut self.highlighter, ctx));
        }
        rows
    }
}

fn block_rows(block: &Block, highlighter: &mut Highlighter, ctx: RenderContext) -> Vec<Line<'static>> {
    match block {
        Block::Text { text, .. } => render::rows(text, ctx),
        Block::Code { text, language, first } => {
            if *first {
                *highlighter = Highlighter::fenced(language);
            }
            let row =
                |line| wrap(&Line::from(highlighter.line(line, ctx.theme)), ctx.width, &Indent::all("  "));
            text.lines().flat_map(row).collect()
        }
    }
}

#[cfg(test)]
mod tests;
