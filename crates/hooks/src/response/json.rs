//! The JSON that a hook may answer with. Unknown fields are ignored; a known one with a wrong value makes
//! the whole answer unreadable.

use forelook_protocol::HookDecision;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::NO_REASON;
use crate::merge::strictest;
use crate::process::{CapturedOutput, MAX_STDOUT};
use crate::report::{cannot_block, plain, reason};
use crate::{Hook, HookEvent, HookOutcome};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct HookResponse {
    #[serde(rename = "continue")]
    should_continue: Option<bool>,
    stop_reason: Option<String>,
    system_message: Option<String>,
    decision: Option<LegacyDecision>,
    reason: Option<String>,
    hook_specific_output: Option<SpecificOutput>,
}

/// The form that is older than `permissionDecision`, and still the one of events without a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum LegacyDecision {
    Block,
    Approve,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SpecificOutput {
    hook_event_name: Option<String>,
    permission_decision: Option<PermissionDecision>,
    permission_decision_reason: Option<String>,
    updated_input: Option<Map<String, Value>>,
    additional_context: Option<String>,
    /// A [`RequestDecision`] at `PermissionRequest`; elsewhere it is an unknown field.
    decision: Option<Value>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum PermissionDecision {
    Allow,
    Deny,
    Ask,
    /// The same as to say nothing.
    Defer,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestDecision {
    behavior: RequestBehavior,
    message: Option<String>,
    updated_input: Option<Map<String, Value>>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum RequestBehavior {
    Allow,
    Deny,
}

/// An answer that cannot be read as a whole.
#[derive(Debug)]
pub(super) struct InvalidResponse {
    /// Why not.
    pub(super) why: String,
    /// Whether a no stands in it all the same. That is heard: a slip in another field must not turn a no
    /// into nothing.
    pub(super) denies: bool,
}

/// What a host's answer says.
pub(super) fn from_host(hook: &Hook, value: &Value) -> Result<HookOutcome, InvalidResponse> {
    // serde would also take a list for the fields in their order, which nobody means.
    if !value.is_object() {
        return Err(InvalidResponse { why: "it is not an object".to_owned(), denies: false });
    }
    interpret(hook, HookResponse::deserialize(value))
        .map_err(|why| InvalidResponse { why, denies: denies(value) })
}

/// What an output says.
pub(super) fn from_stdout(hook: &Hook, stdout: &CapturedOutput) -> Result<HookOutcome, InvalidResponse> {
    let nothing = |why: String| InvalidResponse { why, denies: false };
    if stdout.truncated {
        return Err(nothing(format!("it is longer than {MAX_STDOUT} bytes")));
    }
    // Not mended: a path with a replaced character in a changed input is another path.
    let text = std::str::from_utf8(&stdout.bytes).map_err(|_| nothing("it is not UTF-8".to_owned()))?;
    // Not by way of a `Value`, which would keep one of two equal keys where the answer must be unreadable.
    interpret(hook, serde_json::from_str(text)).map_err(|why| InvalidResponse {
        why,
        denies: serde_json::from_str(text).is_ok_and(|value| denies(&value)),
    })
}

fn denies(value: &Value) -> bool {
    let at = |pointer: &str, word: &str| value.pointer(pointer).and_then(Value::as_str) == Some(word);
    at("/decision", "block")
        || at("/hookSpecificOutput/permissionDecision", "deny")
        || at("/hookSpecificOutput/decision/behavior", "deny")
}

fn interpret(hook: &Hook, answer: serde_json::Result<HookResponse>) -> Result<HookOutcome, String> {
    let mut answer = answer.map_err(|error| error.to_string())?;
    let mut specific = answer.hook_specific_output.take().unwrap_or_default();
    let request = take_request(hook.event, &mut specific)?;

    let mut outcome = HookOutcome::default();
    if answer.should_continue == Some(false) {
        let why = answer.stop_reason.as_deref().unwrap_or_default();
        outcome.stop = Some(reason(hook, why, "Stopped without a reason"));
    }
    outcome.messages.extend(non_empty(answer.system_message.as_deref()));
    outcome.context.extend(non_empty(specific.additional_context.as_deref()));
    if answer.decision == Some(LegacyDecision::Block) && !hook.event.can_block() {
        outcome.problems.push(cannot_block(hook, answer.reason.as_deref().unwrap_or_default()));
    }
    outcome.decision = strictest(
        [
            legacy_decision(hook, &answer),
            permission_decision(hook, &specific, &answer),
            request_decision(hook, request.as_ref()),
        ]
        .into_iter()
        .flatten(),
    );
    if hook.event.decides_a_call() {
        let updated = request.and_then(|request| request.updated_input).or(specific.updated_input);
        outcome.updated_input = updated.map(Value::Object);
    }
    Ok(outcome)
}

/// The part for `PermissionRequest`, after a look at whether the answer is for this event at all.
fn take_request(event: HookEvent, specific: &mut SpecificOutput) -> Result<Option<RequestDecision>, String> {
    if let Some(name) = specific.hook_event_name.as_deref().filter(|name| *name != event.name()) {
        return Err(format!("its `hookEventName` is `{}`, not `{event}`", plain(name)));
    }
    match specific.decision.take() {
        Some(decision) if event == HookEvent::PermissionRequest => {
            serde_json::from_value(decision).map(Some).map_err(|error| format!("`decision`: {error}"))
        }
        _ => Ok(None),
    }
}

fn legacy_decision(hook: &Hook, answer: &HookResponse) -> Option<HookDecision> {
    let why = answer.reason.as_deref().unwrap_or_default();
    match answer.decision? {
        LegacyDecision::Block => {
            hook.event.can_block().then(|| HookDecision::Deny(reason(hook, why, NO_REASON)))
        }
        LegacyDecision::Approve => {
            hook.event.decides_a_call().then(|| HookDecision::Allow(reason(hook, why, "Allowed")))
        }
    }
}

fn permission_decision(
    hook: &Hook,
    specific: &SpecificOutput,
    answer: &HookResponse,
) -> Option<HookDecision> {
    let decision = specific.permission_decision.filter(|_| hook.event.decides_a_call())?;
    let given = specific.permission_decision_reason.as_deref().or(answer.reason.as_deref());
    let given = given.unwrap_or_default();
    match decision {
        PermissionDecision::Deny => Some(HookDecision::Deny(reason(hook, given, NO_REASON))),
        PermissionDecision::Ask => Some(HookDecision::Ask(reason(hook, given, "The hook asks for approval"))),
        PermissionDecision::Allow => Some(HookDecision::Allow(reason(hook, given, "Allowed"))),
        PermissionDecision::Defer => None,
    }
}

fn request_decision(hook: &Hook, request: Option<&RequestDecision>) -> Option<HookDecision> {
    let request = request?;
    let given = request.message.as_deref().unwrap_or_default();
    Some(match request.behavior {
        RequestBehavior::Deny => HookDecision::Deny(reason(hook, given, NO_REASON)),
        RequestBehavior::Allow => HookDecision::Allow(reason(hook, given, "Allowed")),
    })
}

fn non_empty(text: Option<&str>) -> Option<String> {
    text.map(plain).filter(|text| !text.is_empty())
}
