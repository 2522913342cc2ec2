//! What tools are made with.

use std::sync::Arc;

use forelook_protocol::AbsPath;
use forelook_sandbox::ChildEnv;

use crate::shells::ShellRegistry;

/// What the tools of one session are made with: the same for each of their calls.
#[derive(Debug, Clone)]
pub struct ToolServices {
    /// Shells that run beside the conversation.
    pub shells: Arc<ShellRegistry>,
    /// The environment of children.
    pub env: Arc<ChildEnv>,
    /// A private folder, for whole outputs; by its real path, since no link in it is followed later.
    pub scratch: AbsPath,
}

impl ToolServices {
    /// For a session in which no shell runs yet.
    pub fn new(env: Arc<ChildEnv>, scratch: AbsPath) -> Self {
        let scratch = forelook_disk::resolve(&scratch).unwrap_or(scratch);
        Self { shells: Arc::default(), env, scratch }
    }
}
