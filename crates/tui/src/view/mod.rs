//! What takes the whole window for a while, on the terminal's other screen: the transcript, pickers. The review of a
//! plan is one more, but waits among the questions.

use ratatui_core::layout::Size;
use ratatui_core::text::Line;

use crate::app::Wish;
use crate::markdown::Look;
use crate::term::Key;

/// Something that has the whole window.
#[derive(Debug)]
pub(crate) enum View {}

/// What a key in a view came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Turn {
    /// It stays, and wants this.
    Stay(Vec<Wish>),
    /// It is put away, and wants this.
    Close(Vec<Wish>),
}

/// A window full of rows, and where the cursor is, if it is shown.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) rows: Vec<Line<'static>>,
    /// Row and column.
    pub(crate) cursor: Option<(usize, usize)>,
}

impl View {
    pub(crate) fn key(&mut self, _key: Key) -> Turn {
        match *self {}
    }

    pub(crate) fn paste(&mut self, _text: &str) -> bool {
        match *self {}
    }

    pub(crate) fn page(&mut self, _size: Size, _look: Look) -> Page {
        match *self {}
    }
}
