//! The engine: one session, from the first prompt to the last event.
//!
//! - [`open`] starts the session task (`session.rs`), the only owner of the state and the journal;
//! - front ends hold a [`Client`]: commands in, events out;
//! - a turn (`turn.rs`) is a task with a [`handle::SessionHandle`];
//! - [`State`] is the fold of the journal (`state.rs`).

mod agents;
mod ahead;
mod authority;
mod bounds;
mod call_hooks;
mod carry_out;
mod client;
mod clock;
mod config;
mod context;
mod conversation;
mod handle;
mod hub;
mod judgement;
mod pictures;
mod repair;
mod retry;
mod running;
mod session;
mod settle;
mod small;
mod state;
mod stream;
mod subagent;
mod turn;
mod turn_hooks;

pub use agents::{
    AgentDefinition, AgentModel, ToolFilter, built_in, from_json, layered, load as load_agents,
};
pub use authority::{Permissions, RuleKeeper};
pub use client::Client;
pub use clock::{FixedClock, SeededIds, SystemClock, SystemIds};
pub use config::{Answerer, Config, Crew, Editor, EditorKind, ModelChoice, Models, OnPlan, Planning, Start};
pub use context::{Conduct, Environment, Instructions, SystemPrompt, project_root};
pub use hub::EventStream;
pub use session::{OpenError, open};
pub use state::{Conversation, LineTrack, PlanTrack, RehearsalTrack, State, Subagent, Thread};
