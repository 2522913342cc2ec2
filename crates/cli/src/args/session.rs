//! What every command takes that runs a session.

use std::ffi::OsString;

use clap::Args as ClapArgs;

/// How the model is asked, and what it may do.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct SessionArgs {
    /// Model to use, as provider/name; `forelook models` lists them (`scripted/FILE` plays a script)
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Model to use while the main model is overloaded, as provider/name
    #[arg(long, value_name = "MODEL")]
    pub(crate) fallback_model: Option<String>,
    /// Replace Forelook's system prompt
    // A text may begin with a hyphen: a list does, and an SDK passes it as a word of its own.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) system_prompt: Option<String>,
    /// Append text to Forelook's system prompt
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) append_system_prompt: Option<String>,
    /// Additional agents, as `{"name": {"description": …, "prompt": …}}`; they override agents defined in files
    #[arg(long, value_name = "JSON")]
    pub(crate) agents: Option<String>,
    /// Stop a turn after N model responses
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_turns: Option<u32>,
    #[command(flatten)]
    pub(crate) rules: RuleArgs,
    /// Make the `bypassPermissions` mode available without starting in it
    #[arg(long)]
    pub(crate) allow_dangerously_skip_permissions: bool,
    /// Accepted for compatibility; `stream-json` output is always verbose
    #[arg(long, hide = true)]
    pub(crate) verbose: bool,
    /// Write debug messages to the log file
    #[arg(long)]
    pub(crate) debug: bool,
}

/// Rules and settings of one run.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct RuleArgs {
    /// Allow rules, separated by commas or spaces: `Bash(npm test:*)`, `Edit(src/**)`
    #[arg(long = "allowedTools", alias = "allowed-tools", value_name = "RULES", num_args = 1..)]
    pub(crate) allowed_tools: Vec<String>,
    /// Deny rules
    #[arg(long = "disallowedTools", alias = "disallowed-tools", value_name = "RULES", num_args = 1..)]
    pub(crate) disallowed_tools: Vec<String>,
    /// Additional working directory
    #[arg(long = "add-dir", value_name = "FOLDER", num_args = 1..)]
    pub(crate) add_dir: Vec<String>,
    /// Settings: a file, or inline JSON
    #[arg(long, value_name = "FILE_OR_JSON")]
    pub(crate) settings: Option<OsString>,
    /// Settings sources to load: user, project, local
    #[arg(long, value_name = "SOURCES")]
    pub(crate) setting_sources: Option<String>,
}
