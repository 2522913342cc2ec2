//! Earlier reviews of a plan: what the reviewer saw and commented.

use std::collections::HashMap;

use forelook_protocol::{AbsPath, Entry, EntryBody, Event, PlanAnswer, PlanReviewed};

use super::{Comments, ReviewState};

/// The previous review of each plan file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReviewHistory(HashMap<AbsPath, PreviousReview>);

/// A previous review.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviousReview {
    /// The text that was shown.
    pub plan: String,
    /// The comments.
    pub comments: Comments,
    /// Text that was not sent.
    pub draft: String,
    /// How it ended.
    pub end: ReviewEnd,
}

/// How a review ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewEnd {
    /// The comments went to the model.
    Sent,
    /// It was not answered, so new comments stay new.
    Open,
}

impl ReviewHistory {
    /// Handles an event.
    pub fn apply(&mut self, event: &Event) {
        if let Event::Recorded(entry) = event {
            self.read(entry);
        }
    }

    /// Reads a journal entry, new or old.
    pub fn read(&mut self, entry: &Entry) {
        if let EntryBody::PlanReviewed(reviewed) = &entry.body {
            self.answered(reviewed);
        }
    }

    /// A review was answered, here or in another front end.
    pub fn answered(&mut self, reviewed: &PlanReviewed) {
        let plan = reviewed.plan.clone().unwrap_or_default();
        match &reviewed.answer {
            PlanAnswer::KeepPlanning { comments, .. } => {
                let before = PreviousReview {
                    plan,
                    comments: Comments::sent(comments),
                    draft: String::new(),
                    end: ReviewEnd::Sent,
                };
                self.0.insert(reviewed.path.clone(), before);
            }
            // Comments from before it was parked still have to be sent.
            PlanAnswer::Park => {}
            PlanAnswer::Approve(_) | PlanAnswer::Abandon | PlanAnswer::HandOver => {
                self.0.remove(&reviewed.path);
            }
        }
    }

    /// A review closed without an answer: the plan changed, or the turn was interrupted.
    pub fn keep_open(&mut self, review: ReviewState) {
        let path = review.path().clone();
        self.0.insert(path, review.into_previous());
    }

    /// The previous review of this file.
    pub fn of(&self, path: &AbsPath) -> Option<&PreviousReview> {
        self.0.get(path)
    }
}
