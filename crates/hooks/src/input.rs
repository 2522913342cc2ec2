//! What a hook gets: the JSON on its standard input, as types.

use forelook_protocol::{AbsPath, AgentId, CallId, CompactTrigger, Mode, SessionId};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::HookEvent;

/// Something that happened, and where.
#[derive(Debug, Clone, Serialize)]
pub struct HookInput<'a> {
    /// Where.
    #[serde(flatten)]
    pub context: HookContext<'a>,
    /// What.
    #[serde(flatten)]
    pub payload: HookPayload<'a>,
}

/// What every hook is told.
#[derive(Debug, Clone, Serialize)]
pub struct HookContext<'a> {
    /// The session.
    pub session_id: SessionId,
    /// Its journal.
    #[serde(serialize_with = "as_text")]
    pub transcript_path: &'a AbsPath,
    /// The current folder, which need not be the project's.
    #[serde(serialize_with = "as_text")]
    pub cwd: &'a AbsPath,
    /// The mode.
    pub permission_mode: Mode,
    /// The subagent it happened in; at `SubagentStart` and `SubagentStop` the one that starts or stops.
    #[serde(flatten)]
    pub agent: Option<HookAgent<'a>>,
}

/// A subagent.
#[derive(Debug, Clone, Serialize)]
pub struct HookAgent<'a> {
    /// Which.
    pub agent_id: &'a AgentId,
    /// Of which kind.
    pub agent_type: &'a str,
}

/// A tool call.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct HookToolCall<'a> {
    /// The tool.
    pub tool_name: &'a str,
    /// What it is given.
    pub tool_input: &'a Value,
    /// The call.
    pub tool_use_id: &'a CallId,
}

/// What happened; [`HookEvent`] says when each comes.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "hook_event_name")]
pub enum HookPayload<'a> {
    /// A call is about to be decided on.
    PreToolUse(HookToolCall<'a>),
    /// A call ended well.
    PostToolUse {
        /// Which.
        #[serde(flatten)]
        call: HookToolCall<'a>,
        /// What it gave.
        tool_response: &'a Value,
    },
    /// A call failed.
    PostToolUseFailure {
        /// Which.
        #[serde(flatten)]
        call: HookToolCall<'a>,
        /// What the model is told.
        error: &'a str,
    },
    /// A person is about to be asked.
    PermissionRequest(HookToolCall<'a>),
    /// A call was denied.
    PermissionDenied {
        /// Which.
        #[serde(flatten)]
        call: HookToolCall<'a>,
        /// Why.
        reason: &'a str,
    },
    /// A prompt was sent.
    UserPromptSubmit {
        /// Its text.
        prompt: &'a str,
    },
    /// A session began.
    SessionStart {
        /// How.
        source: SessionSource,
    },
    /// A session is over.
    SessionEnd {
        /// Why, in a word.
        reason: &'a str,
    },
    /// The agent wants to stop.
    Stop {
        /// Whether it goes on only because a hook blocked its last stop. A hook that looks at it cannot
        /// keep the agent going for ever.
        stop_hook_active: bool,
    },
    /// The subagent of the scene begins.
    SubagentStart,
    /// The subagent of the scene wants to stop.
    SubagentStop {
        /// As in `Stop`.
        stop_hook_active: bool,
    },
    /// The conversation is about to be compacted.
    PreCompact {
        /// Who wants it.
        #[serde(serialize_with = "as_who")]
        trigger: CompactTrigger,
        /// What the person asked to keep; empty if nothing.
        custom_instructions: &'a str,
    },
    /// The conversation was compacted.
    PostCompact {
        /// Who wanted it.
        #[serde(serialize_with = "as_who")]
        trigger: CompactTrigger,
        /// What is left of it.
        compact_summary: &'a str,
    },
    /// Something waits for the person.
    Notification {
        /// What the person is told.
        message: &'a str,
        /// What matchers are held against; without one every matcher fits.
        #[serde(skip_serializing_if = "Option::is_none")]
        notification_type: Option<&'a str>,
    },
    /// The permission mode changed.
    ModeChanged {
        /// What it was.
        from: Mode,
        /// What it is.
        to: Mode,
        /// Who or what changed it.
        why: &'a str,
    },
    /// The review of a plan was answered.
    PlanReviewed {
        /// What became of the plan.
        verdict: PlanVerdict,
        /// The plan's text.
        plan: &'a str,
        /// The hash of that text.
        plan_hash: &'a str,
        /// Who decided.
        by: &'a str,
    },
}

/// How a session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionSource {
    /// As a new one.
    Startup,
    /// As the continuation of an old one.
    Resume,
    /// As a branch of an old one.
    Fork,
}

/// What became of a plan that was reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanVerdict {
    /// It will be carried out.
    Approved,
    /// It was sent back: planning goes on.
    Rejected,
    /// It was set aside for later.
    Parked,
    /// It will not be carried out.
    Abandoned,
    /// It is the result of the run itself: somebody else may carry it out.
    HandedOver,
}

impl PlanVerdict {
    /// Its name, as hooks read it and match on it.
    pub fn name(self) -> &'static str {
        match self {
            PlanVerdict::Approved => "approved",
            PlanVerdict::Rejected => "rejected",
            PlanVerdict::Parked => "parked",
            PlanVerdict::Abandoned => "abandoned",
            PlanVerdict::HandedOver => "handed_over",
        }
    }
}

impl HookInput<'_> {
    /// The event.
    pub fn event(&self) -> HookEvent {
        match self.payload {
            HookPayload::PreToolUse(_) => HookEvent::PreToolUse,
            HookPayload::PostToolUse { .. } => HookEvent::PostToolUse,
            HookPayload::PostToolUseFailure { .. } => HookEvent::PostToolUseFailure,
            HookPayload::PermissionRequest(_) => HookEvent::PermissionRequest,
            HookPayload::PermissionDenied { .. } => HookEvent::PermissionDenied,
            HookPayload::UserPromptSubmit { .. } => HookEvent::UserPromptSubmit,
            HookPayload::SessionStart { .. } => HookEvent::SessionStart,
            HookPayload::SessionEnd { .. } => HookEvent::SessionEnd,
            HookPayload::Stop { .. } => HookEvent::Stop,
            HookPayload::SubagentStart => HookEvent::SubagentStart,
            HookPayload::SubagentStop { .. } => HookEvent::SubagentStop,
            HookPayload::PreCompact { .. } => HookEvent::PreCompact,
            HookPayload::PostCompact { .. } => HookEvent::PostCompact,
            HookPayload::Notification { .. } => HookEvent::Notification,
            HookPayload::ModeChanged { .. } => HookEvent::ModeChanged,
            HookPayload::PlanReviewed { .. } => HookEvent::PlanReviewed,
        }
    }

    /// The tool call it is about, where there is one.
    pub(crate) fn call(&self) -> Option<&HookToolCall<'_>> {
        match &self.payload {
            HookPayload::PreToolUse(call)
            | HookPayload::PostToolUse { call, .. }
            | HookPayload::PostToolUseFailure { call, .. }
            | HookPayload::PermissionRequest(call)
            | HookPayload::PermissionDenied { call, .. } => Some(call),
            _ => None,
        }
    }

    /// The name that matchers are held against, where there is one.
    pub(crate) fn subject(&self) -> Option<&str> {
        match &self.payload {
            HookPayload::PreToolUse(call)
            | HookPayload::PostToolUse { call, .. }
            | HookPayload::PostToolUseFailure { call, .. }
            | HookPayload::PermissionRequest(call)
            | HookPayload::PermissionDenied { call, .. } => Some(call.tool_name),
            HookPayload::SessionStart { source } => Some(match source {
                SessionSource::Startup => "startup",
                SessionSource::Resume => "resume",
                SessionSource::Fork => "fork",
            }),
            HookPayload::SessionEnd { reason } => Some(reason),
            HookPayload::SubagentStart | HookPayload::SubagentStop { .. } => {
                self.context.agent.as_ref().map(|agent| agent.agent_type)
            }
            HookPayload::PreCompact { trigger, .. } | HookPayload::PostCompact { trigger, .. } => {
                Some(who_compacts(*trigger))
            }
            HookPayload::Notification { notification_type, .. } => *notification_type,
            HookPayload::ModeChanged { to, .. } => Some(to.name()),
            HookPayload::PlanReviewed { verdict, .. } => Some(verdict.name()),
            HookPayload::UserPromptSubmit { .. } | HookPayload::Stop { .. } => None,
        }
    }
}

/// Hooks know two: the person, and the program, whatever made it necessary.
fn who_compacts(trigger: CompactTrigger) -> &'static str {
    match trigger {
        CompactTrigger::Manual => "manual",
        CompactTrigger::Auto | CompactTrigger::Overflow => "auto",
    }
}

fn as_who<S: Serializer>(trigger: &CompactTrigger, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(who_compacts(*trigger))
}

/// A path is a string here, whatever its bytes: a script that reads `.cwd` expects nothing else. Journals
/// keep the lossless form.
fn as_text<S: Serializer>(path: &&AbsPath, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(path)
}

#[cfg(test)]
mod tests;
