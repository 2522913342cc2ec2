//! What is filled in below the plan.

use forelook_view::review::{
    AnswerDetails, ApprovalMode, Comments, ContextChoice, PlanChoice, RehearsalChoice,
};

use super::ReviewDialog;
use super::search::PlanSearch;
use crate::composer::{Composer, ComposerOutcome};
use crate::dialog::DialogStep;
use crate::term::{Code, Key};

/// What the person is doing.
#[derive(Debug, Default)]
pub(super) enum ReviewForm {
    /// Reading, with all choices open.
    #[default]
    Choosing,
    /// About to say yes: only Enter says it.
    Approve {
        approval_mode: ApprovalMode,
        note: Composer,
        context: ContextChoice,
        rehearsal: RehearsalChoice,
    },
    /// Saying what should change.
    Keep { words: Composer },
    /// About to put the plan away.
    Confirm(Dismissal),
    /// Writing a comment.
    Comment { on: CommentTarget, words: Composer },
    /// Looking at all comments, at this one.
    List(usize),
    /// Looking at all keys, from this row on.
    Keys(usize),
    /// Writing what to look for.
    Search { words: Composer },
    /// Going from one place to the next where it stands.
    Found(PlanSearch),
}

/// Ways to put a plan away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dismissal {
    Park,
    Abandon,
}

/// What a comment is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommentTarget {
    Lines(usize, usize),
    /// Other words for the comment with this number.
    Existing(usize),
}

impl ReviewForm {
    pub(super) fn approve(approval_mode: ApprovalMode) -> Self {
        ReviewForm::Approve {
            approval_mode,
            note: Composer::default(),
            context: ContextChoice::Keep,
            rehearsal: RehearsalChoice::Discard,
        }
    }

    /// With what was written there before.
    pub(super) fn keep(draft: &str) -> Self {
        let mut words = Composer::default();
        words.set(draft);
        ReviewForm::Keep { words }
    }

    pub(super) fn comment(first: usize, last: usize) -> Self {
        ReviewForm::Comment { on: CommentTarget::Lines(first, last), words: Composer::default() }
    }

    pub(super) fn reword(at: usize, comments: &Comments) -> Self {
        let mut words = Composer::default();
        words.set(comments.get(at).map_or("", |it| &it.comment.text));
        ReviewForm::Comment { on: CommentTarget::Existing(at), words }
    }

    /// What is being written.
    pub(super) fn words(&mut self) -> Option<&mut Composer> {
        match self {
            ReviewForm::Approve { note: words, .. }
            | ReviewForm::Keep { words }
            | ReviewForm::Comment { words, .. } => Some(words),
            ReviewForm::Search { words } => Some(words),
            ReviewForm::Choosing
            | ReviewForm::Confirm(_)
            | ReviewForm::List(_)
            | ReviewForm::Keys(_)
            | ReviewForm::Found(_) => None,
        }
    }
}

impl ReviewDialog {
    /// A key in a form.
    pub(super) fn fill(&mut self, form: ReviewForm, key: Key) -> DialogStep {
        match form {
            ReviewForm::Choosing => {}
            ReviewForm::List(at) => self.list_key(at, key),
            ReviewForm::Found(search) => self.search_key(search, key),
            ReviewForm::Keys(top) => match key.code {
                Code::Up => self.form = ReviewForm::Keys(top.saturating_sub(1)),
                Code::Down => self.form = ReviewForm::Keys(top + 1),
                _ => {}
            },
            ReviewForm::Confirm(drop) => match (key.code, drop) {
                (Code::Enter, Dismissal::Park) => {
                    return self.answer(PlanChoice::Park, &AnswerDetails::default());
                }
                (Code::Enter, Dismissal::Abandon) => {
                    return self.answer(PlanChoice::Abandon, &AnswerDetails::default());
                }
                (Code::Esc, _) => {}
                _ => self.form = ReviewForm::Confirm(drop),
            },
            ReviewForm::Approve { approval_mode, note, context, rehearsal }
                if key == Key::plain(Code::Tab) || key == Key::ctrl('f') =>
            {
                let context =
                    if context == ContextChoice::Keep { ContextChoice::Fresh } else { ContextChoice::Keep };
                self.form = ReviewForm::Approve { approval_mode, note, context, rehearsal };
            }
            ReviewForm::Approve { approval_mode, note, context, rehearsal }
                if key == Key::ctrl('t') && self.tried.is_some() =>
            {
                let has_protected = self.tried.as_ref().is_some_and(|tried| tried.protected() > 0);
                let rehearsal = match rehearsal {
                    RehearsalChoice::Discard => RehearsalChoice::Apply,
                    RehearsalChoice::Apply if has_protected => RehearsalChoice::ApplyAll,
                    RehearsalChoice::Apply | RehearsalChoice::ApplyAll => RehearsalChoice::Discard,
                };
                self.form = ReviewForm::Approve { approval_mode, note, context, rehearsal };
            }
            form => return self.write(form, key),
        }
        DialogStep::Open
    }

    /// A key where words are written: Esc goes back without them, Enter is done.
    fn write(&mut self, mut form: ReviewForm, key: Key) -> DialogStep {
        if key == Key::plain(Code::Esc) {
            if let ReviewForm::Keep { words } = &mut form {
                self.review.draft = words.whole();
            }
            return DialogStep::Open;
        }
        let width = self.width.saturating_sub(4);
        let Some(words) = form.words() else { return DialogStep::Open };
        let done = match key == Key::plain(Code::Enter) && words.text().trim().is_empty() {
            true => Some(String::new()),
            false => match words.key(key, width) {
                ComposerOutcome::Sent(said) => Some(said.text),
                _ => None,
            },
        };
        match (done, form) {
            (None, form) => self.form = form,
            (Some(words), ReviewForm::Approve { approval_mode, context, rehearsal, .. }) => {
                return self.answer(
                    PlanChoice::Approve(approval_mode),
                    &AnswerDetails { words, context, rehearsal },
                );
            }
            (Some(text), ReviewForm::Keep { .. }) => {
                return self.answer(PlanChoice::KeepPlanning, &AnswerDetails::words(text));
            }
            (Some(text), ReviewForm::Comment { on, .. }) => self.comment(on, &text),
            (Some(text), ReviewForm::Search { .. }) => self.look_for(&text),
            (Some(_), _) => {}
        }
        DialogStep::Open
    }

    pub(super) fn comment(&mut self, on: CommentTarget, text: &str) {
        match on {
            CommentTarget::Existing(at) => self.review.reword(at, text),
            CommentTarget::Lines(..) if text.trim().is_empty() => return,
            CommentTarget::Lines(first, last) => {
                let all = self.review.text().lines().count();
                if let Err(why) = self.review.comment(first, last.min(all), text) {
                    self.say(&why.to_string());
                }
            }
        }
        self.plan_pane.unmark();
    }

    fn list_key(&mut self, at: usize, key: Key) {
        let last = self.review.comments().len().saturating_sub(1);
        let here = self.review.comments().get(at).map_or(1, |it| it.comment.first);
        self.form = match (key.code, key.letter()) {
            (Code::Up, _) | (_, Some('k')) => ReviewForm::List(at.saturating_sub(1)),
            (Code::Down, _) | (_, Some('j')) => ReviewForm::List((at + 1).min(last)),
            (Code::Enter, _) => {
                self.look_away();
                self.plan_pane.go_to(here);
                ReviewForm::Choosing
            }
            (_, Some('e')) => ReviewForm::reword(at, self.review.comments()),
            (Code::Delete, _) | (_, Some('x')) => {
                self.review.remove(at);
                match self.review.comments().len() {
                    0 => ReviewForm::Choosing,
                    left => ReviewForm::List(at.min(left - 1)),
                }
            }
            (Code::Esc, _) | (_, Some('l')) => ReviewForm::Choosing,
            _ => ReviewForm::List(at),
        };
    }
}
