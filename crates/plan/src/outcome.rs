//! What the model hears of a review, and what programs read of it.
//!
//! Only [`PlanAnswer::Approve`] reads as a yes. What ended without an answer has words of its own, and each of them
//! says that nothing is approved.

mod rehearsal;

use forelook_protocol::{
    AbsPath, Approval, PlanAnswer, PlanComment, PlanReviewed, RehearsalApplied, Reviewer,
};
use serde::{Deserialize, Serialize};

use crate::review::plan_hash;
use crate::workflow::ReaderTools;
use crate::workflow::fill::{fill, quoted};

/// What became of what was rehearsed, once the plan was answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RehearsalOutcome {
    /// Nothing was shown beside the plan.
    #[default]
    NotShown,
    /// It was shown, and it was thrown away.
    Discarded,
    /// It was made real, as far as that went.
    Applied(RehearsalApplied),
}

/// The result of `ExitPlanMode` once its review was answered, for a reader with these tools.
pub fn review_result(reviewed: &PlanReviewed, rehearsed: &RehearsalOutcome, tools: &ReaderTools) -> String {
    let path = &reviewed.path;
    match &reviewed.answer {
        PlanAnswer::Approve(approval) => approved(reviewed, approval, rehearsed, tools),
        PlanAnswer::KeepPlanning { feedback, comments } => {
            rejected(reviewed, feedback.as_deref().unwrap_or_default(), comments, tools)
        }
        PlanAnswer::Park => format!(
            "{} set the plan aside for now. It is not approved; it is saved in `{path}`. Do not start on it; the \
             turn ends here.",
            reviewer_name(reviewed.by)
        ),
        PlanAnswer::Abandon => format!(
            "{} rejected the plan. It is not approved; the file `{path}` is kept. Do not carry it out, and do not \
             propose it again; the turn ends here.",
            reviewer_name(reviewed.by)
        ),
        PlanAnswer::HandOver if reviewed.plan.is_none() => {
            format!(
                "There is no plan in `{path}`, so the run has no result. Implement nothing; the turn ends here."
            )
        }
        PlanAnswer::HandOver => format!(
            "The plan in `{path}` is the requested result and was returned. Implement nothing; the turn ends \
             here."
        ),
    }
}

fn approved(
    reviewed: &PlanReviewed,
    approval: &Approval,
    rehearsed: &RehearsalOutcome,
    tools: &ReaderTools,
) -> String {
    let done = rehearsal::render(rehearsed);
    let note = remark(approval.note.as_deref().unwrap_or_default(), "adds", reviewed.by);
    let Some(plan) = plan(reviewed) else {
        let left = match reviewed.by {
            Reviewer::Policy => "Leaving plan mode is approved.".to_owned(),
            by @ (Reviewer::Person | Reviewer::Lead | Reviewer::Command) => {
                format!("{} approved leaving plan mode.", reviewer_name(by))
            }
        };
        return paragraphs([left, done, note]);
    };
    let path = reviewed.path.to_string();
    let approval = approval_words(reviewed);
    let begin = [("begin", tools.begin()), ("parallel", tools.in_parallel())];
    let values = [[("approval", approval.as_str()), ("path", &path)], begin].concat();
    let begin = fill(include_str!("text/approved.md"), &values);
    paragraphs([begin, done, note, headed(reviewed, plan)])
}

/// The first message of a conversation that begins from the approved plan alone, for a reader with these tools.
pub fn fresh_start(reviewed: &PlanReviewed, rehearsed: &RehearsalOutcome, tools: &ReaderTools) -> String {
    let done = rehearsal::render(rehearsed);
    let note = match &reviewed.answer {
        PlanAnswer::Approve(approval) => {
            remark(approval.note.as_deref().unwrap_or_default(), "adds", reviewed.by)
        }
        _ => String::new(),
    };
    let Some(plan) = plan(reviewed) else {
        let fresh = "Planning is over. This conversation starts fresh, without a plan.".to_owned();
        return paragraphs([fresh, done, note]);
    };
    let path = reviewed.path.to_string();
    let approval = approval_words(reviewed);
    let values = [("approval", approval.as_str()), ("path", &path), ("begin", tools.begin())];
    let begin = fill(include_str!("text/fresh_start.md"), &values);
    paragraphs([begin, done, note, headed(reviewed, plan)])
}

fn rejected(
    reviewed: &PlanReviewed,
    feedback: &str,
    comments: &[PlanComment],
    tools: &ReaderTools,
) -> String {
    let path = reviewed.path.to_string();
    // Where no call waits for the answer, planning may have been over, and begins again with it.
    let mode = if reviewed.call.is_some() { "stays on" } else { "is on" };
    let head = format!(
        "{} wants changes before approving the plan. Plan mode {mode}: write nothing but the plan file.",
        reviewer_name(reviewed.by)
    );
    let revise = if feedback.trim().is_empty() && comments.is_empty() {
        format!("They gave no reason. {}", tools.find_out_and_revise(&path))
    } else {
        tools.revise_as_told(&path)
    };
    paragraphs([head, remark(feedback, "says", reviewed.by), commented(comments), revise])
}

/// All comments on lines, in one piece.
fn commented(comments: &[PlanComment]) -> String {
    let comment = |comment: &PlanComment| {
        let lines = match (comment.first, comment.last) {
            (first, last) if first >= last => format!("Line {first}"),
            (first, last) => format!("Lines {first} to {last}"),
        };
        format!("{lines}: {}\n{}", comment.text.trim(), quoted(&comment.quote)).trim_end().to_owned()
    };
    let all: Vec<String> = comments.iter().map(comment).collect();
    match all.as_slice() {
        [] => String::new(),
        some => format!("Comments on lines of the plan:\n\n{}", some.join("\n\n")),
    }
}

/// What a reviewer said, quoted; nothing if they said nothing.
fn remark(words: &str, verb: &str, by: Reviewer) -> String {
    match words.trim() {
        "" => String::new(),
        words => format!("{} {verb}:\n{}", reviewer_name(by), quoted(words)),
    }
}

fn reviewer_name(by: Reviewer) -> &'static str {
    match by {
        Reviewer::Person | Reviewer::Command => "The user",
        Reviewer::Lead => "The lead",
        Reviewer::Policy => "The owner of this session",
    }
}

fn approval_words(reviewed: &PlanReviewed) -> String {
    match (reviewed.by, was_edited(reviewed)) {
        (Reviewer::Policy, _) => {
            "The plan is approved, as configured when this session was started".to_owned()
        }
        (by, false) => format!("{} approved the plan", reviewer_name(by)),
        (by, true) => format!("{} approved the plan, with their own edits", reviewer_name(by)),
    }
}

/// The plan under a heading that says what it is now.
fn headed(reviewed: &PlanReviewed, plan: &str) -> String {
    let edited = match (was_edited(reviewed), reviewed.by) {
        (false, _) => "",
        (true, Reviewer::Lead) => ", as edited by the lead",
        (true, Reviewer::Person | Reviewer::Command | Reviewer::Policy) => ", as edited by the user",
    };
    format!("# Approved plan{edited}\n\n{}", plan.trim_end())
}

fn plan(reviewed: &PlanReviewed) -> Option<&str> {
    reviewed.plan.as_deref().filter(|plan| !plan.trim().is_empty())
}

/// Whether the reviewer approved another text than the one that was put up: one that came with the answer, or the file
/// as they changed it while it waited.
fn was_edited(reviewed: &PlanReviewed) -> bool {
    let put_up = reviewed.proposed.as_ref().unwrap_or(&reviewed.shown);
    match &reviewed.answer {
        PlanAnswer::Approve(Approval { edited: Some(edited), .. }) => plan_hash(edited) != *put_up,
        PlanAnswer::Approve(_) => reviewed.shown != *put_up,
        _ => false,
    }
}

fn paragraphs<const N: usize>(parts: [String; N]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// The result when there is nobody who could approve; `planning`: whether plan mode is on.
pub fn no_reviewer(path: &AbsPath, planning: bool) -> String {
    format!(
        "No reviewer is available, so {}\n\
         The plan is saved in `{path}`. End the turn with a summary of it, and say that it is waiting for review",
        not_approved(planning)
    )
}

/// The result when the reviewer put the question away, or was interrupted; `planning`: whether plan mode is on.
pub fn unanswered(path: &AbsPath, planning: bool) -> String {
    format!(
        "The review was closed without an answer, so {}\n\
         The plan is saved in `{path}`. Wait for the user's next message",
        not_approved(planning)
    )
}

fn not_approved(planning: bool) -> &'static str {
    match planning {
        true => "the plan is not approved and plan mode stays on",
        false => "the plan is not approved",
    }
}

/// The result of a call whose review was that of another call.
pub fn reviewed_elsewhere() -> String {
    "This call is not approved: the review was another call's, whose result says what became of the plan"
        .to_owned()
}

/// The result of a call in a subagent. `plan`: its file, if there is a plan in it. Nobody has approved anything.
pub fn subagent_result(plan: Option<&AbsPath>) -> String {
    match plan {
        Some(path) => format!(
            "ok: the plan in `{path}` goes to the agent that started you. Nobody approved it, so do not carry it \
             out. Nothing else is needed: end with your answer, and name this file in it."
        ),
        None => "ok: there is no plan file, so only your answer goes to the agent that started you. Nothing else is \
                 needed."
            .to_owned(),
    }
}

/// Why a turn whose result was to be a plan has none; `problem`: why the plan file cannot be read.
pub fn no_plan(path: &AbsPath, problem: Option<&str>) -> String {
    match problem {
        Some(why) => format!("There is no plan: {why}"),
        None => format!(
            "There is no plan: the model ended planning without writing `{path}`\n\
             Say more about the task, and try again"
        ),
    }
}

/// The result of `ExitPlanMode` in fields, for programs that watch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExitPlanOutput {
    /// The plan that counts now; `null` if there is none.
    pub plan: Option<String>,
    /// Whether a subagent called.
    pub is_agent: bool,
    /// The plan file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<AbsPath>,
    /// Whether parts of the work can be given to agents.
    pub has_task_tool: bool,
    /// Whether the reviewer changed the plan.
    pub plan_was_edited: bool,
    /// Whether the plan was sent to the lead of the team, and waits there.
    pub awaiting_leader_approval: bool,
    /// The request that waits there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl ExitPlanOutput {
    /// Of a review that was answered.
    pub fn of(reviewed: &PlanReviewed, tools: &ReaderTools) -> Self {
        Self {
            plan: plan(reviewed).map(str::to_owned),
            file_path: Some(reviewed.path.clone()),
            has_task_tool: tools.agents,
            plan_was_edited: was_edited(reviewed),
            ..Self::default()
        }
    }

    /// Of a call in a subagent.
    pub fn subagent(path: AbsPath, plan: Option<String>) -> Self {
        Self { plan, is_agent: true, file_path: Some(path), ..Self::default() }
    }
}

#[cfg(test)]
mod tests;
