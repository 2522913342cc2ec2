//! The review of a plan: it is read, commented on line by line, and answered. Nothing is preselected: a yes is a key that
//! says where it leads, and Enter in the form that repeats it.

mod answer;
mod bottom;
mod form;
mod keys;
mod page;
mod plan_pane;
mod rehearsal_pane;
mod rows;
mod search;
#[cfg(test)]
mod tests;

use forelook_protocol::{PlanReview as ReviewRequest, ReviewDraft};
use forelook_view::review::{
    AnswerDetails, ChangesSince, PlanChoice, PreviousReview, ReviewState, Unfinished,
};
use forelook_wording::{mode_unavailable, truncate};
use ratatui_core::text::Line;

use crate::dialog::DialogStep;
use crate::markdown::RenderContext;
use crate::term::{Code, Key};
use form::{CommentTarget, ReviewForm};
use plan_pane::{PaneMode, PlanPane};
use rehearsal_pane::RehearsalPane;

/// The key that leads from the plan to the conversation and back.
pub(crate) const ASIDE: Key = Key::ctrl('o');

/// A plan under review.
#[derive(Debug)]
pub(crate) struct ReviewDialog {
    review: ReviewState,
    plan_pane: PlanPane,
    /// What was tried while planning, if anything was.
    tried: Option<RehearsalPane>,
    form: ReviewForm,
    visibility: Visibility,
    /// Something to know, until the next key.
    said: Option<String>,
    /// Columns of the window.
    width: usize,
}

/// Whether it has the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visibility {
    Open,
    /// The person looks at the conversation.
    Aside,
    /// An answer was given and is not recorded yet.
    Answered,
}

impl ReviewDialog {
    /// `before` is the review of the same file before this one.
    pub(crate) fn new(request: &ReviewRequest, from: Option<&str>, before: Option<&PreviousReview>) -> Self {
        let review = ReviewState::new(request, from, before);
        Self {
            plan_pane: PlanPane::new(review.text(), review.changes()),
            tried: review.rehearsed_changes().map(|tried| RehearsalPane::new(tried.rehearsal)),
            form: ReviewForm::Choosing,
            visibility: Visibility::Open,
            said: review.changed_while_open().then(|| "The plan changed; this is the new version".to_owned()),
            review,
            width: 80,
        }
    }

    /// What is left when it is put away without an answer; what was just being written too.
    pub(crate) fn into_review(mut self) -> ReviewState {
        match std::mem::take(&mut self.form) {
            ReviewForm::Comment { on, words } => self.comment(on, &words.whole()),
            ReviewForm::Keep { words } | ReviewForm::Approve { note: words, .. } => {
                self.review.draft = words.whole()
            }
            ReviewForm::Choosing
            | ReviewForm::Confirm(_)
            | ReviewForm::List(_)
            | ReviewForm::Keys(_)
            | ReviewForm::Search { .. }
            | ReviewForm::Found(_) => {}
        }
        self.review
    }

    /// What is written and not sent yet, with what is just being written.
    pub(crate) fn draft(&self) -> ReviewDraft {
        let text = match &self.form {
            ReviewForm::Comment { words, .. }
            | ReviewForm::Keep { words }
            | ReviewForm::Approve { note: words, .. } => words.whole(),
            _ => String::new(),
        };
        self.review.to_record(match &self.form {
            ReviewForm::Comment { on: CommentTarget::Lines(first, last), .. } => {
                Unfinished::Comment { first: *first, last: *last, text: &text }
            }
            ReviewForm::Comment { on: CommentTarget::Existing(at), .. } => {
                Unfinished::Reworded { at: *at, text: &text }
            }
            ReviewForm::Keep { .. } | ReviewForm::Approve { .. } => Unfinished::Words(&text),
            _ => Unfinished::Nothing,
        })
    }

    /// Whether words are being written: what is there changes with every key.
    pub(crate) fn is_writing(&self) -> bool {
        matches!(self.form, ReviewForm::Comment { .. } | ReviewForm::Keep { .. } | ReviewForm::Approve { .. })
    }

    /// Whether it has the window.
    pub(crate) fn is_open(&self) -> bool {
        self.visibility == Visibility::Open
    }

    pub(crate) fn is_aside(&self) -> bool {
        self.visibility == Visibility::Aside
    }

    pub(crate) fn put_aside(&mut self) {
        self.visibility = Visibility::Aside;
    }

    pub(crate) fn open(&mut self) {
        self.visibility = Visibility::Open;
    }

    /// The answer that was given did not count.
    pub(crate) fn refused(&mut self, why: &str) {
        self.open();
        self.say(why);
    }

    /// Something that the person should see now.
    pub(crate) fn say(&mut self, text: &str) {
        self.said = Some(text.to_owned());
    }

    pub(crate) fn key(&mut self, key: Key) -> DialogStep {
        self.said = None;
        let step = match std::mem::take(&mut self.form) {
            ReviewForm::Choosing => self.choose(key),
            form => self.fill(form, key),
        };
        if let DialogStep::Answered(_) = step {
            self.visibility = Visibility::Answered;
        }
        step
    }

    /// Text that was put in at once; false if nothing is being written.
    pub(crate) fn paste(&mut self, text: &str) -> bool {
        let width = self.width.saturating_sub(4);
        let words = self.form.words();
        words.map(|words| words.paste(text, width)).is_some()
    }

    /// A key while nothing is being filled in.
    fn choose(&mut self, key: Key) -> DialogStep {
        let moved = match self.seen_tried() {
            Some(tried) => tried.key(key),
            None => self.plan_pane.key(key),
        };
        if moved {
            return DialogStep::Open;
        }
        if key == ASIDE {
            return DialogStep::Aside;
        }
        match key.code {
            Code::Esc if self.seen_tried().is_some() => self.look_away(),
            Code::Esc if self.plan_pane.has_mark() => self.plan_pane.unmark(),
            Code::Esc => self.form = ReviewForm::keep(&self.review.draft),
            Code::Enter => self.say("Nothing is chosen yet: press one of the keys below"),
            _ => return key.letter().map_or(DialogStep::Open, |letter| self.letter(letter)),
        }
        DialogStep::Open
    }

    fn letter(&mut self, letter: char) -> DialogStep {
        match letter {
            'e' => return DialogStep::Edit,
            // With the words that were written before, and left.
            's' if self.review.comments().unsent() > 0 => {
                let words = self.review.draft.trim().to_owned();
                return self.answer(PlanChoice::KeepPlanning, &AnswerDetails::words(words));
            }
            's' if !self.review.draft.trim().is_empty() => self.form = ReviewForm::keep(&self.review.draft),
            's' => self.say("No new comments to send"),
            'n' => self.form = ReviewForm::keep(&self.review.draft),
            'p' => self.form = ReviewForm::Confirm(form::Dismissal::Park),
            'x' => self.form = ReviewForm::Confirm(form::Dismissal::Abandon),
            'd' if self.plan_pane.has_changes() => self.look_at(PaneMode::Changes),
            'd' => self.say(match self.review.since() {
                ChangesSince::Never => "This is the first review of this plan",
                ChangesSince::LastReview | ChangesSince::Shown => "Nothing has changed since the last review",
            }),
            'r' => self.look_at(PaneMode::Written),
            't' => self.toggle_tried(),
            'c' | 'v' if self.seen_tried().is_some() => {
                self.say("Comments go on lines of the plan; press t to go back to it");
            }
            'c' => self.begin_comment(),
            'v' => {
                if self.plan_pane.toggle_mark() {
                    self.say("Move to the other end of the range, then press c to comment");
                }
            }
            'l' if !self.review.comments().is_empty() => self.form = ReviewForm::List(0),
            'l' => self.say("No comments yet; press c to add one"),
            '/' => self.begin_search(),
            '?' => self.form = ReviewForm::Keys(0),
            letter => {
                if let Some((_, approval_mode)) =
                    self.approval_modes().into_iter().find(|(key, _)| *key == letter)
                {
                    self.form = ReviewForm::approve(approval_mode);
                } else if let Some(it) = self
                    .unavailable()
                    .into_iter()
                    .find_map(|(key, it)| (key == letter).then(|| mode_unavailable(it)))
                {
                    self.say(&it);
                }
            }
        }
        DialogStep::Open
    }

    /// A comment on the lines that are chosen, or the one under the cursor again.
    fn begin_comment(&mut self) {
        match (self.plan_pane.comment(), self.plan_pane.chosen()) {
            (Some(at), _) if !self.plan_pane.has_mark() => {
                self.form = ReviewForm::reword(at, self.review.comments())
            }
            (_, Some((first, last))) if self.review.has_plan() => {
                self.form = ReviewForm::comment(first, last)
            }
            _ => self.say("No line to comment on"),
        }
    }

    /// One line for the conversation while this waits beside it.
    pub(crate) fn reminder(&self, ctx: RenderContext) -> Option<Line<'static>> {
        let text = format!(" ⏸ Waiting for review (Esc to open). {}", self.name());
        self.is_aside().then(|| Line::styled(truncate(&text, ctx.width.saturating_sub(1)), ctx.theme.plan))
    }
}
