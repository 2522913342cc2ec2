//! Questions to the person. Nothing is preselected that acts, Esc is no, and keys that were typed before the question was
//! there do not answer it.

mod choose;
mod guard;
mod permission;
mod plan;

use forelook_protocol::{Answer, Ask, CallId, Question, QuestionId};
use ratatui_core::text::Line;

use crate::markdown::Look;
use crate::term::Key;
use choose::Choose;
pub(crate) use guard::Guard;
use permission::Permission;
use plan::EnterPlan;

/// A question that waits.
#[derive(Debug)]
pub(crate) struct Dialog {
    pub(crate) id: QuestionId,
    pub(crate) call: CallId,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Permission(Permission),
    EnterPlan(EnterPlan),
    Choose(Choose),
}

/// What a key came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// The question is still open.
    Open,
    /// This is the answer.
    Answered(Answer),
}

impl Dialog {
    /// The dialog for a question; nothing for a review, which has a view of its own.
    pub(crate) fn new(question: &Question) -> Option<Self> {
        let form = match &question.ask {
            Ask::Permission { tool, input, reason } => Form::Permission(Permission::new(tool, input, reason)),
            Ask::EnterPlan { path } => Form::EnterPlan(EnterPlan::new(path)),
            Ask::Choose { questions } => Form::Choose(Choose::new(questions)),
            Ask::Review(_) => return None,
        };
        Some(Self { id: question.id, call: question.call.clone(), form })
    }

    pub(crate) fn key(&mut self, key: Key) -> Step {
        match &mut self.form {
            Form::Permission(form) => form.key(key),
            Form::EnterPlan(form) => form.key(key),
            Form::Choose(form) => form.key(key),
        }
    }

    pub(crate) fn rows(&self, look: Look) -> Vec<Line<'static>> {
        match &self.form {
            Form::Permission(form) => form.rows(look),
            Form::EnterPlan(form) => form.rows(look),
            Form::Choose(form) => form.rows(look),
        }
    }
}

#[cfg(test)]
mod tests;
