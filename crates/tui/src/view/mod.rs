//! What takes the whole window for a while, on the terminal's other screen: the transcript, pickers. The review of a
//! plan is one more, but waits among the questions.

mod picker;
#[cfg(test)]
mod tests;
mod transcript;

use std::sync::Arc;

use forelook_protocol::{Command, Entry};
use ratatui_core::layout::Size;
use ratatui_core::text::Line;

use crate::app::{Left, Wish};
use crate::markdown::Look;
use crate::term::Key;
pub(crate) use picker::{Picker, Row};
pub(crate) use transcript::Transcript;

/// Something that has the whole window.
#[derive(Debug)]
pub(crate) enum View {
    Transcript(Box<Transcript>),
    Picker(Picker),
}

/// What a key in a view came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Turn {
    /// It stays, and wants this.
    Stay(Vec<Wish>),
    /// It is put away, and wants this.
    Close(Vec<Wish>),
    /// It is put away, and this was chosen.
    Chosen(Pick),
}

/// What choosing something does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pick {
    /// Tells the session.
    Send(Command),
    /// Leaves this session.
    Leave(Left),
    /// Other colours.
    Theme(&'static str),
    /// Words for the composer.
    Write(String),
}

/// Whether somebody waits behind a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waits {
    Nothing,
    Question,
}

/// A window full of rows, and where the cursor is, if it is shown.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) rows: Vec<Line<'static>>,
    /// Row and column.
    pub(crate) cursor: Option<(usize, usize)>,
}

impl View {
    pub(crate) fn key(&mut self, key: Key) -> Turn {
        match self {
            View::Transcript(view) => view.key(key),
            View::Picker(view) => view.key(key),
        }
    }

    /// Text that was put in at once. It is never for what is behind a view.
    pub(crate) fn paste(&mut self, text: &str) {
        match self {
            View::Transcript(view) => view.paste(text),
            View::Picker(view) => view.paste(text),
        }
    }

    /// Something was recorded meanwhile.
    pub(crate) fn recorded(&mut self, entry: &Arc<Entry>) {
        match self {
            View::Transcript(view) => view.recorded(entry),
            View::Picker(_) => {}
        }
    }

    pub(crate) fn page(&mut self, size: Size, look: Look, waits: Waits) -> Page {
        match self {
            View::Transcript(view) => view.page(size, look, waits),
            View::Picker(view) => view.page(size, look),
        }
    }
}
