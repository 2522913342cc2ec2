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

use std::path::Path;

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
    /// Whether the last key was a yes to what the window does not show.
    unseen: bool,
}

/// In fewer rows than these, what is asked stands before who asks.
const SMALL: usize = 4;

/// Said instead of taking a yes to what nobody saw.
const TOO_SMALL: &str = "  Enlarge the window first";
/// The same where it can be scrolled to.
const OUT_OF_SIGHT: &str = "  PgDn: see the rule first";

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
    /// The dialog for a question of this agent's, if it is one for people; `past` knows the reviews before, and the session
    /// works in the folder.
    pub(crate) fn new(
        question: &HostRequest,
        from: Option<String>,
        past: &ReviewHistory,
        folder: &Path,
    ) -> Option<Self> {
        let kind = match &question.ask {
            ask @ HostAsk::Permission { .. } => {
                DialogKind::Permission(Box::new(PermissionDialog::new(ask, folder)?))
            }
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
        Some(Self { id: question.id, from, kind, unseen: false })
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

    /// What a key comes to. A yes to what the window does not show is none.
    pub(crate) fn key(&mut self, key: Key) -> DialogStep {
        let step = match &mut self.kind {
            DialogKind::Permission(form) => form.key(key),
            DialogKind::EnterPlan(form) => form.key(key),
            DialogKind::Running(form) => form.key(key),
            DialogKind::Choose(form) => form.key(key),
            DialogKind::Review(form) => form.key(key),
        };
        self.unseen = matches!(&step, DialogStep::Answered(answer) if !self.shows(answer));
        if self.unseen { DialogStep::Open } else { step }
    }

    /// Whether what this answer is to was on the screen. A no needs nothing.
    fn shows(&self, answer: &HostAnswer) -> bool {
        if matches!(answer, HostAnswer::Deny { .. } | HostAnswer::Dismissed) {
            return true;
        }
        match &self.kind {
            DialogKind::Permission(form) => form.shows(answer),
            DialogKind::EnterPlan(form) => form.scroll.shows_some(),
            DialogKind::Running(form) => form.scroll.shows_some(),
            DialogKind::Choose(form) => form.scroll.shows_some(),
            // It always has rows for the plan.
            DialogKind::Review(_) => true,
        }
    }

    /// Whether words are being written: a key for something else is not an answer then.
    pub(crate) fn is_writing(&self) -> bool {
        match &self.kind {
            DialogKind::Permission(form) => form.is_writing(),
            DialogKind::Choose(form) => form.is_writing(),
            DialogKind::Review(form) => form.is_writing(),
            DialogKind::EnterPlan(_) | DialogKind::Running(_) => false,
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
        let from = if from.len() + SMALL > room { Vec::new() } else { from };
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
        let is_seen = self.shows(&HostAnswer::yes());
        if self.unseen || !is_seen {
            let text = if is_seen { OUT_OF_SIGHT } else { TOO_SMALL };
            say_instead(text, &mut page, ctx);
        }
        page
    }
}

/// Says why a yes does not count: after one that did not, and where none can.
fn say_instead(text: &str, page: &mut Page, ctx: RenderContext) {
    let text = forelook_wording::truncate_columns(text, ctx.width);
    if let Some(last) = page.rows.last_mut().filter(|_| page.cursor.is_none()) {
        *last = Line::styled(text, ctx.theme.warning);
    }
}

#[cfg(test)]
mod tests;
