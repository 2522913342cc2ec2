//! Opens sessions from a specification, several in one process, and is the person's machine for them.
//!
//! A [`Host`] is made once for a process, from its environment. From a [`SessionSpec`] it reads settings, trust and rules,
//! finds the model, and puts the parts together for the engine. Whatever it opens has all of this for itself: opening a
//! session changes neither the current folder nor the environment nor anything else that the process has once.

mod authority;
mod choose;
mod crew;
pub mod demo;
mod failure;
mod fencing;
mod host;
mod keeper;
mod keys;
mod listed;
mod models;
mod network;
mod ollama;
mod open;
pub mod past;
mod planning;
mod prepared;
mod record;
mod servers;
mod services;
mod spec;
mod wire;

use forelook_protocol::{Notice, NoticeLevel};

pub use authority::{Loaded, all_rules, load, own_files, places};
pub use choose::{Choice, named_or_found as choose_model};
pub use failure::{Failure, Kind};
pub use fencing::{Fencing, Holding};
pub use forelook_engine::{Answerer, Client, OnPlan, Start};
pub use forelook_tools::PDF_READER;
pub use host::{Host, clock, ids, line_ids};
pub use listed::listed;
pub use models::KnownModels;
pub use ollama::{ID as OLLAMA, models as ollama_models};
pub use open::Opened;
pub use planning::{network_commands, plans};
pub use prepared::{Prepared, no_model};
pub use servers::{Found, Servers};
pub use services::Tips;
pub use spec::{RuleSpec, SessionSpec};

fn warning(text: String) -> Notice {
    Notice { level: NoticeLevel::Warning, text }
}
