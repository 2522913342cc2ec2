//! The command line.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args as ClapArgs, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use forelook_protocol::{Mode, SessionId};

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
    #[arg(long, value_name = "MODE", value_parser = |word: &str| word.parse::<Mode>())]
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
    /// Claude Code: its rules and hooks
    Claude {
        /// Write it; without this it is only shown
        #[arg(long)]
        apply: bool,
    },
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

/// How a session is run.
#[derive(Debug, ClapArgs)]
pub(crate) struct RunArgs {
    /// What to do
    pub(crate) prompt: Option<String>,
    /// Print the result and end: no conversation
    #[arg(short = 'p', long)]
    pub(crate) print: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) output_format: OutputFormat,
    /// How prompts arrive on standard input
    #[arg(long, value_enum, default_value_t = InputFormat::Text)]
    pub(crate) input_format: InputFormat,
    /// With `stream-json`: pieces of answers as they arrive
    #[arg(long)]
    pub(crate) include_partial_messages: bool,
    /// What may be done without asking: default, acceptEdits, plan, auto, dontAsk, bypassPermissions
    #[arg(long, value_name = "MODE", value_parser = |word: &str| word.parse::<Mode>())]
    pub(crate) permission_mode: Option<Mode>,
    /// The model, as provider/name (`scripted/FILE` plays a script)
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Words for the model in place of Forelook's own
    // A text may begin with a hyphen: a list does, and an SDK passes it as a word of its own.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) system_prompt: Option<String>,
    /// Words for the model beside Forelook's own
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) append_system_prompt: Option<String>,
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

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// The model's last words
    Text,
    /// One JSON object
    Json,
    /// A line of JSON for everything that happens
    StreamJson,
}

/// How prompts arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    /// As text
    Text,
    /// As lines of JSON, any number of them
    StreamJson,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        std::iter::once("forelook")
            .chain(line.split(' ').filter(|word| !word.is_empty()))
            .map(OsString::from)
            .collect()
    }

    #[test]
    fn the_definition_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn what_an_sdk_passes_is_taken() {
        let mut line = words("--output-format stream-json --verbose --system-prompt");
        line.push(OsString::new());
        line.extend(
            words("--thinking adaptive --allowedTools Read,Bash(ls:*) --setting-sources= --input-format stream-json --new-flag").drain(1..),
        );
        let parsed = parse(line).unwrap();
        assert_eq!(parsed.unknown, ["--thinking", "--new-flag"]);
        assert_eq!(parsed.args.run.rules.allowed_tools, ["Read,Bash(ls:*)"]);
        assert_eq!(parsed.args.run.system_prompt.as_deref(), Some(""));
        assert_eq!(parsed.args.run.input_format, InputFormat::StreamJson);
    }

    #[test]
    fn words_for_the_model_may_begin_with_a_hyphen() {
        let mut line = words("--append-system-prompt --kind --system-prompt");
        line.push("- Be brief.".into());
        let run = parse(line).unwrap().args.run;
        assert_eq!(run.append_system_prompt.as_deref(), Some("--kind"));
        assert_eq!(run.system_prompt.as_deref(), Some("- Be brief."));
    }

    #[test]
    fn an_unknown_flag_is_an_error_with_the_nearest_name() {
        let Err(error) = parse(words("--permision-mode plan")) else { panic!("was taken") };
        assert!(error.to_string().contains("--permission-mode"), "{error}");
    }

    #[test]
    fn both_forms_of_values() {
        for line in
            ["--resume=01890a5d-ac96-774b-bcce-b302099a8057", "-r 01890a5d-ac96-774b-bcce-b302099a8057"]
        {
            assert!(matches!(parse(words(line)).unwrap().args.run.resume, Some(Some(_))), "{line}");
        }
        assert_eq!(parse(words("--resume")).unwrap().args.run.resume, Some(None));
        assert!(parse(words("--resume xyz")).is_err());
        assert!(parse(words("--max-turns 0")).is_err());
        assert!(parse(words("--permission-mode warp")).is_err());
    }
}
