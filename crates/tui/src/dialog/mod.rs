//! Questions to the person. Nothing is preselected that acts, Esc is no, and keys that were typed before the question was
//! there do not answer it.

mod choose;
mod guard;
mod layout;
mod permission;
mod plan;
mod rule_editor;
mod running;
mod scroll;
mod slot;
mod text_input;

use forelook_protocol::{HostAnswer, HostAsk, HostRequest, RequestId, RuleCheck};
use forelook_view::review::ReviewHistory;
use ratatui_core::layout::Size;
use ratatui_core::text::Line;

use crate::markdown::RenderContext;
use crate::review::ReviewDialog;
use crate::term::Key;
use crate::text::{Indent, sanitize, wrap};
use crate::view::Page;
use choose::ChooseDialog;
pub(crate) use guard::KeyGuard;
pub(crate) use layout::DialogLayout;
use permission::PermissionDialog;
use plan::EnterPlanDialog;
use running::RunningShellsDialog;
pub(crate) use scroll::Scroll;

/// A question that waits.
#[derive(Debug)]
pub(crate) struct Dialog {
    pub(crate) id: RequestId,
    /// Who asks, in a few words; nothing for the main agent.
    pub(crate) from: Option<String>,
    kind: DialogKind,
}

#[derive(Debug)]
enum DialogKind {
    Permission(Box<PermissionDialog>),
    EnterPlan(EnterPlanDialog),
    Running(RunningShellsDialog),
    Choose(ChooseDialog),
    Review(Box<ReviewDialog>),
}

/// What a key came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DialogStep {
    /// The question is still open.
    Open,
    /// This is the answer.
    Answered(HostAnswer),
    /// What would these rules do?
    CheckRules(Vec<String>),
    /// The plan is to be edited.
    Edit,
    /// The person wants to look at the conversation; the question waits.
    Aside,
}

impl Dialog {
    /// The dialog for a question of this agent's, if it is one for people; `past` knows the reviews before.
    pub(crate) fn new(question: &HostRequest, from: Option<String>, past: &ReviewHistory) -> Option<Self> {
        let kind = match &question.ask {
            ask @ HostAsk::Permission { .. } => DialogKind::Permission(Box::new(PermissionDialog::new(ask)?)),
            HostAsk::EnterPlan { path } => DialogKind::EnterPlan(EnterPlanDialog::new(path)),
            HostAsk::Running { shells } => DialogKind::Running(RunningShellsDialog::new(shells)),
            HostAsk::Choose { questions } => DialogKind::Choose(ChooseDialog::new(questions)),
            HostAsk::Review(review) => {
                let dialog = ReviewDialog::new(review, from.as_deref(), past.of(&review.path));
                DialogKind::Review(Box::new(dialog))
            }
            HostAsk::ReadFile { .. }
            | HostAsk::WriteFile { .. }
            | HostAsk::RunCommand { .. }
            | HostAsk::Mcp { .. }
            | HostAsk::Hook { .. } => return None,
        };
        Some(Self { id: question.id, from, kind })
    }

    /// The review, if it is one.
    pub(crate) fn review(&mut self) -> Option<&mut ReviewDialog> {
        match &mut self.kind {
            DialogKind::Review(form) => Some(form),
            DialogKind::Permission(_)
            | DialogKind::EnterPlan(_)
            | DialogKind::Running(_)
            | DialogKind::Choose(_) => None,
        }
    }

    pub(crate) fn into_review(self) -> Option<ReviewDialog> {
        match self.kind {
            DialogKind::Review(form) => Some(*form),
            DialogKind::Permission(_)
            | DialogKind::EnterPlan(_)
            | DialogKind::Running(_)
            | DialogKind::Choose(_) => None,
        }
    }

    /// Whether it waits for keys: not while it is put aside, nor while its answer is on the way.
    pub(crate) fn is_open(&self) -> bool {
        match &self.kind {
            DialogKind::Review(form) => form.is_open(),
            DialogKind::Permission(_)
            | DialogKind::EnterPlan(_)
            | DialogKind::Running(_)
            | DialogKind::Choose(_) => true,
        }
    }

    /// Whether it has the whole window.
    pub(crate) fn is_page(&self) -> bool {
        matches!(self.kind, DialogKind::Review(_))
    }

    /// The whole window, if it takes it.
    pub(crate) fn page(&mut self, size: Size, ctx: RenderContext) -> Option<Page> {
        self.review().map(|review| review.page(size, ctx))
    }

    pub(crate) fn key(&mut self, key: Key) -> DialogStep {
        match &mut self.kind {
            DialogKind::Permission(form) => form.key(key),
            DialogKind::EnterPlan(form) => form.key(key),
            DialogKind::Running(form) => form.key(key),
            DialogKind::Choose(form) => form.key(key),
            DialogKind::Review(form) => form.key(key),
        }
    }

    /// What the session says of rules that are being written.
    pub(crate) fn checked(&mut self, check: &RuleCheck) {
        if let DialogKind::Permission(form) = &mut self.kind {
            form.checked(check);
        }
    }

    /// Text that was put in at once; nothing if it was not taken.
    pub(crate) fn paste(&mut self, text: &str) -> Option<DialogStep> {
        match &mut self.kind {
            DialogKind::Permission(form) => form.paste(text),
            DialogKind::Choose(form) => form.paste(text).then_some(DialogStep::Open),
            DialogKind::EnterPlan(_) | DialogKind::Running(_) | DialogKind::Review(_) => None,
        }
    }

    /// What is shown, in at most so many rows; what does not fit scrolls.
    pub(crate) fn rows(&mut self, ctx: RenderContext, room: usize) -> Page {
        let from = self.from.as_ref().map(|from| format!("Asked by {}", sanitize(from)));
        let from = from.map(|from| wrap(&Line::styled(from, ctx.theme.quiet), ctx.width, &Indent::all("  ")));
        let from = from.unwrap_or_default();
        let room = room.saturating_sub(from.len());
        let mut page = match &mut self.kind {
            DialogKind::Permission(form) => form.rows(ctx, room),
            DialogKind::EnterPlan(form) => form.rows(ctx, room),
            DialogKind::Running(form) => form.rows(ctx, room),
            DialogKind::Choose(form) => form.rows(ctx, room),
            DialogKind::Review(form) => Page { rows: form.reminder(ctx).into_iter().collect(), cursor: None },
        };
        page.cursor = page.cursor.map(|(row, column)| (row + from.len(), column));
        page.rows.splice(0..0, from);
        page
    }
}

#[cfg(test)]
mod tests;
