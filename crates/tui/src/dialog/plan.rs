//! The model wants to plan first. May it?

use forelook_protocol::AbsPath;
use forelook_view::question::AnswerOption;
use ratatui_core::text::Line;

use super::layout::DialogLayout;
use super::scroll::Scroll;
use super::{DialogStep, Page};
use crate::markdown::RenderContext;
use crate::term::{Code, Key};
use crate::text::{Indent, sanitize, wrap};

/// A wish to plan.
#[derive(Debug)]
pub(super) struct EnterPlanDialog {
    path: AbsPath,
    pub(super) scroll: Scroll,
}

impl EnterPlanDialog {
    pub(super) fn new(path: &AbsPath) -> Self {
        Self { path: path.clone(), scroll: Scroll::default() }
    }

    pub(super) fn key(&mut self, key: Key) -> DialogStep {
        match (key.code, key.letter()) {
            _ if self.scroll.key(key) => DialogStep::Open,
            (_, Some('y')) => DialogStep::Answered(AnswerOption::Yes.answer("")),
            (Code::Esc, _) | (_, Some('n')) => DialogStep::Answered(AnswerOption::No.answer("")),
            _ => DialogStep::Open,
        }
    }

    pub(super) fn rows(&mut self, ctx: RenderContext, room: usize) -> Page {
        let theme = ctx.theme;
        let what = "It will explore, ask about anything unclear, and write a plan. Nothing changes until you approve \
                    it. The plan will be saved to";
        let mut body = wrap(&Line::from(what), ctx.width, &Indent::all("  "));
        let path = Line::styled(sanitize(&self.path.to_string()).into_owned(), theme.quiet);
        body.extend(wrap(&path, ctx.width, &Indent::all("  ")));
        let title = Line::styled("The model wants to plan first. Enter plan mode?", theme.plan);
        let below = vec![Line::from("  y  yes, plan first"), Line::from("  n  no (Esc)")];
        let tight = Some(Line::from("  y yes  n no (Esc)"));
        DialogLayout { title, body: body.into(), below, tight, ..DialogLayout::default() }.page(
            &mut self.scroll,
            ctx,
            room,
        )
    }
}
