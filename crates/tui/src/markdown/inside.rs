//! What words stand in: lists and quotes, and what these put before each row.

use ratatui_core::text::Span;

use super::Look;
use crate::text::Hang;

/// Columns that words have at least.
const LEAST: usize = 6;

/// Something that what is inside of it stands in.
pub(super) enum Inside {
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
pub(super) fn hang(inside: &[Inside], look: Look) -> Hang {
    let mut hang = Hang::default();
    let mut marks = inside.iter().peekable();
    while let Some(one) = marks.next() {
        match one {
            Inside::Quote => {
                let bar = Span::styled("▎ ", look.theme.quiet);
                hang.first.push(bar.clone());
                hang.rest.push(bar);
            }
            Inside::List(_) => {}
            Inside::Item { mark, written } => {
                let blanks = " ".repeat(Span::raw(mark.as_str()).width());
                let inner =
                    marks.peek().is_some() && marks.clone().any(|it| matches!(it, Inside::Item { .. }));
                let first = if *written || inner { blanks.clone() } else { mark.clone() };
                hang.first.push(Span::styled(first, look.theme.quiet));
                hang.rest.push(Span::raw(blanks));
            }
        }
    }
    narrowed(hang, look)
}

/// In a narrow window, what is deep inside stands further left: words need room.
fn narrowed(mut hang: Hang, look: Look) -> Hang {
    let most = look.width.saturating_sub(LEAST);
    for spans in [&mut hang.first, &mut hang.rest] {
        while spans.len() > 1 && spans.iter().map(Span::width).sum::<usize>() > most {
            spans.remove(0);
        }
    }
    hang
}
