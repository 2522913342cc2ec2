//! Calls that wait for a result or run, and lines of the person's own.

use std::collections::VecDeque;

use forelook_protocol::{AgentId, CallId, Confinement, Started, ToolCall, ToolResult, Verdict};
use forelook_wording::harmless;

/// Lines of a running call's output that are kept.
const TAIL_LINES: usize = 4;
/// A line longer than this, such as a bar of progress that is written over and over, loses its beginning.
const LONGEST: usize = 8_192;
/// Nothing is told of a call that takes long before it has run for so long.
const FIRST_MS: u64 = 5_000;
/// It is told of at least this often while it runs.
const LONGEST_REST_MS: u64 = 60_000;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// It ran, and succeeded.
    Done,
    /// It ran and failed, or was no call that could be made.
    Failed,
    /// It was not allowed.
    Refused,
    /// It was stopped.
    Interrupted,
}

impl CallOutcome {
    /// How it ended, by what the session recorded.
    pub fn of(verdict: Verdict, result: &ToolResult) -> Self {
        match verdict {
            Verdict::Denied => CallOutcome::Refused,
            Verdict::Interrupted => CallOutcome::Interrupted,
            Verdict::Invalid => CallOutcome::Failed,
            Verdict::Ran if result.is_error => CallOutcome::Failed,
            Verdict::Ran => CallOutcome::Done,
        }
    }
}

/// Calls of all agents' that have no result yet, in their order, and lines of the person's own.
#[derive(Debug, Default)]
pub struct Calls {
    all: VecDeque<Running>,
}

/// Something that runs, or waits to.
#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    /// Whose call; nothing for the main agent and for the person.
    pub agent: Option<AgentId>,
    /// What it is.
    pub what: What,
    /// When it was started, if it was, in milliseconds of the front end's clock.
    pub since: Option<u64>,
    /// How long it has been running, as the session last said.
    pub elapsed_ms: u64,
    /// How far it is, in its own words.
    pub note: Option<String>,
    /// What the kernel holds it to.
    pub within: Confinement,
    output: VecDeque<String>,
    /// Whether the end of the last line is still to come.
    cut: bool,
    /// How long it had been running when that was last told.
    told_ms: Option<u64>,
}

/// Who wanted it.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A model.
    Call(ToolCall),
    /// The person, with a line of their own.
    Shell {
        /// What its output is told under.
        call: CallId,
        /// The line.
        command: String,
    },
}

impl Calls {
    /// Those of the main agent and of the person, in their order.
    pub fn main(&self) -> impl Iterator<Item = &Running> {
        self.all.iter().filter(|running| running.agent.is_none())
    }

    /// The call of this agent's with this id.
    pub fn get(&self, agent: Option<&AgentId>, call: &CallId) -> Option<&Running> {
        self.all.iter().find(|running| running.is(agent, call))
    }

    /// The tool that a call is of which has no result yet.
    pub fn tool_of(&self, agent: Option<&AgentId>, call: &CallId) -> Option<&str> {
        self.get(agent, call)?.call().map(|call| call.name.as_str())
    }

    /// Whether a line of the person's own runs.
    pub fn has_own(&self) -> bool {
        self.all.iter().any(Running::is_own)
    }

    pub(crate) fn get_mut(&mut self, agent: Option<&AgentId>, call: &CallId) -> Option<&mut Running> {
        self.all.iter_mut().find(|running| running.is(agent, call))
    }

    pub(crate) fn called(&mut self, agent: Option<&AgentId>, call: &ToolCall) {
        self.all.push_back(Running::new(agent.cloned(), What::Call(call.clone()), None));
    }

    pub(crate) fn own(&mut self, call: CallId, command: String, now: u64) {
        self.all.push_back(Running::new(None, What::Shell { call, command }, Some(now)));
    }

    pub(crate) fn own_ended(&mut self, call: &CallId) {
        self.all.retain(|running| !running.is(None, call));
    }

    pub(crate) fn started(&mut self, agent: Option<&AgentId>, started: &Started, now: u64) {
        let Some(running) = self.get_mut(agent, &started.call) else { return };
        (running.since, running.within) = (Some(now), started.within);
        if let (What::Call(call), Some(input)) = (&mut running.what, &started.input) {
            call.input.clone_from(input);
        }
    }

    /// Takes out the one that has a result now.
    pub(crate) fn finished(&mut self, agent: Option<&AgentId>, call: &CallId) -> Option<Running> {
        let at = self.all.iter().position(|running| running.is(agent, call))?;
        self.all.remove(at)
    }

    /// An agent has ended, and with it its calls.
    pub(crate) fn agent_ended(&mut self, agent: &AgentId) {
        self.all.retain(|running| running.agent.as_ref() != Some(agent));
    }

    /// Lines of the person's own go on; calls of the turn are over with it.
    pub(crate) fn turn_ended(&mut self) {
        self.all.retain(Running::is_own);
    }

    /// What had not ended when the program was stopped never will.
    pub(crate) fn clear(&mut self) {
        self.all.clear();
    }
}

impl Running {
    fn new(agent: Option<AgentId>, what: What, since: Option<u64>) -> Self {
        Self {
            agent,
            what,
            since,
            elapsed_ms: 0,
            note: None,
            within: Confinement::Off,
            output: VecDeque::new(),
            cut: false,
            told_ms: None,
        }
    }

    fn is(&self, agent: Option<&AgentId>, call: &CallId) -> bool {
        self.agent.as_ref() == agent && self.id() == call
    }

    /// Its id; unique within one conversation.
    pub fn id(&self) -> &CallId {
        match &self.what {
            What::Call(call) => &call.id,
            What::Shell { call, .. } => call,
        }
    }

    /// The call, if a model wanted it.
    pub fn call(&self) -> Option<&ToolCall> {
        match &self.what {
            What::Call(call) => Some(call),
            What::Shell { .. } => None,
        }
    }

    /// Whether it is a line of the person's own.
    pub fn is_own(&self) -> bool {
        matches!(self.what, What::Shell { .. })
    }

    /// The last lines of what it has written.
    pub fn output(&self) -> impl ExactSizeIterator<Item = &str> {
        self.output.iter().map(String::as_str)
    }

    /// More of what it writes, cut anywhere.
    pub(crate) fn take_output(&mut self, text: &str) {
        for piece in text.split_inclusive('\n') {
            if !self.cut {
                if self.output.len() == TAIL_LINES {
                    self.output.pop_front();
                }
                self.output.push_back(String::new());
            }
            let Some(last) = self.output.back_mut() else { return };
            last.push_str(piece.trim_end_matches('\n'));
            if last.len() > LONGEST {
                last.drain(..last.floor_char_boundary(last.len() - LONGEST / 2));
            }
            self.cut = !piece.ends_with('\n');
            if !self.cut && harmless(last).trim().is_empty() {
                self.output.pop_back();
            }
        }
    }

    /// Whether it is time to tell that it still runs; it then counts as told. Lines that are told stay, so there are
    /// ever fewer of them: after 5, 10, 20, 40 and 80 seconds, then every minute.
    pub(crate) fn is_due(&mut self) -> bool {
        let next = self.told_ms.map_or(FIRST_MS, |last| (last * 2).min(last + LONGEST_REST_MS));
        let due = self.elapsed_ms >= next;
        if due {
            self.told_ms = Some(self.elapsed_ms);
        }
        due
    }
}
