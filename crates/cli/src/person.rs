//! Commands that speak for a person: what they do, somebody must have wanted.
//!
//! A model that can run such a command could approve its own plans, answer its own questions, and give itself permissions.
//! So these refuse to run for a model: one list, and every new subcommand must decide.

use forelook_host::{Failure, FailureClass};
use forelook_protocol::Mode;

use crate::args::{
    Args, ImportCommand, InputFormat, OnPlanArg, PermissionsCommand, PlansCommand, RuleArgs, RunArgs,
    SessionArgs, SessionsCommand, Subcommands,
};

/// Refuses what speaks for a person, if a model runs it.
pub(crate) fn must_be_person(args: &Args, runs_for_model: bool) -> Result<(), Failure> {
    let words = match &args.command {
        Some(command) => command.stands_for_person(),
        None => args.run.stands_for_person(),
    };
    let Some(what) = words.filter(|_| runs_for_model) else { return Ok(()) };
    Err(Failure::new(
        FailureClass::Usage,
        format!("{what}, so only a person can run it, and this runs inside a tool of a Forelook session"),
    )
    .hint("Ask the user to run it in a terminal of their own; do not try another way"))
}

impl Subcommands {
    /// What it does in a person's name, if it does anything.
    pub(crate) fn stands_for_person(&self) -> Option<&'static str> {
        match self {
            Self::Apply(_) => Some("`forelook apply` approves a plan"),
            Self::Import { from: ImportCommand::Claude { apply: true } } => {
                Some("`forelook import --apply` changes your settings")
            }
            Self::Permissions { command: PermissionsCommand::Restore { ids, all } }
                if *all || !ids.is_empty() =>
            {
                Some("`forelook permissions restore` brings back files that run later")
            }
            Self::Serve(_) => Some("`forelook serve` lets the program that drives it answer for you"),
            // It changes nothing, unless it is told to allow something.
            Self::Plan(args) => args.session.stands_for_person(),
            // These only look.
            Self::Import { from: ImportCommand::Claude { apply: false } }
            | Self::Plans {
                command: PlansCommand::List { .. } | PlansCommand::Show { .. } | PlansCommand::Diff { .. },
            }
            | Self::Permissions {
                command:
                    PermissionsCommand::Explain(_)
                    | PermissionsCommand::Shell { .. }
                    | PermissionsCommand::Audit { .. }
                    | PermissionsCommand::Replay { .. }
                    | PermissionsCommand::Restore { .. },
            }
            | Self::Sessions { command: SessionsCommand::List { .. } }
            | Self::Completions { .. }
            | Self::Models { .. }
            | Self::Doctor { .. } => None,
            // It has a model and a project of its own, but the answers are a person's.
            Self::Demo => Some("`forelook demo` takes answers from whoever types"),
        }
    }
}

impl RunArgs {
    /// What such a run does in a person's name. Without any of it, it is one more session that is asked nothing.
    fn stands_for_person(&self) -> Option<&'static str> {
        if !self.print && self.input_format == InputFormat::Text {
            return Some("`forelook` without `-p` takes answers from whoever types");
        }
        if self.input_format == InputFormat::StreamJson || self.permission_prompt_tool.is_some() {
            return Some("`--input-format stream-json` lets the program that drives Forelook answer for you");
        }
        match self.on_plan {
            Some(OnPlanArg::Approve | OnPlanArg::Ask) => return Some("`--on-plan` approves a plan"),
            Some(OnPlanArg::Exit) | None => {}
        }
        match self.permission_mode {
            Some(Mode::AcceptEdits | Mode::Auto | Mode::BypassPermissions) => {
                return Some("`--permission-mode` allows more than the default");
            }
            Some(Mode::Plan | Mode::DontAsk | Mode::Default) | None => {}
        }
        if self.resume.is_some() || self.continue_session {
            return Some("`--resume` and `--continue` speak in one of your sessions");
        }
        self.session.stands_for_person()
    }
}

impl SessionArgs {
    fn stands_for_person(&self) -> Option<&'static str> {
        match self.allow_dangerously_skip_permissions {
            true => Some("`--allow-dangerously-skip-permissions` allows everything"),
            false => self.rules.stands_for_person(),
        }
    }
}

impl RuleArgs {
    fn stands_for_person(&self) -> Option<&'static str> {
        match self {
            Self { allowed_tools, .. } if !allowed_tools.is_empty() => {
                Some("`--allowedTools` gives permissions")
            }
            Self { add_dir, .. } if !add_dir.is_empty() => Some("`--add-dir` gives permissions"),
            Self { settings: Some(_), .. } | Self { setting_sources: Some(_), .. } => {
                Some("`--settings` and `--setting-sources` replace your settings")
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parse;

    /// Every command, and whether a model may run it.
    #[test]
    fn the_table() {
        for (line, may) in [
            ("", false),
            ("hello", false),
            ("-c", false),
            ("-p hello", true),
            ("-p hello --output-format json --model scripted/x", true),
            ("-p hello --on-plan exit", true),
            ("-p hello --on-plan approve", false),
            ("-p hello --permission-mode plan", true),
            ("-p hello --permission-mode dontAsk", true),
            ("-p hello --permission-mode default", true),
            ("-p hello --permission-mode acceptEdits", false),
            ("-p hello --permission-mode bypassPermissions", false),
            ("-p hello --allow-dangerously-skip-permissions", false),
            ("-p hello --allowedTools Bash", false),
            ("-p hello --disallowedTools Bash", true),
            ("-p hello --add-dir /", false),
            ("-p hello --settings {}", false),
            ("-p hello --setting-sources project", false),
            ("-p hello -c", false),
            ("-p hello -r 01890a5d-ac96-774b-bcce-b302099a8057", false),
            ("--input-format stream-json --output-format stream-json", false),
            ("serve --stdio", false),
            ("serve --stdio --demo", false),
            ("apply x", false),
            ("apply x -p", false),
            ("import claude", true),
            ("import claude --apply", false),
            ("plan x", true),
            ("plan x --settings {}", false),
            ("plans list", true),
            ("plans show x", true),
            ("plans diff x", true),
            ("permissions explain Read", true),
            ("permissions shell ls", true),
            ("permissions audit", true),
            ("permissions replay --rules x", true),
            ("sessions list", true),
            ("completions bash", true),
            ("models", true),
            ("doctor", true),
            ("permissions restore", true),
            ("permissions restore --all", false),
            ("permissions restore x/1/1", false),
            ("demo", false),
        ] {
            let words = std::iter::once("forelook").chain(line.split_whitespace()).map(Into::into);
            let args = parse(words.collect()).unwrap().args;
            assert_eq!(must_be_person(&args, true).is_ok(), may, "{line}");
            assert!(must_be_person(&args, false).is_ok(), "{line}");
        }
    }
}
