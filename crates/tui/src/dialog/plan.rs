//! The model wants to plan first. May it?

use forelook_protocol::{AbsPath, Answer};
use ratatui_core::text::Line;

use super::Step;
use crate::markdown::Look;
use crate::term::{Code, Key};
use crate::text::{Hang, wrap};

/// A wish to plan.
#[derive(Debug)]
pub(super) struct EnterPlan {
    path: AbsPath,
}

impl EnterPlan {
    pub(super) fn new(path: &AbsPath) -> Self {
        Self { path: path.clone() }
    }

    pub(super) fn key(&mut self, key: Key) -> Step {
        match (key.code, key.letter()) {
            (_, Some('y')) => Step::Answered(Answer::yes()),
            (Code::Esc, _) | (_, Some('n')) => Step::Answered(Answer::Deny { message: None }),
            _ => Step::Open,
        }
    }

    pub(super) fn rows(&self, look: Look) -> Vec<Line<'static>> {
        let theme = look.theme;
        let what = "It will look around, ask you what is unclear, and write a plan. Nothing is changed before you \
                    approve it. The plan will be in";
        let mut rows = vec![Line::styled("The model wants to plan first. Enter plan mode?", theme.plan)];
        rows.extend(wrap(&Line::from(what), look.width, &Hang::all("  ")));
        rows.extend(wrap(&Line::styled(self.path.to_string(), theme.quiet), look.width, &Hang::all("  ")));
        rows.push(Line::default());
        rows.push(Line::from("  y  yes, plan first"));
        rows.push(Line::from("  n  no (Esc)"));
        rows
    }
}
