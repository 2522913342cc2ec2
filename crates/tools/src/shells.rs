//! Shells that run beside the conversation: started by one call, looked at by others, ended with the session.

/// The shells of one session. All that still run are ended when this is dropped.
#[derive(Debug, Default)]
pub struct Shells;

/// A shell that ended by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellNews {
    /// Such as `shell_1`.
    pub id: String,
    /// What it ran.
    pub command: String,
    /// How it ended, such as `exited with code 0`.
    pub ended: String,
}

impl Shells {
    /// The shells that ended since this was last asked and of which nobody was told.
    pub fn news(&self) -> Vec<ShellNews> {
        Vec::new()
    }
}
