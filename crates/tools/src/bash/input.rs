//! What Bash is asked to run.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::tool::BadInput;

const MAX_TIMEOUT: u64 = 600_000;

/// What to run.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The command, as for `bash -c`.
    pub(super) command: String,
    /// Milliseconds until it is ended; 120000 if left out. In the background it does not count.
    #[serde(default)]
    #[schemars(range(min = 1, max = 600_000))]
    pub(super) timeout: Option<u64>,
    /// What it does, in five to ten words, for the person who watches.
    #[serde(default)]
    #[expect(dead_code, reason = "shown by front ends, which read it from the call")]
    description: Option<String>,
    /// Start it beside the conversation and answer at once, as for a server: BashOutput reads what it writes, KillShell
    /// ends it.
    #[serde(default)]
    pub(super) run_in_background: bool,
    /// What happens after `timeout`: the command is ended, or goes on in the background.
    #[serde(default)]
    pub(super) on_timeout: OnTimeout,
    /// While planning: run it on a layer over the working folders, where it may change files; nothing real changes.
    #[serde(default)]
    pub(super) rehearse: bool,
}

impl Input {
    /// A rehearsal of this command.
    pub(crate) fn rehearsal(command: String, timeout: Option<u64>) -> Self {
        Self {
            command,
            timeout,
            description: None,
            run_in_background: false,
            on_timeout: OnTimeout::Kill,
            rehearse: true,
        }
    }
}

/// What becomes of a command that takes too long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum OnTimeout {
    #[default]
    Kill,
    Background,
}

/// What the type cannot say of a command and its time.
pub(crate) fn check(command: Option<&str>, timeout: Option<u64>) -> Result<(), BadInput> {
    if timeout.is_some_and(|timeout| !(1..=MAX_TIMEOUT).contains(&timeout)) {
        return Err(BadInput(format!("`timeout` is in milliseconds: send 1 to {MAX_TIMEOUT}")));
    }
    match command {
        Some(command) if command.contains('\0') => {
            Err(BadInput("`command` has a NUL character in it: send it without".to_owned()))
        }
        Some(command) if command.trim().is_empty() => {
            Err(BadInput("`command` is empty: send a command".to_owned()))
        }
        _ => Ok(()),
    }
}
