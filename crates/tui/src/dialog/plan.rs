//! The model wants to plan first. May it?

use forelook_protocol::AbsPath;
use forelook_view::question::Offer;
use ratatui_core::text::Line;

use super::scroll::Scroll;
use super::sheet::Sheet;
use super::{Page, Step};
use crate::markdown::Look;
use crate::term::{Code, Key};
use crate::text::{Hang, harmless, wrap};

/// A wish to plan.
#[derive(Debug)]
pub(super) struct EnterPlan {
    path: AbsPath,
    scroll: Scroll,
}

impl EnterPlan {
    pub(super) fn new(path: &AbsPath) -> Self {
        Self { path: path.clone(), scroll: Scroll::default() }
    }

    pub(super) fn key(&mut self, key: Key) -> Step {
        match (key.code, key.letter()) {
            _ if self.scroll.key(key) => Step::Open,
            (_, Some('y')) => Step::Answered(Offer::Yes.answer("")),
            (Code::Esc, _) | (_, Some('n')) => Step::Answered(Offer::No.answer("")),
            _ => Step::Open,
        }
    }

    pub(super) fn rows(&mut self, look: Look, room: usize) -> Page {
        let theme = look.theme;
        let what = "It will look around, ask you what is unclear, and write a plan. Nothing is changed before you \
                    approve it. The plan will be in";
        let mut body = wrap(&Line::from(what), look.width, &Hang::all("  "));
        let path = Line::styled(harmless(&self.path.to_string()).into_owned(), theme.quiet);
        body.extend(wrap(&path, look.width, &Hang::all("  ")));
        let title = Line::styled("The model wants to plan first. Enter plan mode?", theme.plan);
        let below = vec![Line::from("  y  yes, plan first"), Line::from("  n  no (Esc)")];
        Sheet { title, body: body.into(), below, ..Sheet::default() }.page(&mut self.scroll, look, room)
    }
}
