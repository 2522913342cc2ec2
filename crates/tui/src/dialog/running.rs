//! Planning has begun, and something still runs from before. May it go on?

use forelook_protocol::RunningShell;
use forelook_view::question::AnswerOption;
use forelook_wording::{RUNNING_SHELLS_NOTE, running_shell, still_running};
use ratatui_core::text::{Line, Span};

use super::layout::DialogLayout;
use super::scroll::Scroll;
use super::{DialogStep, Page};
use crate::markdown::RenderContext;
use crate::term::{Code, Key};
use crate::text::{Indent, sanitize, wrap};

/// Commands that run from before.
#[derive(Debug)]
pub(super) struct RunningShellsDialog {
    shells: Vec<RunningShell>,
    pub(super) scroll: Scroll,
}

impl RunningShellsDialog {
    pub(super) fn new(shells: &[RunningShell]) -> Self {
        Self { shells: shells.to_vec(), scroll: Scroll::default() }
    }

    /// Keys of their own: where everything else is asked, `y` lets the model do something, and here nobody should have
    /// to think about what a yes is to.
    pub(super) fn key(&mut self, key: Key) -> DialogStep {
        match (key.code, key.letter()) {
            _ if self.scroll.key(key) => DialogStep::Open,
            (_, Some('k')) => DialogStep::Answered(AnswerOption::Yes.answer("")),
            (Code::Esc, _) | (_, Some('s')) => DialogStep::Answered(AnswerOption::No.answer("")),
            _ => DialogStep::Open,
        }
    }

    pub(super) fn rows(&mut self, ctx: RenderContext, room: usize) -> Page {
        let theme = ctx.theme;
        let mut body = wrap(&Line::from(RUNNING_SHELLS_NOTE), ctx.width, &Indent::all("  "));
        for shell in &self.shells {
            let line = Line::styled(sanitize(&running_shell(shell)).into_owned(), theme.code);
            body.extend(wrap(&line, ctx.width, &Indent::first(Span::styled("  • ", theme.quiet))));
        }
        let them = if self.shells.len() == 1 { "it" } else { "them" };
        let title = format!("{}. Keep {them}?", still_running(self.shells.len()));
        let keep = Line::from(format!("keep {them} running, outside the fence"));
        let mut below = wrap(&keep, ctx.width, &Indent::first("  k  "));
        below.push(Line::from(format!("  s  stop {them} (Esc)")));
        let title = Line::styled(title, theme.warning);
        let tight = Some(Line::from("  k keep  s stop (Esc)"));
        DialogLayout { title, body: body.into(), below, tight, ..DialogLayout::default() }.page(
            &mut self.scroll,
            ctx,
            room,
        )
    }
}
