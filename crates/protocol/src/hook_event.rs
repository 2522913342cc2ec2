//! The events that hooks can run on.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An event that hooks can run on, by its name in settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum HookEvent {
    /// Before Forelook decides about a tool call. Blocking denies the call.
    PreToolUse,
    /// After a tool call succeeded. Blocking gives the model the reason; the call is not undone.
    PostToolUse,
    /// After a tool call failed. Blocking gives the model the reason.
    PostToolUseFailure,
    /// Before the user is asked for permission. Blocking denies the request.
    PermissionRequest,
    /// After a tool call was denied.
    PermissionDenied,
    /// After the user sent a prompt. Blocking keeps the prompt from the model.
    UserPromptSubmit,
    /// When a session starts.
    SessionStart,
    /// When a session ends.
    SessionEnd,
    /// When the agent is about to stop. Blocking makes it continue, with the reason.
    Stop,
    /// When a subagent starts.
    SubagentStart,
    /// When a subagent is about to stop. Blocking makes it continue, with the reason.
    SubagentStop,
    /// Before the conversation is compacted. Blocking prevents it.
    PreCompact,
    /// After the conversation was compacted.
    PostCompact,
    /// When Forelook is waiting for the user.
    Notification,
    /// After the permission mode changed.
    ModeChanged,
    /// After a plan was approved or rejected.
    PlanReviewed,
}

/// A name that is not an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Unknown hook event `{0}`\nUse one of {known}", known = known())]
pub struct UnknownEvent(pub String);

fn known() -> String {
    HookEvent::ALL.map(HookEvent::name).join(", ")
}

impl HookEvent {
    /// All events, in the order of the documentation.
    pub const ALL: [HookEvent; 16] = [
        HookEvent::PreToolUse,
        HookEvent::PostToolUse,
        HookEvent::PostToolUseFailure,
        HookEvent::PermissionRequest,
        HookEvent::PermissionDenied,
        HookEvent::UserPromptSubmit,
        HookEvent::SessionStart,
        HookEvent::SessionEnd,
        HookEvent::Stop,
        HookEvent::SubagentStart,
        HookEvent::SubagentStop,
        HookEvent::PreCompact,
        HookEvent::PostCompact,
        HookEvent::Notification,
        HookEvent::ModeChanged,
        HookEvent::PlanReviewed,
    ];

    /// The name in settings and in `hook_event_name`.
    pub fn name(self) -> &'static str {
        match self {
            HookEvent::PreToolUse => "PreToolUse",
            HookEvent::PostToolUse => "PostToolUse",
            HookEvent::PostToolUseFailure => "PostToolUseFailure",
            HookEvent::PermissionRequest => "PermissionRequest",
            HookEvent::PermissionDenied => "PermissionDenied",
            HookEvent::UserPromptSubmit => "UserPromptSubmit",
            HookEvent::SessionStart => "SessionStart",
            HookEvent::SessionEnd => "SessionEnd",
            HookEvent::Stop => "Stop",
            HookEvent::SubagentStart => "SubagentStart",
            HookEvent::SubagentStop => "SubagentStop",
            HookEvent::PreCompact => "PreCompact",
            HookEvent::PostCompact => "PostCompact",
            HookEvent::Notification => "Notification",
            HookEvent::ModeChanged => "ModeChanged",
            HookEvent::PlanReviewed => "PlanReviewed",
        }
    }

    /// Whether a hook can block this event. The other events report something that has already happened: blocking them
    /// is reported to the user and has no effect.
    pub fn can_block(self) -> bool {
        match self {
            HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::PostToolUseFailure
            | HookEvent::PermissionRequest
            | HookEvent::UserPromptSubmit
            | HookEvent::Stop
            | HookEvent::SubagentStop
            | HookEvent::PreCompact => true,
            HookEvent::PermissionDenied
            | HookEvent::SessionStart
            | HookEvent::SessionEnd
            | HookEvent::SubagentStart
            | HookEvent::PostCompact
            | HookEvent::Notification
            | HookEvent::ModeChanged
            | HookEvent::PlanReviewed => false,
        }
    }

    /// Whether the event waits for the hook's decision, so that no decision must mean no. `Stop` is not one of them:
    /// blocking it means to continue, and an interrupted agent must not continue.
    pub fn is_gate(self) -> bool {
        matches!(
            self,
            HookEvent::PreToolUse
                | HookEvent::PermissionRequest
                | HookEvent::UserPromptSubmit
                | HookEvent::PreCompact
        )
    }

    /// Whether the event decides about a call, so that allow, ask, and a changed input are meaningful.
    pub fn decides_a_call(self) -> bool {
        matches!(self, HookEvent::PreToolUse | HookEvent::PermissionRequest)
    }

    /// Whether output that is not JSON goes to the model.
    pub fn takes_plain_context(self) -> bool {
        matches!(self, HookEvent::UserPromptSubmit | HookEvent::SessionStart)
    }
}

/// One of the user's hooks, as written in the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HookInfo {
    /// The event it runs on.
    pub event: HookEvent,
    /// Which tools, sources, or kinds it runs for, as written; empty means all.
    pub matcher: String,
    /// The command to run.
    pub command: String,
    /// The file and line where it is defined.
    pub origin: String,
}

impl fmt::Display for HookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for HookEvent {
    type Err = UnknownEvent;
    fn from_str(word: &str) -> Result<Self, UnknownEvent> {
        HookEvent::ALL
            .into_iter()
            .find(|event| event.name() == word)
            .ok_or_else(|| UnknownEvent(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_events() {
        for event in HookEvent::ALL {
            assert_eq!(event.name().parse(), Ok(event));
            assert_eq!(serde_json::to_value(event).unwrap(), event.name());
            assert!(event.can_block() || !event.is_gate(), "{event}");
        }
        let error = "preToolUse".parse::<HookEvent>().unwrap_err().to_string();
        assert!(error.contains("`preToolUse`") && error.contains("PlanReviewed"), "{error}");
    }
}
