//! The person's hooks around a call.

use forelook_hooks::{Happening, HookEvent, Outcome};
use forelook_protocol::{Answer, Finished, HookSays, NoticeLevel, Reason, Step, ToolCall, Verdict};
use serde_json::{Value, json};

use crate::carry_out::Hands;
use crate::handle::{CallView, NotRecorded, SessionHandle};
use crate::judgement::{Listener, call_of};
use crate::turn_hooks::reminder;

/// What hooks said before a call was decided.
#[derive(Default)]
pub(crate) struct Heard {
    /// Their word.
    pub(crate) says: Option<HookSays>,
    /// The input that they want instead.
    pub(crate) input: Option<Value>,
    /// The whole work is to stop, because of this.
    pub(crate) stop: Option<String>,
}

/// `PreToolUse`: before anything is decided.
pub(crate) async fn before(
    session: &SessionHandle,
    hands: &Hands,
    view: &CallView,
    call: &ToolCall,
) -> Heard {
    if !hands.hooks.listen_to(HookEvent::PreToolUse) {
        return Heard::default();
    }
    let outcome = hear(session, hands, view, Happening::PreToolUse(call_of(call))).await;
    let input = outcome.updated_input.filter(|input| *input != call.input);
    Heard { says: outcome.says, input, stop: outcome.stop }
}

/// `PermissionRequest`: where a person would be asked, a hook may answer. Only where nothing but the lack of a rule asks:
/// a wall, an ask rule, a plan and a question of the model's are for a person alone.
pub(crate) async fn instead_of_asking(
    session: &SessionHandle,
    hands: &Hands,
    view: &CallView,
    call: &ToolCall,
    reason: &Reason,
) -> Option<Answer> {
    if !hands.hooks.listen_to(HookEvent::PermissionRequest) {
        return None;
    }
    let outcome = hear(session, hands, view, Happening::PermissionRequest(call_of(call))).await;
    match outcome.says? {
        HookSays::Deny(why) => Some(Answer::Deny { message: Some(why) }),
        // An input that differs from what was decided on would have to be judged anew; a hook that wants to change it has
        // `PreToolUse` for that.
        HookSays::Allow(_) if reason.step == Step::Rest && outcome.updated_input.is_none() => {
            Some(Answer::yes())
        }
        HookSays::Allow(_) | HookSays::Ask(_) => None,
    }
}

/// `PermissionDenied`: after a call was refused.
pub(crate) async fn denied(
    session: &SessionHandle,
    hands: &Hands,
    view: &CallView,
    call: &ToolCall,
    reason: &Reason,
) {
    if hands.hooks.listen_to(HookEvent::PermissionDenied) {
        let happening = Happening::PermissionDenied { call: call_of(call), reason: &reason.text };
        hear(session, hands, view, happening).await;
    }
}

/// `PostToolUse` and `PostToolUseFailure`: after a call ran. What hooks have to say goes to the model.
pub(crate) async fn after(
    session: &SessionHandle,
    hands: &Hands,
    view: &CallView,
    call: &ToolCall,
    finished: &Finished,
) -> Result<(), NotRecorded> {
    let failed = finished.result.is_error;
    let event = if failed { HookEvent::PostToolUseFailure } else { HookEvent::PostToolUse };
    if finished.verdict != Verdict::Ran || !hands.hooks.listen_to(event) {
        return Ok(());
    }
    let text = finished.result.text();
    let response = json!({ "content": text });
    let call = call_of(call);
    let happening = match failed {
        true => Happening::PostToolUseFailure { call, error: &text },
        false => Happening::PostToolUse { call, tool_response: &response },
    };
    let outcome = hear(session, hands, view, happening).await;
    let mut words = outcome.context;
    if let Some(HookSays::Deny(why)) = outcome.says {
        words.push(format!("A hook of the person's objects to what `{}` did: {why}", call.tool_name));
    }
    if let Some(why) = outcome.stop {
        words.push(format!("A hook of the person's wants the work to stop: {why}"));
    }
    session.record(words.into_iter().map(reminder).collect()).await
}

async fn hear(session: &SessionHandle, hands: &Hands, view: &CallView, happening: Happening<'_>) -> Outcome {
    let listener = Listener { hooks: &hands.hooks, view, cancel: &session.cancel };
    let outcome = listener.hear(happening).await;
    for text in &outcome.messages {
        session.tell(NoticeLevel::Info, text.clone());
    }
    for text in &outcome.problems {
        session.tell(NoticeLevel::Warning, text.clone());
    }
    outcome
}
