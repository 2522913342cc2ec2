//! What is written in a review and not sent yet is recorded, so that a killed program does not lose it: a comment at once,
//! words that are being written a moment later, and not with every key.

use forelook_protocol::{Command, RequestId, ReviewDraft};

use super::{App, UiEffect};

/// How long words may be in no journal.
const DRAFT_MS: u64 = 1000;

/// What was recorded last of a review.
#[derive(Debug, Default)]
pub(super) struct DraftSaver {
    saved: Option<(RequestId, ReviewDraft)>,
    /// When what is written is to be recorded.
    due: Option<u64>,
}

impl DraftSaver {
    pub(super) fn due(&self) -> Option<u64> {
        self.due
    }
}

impl App {
    /// A review was opened. What it begins with is in the journal, unless the one before was closed with words that were
    /// not recorded yet.
    pub(super) fn begin_draft(&mut self, id: RequestId) {
        match self.drafts.due {
            Some(_) => self.drafts.saved = None,
            None => self.drafts.saved = self.review_draft(id).map(|(draft, _)| (id, draft)),
        }
    }

    /// After a key: what is new is recorded, now or soon.
    pub(super) fn keep_draft(&mut self) -> Vec<UiEffect> {
        let Some(id) = self.open_review_id() else { return Vec::new() };
        let Some((draft, writing)) = self.review_draft(id) else { return Vec::new() };
        let known = match &self.drafts.saved {
            Some((of, saved)) if *of == id => *saved == draft,
            _ => draft == ReviewDraft::default(),
        };
        match (known, writing) {
            (true, _) => self.drafts.due = None,
            (false, true) => _ = self.drafts.due.get_or_insert(self.now.ms + DRAFT_MS),
            (false, false) => return self.save_draft(id, draft),
        }
        Vec::new()
    }

    /// Records what has waited long enough.
    pub(super) fn save_due_draft(&mut self) {
        if self.drafts.due.take_if(|due| *due <= self.now.ms).is_none() {
            return;
        }
        let found = self.open_review_id().and_then(|id| Some((id, self.review_draft(id)?.0)));
        if let Some((id, draft)) = found {
            let effects = self.save_draft(id, draft);
            self.effects.extend(effects);
        }
    }

    fn save_draft(&mut self, id: RequestId, draft: ReviewDraft) -> Vec<UiEffect> {
        self.drafts = DraftSaver { saved: Some((id, draft.clone())), due: None };
        vec![UiEffect::Send(Command::SaveReviewDraft { request: id, draft })]
    }

    /// The review that has the window.
    fn open_review_id(&self) -> Option<RequestId> {
        let (dialog, _) = self.dialogs.iter().find(|(dialog, _)| dialog.is_open())?;
        dialog.is_page().then_some(dialog.id)
    }

    /// What is written in a review, and whether it is being written.
    fn review_draft(&mut self, id: RequestId) -> Option<(ReviewDraft, bool)> {
        let (dialog, _) = self.dialogs.iter_mut().find(|(dialog, _)| dialog.id == id)?;
        dialog.review().map(|review| (review.draft(), review.is_writing()))
    }
}
