//! What is known of a plan's reviews before: what the reader saw, and what they said of it.

use std::collections::HashMap;

use forelook_protocol::{AbsPath, Body, Entry, Event, PlanAnswer, Reviewed};

use super::{Comments, Review};

/// For each plan file the review before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReviewHistory(HashMap<AbsPath, Before>);

/// The review before.
#[derive(Debug, Clone, PartialEq)]
pub struct Before {
    /// The text that was shown.
    pub plan: String,
    /// What was said of it.
    pub comments: Comments,
    /// Words that were not sent.
    pub draft: String,
    /// How it ended.
    pub end: End,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The comments went to the model.
    Sent,
    /// It was not answered, so that new comments are new still.
    Open,
}

impl ReviewHistory {
    /// Something happened.
    pub fn apply(&mut self, event: &Event) {
        if let Event::Recorded(entry) = event {
            self.read(entry);
        }
    }

    /// An entry of the journal, now or from before.
    pub fn read(&mut self, entry: &Entry) {
        if let Body::Review(reviewed) = &entry.body {
            self.answered(reviewed);
        }
    }

    /// A review was answered, here or elsewhere.
    pub fn answered(&mut self, reviewed: &Reviewed) {
        let plan = reviewed.plan.clone().unwrap_or_default();
        match &reviewed.answer {
            PlanAnswer::KeepPlanning { comments, .. } => {
                let before =
                    Before { plan, comments: Comments::sent(comments), draft: String::new(), end: End::Sent };
                self.0.insert(reviewed.path.clone(), before);
            }
            // What was said of it before it was parked is still to be said.
            PlanAnswer::Park => {}
            PlanAnswer::Approve(_) | PlanAnswer::Abandon | PlanAnswer::HandOver => {
                self.0.remove(&reviewed.path);
            }
        }
    }

    /// A review was put away without an answer: the plan changed, or the turn was interrupted.
    pub fn left_open(&mut self, review: Review) {
        let path = review.path().clone();
        self.0.insert(path, review.into_before());
    }

    /// The review of this file before.
    pub fn of(&self, path: &AbsPath) -> Option<&Before> {
        self.0.get(path)
    }
}
