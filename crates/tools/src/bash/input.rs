//! What Bash is asked to run.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::tool::BadInput;

const MAX_TIMEOUT: u64 = 600_000;

/// What to run.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The command to run, as for `bash -c`.
    pub(super) command: String,
    /// Timeout in milliseconds; defaults to 120000. Ignored for background commands.
    #[serde(default)]
    #[schemars(range(min = 1, max = 600_000))]
    pub(super) timeout: Option<u64>,
    /// What the command does, in five to ten words, shown to the user.
    #[serde(default)]
    #[expect(dead_code, reason = "shown by front ends, which read it from the call")]
    description: Option<String>,
    /// Start it in the background and return at once, for servers and other long-running processes: BashOutput reads
    /// its output, KillShell stops it.
    #[serde(default)]
    pub(super) run_in_background: bool,
    /// What happens when `timeout` expires: the command is killed, or moves to the background.
    #[serde(default)]
    pub(super) on_timeout: OnTimeout,
    /// Plan mode only: run it on an overlay of the working directories, where it can change files; the real ones stay
    /// as they are.
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
            Err(BadInput("`command` contains a NUL character: remove it".to_owned()))
        }
        Some(command) if command.trim().is_empty() => {
            Err(BadInput("`command` is empty: send a command".to_owned()))
        }
        _ => Ok(()),
    }
}
