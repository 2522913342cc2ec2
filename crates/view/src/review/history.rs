//! Earlier reviews of a plan: what the reviewer saw and commented.

use std::collections::HashMap;

use forelook_protocol::{
    AbsPath, Entry, EntryBody, HostAsk, HostRequest, PlanAnswer, PlanReviewed, RequestId, ReviewDrafted,
};

use super::{Comments, ReviewState};

/// The previous review of each plan file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReviewHistory {
    previous: HashMap<AbsPath, PreviousReview>,
    /// Open reviews: the plan file, and the text that is shown.
    open: HashMap<RequestId, (AbsPath, String)>,
}

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
    /// Reads a journal entry, new or old.
    pub fn read(&mut self, entry: &Entry) {
        match &entry.body {
            EntryBody::QuestionOpened(opened) => self.opened(&opened.question),
            EntryBody::ReviewDrafted(drafted) => self.drafted(drafted),
            EntryBody::PlanReviewed(reviewed) => self.answered(reviewed),
            EntryBody::QuestionClosed(closed) => _ = self.open.remove(&closed.question),
            _ => {}
        }
    }

    /// A review was opened.
    pub(crate) fn opened(&mut self, request: &HostRequest) {
        if let HostAsk::Review(review) = &request.ask {
            let shown = (review.path.clone(), review.plan.clone().unwrap_or_default());
            self.open.insert(request.id, shown);
        }
    }

    /// Something was written in an open review and not sent yet.
    fn drafted(&mut self, drafted: &ReviewDrafted) {
        let Some((path, plan)) = self.open.get(&drafted.question) else { return };
        let so_far = PreviousReview {
            plan: plan.clone(),
            comments: Comments::recorded(&drafted.draft.comments),
            draft: drafted.draft.words.clone(),
            end: ReviewEnd::Open,
        };
        self.previous.insert(path.clone(), so_far);
    }

    /// A review was answered, here or in another front end.
    pub fn answered(&mut self, reviewed: &PlanReviewed) {
        if let Some(question) = reviewed.question {
            self.open.remove(&question);
        }
        let plan = reviewed.plan.clone().unwrap_or_default();
        match &reviewed.answer {
            PlanAnswer::KeepPlanning { comments, .. } => {
                let before = PreviousReview {
                    plan,
                    comments: Comments::sent(comments),
                    draft: String::new(),
                    end: ReviewEnd::Sent,
                };
                self.previous.insert(reviewed.path.clone(), before);
            }
            // Comments from before it was parked still have to be sent.
            PlanAnswer::Park => {}
            PlanAnswer::Approve(_) | PlanAnswer::Abandon | PlanAnswer::HandOver => {
                self.previous.remove(&reviewed.path);
            }
        }
    }

    /// A review closed without an answer: the plan changed, or the turn was interrupted.
    pub fn keep_open(&mut self, review: ReviewState) {
        let path = review.path().clone();
        self.previous.insert(path, review.into_previous());
    }

    /// The previous review of this file.
    pub fn of(&self, path: &AbsPath) -> Option<&PreviousReview> {
        self.previous.get(path)
    }
}
