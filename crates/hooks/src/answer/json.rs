//! The JSON that a hook may answer with. Unknown fields are ignored; a known one with a wrong value makes
//! the whole answer unreadable.

use forelook_protocol::HookSays;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::BLOCKED;
use crate::merge::strictest;
use crate::process::{Kept, MAX_STDOUT};
use crate::report::{cannot_block, plain, reason};
use crate::{Hook, HookEvent, Outcome};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Answer {
    #[serde(rename = "continue")]
    goes_on: Option<bool>,
    stop_reason: Option<String>,
    system_message: Option<String>,
    decision: Option<Old>,
    reason: Option<String>,
    hook_specific_output: Option<Specific>,
}

/// The form that is older than `permissionDecision`, and still the one of events without a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Old {
    Block,
    Approve,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Specific {
    hook_event_name: Option<String>,
    permission_decision: Option<Permission>,
    permission_decision_reason: Option<String>,
    updated_input: Option<Map<String, Value>>,
    additional_context: Option<String>,
    /// A [`Request`] at `PermissionRequest`; elsewhere it is an unknown field.
    decision: Option<Value>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Permission {
    Allow,
    Deny,
    Ask,
    /// The same as to say nothing.
    Defer,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    behavior: Behavior,
    message: Option<String>,
    updated_input: Option<Map<String, Value>>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Behavior {
    Allow,
    Deny,
}

/// An answer that cannot be read as a whole.
#[derive(Debug)]
pub(super) struct Unreadable {
    /// Why not.
    pub(super) why: String,
    /// Whether a no stands in it all the same. That is heard: a slip in another field must not turn a no
    /// into nothing.
    pub(super) says_no: bool,
}

/// What a host's answer says.
pub(super) fn of_host(hook: &Hook, value: &Value) -> Result<Outcome, Unreadable> {
    // serde would also take a list for the fields in their order, which nobody means.
    if !value.is_object() {
        return Err(Unreadable { why: "it is not an object".to_owned(), says_no: false });
    }
    understand(hook, Answer::deserialize(value)).map_err(|why| Unreadable { why, says_no: says_no(value) })
}

/// What an output says.
pub(super) fn of_output(hook: &Hook, stdout: &Kept) -> Result<Outcome, Unreadable> {
    let nothing = |why: String| Unreadable { why, says_no: false };
    if stdout.cut {
        return Err(nothing(format!("it is longer than {MAX_STDOUT} bytes")));
    }
    // Not mended: a path with a replaced character in a changed input is another path.
    let text = std::str::from_utf8(&stdout.bytes).map_err(|_| nothing("it is not UTF-8".to_owned()))?;
    // Not by way of a `Value`, which would keep one of two equal keys where the answer must be unreadable.
    understand(hook, serde_json::from_str(text)).map_err(|why| Unreadable {
        why,
        says_no: serde_json::from_str(text).is_ok_and(|value| says_no(&value)),
    })
}

fn says_no(value: &Value) -> bool {
    let at = |pointer: &str, word: &str| value.pointer(pointer).and_then(Value::as_str) == Some(word);
    at("/decision", "block")
        || at("/hookSpecificOutput/permissionDecision", "deny")
        || at("/hookSpecificOutput/decision/behavior", "deny")
}

fn understand(hook: &Hook, answer: serde_json::Result<Answer>) -> Result<Outcome, String> {
    let mut answer = answer.map_err(|error| error.to_string())?;
    let mut specific = answer.hook_specific_output.take().unwrap_or_default();
    let request = request(hook.event, &mut specific)?;

    let mut outcome = Outcome::default();
    if answer.goes_on == Some(false) {
        let why = answer.stop_reason.as_deref().unwrap_or_default();
        outcome.stop = Some(reason(hook, why, "Stopped without a reason"));
    }
    outcome.messages.extend(something(answer.system_message.as_deref()));
    outcome.context.extend(something(specific.additional_context.as_deref()));
    if answer.decision == Some(Old::Block) && !hook.event.can_block() {
        outcome.problems.push(cannot_block(hook, answer.reason.as_deref().unwrap_or_default()));
    }
    outcome.says = strictest(
        [old(hook, &answer), permission(hook, &specific, &answer), requested(hook, request.as_ref())]
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
fn request(event: HookEvent, specific: &mut Specific) -> Result<Option<Request>, String> {
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

fn old(hook: &Hook, answer: &Answer) -> Option<HookSays> {
    let why = answer.reason.as_deref().unwrap_or_default();
    match answer.decision? {
        Old::Block => hook.event.can_block().then(|| HookSays::Deny(reason(hook, why, BLOCKED))),
        Old::Approve => hook.event.decides_a_call().then(|| HookSays::Allow(reason(hook, why, "Allowed"))),
    }
}

fn permission(hook: &Hook, specific: &Specific, answer: &Answer) -> Option<HookSays> {
    let decision = specific.permission_decision.filter(|_| hook.event.decides_a_call())?;
    let given = specific.permission_decision_reason.as_deref().or(answer.reason.as_deref());
    let given = given.unwrap_or_default();
    match decision {
        Permission::Deny => Some(HookSays::Deny(reason(hook, given, BLOCKED))),
        Permission::Ask => Some(HookSays::Ask(reason(hook, given, "A person should decide"))),
        Permission::Allow => Some(HookSays::Allow(reason(hook, given, "Allowed"))),
        Permission::Defer => None,
    }
}

fn requested(hook: &Hook, request: Option<&Request>) -> Option<HookSays> {
    let request = request?;
    let given = request.message.as_deref().unwrap_or_default();
    Some(match request.behavior {
        Behavior::Deny => HookSays::Deny(reason(hook, given, BLOCKED)),
        Behavior::Allow => HookSays::Allow(reason(hook, given, "Allowed")),
    })
}

fn something(text: Option<&str>) -> Option<String> {
    text.map(plain).filter(|text| !text.is_empty())
}
