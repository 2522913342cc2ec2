//! A plan under review: its text, what changed in it, what was tried, comments that stay with their lines, and what can
//! be answered. The drawing is the front ends'.

mod answer;
mod comments;
mod diff;
mod history;
#[cfg(test)]
mod tests;

use forelook_protocol::{AbsPath, Rehearsal, Review as Asked};
use forelook_wording::{FileLine, rehearsal_files, rehearsed};
use thiserror::Error;

pub use answer::{Along, Context, First, PlanChoice, Way};
pub use comments::{Comment, CommentState, Comments};
pub use diff::{DiffKind, DiffLine, FilePiece, diff_lines, file_pieces, last_line, unified};
pub use history::{Before, End, ReviewHistory};

/// A plan under review.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    asked: Asked,
    from: Option<String>,
    comments: Comments,
    since: Since,
    changes: String,
    /// The text as the reviewer changed it.
    edited: Option<String>,
    /// What was written to the model and not sent.
    pub draft: String,
}

/// Since when the changes are that can be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Nobody has reviewed it before.
    Never,
    /// Since the last review that was answered.
    LastReview,
    /// It changed while it was under review.
    Seen,
}

/// Why there is no comment.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoComment {
    /// The plan does not have these lines.
    #[error("The plan has only lines 1 to {0}")]
    NoSuchLines(usize),
    /// Nothing was said.
    #[error("A comment needs words")]
    Empty,
}

impl Review {
    /// `from` is who asks, in words; `before` is the review of the same file before this one.
    pub fn new(asked: &Asked, from: Option<&str>, before: Option<&Before>) -> Self {
        let plan = asked.plan.as_deref().unwrap_or_default();
        let mut comments = Comments::default();
        let (mut since, mut changes) = match &asked.changes {
            Some(changes) => (Since::LastReview, changes.clone()),
            None => (Since::Never, String::new()),
        };
        if let Some(before) = before {
            comments = before.comments.clone();
            match before.end {
                End::Sent => comments.answered(&before.plan, plan),
                End::Open => comments.changed(&before.plan, plan),
            }
            if before.end == End::Open && before.plan != plan {
                since = Since::Seen;
                changes = unified(&before.plan, plan);
            }
        }
        Self {
            asked: asked.clone(),
            from: from.map(str::to_owned).or_else(|| asked.from.as_ref().map(ToString::to_string)),
            comments,
            since,
            changes,
            edited: None,
            draft: before.map(|before| before.draft.clone()).unwrap_or_default(),
        }
    }

    /// What is asked, as the session put it.
    pub fn asked(&self) -> &Asked {
        &self.asked
    }

    /// The plan file.
    pub fn path(&self) -> &AbsPath {
        &self.asked.path
    }

    /// Who asks, in words; nothing for the main agent.
    pub fn from(&self) -> Option<&str> {
        self.from.as_deref()
    }

    /// Whether there is a plan at all.
    pub fn has_plan(&self) -> bool {
        self.asked.plan.is_some()
    }

    /// The text: what was shown, or what the reviewer made of it.
    pub fn text(&self) -> &str {
        self.edited.as_deref().unwrap_or_else(|| self.shown())
    }

    fn shown(&self) -> &str {
        self.asked.plan.as_deref().unwrap_or_default()
    }

    /// All comments, in the order of their lines.
    pub fn comments(&self) -> &Comments {
        &self.comments
    }

    /// Since when the changes are.
    pub fn since(&self) -> Since {
        self.since
    }

    /// What changed since then, as a unified diff for [`diff_lines`]; empty if nothing did.
    pub fn changes(&self) -> &str {
        &self.changes
    }

    /// Comments on lines of the text, counted from 1.
    pub fn comment(&mut self, first: usize, last: usize, text: &str) -> Result<(), NoComment> {
        let text = text.trim();
        if text.is_empty() {
            return Err(NoComment::Empty);
        }
        let plan = self.edited.as_deref().or(self.asked.plan.as_deref()).unwrap_or_default();
        let lines: Vec<&str> = plan.lines().collect();
        let quote = first.checked_sub(1).and_then(|from| lines.get(from..last));
        let quote = quote.filter(|quote| !quote.is_empty()).ok_or(NoComment::NoSuchLines(lines.len()))?;
        self.comments.add(quote, first, text);
        Ok(())
    }

    /// Other words for the comment with this number, from 0; none take it away.
    pub fn reword(&mut self, at: usize, text: &str) {
        self.comments.reword(at, text);
    }

    /// Takes the comment with this number away.
    pub fn remove(&mut self, at: usize) {
        self.comments.remove(at);
    }

    /// Takes away the comments whose lines are gone; how many that were. For a front end that cannot show them.
    pub fn drop_gone(&mut self) -> usize {
        let plan = self.edited.as_deref().or(self.asked.plan.as_deref()).unwrap_or_default();
        self.comments.drop_gone(plan)
    }

    /// The reviewer changed the text. Comments stay with their lines, and an approval is of the new text.
    pub fn changed(&mut self, text: &str) {
        let old = self.text().to_owned();
        self.comments.changed(&old, text);
        self.edited = Some(text.to_owned()).filter(|text| text != self.shown());
    }

    /// What was tried while planning, if it would change a file: else there is nothing to look at, or to apply.
    pub fn tried(&self) -> Option<Tried<'_>> {
        self.asked.rehearsal.as_deref().and_then(Tried::of)
    }

    /// What is left of it when it is put away without an answer.
    pub fn into_before(self) -> Before {
        let plan = self.asked.plan.unwrap_or_default();
        let mut comments = self.comments;
        if let Some(edited) = self.edited {
            comments.changed(&edited, &plan);
        }
        Before { plan, comments, draft: self.draft, end: End::Open }
    }
}

/// What was tried while planning: which files would change, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tried<'a> {
    /// All of it.
    pub rehearsal: &'a Rehearsal,
}

impl<'a> Tried<'a> {
    /// Nothing if no file would change.
    pub fn of(rehearsal: &'a Rehearsal) -> Option<Self> {
        (!rehearsal.files.is_empty()).then_some(Self { rehearsal })
    }

    /// Exactly how much it would change: `3 files, +10 −2`.
    pub fn size(self) -> String {
        rehearsed(self.rehearsal)
    }

    /// The folder that all files are in, and the files.
    pub fn files(self) -> (String, Vec<FileLine>) {
        rehearsal_files(self.rehearsal)
    }

    /// How they would change, file by file.
    pub fn changes(self) -> Vec<FilePiece<'a>> {
        file_pieces(&self.rehearsal.diff)
    }
}
