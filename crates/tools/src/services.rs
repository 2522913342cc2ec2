//! What tools are made with.

use std::sync::{Arc, OnceLock};

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
    /// The name of the session, once it is known: tools are made before that.
    pub(crate) session: Arc<OnceLock<String>>,
}

impl ToolServices {
    /// For a session in which no shell runs yet.
    pub fn new(env: Arc<ChildEnv>, scratch: AbsPath) -> Self {
        let scratch = forelook_disk::resolve(&scratch).unwrap_or(scratch);
        Self { shells: Arc::default(), env, scratch, session: Arc::default() }
    }

    /// From now on whole outputs are this session's, in a folder with its name.
    pub fn begin_session(&self, name: String) {
        // There is one session; whoever says it again says the same.
        let _ = self.session.set(name);
    }

    /// The folder for whole outputs.
    pub(crate) fn outputs(&self) -> AbsPath {
        match self.session.get() {
            Some(session) => Self::outputs_of_all(&self.scratch).join(session),
            None => self.scratch.clone(),
        }
    }

    /// Where the sessions that share a scratch folder have their outputs: a folder for each, with its name.
    pub fn outputs_of_all(scratch: &AbsPath) -> AbsPath {
        scratch.join("outputs")
    }
}
