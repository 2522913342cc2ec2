//! `EnterPlanMode`: the model asks to plan before it does anything.
//!
//! The engine asks the person. Only their own yes begins planning; the words are those of crate `plan`.

use std::borrow::Cow;

use forelook_plan::{Eagerness, Workflow, enter_declined, enter_description, enter_result, enter_unattended};
use forelook_protocol::{CallId, HostAnswer, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::CallKind;
use crate::output::shorten;
use crate::tool::BadInput;
use crate::typed::{EngineTool, ToolFailure, ToolMetadata, ToolSuccess};

/// What a person may paste with their no.
const MAX_WORDS: usize = 20_000;

/// Begins to plan.
pub(crate) struct EnterPlanMode {
    /// How much its text invites to plan.
    pub(crate) eagerness: Eagerness,
}

/// Nothing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {}

impl ToolMetadata for EnterPlanMode {
    type Input = Input;
    const NAME: &'static str = "EnterPlanMode";
    const DEFERRED: Option<&'static str> =
        Some("begin start enter plan mode: design an approach and have it approved before changing code");
    const CONCURRENCY_SAFE: bool = true;

    fn description(&self) -> Cow<'static, str> {
        enter_description(self.eagerness).into()
    }
}

impl EngineTool for EnterPlanMode {
    fn call(&self, _: Input) -> Result<CallKind, BadInput> {
        Ok(CallKind::EnterPlan)
    }
}

/// Planning began.
pub fn entered(call: CallId, workflow: &Workflow) -> ToolOutcome {
    ToolSuccess::new(enter_result(workflow)).outcome(call)
}

/// Planning did not begin, though the person agreed.
pub fn not_entered(call: CallId, why: &str) -> ToolOutcome {
    ToolFailure::new(why).outcome(call)
}

/// A subagent asked to plan.
pub fn for_subagent(call: CallId) -> ToolOutcome {
    let text = "A subagent cannot enter plan mode\nDo your task, and report what you found";
    ToolFailure::new(text).outcome(call)
}

/// The person was asked, and this is no yes.
pub fn declined(call: CallId, answer: &HostAnswer) -> ToolOutcome {
    let text = match answer {
        HostAnswer::Nobody => enter_unattended(),
        HostAnswer::Deny { message: Some(words) } => enter_declined(Some(&shorten(words, MAX_WORDS))),
        _ => enter_declined(None),
    };
    ToolFailure::new(text).outcome(call)
}

#[cfg(test)]
mod tests;
