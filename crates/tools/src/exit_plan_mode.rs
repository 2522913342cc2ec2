//! `ExitPlanMode`: the plan is put up for review.
//!
//! The engine asks, and the session writes the answer, the text it was given to and the mode that follows in one
//! entry. Here that is only put into words, which are those of crate `plan`: without that entry nothing is approved.

use std::borrow::Cow;

use forelook_plan::{ExitOutput, Rehearsed, exit_description, outcome};
use forelook_protocol::{AbsPath, Action, Answer, PlanAnswer, Reviewed};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::file::read_whole;
use crate::tool::{BadInput, Place, ToolContext};
use crate::typed::{Done, Failure, TypedTool, blocking};

/// Asks to leave plan mode.
pub(crate) struct ExitPlanMode {
    /// Whether parts of the work can be given to agents.
    pub(crate) has_task_tool: bool,
}

/// Nothing: the plan is read from its file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {}

impl TypedTool for ExitPlanMode {
    type Input = Input;
    const NAME: &'static str = "ExitPlanMode";
    const DEFERRED: Option<&'static str> =
        Some("finish end exit leave plan mode: submit the plan for review and approval, then implement it");
    const CONCURRENCY_SAFE: bool = true;

    fn description(&self) -> Cow<'static, str> {
        exit_description().into()
    }

    fn action(&self, _: &Input, _: &Place) -> Result<Action, BadInput> {
        Ok(Action::ExitPlan)
    }

    async fn run(&self, _: Input, cx: ToolContext) -> Result<Done, Failure> {
        if cx.subagent {
            return subagent(cx.plan_file).await;
        }
        match (&cx.answer, &cx.reviewed) {
            (Some(Answer::Plan(_)), Some(reviewed)) if reviewed.call.as_ref() == Some(&cx.call) => {
                self.reviewed(reviewed, &cx.rehearsed)
            }
            (answer, _) => Err(Failure::new(unreviewed(answer.as_ref(), cx.plan_file.as_ref()))),
        }
    }
}

impl ExitPlanMode {
    /// What the review came to. A plan that was not taken is a failed call, as every refusal is.
    fn reviewed(&self, reviewed: &Reviewed, rehearsed: &Rehearsed) -> Result<Done, Failure> {
        let text = outcome::heard(reviewed, rehearsed, self.has_task_tool);
        let output = serde_json::to_value(ExitOutput::of(reviewed, self.has_task_tool)).ok();
        match reviewed.answer {
            PlanAnswer::Approve(_) | PlanAnswer::HandOver => Ok(Done { output, ..Done::new(text) }),
            PlanAnswer::KeepPlanning { .. } | PlanAnswer::Park | PlanAnswer::Abandon => {
                Err(Failure::new(text).output(output))
            }
        }
    }
}

/// A subagent's plan is for whoever started it; there is nothing to approve.
async fn subagent(path: Option<AbsPath>) -> Result<Done, Failure> {
    let done = Done::new(outcome::subagent());
    let Some(path) = path else { return Ok(done) };
    let file = path.clone();
    // A plan that cannot be read is no plan.
    let bytes = blocking(move || read_whole(&file)).await.ok().flatten();
    let plan = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let output = ExitOutput::subagent(path, plan.filter(|plan| !plan.trim().is_empty()));
    Ok(Done { output: serde_json::to_value(output).ok(), ..done })
}

/// Why there was no review; none of this reads as a yes.
fn unreviewed(answer: Option<&Answer>, path: Option<&AbsPath>) -> String {
    match (answer, path) {
        (Some(Answer::Nobody), Some(path)) => outcome::nobody(path),
        (Some(Answer::Outdated), Some(path)) => outcome::outdated(path),
        (_, Some(path)) => outcome::unanswered(path),
        (_, None) => "The plan was not reviewed, so it is not approved and plan mode stays on".to_owned(),
    }
}

#[cfg(test)]
mod tests;
