//! Hooks as settings say them: what runs when, and who said so. Running them is done elsewhere.

use std::time::Duration;

use forelook_protocol::{AbsPath, HookEvent, Source};

/// A command that runs when something happens, and who said so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSetting {
    /// When.
    pub event: HookEvent,
    /// For which tools; nothing means for all. As it was written: whoever runs hooks reads it.
    pub matcher: Option<String>,
    /// What runs.
    pub command: String,
    /// How long it may take, if that is said.
    pub timeout: Option<Duration>,
    /// Its failure denies.
    pub fail_closed: bool,
    /// Who said so.
    pub source: Source,
    /// The file, if it was said in one.
    pub file: Option<AbsPath>,
    /// The line of the command.
    pub line: usize,
}
