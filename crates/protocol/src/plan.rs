//! A plan, as it is put to a reviewer, answered, and shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AbsPath, AgentId, AnsweredBy, CallId, Mode, Rehearsal, RequestId, Standing};

/// A plan that waits for a review: exactly what the reviewer is shown, and what they may answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Review {
    /// The plan file.
    pub path: AbsPath,
    /// The text, as it stood in the file; nothing if there is no plan or an empty one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// SHA-256 of the text, in hex. An approval must repeat it.
    pub hash: String,
    /// How long it is, and what that means.
    pub length: PlanLength,
    /// What changed since the last review, as a unified diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<String>,
    /// The mode before planning: where an approval leads that names none.
    pub before: Mode,
    /// The modes that an approval can name now.
    pub modes: Vec<Mode>,
    /// Who asks; nothing for the main agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentId>,
    /// What was tried while planning, if anything was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rehearsal: Option<Box<Rehearsal>>,
}

/// The length of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanLength {
    /// In characters.
    pub characters: usize,
    /// In lines.
    pub lines: usize,
    /// How many of a hundred plans of this length are sent back.
    pub rejected_percent: u8,
}

/// What a reviewer answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "choice", rename_all = "snake_case")]
pub enum PlanAnswer {
    /// Yes: begin.
    Approve(Approval),
    /// Not yet: go on planning.
    KeepPlanning {
        /// What should change, in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feedback: Option<String>,
        /// What should change, line by line.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        comments: Vec<PlanComment>,
    },
    /// Not now: back to the mode before, the turn ends, the file is kept.
    Park,
    /// Never: the same, and the plan is marked so.
    Abandon,
    /// The plan itself is what was wanted: the turn ends, and nothing is implemented. Only a policy says this.
    HandOver,
}

/// A yes to a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Approval {
    /// The hash of the text that was shown ([`Review::hash`]). Any other is no approval.
    pub hash: String,
    /// The mode to go on in; nothing: the one before planning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Words for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Begin with an empty conversation that has only the plan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fresh_context: bool,
    /// The text as the reviewer changed it; it takes the place of the file's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
    /// Begin with what was rehearsed: its changes are made for real first. The hash of what was shown
    /// ([`Rehearsal::hash`]); nothing: the rehearsal is thrown away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply: Option<String>,
}

/// A comment on lines of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanComment {
    /// The first line, from 1.
    pub first: usize,
    /// The last line, which may be the same.
    pub last: usize,
    /// The lines themselves.
    pub quote: String,
    /// What the reviewer says of them.
    pub text: String,
}

/// A review that was answered. One entry: the answer, the text it was given to, and the mode that follows, so that
/// nobody ever sees the one without the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reviewed {
    /// The question that this closes; nothing where a command was the approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<RequestId>,
    /// The call that waited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// Who answered.
    pub by: Reviewer,
    /// What.
    pub answer: PlanAnswer,
    /// The plan file.
    pub path: AbsPath,
    /// The hash of exactly the text that was shown.
    pub shown: String,
    /// The hash of the text that the call put up, where the person changed the file while it waited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed: Option<String>,
    /// The text that counts now: what was shown, or what the reviewer made of it; nothing if there is no plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// How the permission system stands from now on.
    pub standing: Standing,
    /// What the person is told about the mode, where it is not the one that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The front end that the answer came through, if it came through one.
    #[serde(default, skip_serializing_if = "AnsweredBy::is_session")]
    pub through: AnsweredBy,
}

/// Who answered a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reviewer {
    /// A person, through a front end.
    Person,
    /// The lead of the team.
    Lead,
    /// What the command line said should be done with plans.
    Policy,
    /// Whoever gave the command to carry this plan out.
    Command,
}

/// The plan of this session has this name from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanNamed {
    /// The name, such as `calm-weaving-otter`.
    pub slug: String,
    /// The file.
    pub path: AbsPath,
}

/// A file as it stood at one moment, so that it can be given back when it is lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileSnapshot {
    /// What the file is to the session; `plan` for the plan.
    pub key: String,
    /// The file.
    pub path: AbsPath,
    /// Its text.
    pub text: String,
    /// Its number among the revisions of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
}

/// The key of a snapshot of the plan.
pub const PLAN_KEY: &str = "plan";

/// Something about plans that a person asked to see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanShown {
    /// Plan mode is on now.
    Entered {
        /// Where the plan will be.
        path: AbsPath,
    },
    /// The plan as it stands.
    Current {
        /// The file.
        path: AbsPath,
        /// Its text; nothing if there is none yet.
        plan: Option<String>,
        /// The editor that `/plan open` would open it in.
        editor: Option<String>,
    },
    /// What changed between two revisions, as a unified diff.
    Diff {
        /// The older one; nothing if there is only one.
        from: Option<u32>,
        /// The newer one; nothing for the file as it stands.
        to: Option<u32>,
        /// The difference; empty if there is none.
        diff: String,
    },
    /// All revisions, oldest first.
    History(Vec<PlanRevision>),
    /// An older revision is the plan again.
    Restored {
        /// Which.
        revision: u32,
        /// The file.
        path: AbsPath,
    },
    /// What was tried on a layer over the working folders; nothing if nothing would change.
    Rehearsal(Option<Box<Rehearsal>>),
    /// All plans, newest first.
    List(Vec<PlanSummary>),
}

/// One revision of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRevision {
    /// Its number, from 1.
    pub number: u32,
    /// When it was kept.
    pub time: jiff::Timestamp,
    /// Its first heading.
    pub title: String,
    /// Lines that it has.
    pub lines: usize,
}

/// One plan among all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanSummary {
    /// Its name.
    pub slug: String,
    /// Its file.
    pub path: AbsPath,
    /// Its first heading.
    pub title: String,
    /// The project it is for, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<AbsPath>,
    /// When it was last changed.
    pub time: jiff::Timestamp,
    /// What became of it.
    pub state: PlanState,
}

/// What became of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    /// Being written.
    #[default]
    Draft,
    /// Approved.
    Approved,
    /// Sent back.
    Rejected,
    /// Put aside.
    Parked,
    /// Given up.
    Abandoned,
}

impl PlanState {
    /// In a word.
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
