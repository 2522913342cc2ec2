//! What every command takes that runs a session.

use std::ffi::OsString;

use clap::Args as ClapArgs;

/// How the model is asked, and what it may do.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct SessionArgs {
    /// The model, as provider/name; `forelook models` lists them (`scripted/FILE` plays a script)
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Who is asked while the model has too much to do, as provider/name
    #[arg(long, value_name = "MODEL")]
    pub(crate) fallback_model: Option<String>,
    /// Words for the model in place of Forelook's own
    // A text may begin with a hyphen: a list does, and an SDK passes it as a word of its own.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) system_prompt: Option<String>,
    /// Words for the model beside Forelook's own
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) append_system_prompt: Option<String>,
    /// More agents, as `{"name": {"description": …, "prompt": …}}`; they win over those in files
    #[arg(long, value_name = "JSON")]
    pub(crate) agents: Option<String>,
    /// Stop a turn after so many answers of the model
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_turns: Option<u32>,
    #[command(flatten)]
    pub(crate) rules: RuleArgs,
    /// Make the mode `bypassPermissions` available, without starting in it
    #[arg(long)]
    pub(crate) allow_dangerously_skip_permissions: bool,
    /// Say more (only known because other programs pass it; `stream-json` always says everything)
    #[arg(long, hide = true)]
    pub(crate) verbose: bool,
    /// Write everything to the log file
    #[arg(long)]
    pub(crate) debug: bool,
}

/// Rules and settings of one run.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct RuleArgs {
    /// Rules that allow, separated by commas or spaces: `Bash(npm test:*)`, `Edit(src/**)`
    #[arg(long = "allowedTools", alias = "allowed-tools", value_name = "RULES", num_args = 1..)]
    pub(crate) allowed_tools: Vec<String>,
    /// Rules that forbid
    #[arg(long = "disallowedTools", alias = "disallowed-tools", value_name = "RULES", num_args = 1..)]
    pub(crate) disallowed_tools: Vec<String>,
    /// Another folder to work in
    #[arg(long = "add-dir", value_name = "FOLDER", num_args = 1..)]
    pub(crate) add_dir: Vec<String>,
    /// Settings: a file, or JSON itself
    #[arg(long, value_name = "FILE_OR_JSON")]
    pub(crate) settings: Option<OsString>,
    /// Which settings to read: user, project, local
    #[arg(long, value_name = "SOURCES")]
    pub(crate) setting_sources: Option<String>,
}
