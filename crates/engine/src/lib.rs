//! The engine: one session, from the first prompt to the last event.
//!
//! Three rooms, each of which knows only those before it:
//! - `model/` asks a model and gathers its answer;
//! - `call/` takes the calls of an answer to their results;
//! - `session/` is the one task that owns the state and the journal, and the fold that makes the one from the other.
//!
//! Between them: a turn (`turn/`) is the loop over the first two, in a task of its own with a [`handle::SessionHandle`] to
//! the third. Front ends attach through a [`Client`] (`client.rs`): commands and answers in, events and requests out.

mod agents;
mod call;
mod client;
mod clock;
mod config;
mod context;
mod handle;
mod hub;
mod judge;
mod model;
mod prefix;
mod session;
mod turn;

pub use agents::{
    AgentDefinition, AgentModel, ToolFilter, built_in, from_json, layered, load as load_agents,
};
pub use client::Client;
pub use clock::{FixedClock, SeededIds, SystemClock, SystemIds};
pub use config::{Answerer, Config, Crew, OnPlan, Permissions, Planning, RuleKeeper, Start};
pub use context::{Conduct, Environment, Instructions, SystemPrompt, project_root};
pub use judge::{Author, Case, Judge, Projected, Ruling};
pub use model::{ModelChoice, Models};
pub use session::{
    Closed, Conversation, LineTrack, OpenError, PlanTrack, Refusal, RehearsalTrack, State, Subagent, Thread,
    open,
};
