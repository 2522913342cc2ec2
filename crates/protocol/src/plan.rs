//! Plans: their reviews, the answers, and what is shown of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AbsPath, AgentId, AnsweredBy, CallId, Mode, ModeState, Rehearsal, RequestId};

/// A plan waiting for review: exactly what the reviewer sees, and the possible answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanReview {
    /// The plan file.
    pub path: AbsPath,
    /// The text of the file; absent if there is no plan or it is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Why the file cannot be read, if it is there and cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// SHA-256 of the text, in hex. An approval must repeat it.
    pub hash: String,
    /// Its length, and how often plans of this length are rejected.
    pub length: PlanLength,
    /// What changed since the last review, as a unified diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<String>,
    /// The mode before planning, used if the approval names none.
    pub before: Mode,
    /// The modes that an approval can choose now.
    pub modes: Vec<Mode>,
    /// The modes that it cannot choose now, and why. An approval that leads to one of them leads to `default` instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<UnavailableMode>,
    /// The agent that asks; absent for the main agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentId>,
    /// The rehearsal, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rehearsal: Option<Box<Rehearsal>>,
}

/// A mode that cannot be used now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnavailableMode {
    /// The mode.
    pub mode: Mode,
    /// The reason.
    pub why: String,
}

/// The length of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanLength {
    /// In characters.
    pub characters: usize,
    /// In lines.
    pub lines: usize,
    /// Of 100 plans of this length, how many are rejected.
    pub rejected_percent: u8,
}

/// A reviewer's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "choice", rename_all = "snake_case")]
pub enum PlanAnswer {
    /// Approved: start implementing.
    Approve(Approval),
    /// Not approved yet: continue planning.
    KeepPlanning {
        /// What should change, as text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feedback: Option<String>,
        /// What should change, line by line.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        comments: Vec<PlanComment>,
    },
    /// Parked for later: the previous mode returns, the turn ends, and the file is kept.
    Park,
    /// Abandoned: the same, and the plan is marked as abandoned.
    Abandon,
    /// The plan itself is the result: the turn ends, and nothing is implemented. Only a policy gives this answer.
    HandOver,
}

impl PlanAnswer {
    /// Whether the conversation starts anew, with only the plan.
    pub fn starts_fresh(&self) -> bool {
        matches!(self, PlanAnswer::Approve(Approval { fresh_context: true, .. }))
    }

    /// Whether it gives the model something to do: to implement the plan, or to change it.
    pub fn gives_work(&self) -> bool {
        match self {
            PlanAnswer::Approve(_) => true,
            PlanAnswer::KeepPlanning { feedback, comments } => {
                feedback.as_ref().is_some_and(|words| !words.trim().is_empty()) || !comments.is_empty()
            }
            PlanAnswer::Park | PlanAnswer::Abandon | PlanAnswer::HandOver => false,
        }
    }
}

/// The approval of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Approval {
    /// The hash of the text that was shown ([`PlanReview::hash`]). With any other hash, the plan is not approved.
    pub hash: String,
    /// The mode to continue in; absent means the mode before planning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Additional instructions for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Start a new conversation that contains only the plan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fresh_context: bool,
    /// The reviewer's edited text; it replaces the file's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
    /// The hash of the rehearsal that was shown ([`Rehearsal::hash`]), to apply its changes for real before the work
    /// starts. If absent, the rehearsal is discarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply: Option<String>,
    /// Whether the rehearsed changes to files that decide what runs later are applied too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apply_protected: bool,
}

/// A comment on lines of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanComment {
    /// The first line, from 1.
    pub first: usize,
    /// The last line; can be the same as the first.
    pub last: usize,
    /// The lines themselves.
    pub quote: String,
    /// The reviewer's comment.
    pub text: String,
}

/// What a reviewer has written and not sent yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewDraft {
    /// All comments, in the order of their lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<DraftComment>,
    /// Text that is not a comment on lines.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
}

/// A comment, and whether the model has seen it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DraftComment {
    /// The comment.
    #[serde(flatten)]
    pub comment: PlanComment,
    /// Its state.
    pub state: CommentState,
}

/// The state of a comment on a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommentState {
    /// The model has not seen it yet.
    New,
    /// The model has seen it, and its lines are unchanged.
    StillOpen,
    /// The model has seen it, and its lines have changed.
    Addressed,
}

/// A reviewer wrote something and has not sent it yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewDrafted {
    /// The open review.
    pub question: RequestId,
    /// All that is written so far; it replaces what was recorded before.
    pub draft: ReviewDraft,
}

/// A review that was answered. The answer, the text it applies to, and the resulting mode are one entry, so that none
/// of them is ever seen without the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanReviewed {
    /// The question that this closes; absent if a command was the approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<RequestId>,
    /// The tool call that was waiting; absent if the user opened the review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// The reviewer.
    pub by: Reviewer,
    /// The answer.
    pub answer: PlanAnswer,
    /// The plan file.
    pub path: AbsPath,
    /// The hash of the exact text that was shown.
    pub shown: String,
    /// The hash of the text that the call proposed, if the user changed the file while the call was waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed: Option<String>,
    /// The text that is valid now: the text that was shown, or the reviewer's edited version; absent if there is no
    /// plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The mode state after the review.
    pub mode_state: ModeState,
    /// A message for the user about the mode, if it is not the requested one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The front end that gave the answer, if one did.
    #[serde(default, skip_serializing_if = "AnsweredBy::is_session")]
    pub through: AnsweredBy,
}

/// Who answered a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reviewer {
    /// The user, through a front end.
    Person,
    /// The lead of the team.
    Lead,
    /// A policy from the command line.
    Policy,
    /// The command to implement this plan.
    Command,
}

/// The plan of this session got a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanNamed {
    /// The name, such as `calm-weaving-otter`.
    pub slug: String,
    /// The file.
    pub path: AbsPath,
}

/// A snapshot of a file, so that it can be restored if it is lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileSnapshot {
    /// The role of the file in the session; `plan` for the plan.
    pub key: String,
    /// The file.
    pub path: AbsPath,
    /// Its text.
    pub text: String,
    /// Its revision number, if it is the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
}

/// The key for snapshots of the plan.
pub const PLAN_KEY: &str = "plan";

/// The reply to a query about plans.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanReply {
    /// Plan mode is on now.
    Entered {
        /// Where the plan will be.
        path: AbsPath,
    },
    /// The current plan.
    Current {
        /// The file.
        path: AbsPath,
        /// Its text; absent if there is none yet.
        plan: Option<String>,
        /// Why the file cannot be read, if it is there and cannot.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
        /// The editor that `/plan open` would open it in.
        editor: Option<String>,
    },
    /// What changed between two revisions, as a unified diff.
    Diff {
        /// The older one; absent if there is only one.
        from: Option<u32>,
        /// The newer one; absent for the current file.
        to: Option<u32>,
        /// The difference; empty if there is none.
        diff: String,
    },
    /// All revisions, oldest first.
    History(Vec<PlanRevision>),
    /// An older revision was restored.
    Restored {
        /// Its number.
        revision: u32,
        /// The file.
        path: AbsPath,
    },
    /// What the rehearsal changed; absent if nothing would change.
    Rehearsal(Option<Box<Rehearsal>>),
    /// All plans, newest first.
    List(Vec<PlanSummary>),
}

/// One revision of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRevision {
    /// Its number, starting at 1.
    pub number: u32,
    /// When it was saved.
    pub time: jiff::Timestamp,
    /// Its first heading.
    pub title: String,
    /// The number of lines.
    pub lines: usize,
}

/// A plan in the list of plans.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanSummary {
    /// Its name.
    pub slug: String,
    /// Its file.
    pub path: AbsPath,
    /// Its first heading.
    pub title: String,
    /// The project it is for, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<AbsPath>,
    /// When it was last changed.
    pub time: jiff::Timestamp,
    /// Its state.
    pub state: PlanState,
}

/// The state of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    /// Being written.
    #[default]
    Draft,
    /// Approved.
    Approved,
    /// Rejected.
    Rejected,
    /// Parked for later.
    Parked,
    /// Abandoned.
    Abandoned,
}

impl PlanState {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            PlanState::Draft => "draft",
            PlanState::Approved => "approved",
            PlanState::Rejected => "rejected",
            PlanState::Parked => "parked",
            PlanState::Abandoned => "abandoned",
        }
    }
}
