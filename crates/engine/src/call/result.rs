//! Results of calls that did not run, in words for the model.

use forelook_protocol::{
    CallStatus, DecisionStep, EndReason, HostAnswer, PermissionDecided, Reason, ToolCall, ToolFinished,
    ToolResult,
};

use crate::handle::CallFinish;

/// The result of a call that was cut short.
pub(crate) fn interrupted(call: &ToolCall, started: bool) -> ToolFinished {
    let text = if started {
        "Interrupted. The call had started and may have run partly or completely; check before you repeat it."
    } else {
        "Interrupted before it ran. Nothing was done."
    };
    finished(call, text.to_owned(), CallStatus::Interrupted)
}

/// The call waited for an answer when Forelook ended, and the user said something else first.
pub(crate) fn superseded(call: &ToolCall) -> ToolFinished {
    let text = "Not run: Forelook ended before the user answered, and the user's new message comes first.";
    finished(call, text.to_owned(), CallStatus::Interrupted)
}

/// The turn ended before this call came up.
pub(super) fn after_the_end(call: &ToolCall, end: &EndReason) -> CallFinish {
    let text = match end {
        EndReason::Hook { .. } => "Not run: a user hook ended the turn.",
        _ => "Not run: the turn ended with the plan review.",
    };
    finished(call, text.to_owned(), CallStatus::Denied).into()
}

/// The call itself was wrong.
pub(super) fn invalid(call: &ToolCall, text: String) -> CallFinish {
    finished(call, text, CallStatus::Invalid).into()
}

/// It may not run.
pub(super) fn denied(call: &ToolCall, text: String, decided: Option<PermissionDecided>) -> CallFinish {
    CallFinish { decided, finished: finished(call, text, CallStatus::Denied), writes_plan: false }
}

/// The tool panicked.
pub(super) fn crashed(call: &ToolCall) -> ToolResult {
    let text = format!(
        "`{}` failed inside Forelook. It may have partly run; check before you repeat it.",
        call.name
    );
    ToolResult::error(call.id.clone(), text)
}

fn finished(call: &ToolCall, text: String, status: CallStatus) -> ToolFinished {
    let result = ToolResult::error(call.id.clone(), text);
    ToolFinished { result, status, effects: Vec::new(), output: None }
}

/// What the model reads when a decision refuses a call. `hint` is what it can do instead.
pub(super) fn refusal(reason: &Reason, hint: Option<&str>) -> String {
    let hint = hint.map(|hint| format!(" {hint}.")).unwrap_or_default();
    format!("Not run. {}.{hint}{}", reason.text, how_to_allow(reason))
}

/// What the model reads when a call was not approved.
pub(super) fn unapproved(reason: &Reason, answer: &HostAnswer) -> String {
    match answer {
        HostAnswer::Deny { message: Some(words) } => format!("The user denied this call: {words}"),
        HostAnswer::Nobody => format!(
            "Not run: no user is available to approve it. {}. Do what you can without it, and say what is left.{}",
            reason.text,
            how_to_allow(reason)
        ),
        _ => "The user denied this call. Do not try to do it another way; ask what they want.".to_owned(),
    }
}

/// What the person could do to let it through, where something can be done.
fn how_to_allow(reason: &Reason) -> String {
    let rules: Vec<String> = reason.suggested_rules.iter().map(|it| format!("`{}`", it.rule)).collect();
    let rule = match rules.as_slice() {
        [] => None,
        [rule] => Some(format!("the rule {rule} (`--allowedTools`)")),
        rules => Some(format!("the rules {} (`--allowedTools`)", rules.join(", "))),
    };
    match (rule, reason.step) {
        (Some(rule), DecisionStep::Fallback) => {
            format!(" The user can allow it with {rule}, or with another `--permission-mode`.")
        }
        (None, DecisionStep::Fallback) => {
            " The user can allow it with another `--permission-mode`.".to_owned()
        }
        _ => String::new(),
    }
}
