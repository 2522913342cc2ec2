//! The person's hooks around a call.

use forelook_hooks::{HookEvent, HookOutcome, HookPayload};
use forelook_protocol::{
    CallStatus, DecisionStep, EntryBody, HookDecision, HostAnswer, NoticeLevel, Reason, Reminder,
    ReminderKind, ToolCall, ToolFinished,
};
use serde_json::{Value, json};

use super::ToolRuntime;
use super::decide::{HookRunner, hook_tool_call};
use crate::handle::{CallView, RecordError, SessionHandle};

/// What hooks said before a call was decided.
pub(super) struct HookVerdict {
    /// Their word.
    pub(super) decision: Option<HookDecision>,
    /// The input that they want instead.
    pub(super) input: Option<Value>,
    /// What the model should know; it follows the result of the call.
    pub(super) context: Vec<String>,
    /// The whole work is to stop, because of this.
    pub(super) stop: Option<String>,
}

/// `PreToolUse`: before anything is decided. Nothing if no hook listens.
pub(super) async fn pre_tool_use(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    view: &CallView,
    call: &ToolCall,
) -> Option<HookVerdict> {
    if !runtime.hooks.get().has_hook_for(HookEvent::PreToolUse) {
        return None;
    }
    let outcome = run_hooks(session, runtime, view, HookPayload::PreToolUse(hook_tool_call(call))).await;
    let input = outcome.updated_input.filter(|input| *input != call.input);
    Some(HookVerdict { decision: outcome.decision, input, context: outcome.context, stop: outcome.stop })
}

/// `PermissionRequest`: where a person would be asked, a hook may answer. Only where nothing but the lack of a rule asks:
/// a wall, an ask rule, a plan and a question of the model's are for a person alone.
pub(super) async fn permission_request(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    view: &CallView,
    call: &ToolCall,
    reason: &Reason,
) -> Option<HostAnswer> {
    if !runtime.hooks.get().has_hook_for(HookEvent::PermissionRequest) {
        return None;
    }
    let outcome =
        run_hooks(session, runtime, view, HookPayload::PermissionRequest(hook_tool_call(call))).await;
    match outcome.decision? {
        HookDecision::Deny(why) => Some(HostAnswer::Deny { message: Some(why) }),
        // An input that differs from what was decided on would have to be judged anew; a hook that wants to change it has
        // `PreToolUse` for that.
        HookDecision::Allow(_)
            if reason.step == DecisionStep::Fallback && outcome.updated_input.is_none() =>
        {
            Some(HostAnswer::yes())
        }
        HookDecision::Allow(_) | HookDecision::Ask(_) => None,
    }
}

/// `PermissionDenied`: after a call was refused.
pub(super) async fn permission_denied(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    view: &CallView,
    call: &ToolCall,
    reason: &Reason,
) {
    if runtime.hooks.get().has_hook_for(HookEvent::PermissionDenied) {
        let payload = HookPayload::PermissionDenied { call: hook_tool_call(call), reason: &reason.text };
        run_hooks(session, runtime, view, payload).await;
    }
}

/// `PostToolUse` and `PostToolUseFailure`: after a call ran. What hooks have to say goes to the model. Returns why the work
/// is to stop, if it is.
pub(super) async fn post_tool_use(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    view: &CallView,
    call: &ToolCall,
    finished: &ToolFinished,
) -> Result<Option<String>, RecordError> {
    let failed = finished.result.is_error;
    let event = if failed { HookEvent::PostToolUseFailure } else { HookEvent::PostToolUse };
    if finished.status != CallStatus::Ran || !runtime.hooks.get().has_hook_for(event) {
        return Ok(None);
    }
    let text = finished.result.text();
    let response = json!({ "content": text });
    let call = hook_tool_call(call);
    let payload = match failed {
        true => HookPayload::PostToolUseFailure { call, error: &text },
        false => HookPayload::PostToolUse { call, tool_response: &response },
    };
    let outcome = run_hooks(session, runtime, view, payload).await;
    let mut words = outcome.context;
    if let Some(HookDecision::Deny(why)) = outcome.decision {
        words.push(format!("A user hook objects to what `{}` did: {why}", call.tool_name));
    }
    session.record(words.into_iter().map(reminder).collect()).await?;
    Ok(outcome.stop)
}

async fn run_hooks(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    view: &CallView,
    payload: HookPayload<'_>,
) -> HookOutcome {
    let hooks = runtime.hooks.get();
    let outcome = HookRunner { hooks: &hooks, view, cancel: &session.cancel }.run(payload).await;
    publish_messages(session, &outcome);
    outcome
}

/// What hooks have to say to the person.
pub(crate) fn publish_messages(session: &SessionHandle, outcome: &HookOutcome) {
    for text in &outcome.messages {
        session.notify(NoticeLevel::Info, text.clone());
    }
    for text in &outcome.problems {
        session.notify(NoticeLevel::Warning, text.clone());
    }
}

/// The most that a hook may add to the conversation at once.
const MAX_CONTEXT: usize = 10_000;

/// What a hook adds to the conversation.
pub(crate) fn reminder(mut text: String) -> EntryBody {
    if text.len() > MAX_CONTEXT {
        text.truncate(text.floor_char_boundary(MAX_CONTEXT));
        text.push_str("\n[the rest was left out]");
    }
    EntryBody::Reminder(Reminder { kind: ReminderKind::Hook, text })
}
