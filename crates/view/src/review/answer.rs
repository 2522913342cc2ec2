//! The possible answers to a review, and how they are built.

use forelook_protocol::{Approval, CommentState, HostAnswer, Mode, PlanAnswer, PlanComment};
use forelook_wording::continuation;

use super::{Comment, ReviewState};

/// A choice in a review. Editing the plan is a command ([`forelook_protocol::PlanCommand::Open`]), not an answer, and
/// only a policy can hand the plan over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanChoice {
    /// Approve it and continue in this mode.
    Approve(ApprovalMode),
    /// Keep planning, with feedback and comments.
    KeepPlanning,
    /// Park it: the turn ends, and the file is kept.
    Park,
    /// Abandon it: the same, and the plan is marked as abandoned.
    Abandon,
}

/// The mode to continue in after an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApprovalMode {
    /// The chosen mode; `None` for the mode before planning.
    pub mode: Option<Mode>,
    /// The mode before planning.
    pub before: Mode,
}

impl ApprovalMode {
    /// The mode it results in.
    pub fn resulting_mode(self) -> Mode {
        self.mode.unwrap_or(self.before)
    }

    /// Whether Forelook would stop asking.
    pub fn bypasses_permissions(self) -> bool {
        self.resulting_mode() == Mode::BypassPermissions
    }

    /// The key that chooses it, in every front end.
    pub fn key(self) -> Option<char> {
        Some(match self.mode {
            None => 'y',
            Some(Mode::Default) => 'o',
            Some(Mode::AcceptEdits) => 'a',
            Some(Mode::Auto) => 'u',
            Some(Mode::BypassPermissions) => 'b',
            Some(_) => return None,
        })
    }

    /// How work continues, as part of a sentence.
    pub fn words(self) -> String {
        match self.mode {
            Some(mode) => continuation(mode).to_owned(),
            None => format!("{} (as before)", continuation(self.before)),
        }
    }
}

/// The details of a choice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerDetails {
    /// The note for an approval, or what should change.
    pub words: String,
    /// The context for the implementation.
    pub context: ContextChoice,
    /// What to do with the rehearsal.
    pub rehearsal: RehearsalChoice,
}

impl AnswerDetails {
    /// Only a note or feedback.
    pub fn words(words: impl Into<String>) -> Self {
        Self { words: words.into(), ..Self::default() }
    }
}

/// The context for the implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContextChoice {
    /// The conversation so far.
    #[default]
    Keep,
    /// Only the plan.
    Fresh,
}

/// What to do with the rehearsal before the implementation starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RehearsalChoice {
    /// Discard it.
    #[default]
    Discard,
    /// Apply its changes for real, except to files that decide what runs later.
    Apply,
    /// Apply all of its changes.
    ApplyAll,
}

impl RehearsalChoice {
    /// Whether anything is applied.
    pub fn applies(self) -> bool {
        self != Self::Discard
    }
}

/// The modes that can be chosen, in display order.
const MODES: [Mode; 4] = [Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions];

impl ReviewState {
    /// All choices, approvals first. None is preselected.
    pub fn choices(&self) -> Vec<PlanChoice> {
        let no = [PlanChoice::KeepPlanning, PlanChoice::Park, PlanChoice::Abandon];
        self.approval_modes().into_iter().map(PlanChoice::Approve).chain(no).collect()
    }

    /// The modes for an approval: the mode before planning, if it can still be used, and the other available modes.
    pub fn approval_modes(&self) -> Vec<ApprovalMode> {
        let before = Some(self.request.before).filter(|_| self.lost_mode().is_none());
        let others = MODES.into_iter().filter(|mode| self.allows_mode(*mode) && Some(*mode) != before);
        let back = before.map(|_| None);
        back.into_iter().chain(others.map(Some)).map(|mode| self.approval_mode(mode)).collect()
    }

    /// The approval for this mode. [`Self::allows_mode`] tells whether it is offered; if it is not, the session decides
    /// what happens.
    pub fn approval_mode(&self, mode: Option<Mode>) -> ApprovalMode {
        ApprovalMode { mode, before: self.request.before }
    }

    /// Whether an approval can choose this mode.
    pub fn allows_mode(&self, mode: Mode) -> bool {
        self.request.modes.contains(&mode)
    }

    /// The answer for this choice, bound to exactly the text that was shown.
    pub fn answer(&self, choice: PlanChoice, details: &AnswerDetails) -> PlanAnswer {
        match choice {
            PlanChoice::Approve(approval_mode) => PlanAnswer::Approve(self.approval(approval_mode, details)),
            PlanChoice::KeepPlanning => {
                PlanAnswer::KeepPlanning { feedback: non_empty(&details.words), comments: self.to_send() }
            }
            PlanChoice::Park => PlanAnswer::Park,
            PlanChoice::Abandon => PlanAnswer::Abandon,
        }
    }

    /// The same answer, as an answer to the question.
    pub fn host_answer(&self, choice: PlanChoice, details: &AnswerDetails) -> HostAnswer {
        HostAnswer::Plan(self.answer(choice, details))
    }

    fn approval(&self, approval_mode: ApprovalMode, details: &AnswerDetails) -> Approval {
        let rehearsal = self.request.rehearsal.as_ref().filter(|_| details.rehearsal.applies());
        Approval {
            hash: self.request.hash.clone(),
            mode: approval_mode.mode,
            note: self.note(&details.words),
            fresh_context: details.context == ContextChoice::Fresh,
            edited: self.edited.clone(),
            apply: rehearsal.map(|rehearsal| rehearsal.hash.clone()),
            apply_protected: details.rehearsal == RehearsalChoice::ApplyAll,
        }
    }

    /// New comments are sent with an approval too, so that none is lost.
    fn note(&self, words: &str) -> Option<String> {
        let new = self.comments.iter().filter(|it| it.state == CommentState::New).map(quoted);
        let all: Vec<String> = non_empty(words).into_iter().chain(new).collect();
        (!all.is_empty()).then(|| all.join("\n"))
    }

    /// All open comments. The model knows the text that was shown, not the reviewer's edits.
    fn to_send(&self) -> Vec<PlanComment> {
        match &self.edited {
            None => self.comments.to_send(),
            Some(edited) => {
                let mut comments = self.comments.clone();
                comments.changed(edited, self.shown());
                comments.to_send()
            }
        }
    }
}

fn quoted(it: &Comment) -> String {
    format!("On `{}`: {}", it.quoted_line().trim(), it.comment.text)
}

fn non_empty(words: &str) -> Option<String> {
    Some(words.trim().to_owned()).filter(|words| !words.is_empty())
}
