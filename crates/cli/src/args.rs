//! The command line.

mod commands;
mod session;
#[cfg(test)]
mod tests;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args as ClapArgs, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use forelook_protocol::{Mode, SessionId, UnknownMode};

pub(crate) use commands::{
    ApplyArgs, ExplainArgs, ImportCommand, PermissionsCommand, PlanArgs, PlansCommand, ServeArgs,
    SessionsCommand,
};
pub(crate) use session::{RuleArgs, SessionArgs};

/// A coding agent that looks before it leaps.
#[derive(Debug, Parser)]
#[command(name = "forelook", disable_version_flag = true, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Subcommands>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Print the version
    #[arg(short = 'v', long)]
    pub(crate) version: bool,
}

/// What can be done besides running a session.
#[derive(Debug, Subcommand)]
pub(crate) enum Subcommands {
    /// Live through a small session offline, with a scripted model on a sample project
    Demo,
    /// Make a plan, print it, and change nothing
    Plan(Box<PlanArgs>),
    /// Carry out a plan from before
    Apply(Box<ApplyArgs>),
    /// Plans from before
    Plans {
        #[command(subcommand)]
        command: PlansCommand,
    },
    /// Run a session for a front end in another process, over the serialized protocol
    Serve(Box<ServeArgs>),
    /// Which models can be asked, and what a key would open
    Models {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// What works on this machine, what does not, and what to do about it
    Doctor {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// What may be done, and why
    Permissions {
        #[command(subcommand)]
        command: PermissionsCommand,
    },
    /// Take over what another agent was told
    Import {
        #[command(subcommand)]
        from: ImportCommand,
    },
    /// Sessions from before
    Sessions {
        #[command(subcommand)]
        command: SessionsCommand,
    },
}

/// How a session is run.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct RunArgs {
    /// What to do
    pub(crate) prompt: Option<String>,
    /// Print the result and end: no conversation
    #[arg(short = 'p', long)]
    pub(crate) print: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) output_format: OutputFormat,
    /// How prompts arrive on standard input
    #[arg(long, value_enum, default_value_t)]
    pub(crate) input_format: InputFormat,
    /// With `stream-json`: pieces of answers as they arrive
    #[arg(long)]
    pub(crate) include_partial_messages: bool,
    /// What may be done without asking: default, acceptEdits, plan, auto, dontAsk, bypassPermissions
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub(crate) permission_mode: Option<Mode>,
    /// With -p: what is done with a plan that wants approval
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) on_plan: Option<OnPlanArg>,
    /// Who is asked for permissions: `stdio` means whoever drives us over `stream-json`
    #[arg(long, value_name = "NAME")]
    pub(crate) permission_prompt_tool: Option<String>,
    /// The chat bridges through which the person is reached, separated by commas
    // Nobody can read and approve a plan there, so the model is not offered to begin one.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) channels: Vec<String>,
    /// Go on with the newest session of this folder
    #[arg(short = 'c', long = "continue", conflicts_with = "resume")]
    pub(crate) go_on: bool,
    /// Go on with this session
    #[arg(short = 'r', long, value_name = "ID", num_args = 0..=1)]
    pub(crate) resume: Option<Option<SessionId>>,
    /// With --continue or --resume: leave that session as it is and go on in a copy
    #[arg(long)]
    pub(crate) fork_session: bool,
    /// The id of the new session
    #[arg(long, value_name = "ID", conflicts_with_all = ["go_on", "resume"])]
    pub(crate) session_id: Option<SessionId>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// The model's last words
    #[default]
    Text,
    /// One JSON object
    Json,
    /// A line of JSON for everything that happens
    StreamJson,
}

/// How prompts arrive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    /// As text
    #[default]
    Text,
    /// As lines of JSON, any number of them
    StreamJson,
}

/// What is done with a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnPlanArg {
    /// The plan is the result, and nothing is implemented; so it is if nothing else is said
    Exit,
    /// It counts as approved and is implemented, in the mode from before planning
    Approve,
    /// Whoever drives us over `stream-json` is asked
    Ask,
}

fn mode(word: &str) -> Result<Mode, UnknownMode> {
    word.parse()
}

/// What was understood, and flags that were passed over.
pub(crate) struct Parsed {
    pub(crate) args: Args,
    pub(crate) unknown: Vec<String>,
}

/// Reads the command line.
///
/// Programs that drive us over `stream-json` grow flags faster than we do, so there an unknown flag is
/// passed over with a warning instead of ending the run.
pub(crate) fn parse(mut words: Vec<OsString>) -> Result<Parsed, clap::Error> {
    let lenient = words.windows(2).any(|pair| pair[0] == "--input-format" && pair[1] == "stream-json")
        || words.iter().any(|word| word == "--input-format=stream-json");
    let mut unknown = Vec::new();
    loop {
        let parsed = Args::command().try_get_matches_from(&words).and_then(|it| Args::from_arg_matches(&it));
        let error = match parsed {
            Ok(args) => return Ok(Parsed { args, unknown }),
            Err(error) => error,
        };
        let Some(flag) = unknown_flag(&error).filter(|_| lenient) else { return Err(error) };
        let Some(at) = words.iter().position(|word| is_flag(word, &flag)) else { return Err(error) };
        let with_equals = words[at].to_string_lossy().contains('=');
        words.remove(at);
        // Its value, if it has one, is the next word that is not a flag. There is no prompt on the command
        // line in this form, so nothing of the person's can be taken for it.
        if !with_equals && words.get(at).is_some_and(|next| !next.to_string_lossy().starts_with('-')) {
            words.remove(at);
        }
        unknown.push(flag);
    }
}

fn unknown_flag(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(flag)) => Some(flag.split('=').next().unwrap_or(flag).to_owned()),
        _ => None,
    }
}

fn is_flag(word: &OsString, flag: &str) -> bool {
    word.to_string_lossy().split('=').next() == Some(flag)
}
