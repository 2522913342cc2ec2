//! Planning has begun, and something still runs from before. May it go on?

use forelook_protocol::RunningShell;
use forelook_view::question::Offer;
use forelook_wording::{RUNNING_ABOUT, running_shell, still_running};
use ratatui_core::text::{Line, Span};

use super::scroll::Scroll;
use super::sheet::Sheet;
use super::{Page, Step};
use crate::markdown::Look;
use crate::term::{Code, Key};
use crate::text::{Hang, harmless, wrap};

/// Commands that run from before.
#[derive(Debug)]
pub(super) struct Running {
    shells: Vec<RunningShell>,
    scroll: Scroll,
}

impl Running {
    pub(super) fn new(shells: &[RunningShell]) -> Self {
        Self { shells: shells.to_vec(), scroll: Scroll::default() }
    }

    /// Keys of their own: where everything else is asked, `y` lets the model do something, and here nobody should have
    /// to think about what a yes is to.
    pub(super) fn key(&mut self, key: Key) -> Step {
        match (key.code, key.letter()) {
            _ if self.scroll.key(key) => Step::Open,
            (_, Some('k')) => Step::Answered(Offer::Yes.answer("")),
            (Code::Esc, _) | (_, Some('s')) => Step::Answered(Offer::No.answer("")),
            _ => Step::Open,
        }
    }

    pub(super) fn rows(&mut self, look: Look, room: usize) -> Page {
        let theme = look.theme;
        let mut body = wrap(&Line::from(RUNNING_ABOUT), look.width, &Hang::all("  "));
        for shell in &self.shells {
            let line = Line::styled(harmless(&running_shell(shell)).into_owned(), theme.code);
            body.extend(wrap(&line, look.width, &Hang::first(Span::styled("  • ", theme.quiet))));
        }
        let them = if self.shells.len() == 1 { "it" } else { "them" };
        let title = format!("{}. Keep {them}?", still_running(self.shells.len()));
        let keep = Line::from(format!("keep {them} running, outside the fence"));
        let mut below = wrap(&keep, look.width, &Hang::first("  k  "));
        below.push(Line::from(format!("  s  stop {them} (Esc)")));
        let title = Line::styled(title, theme.warning);
        Sheet { title, body: body.into(), below, ..Sheet::default() }.page(&mut self.scroll, look, room)
    }
}
