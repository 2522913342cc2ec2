//! What the model can do, one file each: schema, text, action, behaviour.
//!
//! A tool states what a call *would* do ([`Tool::action`]), is asked to do it ([`Tool::run`]) and returns a
//! result and effects. It never sees a mode or a rule, and it never holds the session; the two things that must have
//! happened before a result can be written (planning began, a subagent ended) go through a narrow door ([`Host`]).
//!
//! A tool's file has its input (doc comments become the schema's descriptions), its text for the model, its
//! action and its behaviour, in terms of the typed trait; one adapter makes a [`Tool`] of it.
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests lay out their files by hand"))]

mod agent;
mod ask_user_question;
mod bash;
mod bash_output;
mod clean;
mod diff;
mod edit;
mod endings;
mod enter_plan_mode;
mod exit_plan_mode;
mod facts;
mod fences;
mod file;
mod git_config;
mod glob;
mod grep;
mod host;
mod kill_shell;
mod names;
mod nearest;
mod notebook;
mod notebook_edit;
mod output;
mod paths;
mod progress;
mod read;
mod rehearse;
mod search;
mod seen;
mod shells;
mod target;
mod text_file;
mod todo_write;
mod tool;
mod tool_search;
mod toolbox;
mod typed;
mod web_fetch;
mod write;

#[cfg(test)]
mod every_tool;
#[cfg(test)]
mod testing;

pub use agent::AgentListing;
pub use bash::{LineRan, run_line};
pub use facts::{Finder, find_out};
pub use fences::{FenceSetup, Fences, Ground, Guarded, Guards, Looking, WorkspaceSetup, sweep};
pub use forelook_sandbox::{ChildEnv, Layers};
pub use host::{AgentFailure, AgentReport, AgentTask, Host, NoHost, SmallAnswer, SmallQuestion};
pub use progress::Progress;
pub use read::{PDF_READER, picture};
pub use search::{Stop, project_files};
pub use seen::SeenFiles;
pub use shells::{ShellListed, ShellNews, Shells};
pub use tool::{BadInput, OutputSink, Place, Readable, Tool, ToolContext};
pub use toolbox::{BuiltTools, Toolbox};
pub use web_fetch::Web;
