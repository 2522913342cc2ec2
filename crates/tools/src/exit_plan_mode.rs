//! `ExitPlanMode`: the plan is put up for review.
//!
//! The engine asks, and the session writes the answer, the text it was given to and the mode that follows in one
//! entry. Here that is only put into words, which are those of crate `plan`: without that entry nothing is approved.

use std::borrow::Cow;

use forelook_plan::{ExitPlanOutput, ReaderTools, RehearsalOutcome, exit_description, outcome};
use forelook_protocol::{AbsPath, CallId, HostAnswer, PlanAnswer, PlanReviewed, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallKind;
use crate::file::{place, read_whole};
use crate::tool::BadInput;
use crate::typed::{EngineTool, ToolFailure, ToolMetadata, ToolSuccess, blocking};

/// Asks to leave plan mode.
pub(crate) struct ExitPlanMode;

/// Nothing: the plan is read from its file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {}

impl ToolMetadata for ExitPlanMode {
    type Input = Input;
    const NAME: &'static str = "ExitPlanMode";
    const DEFERRED: Option<&'static str> =
        Some("finish end exit leave plan mode: submit the plan for review and approval, then implement it");
    const CONCURRENCY_SAFE: bool = true;

    fn description(&self) -> Cow<'static, str> {
        exit_description().into()
    }
}

impl EngineTool for ExitPlanMode {
    fn call(&self, _: Input) -> Result<CallKind, BadInput> {
        Ok(CallKind::ExitPlan)
    }
}

/// What the review came to. A plan that was not taken is a failed call, as every refusal is; and so is one whose review was
/// another call's. `tools`: those of whoever called.
pub fn reviewed(
    call: CallId,
    reviewed: &PlanReviewed,
    rehearsed: &RehearsalOutcome,
    tools: &ReaderTools,
) -> ToolOutcome {
    if reviewed.call.as_ref() != Some(&call) {
        return ToolFailure::new(outcome::reviewed_elsewhere()).outcome(call);
    }
    let text = outcome::review_result(reviewed, rehearsed, tools);
    let output = serde_json::to_value(ExitPlanOutput::of(reviewed, tools)).ok();
    match reviewed.answer {
        PlanAnswer::Approve(_) | PlanAnswer::HandOver => {
            ToolSuccess { output, ..ToolSuccess::new(text) }.outcome(call)
        }
        PlanAnswer::KeepPlanning { .. } | PlanAnswer::Park | PlanAnswer::Abandon => {
            ToolFailure::new(text).output(output).outcome(call)
        }
    }
}

/// A subagent's plan is for whoever started it; there is nothing to approve.
pub async fn for_subagent(call: CallId, path: Option<AbsPath>) -> ToolOutcome {
    let Some(path) = path else { return ToolSuccess::new(outcome::subagent_result(None)).outcome(call) };
    let file = path.clone();
    // A plan that cannot be read is no plan.
    let read = move || place(&file)?.map_or(Ok(None), |place| read_whole(&file, &place));
    let bytes = blocking(read).await.ok().flatten();
    let plan = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let plan = plan.filter(|plan| !plan.trim().is_empty());
    let done = ToolSuccess::new(outcome::subagent_result(plan.as_ref().map(|_| &path)));
    let output = ExitPlanOutput::subagent(path, plan);
    ToolSuccess { output: serde_json::to_value(output).ok(), ..done }.outcome(call)
}

/// Why there was no review; none of this reads as a yes. `path`: the plan's file; `planning`: whether plan mode is on.
pub fn unreviewed(call: CallId, answer: &HostAnswer, path: &AbsPath, planning: bool) -> ToolOutcome {
    let text = match answer {
        HostAnswer::Nobody => outcome::no_reviewer(path, planning),
        _ => outcome::unanswered(path, planning),
    };
    ToolFailure::new(text).outcome(call)
}

#[cfg(test)]
mod tests;
