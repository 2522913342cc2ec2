//! Settings: read in layers that keep their source, resolved to one value where one is needed, and withheld where an
//! untrusted file asks for too much. This crate is also the only reader of the environment.
//!
//! [`load`] is the entry point: it takes the [`SettingsPaths`] and returns [`Settings`] with everything the user should know
//! about them. Only a broken managed file or a missing `--settings` file stops the program; any other broken file is
//! reported and ignored.
//!
//! Where things are: every environment variable in [`mod@env`], every key in [`keys`], what a project's settings cannot do
//! in [`trust`], which value wins in [`layers`], what happens to a broken rule in `rules.rs`, what applies while planning in
//! `planning.rs`, the fence of the other modes in `sandbox.rs`, how a file is changed without touching the rest of it in
//! `save.rs` and `edit.rs`.

mod agents;
mod bound_files;
mod command_files;
mod compaction;
mod contents_reader;
mod counting;
mod edit;
mod effective;
pub mod env;
mod examples;
mod file;
mod file_hasher;
mod fingerprint;
mod hooks;
mod import;
mod import_sandbox;
pub mod keys;
pub mod layers;
mod load;
mod loaded_paths;
mod models;
mod own_items;
pub mod pages;
mod part_check;
mod planning;
mod project_contents;
mod project_snapshot;
mod read_commands;
mod read_domains;
mod read_hooks;
mod read_keys;
mod read_models;
mod read_status_line;
mod read_values;
mod resolve;
mod roots;
mod rules;
mod sandbox;
mod sanitize;
mod save;
mod screen;
mod settings_lock;
mod sources;
mod strict;
pub mod trust;
mod trust_store;
pub mod values;

pub use agents::{AgentSettings, ExploreModel};
pub use bound_files::{BoundFiles, BoundProject, OwnCommand, own_command};
pub use compaction::CompactionSettings;
pub use effective::effective;
pub use env::{Env, EnvError, NetworkVariables, PlanVariables, TestWire};
pub use examples::{Examples, WrongExample, check_examples};
pub use fingerprint::{Fingerprint, fingerprint};
pub use hooks::HookSetting;
pub use import::{Import, ImportedFile, SkippedItem, plan_import};
pub use import_sandbox::ImportedSandbox;
pub use layers::{Layer, Layered, highest_precedence};
pub use load::{LoadError, MANAGED, ProjectTrust, SettingsPaths, load, load_snapshot, reload};
pub use models::ModelSettings;
pub use own_items::OwnItems;
pub use planning::{PlanSettings, Subscription, planning};
pub use project_contents::{PowerItem, PowerKind, ProjectContents};
pub use project_snapshot::ProjectSnapshot;
pub use resolve::Settings;
pub use rules::command_line_rules;
pub use sandbox::SandboxSettings;
pub use save::{SaveError, SaveOutcome, file_of, save};
pub use screen::{ScreenSettings, StatusLine, save_theme};
pub use sources::{UnknownSource, parse_setting_sources};
pub use trust::{PendingTrust, Trust};
pub use trust_store::{TrustError, TrustState, TrustStore};
