//! Which keys say yes, and what becomes of an answer.

use forelook_protocol::Mode;
use forelook_view::review::{AnswerDetails, ApprovalMode, PlanChoice};

use super::ReviewDialog;
use crate::dialog::DialogStep;

/// Keys that name a mode.
const KEYS: [(char, Mode); 4] =
    [('o', Mode::Default), ('a', Mode::AcceptEdits), ('u', Mode::Auto), ('b', Mode::BypassPermissions)];

fn key_of(approval_mode: ApprovalMode) -> Option<char> {
    match approval_mode.mode {
        None => Some('y'),
        Some(mode) => KEYS.into_iter().find(|(_, it)| *it == mode).map(|(key, _)| key),
    }
}

impl ReviewDialog {
    /// The ways to say yes, each with its key.
    pub(super) fn approval_modes(&self) -> Vec<(char, ApprovalMode)> {
        self.review
            .approval_modes()
            .into_iter()
            .filter_map(|approval_mode| Some((key_of(approval_mode)?, approval_mode)))
            .collect()
    }

    /// This is the answer.
    pub(super) fn answer(&self, choice: PlanChoice, details: &AnswerDetails) -> DialogStep {
        DialogStep::Answered(self.review.host_answer(choice, details))
    }
}
