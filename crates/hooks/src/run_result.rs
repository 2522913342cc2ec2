//! The result of one hook, command or callback.

use serde_json::Value;

use crate::process::ProcessOutput;

/// What came of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunResult {
    /// It never ran.
    NotStarted(String),
    /// It must not run as it is now.
    Refused(String),
    /// Its process ended by itself.
    Ended(ProcessOutput),
    /// Its host answered.
    Answered(Value),
    /// Its host says that it failed, and why.
    Failed(String),
    /// Its host is not there.
    Gone,
    /// It took too long and was ended.
    TimedOut,
    /// The person interrupted, and it was ended.
    Interrupted,
}
