//! `EnterPlanMode`: the model asks to plan before it does anything.
//!
//! The engine asks the person. Only their own yes begins planning; the words are those of crate `plan`.

use std::borrow::Cow;

use forelook_plan::{Eagerness, Workflow, enter_declined, enter_description, enter_nobody, enter_result};
use forelook_protocol::{Action, Answer};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::output::shorten;
use crate::tool::{BadInput, Place, ToolContext};
use crate::typed::{Done, Failure, TypedTool};

/// What a person may paste with their no.
const MAX_WORDS: usize = 20_000;

/// Begins to plan.
pub(crate) struct EnterPlanMode {
    /// How much its text invites to plan.
    pub(crate) eagerness: Eagerness,
    /// How the plan will be made.
    pub(crate) workflow: Workflow,
}

/// Nothing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {}

impl TypedTool for EnterPlanMode {
    type Input = Input;
    const NAME: &'static str = "EnterPlanMode";
    const DEFERRED: Option<&'static str> =
        Some("begin start enter plan mode: design an approach and have it approved before changing code");
    const CONCURRENCY_SAFE: bool = true;

    fn description(&self) -> Cow<'static, str> {
        enter_description(self.eagerness).into()
    }

    fn action(&self, _: &Input, _: &Place) -> Result<Action, BadInput> {
        Ok(Action::EnterPlan)
    }

    async fn run(&self, _: Input, cx: ToolContext) -> Result<Done, Failure> {
        if cx.subagent {
            return Err(Failure::new(
                "An agent that was started by another cannot begin to plan\nDo your task, and report what you found",
            ));
        }
        match cx.answer {
            Some(Answer::Allow { .. }) => match cx.host.enter_plan().await {
                Ok(()) => Ok(Done::new(enter_result(&self.workflow))),
                Err(why) => Err(Failure::new(why)),
            },
            Some(Answer::Deny { message }) => {
                let words = message.map(|words| shorten(&words, MAX_WORDS));
                Err(Failure::new(enter_declined(words.as_deref())))
            }
            Some(Answer::Nobody) => Err(Failure::new(enter_nobody())),
            Some(Answer::Dismissed | Answer::Interrupted) => Err(Failure::new(
                "The person did not answer whether to plan, so the mode stays as it is\nWait for what they say next",
            )),
            Some(Answer::Chosen { .. } | Answer::Plan(_) | Answer::Outdated) | None => Err(Failure::new(
                "Nobody said yes to plan mode, so the mode stays as it is\nGo on without it",
            )),
        }
    }
}

#[cfg(test)]
mod tests;
