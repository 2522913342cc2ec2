//! The events that hooks can be tied to.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An event of the program, by the name that settings use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum HookEvent {
    /// A call is about to be decided on. A block denies it.
    PreToolUse,
    /// A call ended well. A block tells the model its reason; the call is done.
    PostToolUse,
    /// A call failed. A block tells the model its reason.
    PostToolUseFailure,
    /// A person is about to be asked. A block answers no.
    PermissionRequest,
    /// A call was denied.
    PermissionDenied,
    /// A prompt was sent. A block keeps it from the model.
    UserPromptSubmit,
    /// A session began.
    SessionStart,
    /// A session is over.
    SessionEnd,
    /// The agent wants to stop. A block makes it go on, with the reason.
    Stop,
    /// A subagent begins.
    SubagentStart,
    /// A subagent wants to stop. A block makes it go on, with the reason.
    SubagentStop,
    /// The conversation is about to be compacted. A block leaves it as it is.
    PreCompact,
    /// The conversation was compacted.
    PostCompact,
    /// Something waits for the person.
    Notification,
    /// The permission mode changed.
    ModeChanged,
    /// A plan was approved or rejected.
    PlanReviewed,
}

/// A word that names no event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an event for hooks\nKnown are {known}", known = known())]
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

    /// Whether a hook's block means anything here. The others tell of what has happened already: a block
    /// of theirs is reported to the person and changes nothing.
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

    /// Whether something waits for the hook's word before it happens, so that no word must mean no.
    /// `Stop` is not among them: there a block means to go on, and an interrupted agent must not.
    pub fn is_gate(self) -> bool {
        matches!(
            self,
            HookEvent::PreToolUse
                | HookEvent::PermissionRequest
                | HookEvent::UserPromptSubmit
                | HookEvent::PreCompact
        )
    }

    /// Whether a call is decided on, so that allow, ask and a changed input have a meaning.
    pub fn decides_a_call(self) -> bool {
        matches!(self, HookEvent::PreToolUse | HookEvent::PermissionRequest)
    }

    /// Whether output that is not JSON is meant for the model.
    pub fn takes_plain_context(self) -> bool {
        matches!(self, HookEvent::UserPromptSubmit | HookEvent::SessionStart)
    }
}

/// A hook of the person's, as it stands in their settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HookListed {
    /// When it runs.
    pub event: HookEvent,
    /// For which tools, sources or kinds, as it was written; empty for all.
    pub matcher: String,
    /// What runs.
    pub command: String,
    /// The file and line it stands in.
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
