//! What `EnterPlanMode` and `ExitPlanMode` say of themselves, and what comes of asking to enter. What comes of a
//! review is in `outcome.rs`.

use super::fill::{fill, quoted};
use super::{Eagerness, Workflow, WorkflowStyle};

/// The description of `EnterPlanMode`.
pub fn enter_description(eagerness: Eagerness) -> String {
    let text = match eagerness {
        Eagerness::Eager => include_str!("../text/enter_eager.md"),
        Eagerness::Reserved => include_str!("../text/enter_reserved.md"),
    };
    fill(text, &[])
}

/// The result of `EnterPlanMode`. The workflow is no part of it: it comes as a reminder, whoever entered.
pub fn enter_result(workflow: &Workflow) -> String {
    let text = match workflow.style {
        WorkflowStyle::FivePhases { .. } => include_str!("../text/enter_result.md"),
        WorkflowStyle::Interview => include_str!("../text/enter_result_interview.md"),
    };
    fill(text, &[])
}

/// The result of `EnterPlanMode` when the person said no, with their words if there are any.
pub fn enter_declined(words: Option<&str>) -> String {
    let declined = "The user does not want a plan first, so the mode does not change. Continue without a plan, and \
                    do not ask for plan mode again for this task";
    match words.map(str::trim) {
        None | Some("") => declined.to_owned(),
        Some(words) => format!("{declined}\nThe user says:\n{}", quoted(words)),
    }
}

/// The result of `EnterPlanMode` when there is nobody to say yes.
pub fn enter_unattended() -> String {
    "No user is available to confirm plan mode, so the mode does not change\nContinue without it".to_owned()
}

/// The description of `ExitPlanMode`.
pub fn exit_description() -> String {
    fill(include_str!("../text/exit_tool.md"), &[])
}
