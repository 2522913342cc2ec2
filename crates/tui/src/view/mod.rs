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

use crate::app::{ExitReason, UiEffect};
use crate::markdown::RenderContext;
use crate::term::Key;
pub(crate) use picker::{Picker, PickerRow};
pub(crate) use transcript::TranscriptView;

/// Something that has the whole window.
#[derive(Debug)]
pub(crate) enum FullScreenView {
    Transcript(Box<TranscriptView>),
    Picker(Picker),
}

/// What a key in a view came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ViewOutcome {
    /// It stays, and wants this.
    Stay(Vec<UiEffect>),
    /// It is put away, and wants this.
    Close(Vec<UiEffect>),
    /// It is put away, and this was chosen.
    Chosen(PickAction),
}

/// What choosing something does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PickAction {
    /// Tells the session.
    Send(Command),
    /// Leaves this session.
    Leave(ExitReason),
    /// Other colours.
    Theme(&'static str),
    /// Words for the composer.
    Write(String),
}

/// Whether somebody waits behind a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BehindView {
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

impl FullScreenView {
    pub(crate) fn key(&mut self, key: Key) -> ViewOutcome {
        match self {
            FullScreenView::Transcript(view) => view.key(key),
            FullScreenView::Picker(view) => view.key(key),
        }
    }

    /// Text that was put in at once. It is never for what is behind a view.
    pub(crate) fn paste(&mut self, text: &str) {
        match self {
            FullScreenView::Transcript(view) => view.paste(text),
            FullScreenView::Picker(view) => view.paste(text),
        }
    }

    /// Something was recorded meanwhile.
    pub(crate) fn recorded(&mut self, entry: &Arc<Entry>) {
        match self {
            FullScreenView::Transcript(view) => view.recorded(entry),
            FullScreenView::Picker(_) => {}
        }
    }

    pub(crate) fn page(&mut self, size: Size, ctx: RenderContext, behind: BehindView) -> Page {
        match self {
            FullScreenView::Transcript(view) => view.page(size, ctx, behind),
            FullScreenView::Picker(view) => view.page(size, ctx),
        }
    }
}
