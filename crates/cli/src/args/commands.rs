//! The arguments of subcommands.

use std::ffi::OsString;

use clap::{Args as ClapArgs, Subcommand};
use forelook_protocol::{Mode, SessionId};

use super::session::{RuleArgs, SessionArgs};
use super::{OutputFormat, RunArgs, mode};

/// What is to be planned.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The project is read and nothing in it is changed. The plan goes to standard output and stays in the folder of plans, \
where `forelook plans` finds it and `forelook apply` carries it out. What is piped in is added to the task.

Exit codes: 0 a plan was written; 1 none was, and standard error says why; 2 wrong usage or settings; \
4 the model could not be reached.")]
pub(crate) struct PlanArgs {
    /// The task
    pub(crate) task: Option<String>,
    /// Write the plan to this file too
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<OsString>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// Which plan is to be carried out, and how.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The command is the approval: it is recorded with the hash of the plan's text, and a new session begins with the plan. \
Without -p you are asked before anything that needs a yes; with -p what needs one is refused, so name a mode that fits.

Examples:
  forelook apply calm-weaving-otter
  forelook apply calm --note \"leave the tests for later\"
  forelook apply ./plan.md -p --permission-mode acceptEdits")]
pub(crate) struct ApplyArgs {
    /// The plan: its name, the beginning of its name, or the path of a file
    pub(crate) plan: String,
    /// More words for the model
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) note: Option<String>,
    /// Print the result and end: no conversation
    #[arg(short = 'p', long)]
    pub(crate) print: bool,
    /// With -p: how the result is printed
    #[arg(long, value_enum, default_value_t, requires = "print")]
    pub(crate) output_format: OutputFormat,
    /// What may be done without asking: default, acceptEdits, auto, dontAsk, bypassPermissions
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub(crate) permission_mode: Option<Mode>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// What can be asked about plans.
#[derive(Debug, Subcommand)]
pub(crate) enum PlansCommand {
    /// List them, newest first: title, age, what became of it, name
    List {
        /// Those of all projects, not only of this one
        #[arg(long)]
        all: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a plan
    Show {
        /// Its name, the beginning of its name, or the path of a file
        name: String,
        /// Print the path of its file instead
        #[arg(long)]
        path: bool,
    },
    /// Show what changed between two revisions of a plan
    #[command(after_help = "\
Without numbers: from the revision before to the plan as it stands. With one: from that revision to the plan as it \
stands. Every text that the plan had is a revision; they are counted from 1.")]
    Diff {
        /// Its name, or the beginning of its name
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
    /// Say what would be decided about a call, step by step
    Explain(ExplainArgs),
    /// Say what a shell line would do; without one, read JSON strings from standard input, one a line
    Shell {
        /// The line
        line: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// List what was decided in a session, and sum it up
    Audit {
        /// The session; the newest of this folder if left out
        session: Option<SessionId>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show which past decisions other rules would change
    Replay {
        /// A settings file with the rules to try
        #[arg(long, value_name = "FILE")]
        rules: OsString,
        /// The sessions; all of this folder if left out
        sessions: Vec<SessionId>,
    },
}

/// What is to be explained.
#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    /// The call, as `Tool(input)`: `Bash(git push)`, `Edit(src/main.rs)`
    pub(crate) call: String,
    /// In this mode
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub(crate) mode: Option<Mode>,
    /// Asked by this agent: main, general-purpose, Explore, Plan
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) rules: RuleArgs,
}

/// Where to import from.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// Claude Code: its rules, its hooks and its sandbox
    Claude {
        /// Write it; without this it is only shown
        #[arg(long)]
        apply: bool,
    },
}

/// What can be done with sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List them, newest first
    List {
        /// Those of all folders, not only of this one
        #[arg(long)]
        all: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// `forelook serve`.
#[derive(Debug, ClapArgs)]
pub(crate) struct ServeArgs {
    /// Speak with the front end over standard input and output, one JSON object a line
    #[arg(long)]
    pub(crate) stdio: bool,
    /// Serve the demo: a scripted model on a sample project
    #[arg(long)]
    pub(crate) demo: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
