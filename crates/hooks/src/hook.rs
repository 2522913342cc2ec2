//! One hook, as settings or a host have it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::{HookEvent, HookHost, Matcher};

/// How long a hook may take that says nothing about it.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// What the person or a host wants done at an event.
#[derive(Debug, Clone)]
pub struct Hook {
    /// When.
    pub event: HookEvent,
    /// For which tools, sources or kinds.
    pub matcher: Matcher,
    /// What.
    pub handler: HookHandler,
    /// After this it is ended.
    pub timeout: Duration,
    /// Whether its failure blocks: an exit code other than 0 and 2, a crash, a time-out, an answer that
    /// cannot be read, a command that cannot be started, a callback that its host says failed.
    pub fail_closed: bool,
    /// The file and line it stands in, or the host it comes from, for messages.
    pub origin: String,
}

/// What a hook does, and who does it.
#[derive(Debug, Clone)]
pub enum HookHandler {
    /// A command of the person's, as for `bash -c`.
    Command(String),
    /// A callback of a host's.
    Callback {
        /// The id that the host gave to it.
        id: String,
        /// Who carries it out.
        host: Arc<dyn HookHost>,
    },
}

impl HookHandler {
    /// Whether both are one and the same. Two hosts may give one id to different callbacks.
    pub(crate) fn same(&self, other: &HookHandler) -> bool {
        match (self, other) {
            (HookHandler::Command(one), HookHandler::Command(two)) => one == two,
            (
                HookHandler::Callback { id: one, host: its },
                HookHandler::Callback { id: two, host: others },
            ) => one == two && Arc::ptr_eq(its, others),
            _ => false,
        }
    }
}

impl fmt::Display for HookHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HookHandler::Command(command) => f.write_str(command),
            HookHandler::Callback { id, .. } => write!(f, "callback {id}"),
        }
    }
}

impl Hook {
    /// A command for everything at an event, with the usual time-out, whose failure does not block.
    pub fn new(event: HookEvent, command: impl Into<String>, origin: impl Into<String>) -> Self {
        Self {
            event,
            matcher: Matcher::all(),
            handler: HookHandler::Command(command.into()),
            timeout: DEFAULT_TIMEOUT,
            fail_closed: false,
            origin: origin.into(),
        }
    }

    /// One hook for two that do the same, and never a laxer one: either's `fail_closed` holds, and the
    /// longer time-out, since the other might cut a verdict short.
    pub(crate) fn absorb(&mut self, other: &Hook) {
        self.fail_closed |= other.fail_closed;
        self.timeout = self.timeout.max(other.timeout);
        if self.origin != other.origin {
            self.origin = format!("{} and {}", self.origin, other.origin);
        }
    }
}
