//! What takes the whole window for a while, on the terminal's other screen: the transcript, pickers. The review of a
//! plan is one more, but waits among the questions.

mod pager;
mod picker;
mod tasks;
#[cfg(test)]
mod tests;
mod transcript;

use std::sync::Arc;

use forelook_protocol::{Command, CommandError, Entry, Query, Reply};
use ratatui_core::layout::Size;
use ratatui_core::text::Line;

use crate::app::{ExitReason, UiEffect};
use crate::markdown::RenderContext;
use crate::term::Key;
pub(crate) use pager::{Pager, PagerRows};
pub(crate) use picker::{Picker, PickerRow};
pub(crate) use tasks::TasksView;
pub(crate) use transcript::{TextSearch, TranscriptView};

/// Something that has the whole window.
#[derive(Debug)]
pub(crate) enum FullScreenView {
    Transcript(Box<TranscriptView>),
    Picker(Picker),
    Pager(Box<Pager>),
    Tasks(TasksView),
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
            FullScreenView::Pager(view) => view.key(key),
            FullScreenView::Tasks(view) => view.key(key),
        }
    }

    /// Text that was put in at once. It is never for what is behind a view.
    pub(crate) fn paste(&mut self, text: &str) {
        match self {
            FullScreenView::Transcript(view) => view.paste(text),
            FullScreenView::Picker(view) => view.paste(text),
            FullScreenView::Pager(_) => {}
            FullScreenView::Tasks(_) => {}
        }
    }

    /// Something was recorded meanwhile; what the view wants to know now.
    pub(crate) fn recorded(&mut self, entry: &Arc<Entry>) -> Vec<UiEffect> {
        match self {
            FullScreenView::Transcript(view) => {
                view.recorded(entry);
                Vec::new()
            }
            FullScreenView::Picker(_) | FullScreenView::Pager(_) => Vec::new(),
            FullScreenView::Tasks(view) => view.recorded(entry),
        }
    }

    /// When the view wants to know something by itself.
    pub(crate) fn next_wakeup(&self) -> Option<u64> {
        match self {
            FullScreenView::Tasks(view) => view.next_wakeup(),
            FullScreenView::Transcript(_) | FullScreenView::Picker(_) | FullScreenView::Pager(_) => None,
        }
    }

    /// It is now this time; what the view wants to know.
    pub(crate) fn at(&mut self, now: u64) -> Vec<UiEffect> {
        match self {
            FullScreenView::Tasks(view) => view.at(now),
            FullScreenView::Transcript(_) | FullScreenView::Picker(_) | FullScreenView::Pager(_) => {
                Vec::new()
            }
        }
    }

    /// The session replied to what the view wanted to know.
    pub(crate) fn reply(&mut self, reply: &Reply) {
        if let FullScreenView::Tasks(view) = self {
            view.reply(reply);
        }
    }

    /// The session did not answer; whether the view wanted to know it, and shows why it does not.
    pub(crate) fn refused(&mut self, query: &Query, why: &CommandError) -> bool {
        match self {
            FullScreenView::Tasks(view) => view.refused(query, why),
            FullScreenView::Transcript(_) | FullScreenView::Picker(_) | FullScreenView::Pager(_) => false,
        }
    }

    pub(crate) fn page(&mut self, size: Size, ctx: RenderContext, behind: BehindView) -> Page {
        match self {
            FullScreenView::Transcript(view) => view.page(size, ctx, behind),
            FullScreenView::Picker(view) => view.page(size, ctx),
            FullScreenView::Pager(view) => view.page(size, ctx),
            FullScreenView::Tasks(view) => view.page(size, ctx),
        }
    }
}
