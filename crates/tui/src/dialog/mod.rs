//! Questions to the person. Nothing is preselected that acts, Esc is no, and keys that were typed before the question was
//! there do not answer it.

mod choose;
mod guard;
mod permission;
mod plan;
mod running;
mod scroll;
mod sheet;
mod slot;
mod words;

use forelook_protocol::{HostAnswer, HostAsk, HostRequest, RequestId};
use forelook_view::question::offers;
use forelook_view::review::ReviewHistory;
use ratatui_core::layout::Size;
use ratatui_core::text::Line;

use crate::markdown::Look;
use crate::review::Reviewing;
use crate::term::Key;
use crate::text::{Hang, harmless, wrap};
use crate::view::Page;
use choose::Choose;
pub(crate) use guard::Guard;
use permission::Permission;
use plan::EnterPlan;
use running::Running;
pub(crate) use scroll::Scroll;
pub(crate) use sheet::Sheet;

/// A question that waits.
#[derive(Debug)]
pub(crate) struct Dialog {
    pub(crate) id: RequestId,
    /// Who asks, in a few words; nothing for the main agent.
    pub(crate) from: Option<String>,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Permission(Permission),
    EnterPlan(EnterPlan),
    Running(Running),
    Choose(Choose),
    Review(Box<Reviewing>),
}

/// What a key came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// The question is still open.
    Open,
    /// This is the answer.
    Answered(HostAnswer),
    /// The plan is to be edited.
    Edit,
    /// The person wants to look at the conversation; the question waits.
    Aside,
}

impl Dialog {
    /// The dialog for a question of this agent's, if it is one for people; `past` knows the reviews before.
    pub(crate) fn new(question: &HostRequest, from: Option<String>, past: &ReviewHistory) -> Option<Self> {
        let form = match &question.ask {
            HostAsk::Permission { tool, input, reason } => {
                Form::Permission(Permission::new(tool, input, reason, offers(&question.ask)))
            }
            HostAsk::EnterPlan { path } => Form::EnterPlan(EnterPlan::new(path)),
            HostAsk::Running { shells } => Form::Running(Running::new(shells)),
            HostAsk::Choose { questions } => Form::Choose(Choose::new(questions)),
            HostAsk::Review(review) => {
                let reviewing = Reviewing::new(review, from.as_deref(), past.of(&review.path));
                Form::Review(Box::new(reviewing))
            }
            HostAsk::ReadFile { .. }
            | HostAsk::WriteFile { .. }
            | HostAsk::RunCommand { .. }
            | HostAsk::Mcp { .. }
            | HostAsk::Hook { .. } => return None,
        };
        Some(Self { id: question.id, from, form })
    }

    /// The review, if it is one.
    pub(crate) fn review(&mut self) -> Option<&mut Reviewing> {
        match &mut self.form {
            Form::Review(form) => Some(form),
            Form::Permission(_) | Form::EnterPlan(_) | Form::Running(_) | Form::Choose(_) => None,
        }
    }

    pub(crate) fn into_review(self) -> Option<Reviewing> {
        match self.form {
            Form::Review(form) => Some(*form),
            Form::Permission(_) | Form::EnterPlan(_) | Form::Running(_) | Form::Choose(_) => None,
        }
    }

    /// Whether it waits for keys: not while it is put aside, nor while its answer is on the way.
    pub(crate) fn is_open(&self) -> bool {
        match &self.form {
            Form::Review(form) => form.is_open(),
            Form::Permission(_) | Form::EnterPlan(_) | Form::Running(_) | Form::Choose(_) => true,
        }
    }

    /// Whether it has the whole window.
    pub(crate) fn is_page(&self) -> bool {
        matches!(self.form, Form::Review(_))
    }

    /// The whole window, if it takes it.
    pub(crate) fn page(&mut self, size: Size, look: Look) -> Option<Page> {
        self.review().map(|review| review.page(size, look))
    }

    pub(crate) fn key(&mut self, key: Key) -> Step {
        match &mut self.form {
            Form::Permission(form) => form.key(key),
            Form::EnterPlan(form) => form.key(key),
            Form::Running(form) => form.key(key),
            Form::Choose(form) => form.key(key),
            Form::Review(form) => form.key(key),
        }
    }

    /// Text that was put in at once; whether it was taken.
    pub(crate) fn paste(&mut self, text: &str) -> bool {
        match &mut self.form {
            Form::Permission(form) => form.paste(text),
            Form::Choose(form) => form.paste(text),
            Form::EnterPlan(_) | Form::Running(_) | Form::Review(_) => false,
        }
    }

    /// What is shown, in at most so many rows; what does not fit scrolls.
    pub(crate) fn rows(&mut self, look: Look, room: usize) -> Page {
        let from = self.from.as_ref().map(|from| format!("Asked by {}", harmless(from)));
        let from = from.map(|from| wrap(&Line::styled(from, look.theme.quiet), look.width, &Hang::all("  ")));
        let from = from.unwrap_or_default();
        let room = room.saturating_sub(from.len());
        let mut page = match &mut self.form {
            Form::Permission(form) => form.rows(look, room),
            Form::EnterPlan(form) => form.rows(look, room),
            Form::Running(form) => form.rows(look, room),
            Form::Choose(form) => form.rows(look, room),
            Form::Review(form) => Page { rows: form.reminder(look).into_iter().collect(), cursor: None },
        };
        page.cursor = page.cursor.map(|(row, column)| (row + from.len(), column));
        page.rows.splice(0..0, from);
        page
    }
}

#[cfg(test)]
mod tests;
