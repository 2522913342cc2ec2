//! What a hook is told: the JSON on its standard input, as types.

use forelook_protocol::{AbsPath, AgentId, CallId, Mode, SessionId};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::HookEvent;

/// Something that happened, and where.
#[derive(Debug, Clone, Serialize)]
pub struct Occasion<'a> {
    /// Where.
    #[serde(flatten)]
    pub scene: Scene<'a>,
    /// What.
    #[serde(flatten)]
    pub happening: Happening<'a>,
}

/// What every hook is told.
#[derive(Debug, Clone, Serialize)]
pub struct Scene<'a> {
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
    pub inside: Option<Inside<'a>>,
}

/// A subagent.
#[derive(Debug, Clone, Serialize)]
pub struct Inside<'a> {
    /// Which.
    pub agent_id: &'a AgentId,
    /// Of which kind.
    pub agent_type: &'a str,
}

/// A tool call.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Call<'a> {
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
pub enum Happening<'a> {
    /// A call is about to be decided on.
    PreToolUse(Call<'a>),
    /// A call ended well.
    PostToolUse {
        /// Which.
        #[serde(flatten)]
        call: Call<'a>,
        /// What it gave.
        tool_response: &'a Value,
    },
    /// A call failed.
    PostToolUseFailure {
        /// Which.
        #[serde(flatten)]
        call: Call<'a>,
        /// What the model is told.
        error: &'a str,
    },
    /// A person is about to be asked.
    PermissionRequest(Call<'a>),
    /// A call was denied.
    PermissionDenied {
        /// Which.
        #[serde(flatten)]
        call: Call<'a>,
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
        source: Begin,
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
        trigger: Trigger,
        /// What the person asked to keep; empty if nothing.
        custom_instructions: &'a str,
    },
    /// The conversation was compacted.
    PostCompact {
        /// Who wanted it.
        trigger: Trigger,
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
    /// A plan was approved or rejected.
    PlanReviewed {
        /// Which of the two.
        verdict: Review,
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
pub enum Begin {
    /// As a new one.
    Startup,
    /// As the continuation of an old one.
    Resume,
    /// As a branch of an old one.
    Fork,
}

/// Who wanted a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// The person.
    Manual,
    /// The program.
    Auto,
}

/// What became of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Review {
    /// It will be carried out.
    Approved,
    /// It will not.
    Rejected,
}

impl Occasion<'_> {
    /// The event.
    pub fn event(&self) -> HookEvent {
        match self.happening {
            Happening::PreToolUse(_) => HookEvent::PreToolUse,
            Happening::PostToolUse { .. } => HookEvent::PostToolUse,
            Happening::PostToolUseFailure { .. } => HookEvent::PostToolUseFailure,
            Happening::PermissionRequest(_) => HookEvent::PermissionRequest,
            Happening::PermissionDenied { .. } => HookEvent::PermissionDenied,
            Happening::UserPromptSubmit { .. } => HookEvent::UserPromptSubmit,
            Happening::SessionStart { .. } => HookEvent::SessionStart,
            Happening::SessionEnd { .. } => HookEvent::SessionEnd,
            Happening::Stop { .. } => HookEvent::Stop,
            Happening::SubagentStart => HookEvent::SubagentStart,
            Happening::SubagentStop { .. } => HookEvent::SubagentStop,
            Happening::PreCompact { .. } => HookEvent::PreCompact,
            Happening::PostCompact { .. } => HookEvent::PostCompact,
            Happening::Notification { .. } => HookEvent::Notification,
            Happening::ModeChanged { .. } => HookEvent::ModeChanged,
            Happening::PlanReviewed { .. } => HookEvent::PlanReviewed,
        }
    }

    /// The tool call it is about, where there is one.
    pub(crate) fn call(&self) -> Option<&Call<'_>> {
        match &self.happening {
            Happening::PreToolUse(call)
            | Happening::PostToolUse { call, .. }
            | Happening::PostToolUseFailure { call, .. }
            | Happening::PermissionRequest(call)
            | Happening::PermissionDenied { call, .. } => Some(call),
            _ => None,
        }
    }

    /// The name that matchers are held against, where there is one.
    pub(crate) fn subject(&self) -> Option<&str> {
        match &self.happening {
            Happening::PreToolUse(call)
            | Happening::PostToolUse { call, .. }
            | Happening::PostToolUseFailure { call, .. }
            | Happening::PermissionRequest(call)
            | Happening::PermissionDenied { call, .. } => Some(call.tool_name),
            Happening::SessionStart { source } => Some(match source {
                Begin::Startup => "startup",
                Begin::Resume => "resume",
                Begin::Fork => "fork",
            }),
            Happening::SessionEnd { reason } => Some(reason),
            Happening::SubagentStart | Happening::SubagentStop { .. } => {
                self.scene.inside.as_ref().map(|inside| inside.agent_type)
            }
            Happening::PreCompact { trigger, .. } | Happening::PostCompact { trigger, .. } => {
                Some(match trigger {
                    Trigger::Manual => "manual",
                    Trigger::Auto => "auto",
                })
            }
            Happening::Notification { notification_type, .. } => *notification_type,
            Happening::ModeChanged { to, .. } => Some(to.name()),
            Happening::PlanReviewed { verdict, .. } => Some(match verdict {
                Review::Approved => "approved",
                Review::Rejected => "rejected",
            }),
            Happening::UserPromptSubmit { .. } | Happening::Stop { .. } => None,
        }
    }
}

/// A path is a string here, whatever its bytes: a script that reads `.cwd` expects nothing else. Journals
/// keep the lossless form.
fn as_text<S: Serializer>(path: &&AbsPath, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(path)
}

#[cfg(test)]
mod tests;
