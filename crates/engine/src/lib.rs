//! The engine: one session, from the first prompt to the last event.
//!
//! Three layers, each of which knows only those before it:
//! - `model/` asks a model and gathers its answer;
//! - `call/` takes the calls of an answer to their results;
//! - `session/` is the one task that owns the state and the journal, and the fold that makes the one from the other.
//!
//! Between them: a turn (`turn/`) is the loop over the first two, in a task of its own with a [`handle::SessionHandle`] to
//! the third. Front ends attach through a [`Client`] (`client.rs`): commands and answers in, events and requests out.

mod agents;
mod call;
mod classifier;
mod client;
mod clock;
mod config;
mod context;
mod handle;
mod hub;
mod model;
mod prefix;
mod session;
mod turn;

pub use agents::{
    AgentDefinition, AgentModel, ProjectAgents, ToolFilter, agents_from_json, built_in_agents,
    load as load_agents, merge_agents,
};
pub use classifier::{Author, AuthoredMessage, Classifier, ClassifierRequest, ClassifierVerdict};
pub use client::Client;
pub use clock::{FixedClock, SeededIds, SystemClock, SystemIds};
pub use config::{
    AgentCatalog, CompactionConfig, Config, PermissionConfig, PlanPolicy, PlanningConfig, PolicyStore,
    Responder, SessionStart,
};
pub use context::{BasePrompt, Environment, Instructions, SystemPrompt, is_instruction_file, project_root};
pub use model::{ModelCatalog, ResolvedModel};
pub use session::{
    AgentThread, ClosedRequest, Conversation, OpenError, PlanTracker, RefusedCall, RehearsalTracker,
    SessionState, Subagent, UserShellTracker, open,
};
