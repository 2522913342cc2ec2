//! What a session is opened with: everything resolved, nothing left to read from the environment.

use std::sync::Arc;

use forelook_hooks::Hooks;
use forelook_protocol::{AbsPath, Clock, Ids, Mode, SessionId};
use forelook_providers::Provider;
use forelook_sessions::Store;
use forelook_tools::{ChildEnv, Toolbox};

use crate::authority::Permissions;
use crate::context::SystemPrompt;

/// Everything a session needs.
pub struct Config {
    /// A new session, or one from before.
    pub start: Start,
    /// The folder it works in.
    pub folder: AbsPath,
    /// Where journals and todos are.
    pub store: Store,
    /// A private folder for whole outputs of commands.
    pub scratch: AbsPath,
    /// What may be done.
    pub permissions: Permissions,
    /// The person's hooks.
    pub hooks: Arc<Hooks>,
    /// The mode to begin with; nothing: the one the session had, or `default`.
    pub mode: Option<Mode>,
    /// The model to begin with, as `provider/name`.
    pub model: String,
    /// Whether the model was named for this run: then it wins over the one that a resumed session had.
    pub model_named: bool,
    /// Finds the provider of a model.
    pub models: Arc<dyn Models>,
    /// The tools on offer.
    pub tools: Toolbox,
    /// The environment of child processes.
    pub env: Arc<ChildEnv>,
    /// What the model is told before anything else.
    pub system: SystemPrompt,
    /// How many answers a turn may take.
    pub max_turns: Option<u32>,
    /// Who answers questions.
    pub answerer: Answerer,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn Ids>,
}

/// Which session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// A new one; with this id, if one is given.
    New(Option<SessionId>),
    /// This one, from where it was.
    Resume(SessionId),
    /// A new one that begins with the history of this one.
    Fork(SessionId),
}

/// Who answers questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answerer {
    /// A person, through a front end.
    Person,
    /// Nobody: a question is closed at once, and never with a yes.
    Nobody,
}

/// Finds providers by the names of models.
pub trait Models: Send + Sync {
    /// The provider of `provider/name`, or why there is none.
    fn find(&self, model: &str) -> Result<ModelChoice, String>;
}

/// A model that can be asked.
#[derive(Clone)]
pub struct ModelChoice {
    /// The name as the provider knows it.
    pub name: String,
    /// Who to ask.
    pub provider: Arc<dyn Provider>,
}
