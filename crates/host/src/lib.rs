//! Opens sessions from a specification, several in one process, and is the person's machine for them.
//!
//! A [`Host`] is made once for a process, from its environment. From a [`SessionSpec`] it reads settings, trust and rules,
//! finds the model, and puts the parts together for the engine. Whatever it opens has all of this for itself: opening a
//! session changes neither the current folder nor the environment nor anything else that the process has once.

mod agents;
mod authority;
mod child_env;
pub mod demo;
mod failure;
mod fence_config;
mod for_model;
mod host;
mod keys;
mod linked_files;
mod model_list;
mod model_selection;
mod models;
mod named_folders;
mod network;
pub mod offline;
mod ollama;
mod open;
mod planning;
mod policy_store;
mod prepared_session;
mod project_files;
mod provider_registry;
mod request_recorder;
mod services;
pub mod set_aside;
mod settings_report;
mod spec;
mod test_wire;

use forelook_protocol::{Notice, NoticeLevel};

pub use authority::{LoadedSettings, all_rules, load, own_files, settings_paths};
pub use child_env::probe_env;
pub use failure::{Failure, FailureClass};
pub use fence_config::FenceConfig;
pub use forelook_engine::{Client, PlanPolicy, Responder, SessionStart};
pub use forelook_tools::PDF_READER;
pub use host::{Host, clock, ids, line_ids};
pub use model_list::model_list;
pub use model_selection::{ModelSelection, select_model};
pub use models::KnownModels;
pub use named_folders::NamedFolders;
pub use ollama::{ID as OLLAMA, models as ollama_models};
pub use open::OpenSession;
pub use planning::{network_commands, plans};
pub use prepared_session::{PreparedSession, no_model};
pub use provider_registry::{ProviderRegistry, ResolvedProvider};
pub use services::Tips;
pub use spec::{RuleSpec, SessionSpec};

fn warning(text: String) -> Notice {
    Notice { level: NoticeLevel::Warning, text }
}
