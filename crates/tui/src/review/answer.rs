//! Which keys say yes, and what becomes of an answer.

use forelook_protocol::UnavailableMode;
use forelook_view::review::{AnswerDetails, ApprovalMode, PlanChoice};

use super::ReviewDialog;
use crate::dialog::DialogStep;

impl ReviewDialog {
    /// The ways to say yes, each with its key.
    pub(super) fn approval_modes(&self) -> Vec<(char, ApprovalMode)> {
        self.review
            .approval_modes()
            .into_iter()
            .filter_map(|approval_mode| Some((approval_mode.key()?, approval_mode)))
            .collect()
    }

    /// The modes that a yes cannot lead to now, each with the key that it would have.
    pub(super) fn unavailable(&self) -> Vec<(char, &UnavailableMode)> {
        let before = self.review.request().before;
        let key = |it: &UnavailableMode| {
            let mode = (it.mode != before).then_some(it.mode);
            ApprovalMode { mode, before }.key()
        };
        self.review.unavailable().iter().filter_map(|it| Some((key(it)?, it))).collect()
    }

    /// This is the answer.
    pub(super) fn answer(&self, choice: PlanChoice, details: &AnswerDetails) -> DialogStep {
        DialogStep::Answered(self.review.host_answer(choice, details))
    }
}
