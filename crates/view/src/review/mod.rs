//! A plan under review: its text, its changes, the rehearsal, comments that stay with their lines, and the possible
//! answers. Front ends do the drawing.

mod answer;
mod comments;
mod diff;
mod history;
#[cfg(test)]
mod tests;

use forelook_protocol::{
    AbsPath, Mode, PlanReview as ReviewRequest, Rehearsal, ReviewDraft, UnavailableMode,
};
use forelook_wording::{FileLine, rehearsal_files, rehearsal_size};
use thiserror::Error;

pub use answer::{AnswerDetails, ApprovalMode, ContextChoice, PlanChoice, RehearsalChoice};
pub use comments::{Comment, Comments};
pub use diff::{DiffKind, DiffLine, DiffSection, diff_lines, diff_sections, last_line, unified};
pub use history::{PreviousReview, ReviewEnd, ReviewHistory};

/// A plan under review.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewState {
    request: ReviewRequest,
    from: Option<String>,
    comments: Comments,
    since: ChangesSince,
    changes: String,
    changed_while_open: bool,
    /// The text with the reviewer's edits.
    edited: Option<String>,
    /// Text for the model that was not sent yet.
    pub draft: String,
}

/// What the shown changes are relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangesSince {
    /// The plan was never reviewed before.
    Never,
    /// The last answered review.
    LastReview,
    /// The text that was shown; it changed during its first review.
    Shown,
}

/// What the reviewer is just writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished<'a> {
    /// Nothing.
    Nothing,
    /// What should change, or a note.
    Words(&'a str),
    /// A comment on lines of the text, counted from 1.
    Comment {
        /// The first line.
        first: usize,
        /// The last line.
        last: usize,
        /// The comment.
        text: &'a str,
    },
    /// Other words for the comment with this index.
    Reworded {
        /// The index.
        at: usize,
        /// The words.
        text: &'a str,
    },
}

/// Why a comment was not added.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CommentError {
    /// The plan does not have these lines.
    #[error("The plan ends at line {0}")]
    NoSuchLines(usize),
    /// The comment is empty.
    #[error("The comment is empty")]
    Empty,
}

impl ReviewState {
    /// `from` is the name of the agent that asks; `before` is the previous review of the same file.
    pub fn new(request: &ReviewRequest, from: Option<&str>, before: Option<&PreviousReview>) -> Self {
        let plan = request.plan.as_deref().unwrap_or_default();
        let mut comments = Comments::default();
        let (mut since, mut changes) = match &request.changes {
            Some(changes) => (ChangesSince::LastReview, changes.clone()),
            None => (ChangesSince::Never, String::new()),
        };
        let mut changed_while_open = false;
        if let Some(before) = before {
            comments = before.comments.clone();
            match before.end {
                ReviewEnd::Sent => comments.answered(&before.plan, plan),
                ReviewEnd::Open => comments.changed(&before.plan, plan),
            }
            changed_while_open = before.end == ReviewEnd::Open && before.plan != plan;
            // What changed since the last review says more, and includes this.
            if changed_while_open && since == ChangesSince::Never {
                since = ChangesSince::Shown;
                changes = unified(&before.plan, plan);
            }
        }
        Self {
            request: request.clone(),
            from: from.map(str::to_owned).or_else(|| request.from.as_ref().map(ToString::to_string)),
            comments,
            since,
            changes,
            changed_while_open,
            edited: None,
            draft: before.map(|before| before.draft.clone()).unwrap_or_default(),
        }
    }

    /// The request from the session.
    pub fn request(&self) -> &ReviewRequest {
        &self.request
    }

    /// The plan file.
    pub fn path(&self) -> &AbsPath {
        &self.request.path
    }

    /// The name of the agent that asks; `None` for the main agent.
    pub fn from(&self) -> Option<&str> {
        self.from.as_deref()
    }

    /// Whether there is a plan at all.
    pub fn has_plan(&self) -> bool {
        self.request.plan.is_some()
    }

    /// The text that was shown, or the reviewer's edited version.
    pub fn text(&self) -> &str {
        self.edited.as_deref().unwrap_or_else(|| self.shown())
    }

    fn shown(&self) -> &str {
        self.request.plan.as_deref().unwrap_or_default()
    }

    /// All comments, in line order.
    pub fn comments(&self) -> &Comments {
        &self.comments
    }

    /// What the changes are relative to.
    pub fn since(&self) -> ChangesSince {
        self.since
    }

    /// Whether the plan changed since the reviewer saw it, before they answered.
    pub fn changed_while_open(&self) -> bool {
        self.changed_while_open
    }

    /// The modes that an approval cannot choose, and why.
    pub fn unavailable(&self) -> &[UnavailableMode] {
        &self.request.unavailable
    }

    /// The mode before planning, if it cannot be used any more.
    pub fn lost_mode(&self) -> Option<&UnavailableMode> {
        self.why_unavailable(self.request.before)
    }

    /// Why an approval cannot choose this mode, if it cannot.
    pub fn why_unavailable(&self, mode: Mode) -> Option<&UnavailableMode> {
        self.request.unavailable.iter().find(|it| it.mode == mode)
    }

    /// What is written and not sent yet, to be recorded: the comments, the words, and what is just being written.
    pub fn to_record(&self, unfinished: Unfinished<'_>) -> ReviewDraft {
        let mut words = self.draft.clone();
        let mut comments = self.comments.to_record();
        match unfinished {
            Unfinished::Nothing => {}
            Unfinished::Words(text) => words = text.to_owned(),
            Unfinished::Comment { first, last, text } => {
                let mut with_it = self.comments.clone();
                if with_it.add_to(self.text(), (first, last), text).is_ok() {
                    comments = with_it.to_record();
                }
            }
            Unfinished::Reworded { at, text } => {
                let mut reworded = self.comments.clone();
                reworded.reword(at, text);
                comments = reworded.to_record();
            }
        }
        ReviewDraft { comments, words }
    }

    /// The changes, as a unified diff for [`diff_lines`]; empty if there are none.
    pub fn changes(&self) -> &str {
        &self.changes
    }

    /// Adds a comment on lines of the text, counted from 1.
    pub fn comment(&mut self, first: usize, last: usize, text: &str) -> Result<(), CommentError> {
        let plan = self.edited.as_deref().or(self.request.plan.as_deref()).unwrap_or_default();
        self.comments.add_to(plan, (first, last), text)
    }

    /// Changes the text of the comment with this index; an empty text removes it.
    pub fn reword(&mut self, at: usize, text: &str) {
        self.comments.reword(at, text);
    }

    /// Removes the comment with this index.
    pub fn remove(&mut self, at: usize) {
        self.comments.remove(at);
    }

    /// Removes the comments whose lines are gone, and returns how many. For front ends that cannot show them.
    pub fn drop_orphaned(&mut self) -> usize {
        let plan = self.edited.as_deref().or(self.request.plan.as_deref()).unwrap_or_default();
        self.comments.drop_orphaned(plan)
    }

    /// The reviewer edited the text. Comments stay with their lines, and an approval applies to the new text.
    pub fn changed(&mut self, text: &str) {
        let old = self.text().to_owned();
        self.comments.changed(&old, text);
        self.edited = Some(text.to_owned()).filter(|text| text != self.shown());
    }

    /// The rehearsed changes; `None` if no file would change, so that there is nothing to show or apply.
    pub fn rehearsed_changes(&self) -> Option<RehearsedChanges<'_>> {
        self.request.rehearsal.as_deref().and_then(RehearsedChanges::of)
    }

    /// What to keep when the review closes without an answer.
    pub fn into_previous(self) -> PreviousReview {
        let plan = self.request.plan.unwrap_or_default();
        let mut comments = self.comments;
        if let Some(edited) = self.edited {
            comments.changed(&edited, &plan);
        }
        PreviousReview { plan, comments, draft: self.draft, end: ReviewEnd::Open }
    }
}

/// The rehearsed changes: which files would change, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RehearsedChanges<'a> {
    /// The rehearsal.
    pub rehearsal: &'a Rehearsal,
}

impl<'a> RehearsedChanges<'a> {
    /// `None` if no file would change.
    pub fn of(rehearsal: &'a Rehearsal) -> Option<Self> {
        (!rehearsal.files.is_empty()).then_some(Self { rehearsal })
    }

    /// The exact size of the changes: `3 files, +10 −2`.
    pub fn size(self) -> String {
        rehearsal_size(self.rehearsal)
    }

    /// The folder that contains all files, and the files.
    pub fn files(self) -> (String, Vec<FileLine>) {
        rehearsal_files(self.rehearsal)
    }

    /// The changes, file by file.
    pub fn changes(self) -> Vec<DiffSection<'a>> {
        diff_sections(&self.rehearsal.diff)
    }
}
