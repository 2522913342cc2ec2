//! The command line.

mod commands;
mod misspelled;
mod needs;
mod session;
#[cfg(test)]
mod tests;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args as ClapArgs, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use forelook_protocol::{Mode, SessionId, UnknownMode};

use crate::completions;
use crate::resume::SessionPrefix;

pub(crate) use commands::{
    ApplyArgs, CompletionShell, ExplainArgs, ImportCommand, PermissionsCommand, PlanArgs, PlansCommand,
    ServeArgs, SessionsCommand,
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
    /// Try a short session offline, with a scripted model and a sample project
    Demo,
    /// Write a plan and print it; change nothing
    Plan(Box<PlanArgs>),
    /// Implement a saved plan
    Apply(Box<ApplyArgs>),
    /// List, show, and compare saved plans
    Plans {
        #[command(subcommand)]
        command: PlansCommand,
    },
    /// Serve a session to a front end in another process, over the JSON protocol
    Serve(Box<ServeArgs>),
    /// List the available models, and the ones that need a key
    Models {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check what works on this machine, what doesn't, and how to fix it
    Doctor {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Explain, audit, and replay permission decisions
    Permissions {
        #[command(subcommand)]
        command: PermissionsCommand,
    },
    /// Print completions for a shell
    #[command(after_help = completions::INSTALL)]
    Completions {
        /// The shell
        shell: CompletionShell,
    },
    /// Import settings from another agent
    Import {
        #[command(subcommand)]
        from: ImportCommand,
    },
    /// List saved sessions
    Sessions {
        #[command(subcommand)]
        command: SessionsCommand,
    },
}

/// How a session is run.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct RunArgs {
    /// The prompt
    pub(crate) prompt: Option<String>,
    /// Print the result and exit (non-interactive)
    #[arg(short = 'p', long)]
    pub(crate) print: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) output_format: OutputFormat,
    /// Format of prompts on standard input
    #[arg(long, value_enum, default_value_t)]
    pub(crate) input_format: InputFormat,
    /// With `stream-json`: include partial messages as they arrive
    #[arg(long)]
    pub(crate) include_partial_messages: bool,
    /// Permission mode: default, acceptEdits, plan, auto, dontAsk, bypassPermissions
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub(crate) permission_mode: Option<Mode>,
    /// With -p: what to do with a plan that needs approval
    #[arg(long, value_enum, value_name = "ACTION")]
    pub(crate) on_plan: Option<OnPlanArg>,
    /// Where to send permission requests: `stdio` means the program that drives `stream-json`
    #[arg(long, value_name = "NAME")]
    pub(crate) permission_prompt_tool: Option<String>,
    /// Chat apps that the user is connected through, separated by commas
    // Nobody can read and approve a plan there, so the model is not offered to begin one.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) channels: Vec<String>,
    /// Continue the latest session in this folder
    #[arg(short = 'c', long = "continue", conflicts_with = "resume")]
    pub(crate) continue_session: bool,
    /// Resume a session: its ID or the start of it; without one, choose from a list
    #[arg(short = 'r', long, value_name = "ID", num_args = 0..=1)]
    pub(crate) resume: Option<Option<SessionPrefix>>,
    /// With --continue or --resume: continue in a copy and leave the original unchanged
    #[arg(long)]
    pub(crate) fork_session: bool,
    /// ID for the new session
    #[arg(long, value_name = "ID", conflicts_with_all = ["continue_session", "resume"])]
    pub(crate) session_id: Option<SessionId>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// The model's final message
    #[default]
    Text,
    /// A single JSON object
    Json,
    /// One JSON object per line for every event
    StreamJson,
}

/// How prompts arrive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    /// Plain text
    #[default]
    Text,
    /// One JSON object per line, any number of them
    StreamJson,
}

/// What is done with a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnPlanArg {
    /// Return the plan as the result and implement nothing (the default, unless a program answers permission requests)
    Exit,
    /// Approve the plan and implement it in the mode that was active before planning
    Approve,
    /// Ask the program that drives `stream-json`
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
            Ok(args) => match misspelled::check(&args, &words) {
                None => return Ok(Parsed { args, unknown }),
                Some(error) => return Err(error),
            },
            Err(error) => error,
        };
        let Some(flag) = unknown_flag(&error).filter(|_| lenient) else {
            return Err(misspelled::explain(error, &words));
        };
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
