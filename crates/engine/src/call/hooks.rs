//! The person's hooks around a call.

use forelook_hooks::{Happening, HookEvent, Outcome};
use forelook_protocol::{
    Body, Finished, HookSays, HostAnswer, NoticeLevel, Reason, Reminder, ReminderKind, Step, ToolCall,
    Verdict,
};
use serde_json::{Value, json};

use super::ToolRuntime;
use super::decide::{HookScene, call_of};
use crate::handle::{CallView, NotRecorded, SessionHandle};

/// What hooks said before a call was decided.
pub(super) struct HookVerdict {
    /// Their word.
    pub(super) says: Option<HookSays>,
    /// The input that they want instead.
    pub(super) input: Option<Value>,
    /// What the model should know; it follows the result of the call.
    pub(super) context: Vec<String>,
    /// The whole work is to stop, because of this.
    pub(super) stop: Option<String>,
}

/// `PreToolUse`: before anything is decided. Nothing if no hook listens.
pub(super) async fn before(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    view: &CallView,
    call: &ToolCall,
) -> Option<HookVerdict> {
    if !runtime.hooks.get().listen_to(HookEvent::PreToolUse) {
        return None;
    }
    let outcome = hear(session, runtime, view, Happening::PreToolUse(call_of(call))).await;
    let input = outcome.updated_input.filter(|input| *input != call.input);
    Some(HookVerdict { says: outcome.says, input, context: outcome.context, stop: outcome.stop })
}

/// `PermissionRequest`: where a person would be asked, a hook may answer. Only where nothing but the lack of a rule asks:
/// a wall, an ask rule, a plan and a question of the model's are for a person alone.
pub(super) async fn instead_of_asking(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    view: &CallView,
    call: &ToolCall,
    reason: &Reason,
) -> Option<HostAnswer> {
    if !runtime.hooks.get().listen_to(HookEvent::PermissionRequest) {
        return None;
    }
    let outcome = hear(session, runtime, view, Happening::PermissionRequest(call_of(call))).await;
    match outcome.says? {
        HookSays::Deny(why) => Some(HostAnswer::Deny { message: Some(why) }),
        // An input that differs from what was decided on would have to be judged anew; a hook that wants to change it has
        // `PreToolUse` for that.
        HookSays::Allow(_) if reason.step == Step::Rest && outcome.updated_input.is_none() => {
            Some(HostAnswer::yes())
        }
        HookSays::Allow(_) | HookSays::Ask(_) => None,
    }
}

/// `PermissionDenied`: after a call was refused.
pub(super) async fn denied(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    view: &CallView,
    call: &ToolCall,
    reason: &Reason,
) {
    if runtime.hooks.get().listen_to(HookEvent::PermissionDenied) {
        let happening = Happening::PermissionDenied { call: call_of(call), reason: &reason.text };
        hear(session, runtime, view, happening).await;
    }
}

/// `PostToolUse` and `PostToolUseFailure`: after a call ran. What hooks have to say goes to the model. Returns why the work
/// is to stop, if it is.
pub(super) async fn after(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    view: &CallView,
    call: &ToolCall,
    finished: &Finished,
) -> Result<Option<String>, NotRecorded> {
    let failed = finished.result.is_error;
    let event = if failed { HookEvent::PostToolUseFailure } else { HookEvent::PostToolUse };
    if finished.verdict != Verdict::Ran || !runtime.hooks.get().listen_to(event) {
        return Ok(None);
    }
    let text = finished.result.text();
    let response = json!({ "content": text });
    let call = call_of(call);
    let happening = match failed {
        true => Happening::PostToolUseFailure { call, error: &text },
        false => Happening::PostToolUse { call, tool_response: &response },
    };
    let outcome = hear(session, runtime, view, happening).await;
    let mut words = outcome.context;
    if let Some(HookSays::Deny(why)) = outcome.says {
        words.push(format!("A hook of the person's objects to what `{}` did: {why}", call.tool_name));
    }
    session.record(words.into_iter().map(reminder).collect()).await?;
    Ok(outcome.stop)
}

async fn hear(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    view: &CallView,
    happening: Happening<'_>,
) -> Outcome {
    let hooks = runtime.hooks.get();
    let outcome = HookScene { hooks: &hooks, view, cancel: &session.cancel }.run(happening).await;
    tell(session, &outcome);
    outcome
}

/// What hooks have to say to the person.
pub(crate) fn tell(session: &SessionHandle, outcome: &Outcome) {
    for text in &outcome.messages {
        session.tell(NoticeLevel::Info, text.clone());
    }
    for text in &outcome.problems {
        session.tell(NoticeLevel::Warning, text.clone());
    }
}

/// The most that a hook may add to the conversation at once.
const MAX_CONTEXT: usize = 10_000;

/// What a hook adds to the conversation.
pub(crate) fn reminder(mut text: String) -> Body {
    if text.len() > MAX_CONTEXT {
        text.truncate(text.floor_char_boundary(MAX_CONTEXT));
        text.push_str("\n[the rest was left out]");
    }
    Body::Reminder(Reminder { kind: ReminderKind::Hook, text })
}
