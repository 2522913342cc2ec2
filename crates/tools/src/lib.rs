//! What the model can do, one file each: schema, text, action, behaviour.
//!
//! A tool understands the input of a call once ([`Tool::parse`]). The call then states what it *would* do
//! ([`ParsedCall::action`]), is asked to do it ([`RunnableCall::run`]) and returns a result and effects. It never sees a
//! mode or a rule ([`ToolContext`]), and it never holds the session: calls that are about the session itself (plan, ask, start a subagent)
//! are only described here ([`CallKind`]). The engine answers them, in the words of [`answers`].
//!
//! A tool's file has its input (doc comments become the schema's descriptions), its text for the model, its
//! action and its behaviour, in terms of the typed traits; an adapter makes a [`Tool`] of it.
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests lay out their files by hand"))]

mod agent;
pub mod answers;
mod ask_user_question;
mod bash;
mod bash_output;
mod call;
mod call_tool;
mod clean;
mod context;
mod diff;
mod edit;
mod endings;
mod enter_plan_mode;
mod exit_plan_mode;
mod external;
mod file;
mod glob;
mod grep;
mod input;
mod kill_shell;
mod mention;
mod nearest;
mod notebook;
mod notebook_edit;
mod output;
mod paths;
mod progress;
mod read;
mod registry;
mod rehearse;
mod search;
mod seen;
mod services;
mod shells;
mod small_model;
mod target;
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
mod previews;
#[cfg(test)]
mod swapped;
#[cfg(test)]
mod testing;

pub use agent::{AgentFailure, AgentListing, AgentReport, AgentTask};
pub use bash::{ShellLineOutput, run_shell_line};
pub use call::{CallKind, ParsedCall, PreviewContext, RunnableCall};
pub use call_tool::{is_generic, unwrap_call, wrap_call};
pub use context::{AllFiles, FileAccess, PathFilter, ToolContext};
pub use external::ExternalTool;
pub use forelook_sandbox::{ChildEnv, KernelLayers};
pub use input::{check_depth, is_too_deep, parse_input};
pub use mention::MentionTarget;
pub use progress::{OutputSink, Progress};
pub use read::{NoPicture, PDF_READER, picture, picture_from_base64};
pub use registry::{ExternalToolsDisabled, RegistryChange, RejectedTool, ToolChanges, ToolRegistry};
pub use search::{StopFlag, project_files};
pub use seen::SeenFiles;
pub use services::ToolServices;
pub use shells::{MAX_TASK_OUTPUT, ShellExitNotice, ShellRegistry};
pub use small_model::{NoSmallModel, SmallModel, SmallModelReply, SmallModelRequest};
pub use tool::{BadInput, CallLocation, Tool};
pub use toolbox::{BuiltinToolOptions, Toolbox};
pub use web_fetch::WebAccess;
