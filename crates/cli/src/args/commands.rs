//! The arguments of subcommands.

use std::ffi::OsString;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use forelook_protocol::{Mode, SessionId};

use super::session::{RuleArgs, SessionArgs};
use super::{OutputFormat, RunArgs, mode};

/// What is to be planned.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Forelook reads the project and changes nothing in it. The plan is printed to standard output and saved in the plans \
folder, where `forelook plans` finds it and `forelook apply` implements it. Piped input is added to the task.

Exit codes: 0 a plan was written; 1 no plan was written (standard error says why); 2 invalid usage or settings; \
4 the model could not be reached.")]
pub(crate) struct PlanArgs {
    /// The task
    pub(crate) task: Option<String>,
    /// Also write the plan to this file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<OsString>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// Which plan is to be carried out, and how.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Running this command approves the plan: the approval is recorded with a hash of the plan's text, and a new session starts \
with the plan. Without -p, Forelook asks for your approval when needed; with -p, anything that needs approval is denied, so \
choose a suitable mode.

Examples:
  forelook apply calm-weaving-otter
  forelook apply calm --note \"leave the tests for later\"
  forelook apply ./plan.md -p --permission-mode acceptEdits")]
pub(crate) struct ApplyArgs {
    /// The plan: its name, a prefix of its name, or a file path
    pub(crate) plan: String,
    /// Additional instructions for the model
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) note: Option<String>,
    /// Print the result and exit (non-interactive)
    #[arg(short = 'p', long)]
    pub(crate) print: bool,
    /// With -p: output format
    #[arg(long, value_enum, default_value_t, requires = "print")]
    pub(crate) output_format: OutputFormat,
    /// Permission mode: default, acceptEdits, auto, dontAsk, bypassPermissions
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub(crate) permission_mode: Option<Mode>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// What can be asked about plans.
#[derive(Debug, Subcommand)]
pub(crate) enum PlansCommand {
    /// List plans, newest first: state, age, name, title
    List {
        /// Include plans from all projects, not just this one
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a plan
    Show {
        /// The plan's name, a prefix of its name, or a file path
        name: String,
        /// Print the file path instead of the text
        #[arg(long)]
        path: bool,
    },
    /// Show what changed between two revisions of a plan
    #[command(after_help = "\
Without numbers: compares the previous revision with the current plan. With one number: compares that revision with the \
current plan. Every version of the text is a revision; revisions are numbered from 1.")]
    Diff {
        /// The plan's name, or a prefix of its name
        name: String,
        /// The older revision
        #[arg(value_name = "N")]
        from: Option<u32>,
        /// The newer revision
        #[arg(value_name = "M")]
        to: Option<u32>,
    },
}

/// What can be asked about permissions.
#[derive(Debug, Subcommand)]
pub(crate) enum PermissionsCommand {
    /// Show how a tool call would be decided, step by step
    Explain(ExplainArgs),
    /// Show what a shell command would do; with --json and no command, read JSON strings from standard input, one per line
    Shell {
        /// The command
        line: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List and summarize the decisions in a session
    Audit {
        /// The session (default: the latest one in this folder)
        session: Option<SessionId>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show which past decisions a different set of rules would change
    Replay {
        /// Settings file with the rules to try
        #[arg(long, value_name = "FILE")]
        rules: OsString,
        /// The sessions (default: all sessions in this folder)
        sessions: Vec<SessionId>,
    },
    /// List what commands in the workspace fence created and Forelook moved out of the project, or bring it back
    Restore {
        /// What to bring back; without one, what there is is listed
        ids: Vec<String>,
        /// Bring back everything that was in this folder
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
}

/// What is to be explained.
#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    /// The tool call, as `Tool(input)`: `Bash(git push)`, `Edit(src/main.rs)`
    pub(crate) call: String,
    /// Decide as if in this permission mode
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub(crate) mode: Option<Mode>,
    /// The agent that makes the call: main, general-purpose, Explore, Plan
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) rules: RuleArgs,
}

/// Where to import from.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// Import permission rules, hooks, and sandbox settings from Claude Code
    Claude {
        /// Write the settings (default: only show what would be written)
        #[arg(long)]
        apply: bool,
    },
}

/// A shell that completions are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompletionShell {
    Bash,
    Zsh,
    Fish,
}

/// What can be done with sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List sessions, newest first
    List {
        /// Include sessions from all folders, not just this one
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// `forelook serve`.
#[derive(Debug, ClapArgs)]
pub(crate) struct ServeArgs {
    /// Talk to the front end over standard input and output, one JSON object per line
    #[arg(long)]
    pub(crate) stdio: bool,
    /// Serve the demo: a scripted model and a sample project
    #[arg(long)]
    pub(crate) demo: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
