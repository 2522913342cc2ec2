//! One hook, as settings have it.

use std::time::Duration;

use crate::{HookEvent, Matcher};

/// How long a hook may take that says nothing about it.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// A command of the person's at an event.
#[derive(Debug, Clone)]
pub struct Hook {
    /// When.
    pub event: HookEvent,
    /// For which tools, sources or kinds.
    pub matcher: Matcher,
    /// What, as for `bash -c`.
    pub command: String,
    /// After this it is ended.
    pub timeout: Duration,
    /// Whether its failure blocks: an exit code other than 0 and 2, a crash, a time-out, an answer that
    /// cannot be read, a command that cannot be started.
    pub fail_closed: bool,
    /// The file and line it stands in, for messages.
    pub origin: String,
}

impl Hook {
    /// A hook for everything at an event, with the usual time-out, whose failure does not block.
    pub fn new(event: HookEvent, command: impl Into<String>, origin: impl Into<String>) -> Self {
        Self {
            event,
            matcher: Matcher::all(),
            command: command.into(),
            timeout: DEFAULT_TIMEOUT,
            fail_closed: false,
            origin: origin.into(),
        }
    }

    /// One hook for two with the same command, and never a laxer one: either's `fail_closed` holds, and
    /// the longer time-out, since the other might cut a verdict short.
    pub(crate) fn absorb(&mut self, other: &Hook) {
        self.fail_closed |= other.fail_closed;
        self.timeout = self.timeout.max(other.timeout);
        if self.origin != other.origin {
            self.origin = format!("{} and {}", self.origin, other.origin);
        }
    }
}
