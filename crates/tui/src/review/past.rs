//! What is known of a plan's reviews before: what the reader saw, and what they said of it.

use std::collections::HashMap;

use forelook_protocol::{AbsPath, PlanAnswer, Reviewed};

use super::comments::Comments;

/// For each plan file the review before.
#[derive(Debug, Default)]
pub(crate) struct Past(HashMap<AbsPath, Before>);

/// The review before.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Before {
    /// The text that was shown.
    pub(crate) plan: String,
    pub(crate) comments: Comments,
    /// Words that were not sent.
    pub(crate) draft: String,
    pub(crate) end: End,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The comments went to the model.
    Sent,
    /// It was not answered, so that new comments are new still.
    Open,
}

impl Past {
    /// A review was answered, here or elsewhere.
    pub(crate) fn answered(&mut self, reviewed: &Reviewed) {
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

    /// A review was put away without an answer.
    pub(crate) fn left_open(&mut self, path: AbsPath, before: Before) {
        self.0.insert(path, before);
    }

    pub(crate) fn of(&self, path: &AbsPath) -> Option<&Before> {
        self.0.get(path)
    }
}
