//! Calls that are waiting or running, and the user's own shell commands.

use std::collections::VecDeque;

use forelook_protocol::{AgentId, CallId, CallStatus, Confinement, ToolCall, ToolResult, ToolStarted};
use forelook_wording::sanitize;

/// How many lines of a running call's output are kept.
const TAIL_LINES: usize = 4;
/// A longer line, such as a progress bar that is redrawn over and over, loses its start.
const MAX_LINE_BYTES: usize = 8_192;
/// How long a call runs before its progress is reported.
const FIRST_PROGRESS_MS: u64 = 5_000;
/// The longest time between two progress reports.
const MAX_PROGRESS_INTERVAL_MS: u64 = 60_000;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// It ran and succeeded.
    Done,
    /// It ran and failed, or it was not a valid call.
    Failed,
    /// It was denied.
    Refused,
    /// It was stopped.
    Interrupted,
}

impl CallOutcome {
    /// The outcome of a recorded call.
    pub fn of(verdict: CallStatus, result: &ToolResult) -> Self {
        match verdict {
            CallStatus::Denied => CallOutcome::Refused,
            CallStatus::Interrupted => CallOutcome::Interrupted,
            CallStatus::Invalid => CallOutcome::Failed,
            CallStatus::Ran if result.is_error => CallOutcome::Failed,
            CallStatus::Ran => CallOutcome::Done,
        }
    }
}

/// All agents' calls that have no result yet, in order, and the user's own shell commands.
#[derive(Debug, Default)]
pub struct ActiveCalls {
    all: VecDeque<ActiveCall>,
}

/// A call or command that is running or waiting.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveCall {
    /// The agent that made the call; `None` for the main agent and for the user.
    pub agent: Option<AgentId>,
    /// The call or command.
    pub kind: ActiveCallKind,
    /// When it started, in milliseconds on the front end's clock; `None` if it has not.
    pub since: Option<u64>,
    /// How long it has been running, as last reported by the session.
    pub elapsed_ms: u64,
    /// Its progress, in its own words.
    pub note: Option<String>,
    /// How the kernel confines it.
    pub sandbox: Confinement,
    output: VecDeque<String>,
    /// Whether the last line is still incomplete.
    partial_line: bool,
    /// How long it had been running at the last progress report.
    reported_ms: Option<u64>,
}

/// A call from a model, or a command from the user.
#[derive(Debug, Clone, PartialEq)]
pub enum ActiveCallKind {
    /// A tool call from a model.
    Call(ToolCall),
    /// The user's own shell command.
    UserShell {
        /// The ID that its output is reported under.
        call: CallId,
        /// The command.
        command: String,
    },
}

impl ActiveCalls {
    /// The calls of the main agent and the user's commands, in order.
    pub fn main(&self) -> impl Iterator<Item = &ActiveCall> {
        self.all.iter().filter(|running| running.agent.is_none())
    }

    /// This agent's call with this ID.
    pub fn get(&self, agent: Option<&AgentId>, call: &CallId) -> Option<&ActiveCall> {
        self.all.iter().find(|running| running.is(agent, call))
    }

    /// The tool of a call that has no result yet.
    pub fn tool_of(&self, agent: Option<&AgentId>, call: &CallId) -> Option<&str> {
        self.get(agent, call)?.call().map(|call| call.name.as_str())
    }

    /// Whether one of the user's own shell commands is running.
    pub fn has_user_shell(&self) -> bool {
        self.all.iter().any(ActiveCall::is_user_shell)
    }

    pub(crate) fn get_mut(&mut self, agent: Option<&AgentId>, call: &CallId) -> Option<&mut ActiveCall> {
        self.all.iter_mut().find(|running| running.is(agent, call))
    }

    pub(crate) fn called(&mut self, agent: Option<&AgentId>, call: &ToolCall) {
        self.all.push_back(ActiveCall::new(agent.cloned(), ActiveCallKind::Call(call.clone()), None));
    }

    pub(crate) fn user_shell_started(&mut self, call: CallId, command: String, now: u64) {
        self.all.push_back(ActiveCall::new(None, ActiveCallKind::UserShell { call, command }, Some(now)));
    }

    pub(crate) fn user_shell_ended(&mut self, call: &CallId) {
        self.all.retain(|running| !running.is(None, call));
    }

    pub(crate) fn started(&mut self, agent: Option<&AgentId>, started: &ToolStarted, now: u64) {
        let Some(running) = self.get_mut(agent, &started.call) else { return };
        (running.since, running.sandbox) = (Some(now), started.sandbox);
        if let (ActiveCallKind::Call(call), Some(input)) = (&mut running.kind, &started.input) {
            call.input.clone_from(input);
        }
    }

    /// Removes the call that just got a result.
    pub(crate) fn finished(&mut self, agent: Option<&AgentId>, call: &CallId) -> Option<ActiveCall> {
        let at = self.all.iter().position(|running| running.is(agent, call))?;
        self.all.remove(at)
    }

    /// An agent ended, and its calls with it.
    pub(crate) fn agent_ended(&mut self, agent: &AgentId) {
        self.all.retain(|running| running.agent.as_ref() != Some(agent));
    }

    /// The calls of the turn end with it; the user's own shell commands continue.
    pub(crate) fn turn_ended(&mut self) {
        self.all.retain(ActiveCall::is_user_shell);
    }

    /// Calls that were still open when Forelook was stopped never end.
    pub(crate) fn clear(&mut self) {
        self.all.clear();
    }
}

impl ActiveCall {
    fn new(agent: Option<AgentId>, kind: ActiveCallKind, since: Option<u64>) -> Self {
        Self {
            agent,
            kind,
            since,
            elapsed_ms: 0,
            note: None,
            sandbox: Confinement::Off,
            output: VecDeque::new(),
            partial_line: false,
            reported_ms: None,
        }
    }

    fn is(&self, agent: Option<&AgentId>, call: &CallId) -> bool {
        self.agent.as_ref() == agent && self.id() == call
    }

    /// Its ID, unique within one conversation.
    pub fn id(&self) -> &CallId {
        match &self.kind {
            ActiveCallKind::Call(call) => &call.id,
            ActiveCallKind::UserShell { call, .. } => call,
        }
    }

    /// The tool call, if a model made it.
    pub fn call(&self) -> Option<&ToolCall> {
        match &self.kind {
            ActiveCallKind::Call(call) => Some(call),
            ActiveCallKind::UserShell { .. } => None,
        }
    }

    /// Whether it is the user's own shell command.
    pub fn is_user_shell(&self) -> bool {
        matches!(self.kind, ActiveCallKind::UserShell { .. })
    }

    /// The last lines of its output.
    pub fn output(&self) -> impl ExactSizeIterator<Item = &str> {
        self.output.iter().map(String::as_str)
    }

    /// Adds output, split anywhere.
    pub(crate) fn append_output(&mut self, text: &str) {
        for piece in text.split_inclusive('\n') {
            if !self.partial_line {
                if self.output.len() == TAIL_LINES {
                    self.output.pop_front();
                }
                self.output.push_back(String::new());
            }
            let Some(last) = self.output.back_mut() else { return };
            last.push_str(piece.trim_end_matches('\n'));
            if last.len() > MAX_LINE_BYTES {
                last.drain(..last.floor_char_boundary(last.len() - MAX_LINE_BYTES / 2));
            }
            self.partial_line = !piece.ends_with('\n');
            if !self.partial_line && sanitize(last).trim().is_empty() {
                self.output.pop_back();
            }
        }
    }

    /// Whether to report now that it is still running; if so, it counts as reported. Reported lines stay on the screen,
    /// so they get rarer: after 5, 10, 20, 40, and 80 seconds, then every minute.
    pub(crate) fn is_progress_due(&mut self) -> bool {
        let next = self
            .reported_ms
            .map_or(FIRST_PROGRESS_MS, |last| (last * 2).min(last + MAX_PROGRESS_INTERVAL_MS));
        let due = self.elapsed_ms >= next;
        if due {
            self.reported_ms = Some(self.elapsed_ms);
        }
        due
    }
}
