//! Results of calls that did not run, in words for the model.

use forelook_protocol::{
    Decided, EndReason, Finished, HostAnswer, Reason, Step, ToolCall, ToolResult, Verdict,
};

use crate::handle::Finish;

/// The result of a call that was cut short.
pub(crate) fn interrupted(call: &ToolCall, started: bool) -> Finished {
    let text = if started {
        "Interrupted. The call had begun and may have run in part or in full; look before you repeat it."
    } else {
        "Interrupted before it ran. Nothing was done."
    };
    finished(call, text.to_owned(), Verdict::Interrupted)
}

/// The turn ended before this call came up.
pub(super) fn after_the_end(call: &ToolCall, end: &EndReason) -> Finish {
    let text = match end {
        EndReason::Hook { .. } => "Not run: a hook of the person's ended the turn.",
        _ => "Not run: the turn ended with the review of the plan.",
    };
    finished(call, text.to_owned(), Verdict::Denied).into()
}

/// The call itself was wrong.
pub(super) fn invalid(call: &ToolCall, text: String) -> Finish {
    finished(call, text, Verdict::Invalid).into()
}

/// It may not run.
pub(super) fn denied(call: &ToolCall, text: String, decided: Option<Decided>) -> Finish {
    Finish { decided, finished: finished(call, text, Verdict::Denied), writes_plan: false }
}

/// The tool panicked.
pub(super) fn crashed(call: &ToolCall) -> ToolResult {
    let text = format!(
        "`{}` failed inside Forelook. It may have run in part; look before you repeat it.",
        call.name
    );
    ToolResult::error(call.id.clone(), text)
}

fn finished(call: &ToolCall, text: String, verdict: Verdict) -> Finished {
    let result = ToolResult::error(call.id.clone(), text);
    Finished { result, verdict, effects: Vec::new(), output: None }
}

/// What the model reads when a call is refused.
pub(super) fn refusal(reason: &Reason, answer: Option<&HostAnswer>) -> String {
    match answer {
        Some(HostAnswer::Deny { message: Some(words) }) => {
            format!("The person said no to this call: {words}")
        }
        Some(HostAnswer::Nobody) => format!(
            "Not run: nobody is here to say yes to it. {}. Do what can be done without it, and say what is left.{}",
            reason.text,
            how_to_allow(reason)
        ),
        Some(_) => {
            "The person said no to this call. Do not try it another way; ask what they want.".to_owned()
        }
        None => format!("Not run. {}.{}", reason.text, how_to_allow(reason)),
    }
}

/// What the person could do to let it through, where something can be done.
fn how_to_allow(reason: &Reason) -> String {
    let rule = reason.would_allow.as_ref().map(|rule| format!("the rule `{rule}` (`--allowedTools`)"));
    match (rule, reason.step) {
        (Some(rule), Step::Rest) => {
            format!(" A person can allow it with {rule}, or with another `--permission-mode`.")
        }
        (None, Step::Rest) => " A person can allow it with another `--permission-mode`.".to_owned(),
        _ => String::new(),
    }
}
