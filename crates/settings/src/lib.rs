//! Settings: read in layers that keep their source, resolved to one value where one is needed, and
//! held back where a stranger's text asks for too much. Also the one reader of the environment.
//!
//! [`load`] is the entry: it takes the [`Places`] where settings may lie and gives [`Settings`] with
//! everything that a person should hear about them. Only a broken managed file or a `--settings` file
//! that is not there stops the program; any other broken file is named and left out.
//!
//! Where is what: every environment variable in [`mod@env`], every key in [`keys`], what a project's
//! settings may not do in [`trust`], which value wins in [`layers`], what becomes of a broken rule in
//! `rules.rs`, what holds while planning in `planning.rs`, the fence of other modes in `sandbox.rs`, how a file is changed without touching the rest of it in `save.rs` and `edit.rs`.

mod agents;
mod edit;
pub mod env;
mod examples;
mod file;
mod fingerprint;
mod guard;
mod hooks;
mod import;
mod import_sandbox;
pub mod keys;
pub mod layers;
mod load;
mod models;
pub mod pages;
mod planning;
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
mod save;
mod screen;
mod shown;
mod sources;
mod strict;
pub mod trust;
mod trust_store;
pub mod values;

pub use agents::{AgentSettings, ExploreModel};
pub use env::{Env, EnvError, NetworkVariables, PlanVariables, TestWire};
pub use examples::{Examples, WrongExample, check_examples};
pub use fingerprint::{Fingerprint, fingerprint};
pub use hooks::HookSetting;
pub use import::{Import, ImportedFile, LeftOut, plan_import};
pub use import_sandbox::ImportedSandbox;
pub use layers::{Layer, Layered, heaviest};
pub use load::{LoadError, MANAGED, Places, load, reload};
pub use models::ModelSettings;
pub use planning::{PlanSettings, Subscription, planning};
pub use resolve::Settings;
pub use rules::command_line_rules;
pub use sandbox::SandboxSettings;
pub use save::{SaveError, Saved, file_of, save};
pub use screen::{ScreenSettings, StatusLine, save_theme};
pub use sources::{UnknownSource, parse_setting_sources};
pub use trust::{Trust, Waiting};
pub use trust_store::{TrustError, TrustStore};
