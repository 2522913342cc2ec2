//! What words stand in: lists and quotes, and what these put before each row.

use ratatui_core::text::Span;

use super::RenderContext;
use crate::text::Indent;

/// Columns that words have at least.
const LEAST: usize = 6;

/// Something that what is inside of it stands in.
pub(super) enum MarkdownContainer {
    Quote,
    /// The number of the next item; nothing where items have no number.
    List(Option<u64>),
    /// Its mark has been written or not.
    Item {
        mark: String,
        written: bool,
    },
}

/// What stands before the rows of the line.
pub(super) fn indent(container: &[MarkdownContainer], ctx: RenderContext) -> Indent {
    let mut indent = Indent::default();
    let mut marks = container.iter().peekable();
    while let Some(one) = marks.next() {
        match one {
            MarkdownContainer::Quote => {
                let bar = Span::styled("▎ ", ctx.theme.quiet);
                indent.first.push(bar.clone());
                indent.rest.push(bar);
            }
            MarkdownContainer::List(_) => {}
            MarkdownContainer::Item { mark, written } => {
                let blanks = " ".repeat(Span::raw(mark.as_str()).width());
                let inner = marks.peek().is_some()
                    && marks.clone().any(|it| matches!(it, MarkdownContainer::Item { .. }));
                let first = if *written || inner { blanks.clone() } else { mark.clone() };
                indent.first.push(Span::styled(first, ctx.theme.quiet));
                indent.rest.push(Span::raw(blanks));
            }
        }
    }
    narrowed(indent, ctx)
}

/// In a narrow window, what is deep inside stands further left: words need room.
fn narrowed(mut indent: Indent, ctx: RenderContext) -> Indent {
    let most = ctx.width.saturating_sub(LEAST);
    for spans in [&mut indent.first, &mut indent.rest] {
        while spans.len() > 1 && spans.iter().map(Span::width).sum::<usize>() > most {
            spans.remove(0);
        }
    }
    indent
}
