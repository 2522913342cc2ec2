//! The `/plan` command and its arguments.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AbsPath, Mode, PlanReply};

/// What `/plan` asks for: an action or information.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanSlashCommand {
    /// A command.
    Run(PlanCommand),
    /// A query.
    Show(PlanQuery),
}

/// An action on the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanCommand {
    /// Turn plan mode on.
    Enter,
    /// Send text to the model.
    Say {
        /// Whether to enter plan mode first.
        enter: bool,
        /// The text.
        text: String,
    },
    /// Open the plan in the user's editor.
    Open,
    /// Restore an older revision of the plan.
    Restore(u32),
    /// Review the session's plan again: one that was parked, whose review was interrupted, or the current one. The
    /// review opens as a request; approving it implements the plan.
    Review,
}

/// A query about plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanQuery {
    /// The current plan.
    Current,
    /// What changed since the last review, or since the previous revision if there was none.
    Diff,
    /// All revisions.
    History,
    /// All plans.
    List,
    /// What the rehearsal changed.
    Rehearsal,
}

impl PlanSlashCommand {
    /// Parses the argument of `/plan`. Only a subcommand on its own is a command: `list all endpoints` goes to the
    /// model.
    ///
    /// | argument | not planning | planning |
    /// |---|---|---|
    /// | nothing | enter | show |
    /// | `open` | enter | open |
    /// | `diff`, `history`, `list`, `rehearsal` | show | show |
    /// | `restore N` | restore | restore |
    /// | `restore` | show the history | show the history |
    /// | `restore` with one word or only numbers behind it | refused | refused |
    /// | `review` | review | review |
    /// | anything else | enter and say | say |
    ///
    /// What is most likely meant for a subcommand and is none is refused, in words for the user.
    pub fn parse(argument: &str, mode: Mode) -> Result<Self, String> {
        let (argument, planning) = (argument.trim(), mode.is_plan());
        let say = || PlanCommand::Say { enter: !planning, text: argument.to_owned() };
        Ok(match (argument, planning) {
            ("" | "open", false) => PlanSlashCommand::Run(PlanCommand::Enter),
            ("", true) => PlanSlashCommand::Show(PlanQuery::Current),
            ("open", true) => PlanSlashCommand::Run(PlanCommand::Open),
            ("diff", _) => PlanSlashCommand::Show(PlanQuery::Diff),
            // Without a number, what there is to choose from.
            ("history" | "restore", _) => PlanSlashCommand::Show(PlanQuery::History),
            ("list", _) => PlanSlashCommand::Show(PlanQuery::List),
            ("rehearsal", _) => PlanSlashCommand::Show(PlanQuery::Rehearsal),
            ("review", _) => PlanSlashCommand::Run(PlanCommand::Review),
            (argument, _) => PlanSlashCommand::Run(restore(argument)?.map_or_else(say, PlanCommand::Restore)),
        })
    }
}

impl PlanCommand {
    /// What to show after the command was carried out; `path` is the plan file.
    pub fn shown(&self, path: AbsPath) -> Option<PlanReply> {
        match self {
            PlanCommand::Enter | PlanCommand::Say { enter: true, .. } => Some(PlanReply::Entered { path }),
            PlanCommand::Restore(revision) => Some(PlanReply::Restored { revision: *revision, path }),
            PlanCommand::Say { enter: false, .. } | PlanCommand::Open | PlanCommand::Review => None,
        }
    }
}

impl PlanReply {
    /// The new mode, if plan mode was just entered.
    pub fn entered(&self) -> Option<Mode> {
        matches!(self, PlanReply::Entered { .. }).then_some(Mode::Plan)
    }
}

/// The number in `restore N`; nothing if it is a task that begins with this word. A number that is too large for any revision
/// still counts as a number; no revision has it.
fn restore(argument: &str) -> Result<Option<u32>, String> {
    let mut words = argument.split_whitespace();
    if words.next() != Some("restore") {
        return Ok(None);
    }
    let words: Vec<&str> = words.collect();
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    match words.as_slice() {
        [number] if is_number(number) => Ok(Some(number.parse().unwrap_or(u32::MAX))),
        [_] => Err(no_revision(&words)),
        several if several.iter().all(is_number) => Err(no_revision(&words)),
        _ => Ok(None),
    }
}

fn no_revision(words: &[&str]) -> String {
    let given = words.join(" ");
    format!(
        "`{given}` is not a revision\n\
         Use `/plan restore N`; `/plan history` lists the revisions"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn say(enter: bool, text: &str) -> PlanSlashCommand {
        PlanSlashCommand::Run(PlanCommand::Say { enter, text: text.into() })
    }

    fn restore(number: u32) -> PlanSlashCommand {
        PlanSlashCommand::Run(PlanCommand::Restore(number))
    }

    fn review() -> PlanSlashCommand {
        PlanSlashCommand::Run(PlanCommand::Review)
    }

    /// In every mode: no mode is entered, and no word reaches the model.
    #[test]
    fn looking_at_plans_is_only_that() {
        for (argument, query) in [
            ("diff", PlanQuery::Diff),
            ("history", PlanQuery::History),
            ("restore", PlanQuery::History),
            ("list", PlanQuery::List),
            ("rehearsal", PlanQuery::Rehearsal),
        ] {
            for mode in Mode::ALL {
                let shown = PlanSlashCommand::Show(query);
                assert_eq!(PlanSlashCommand::parse(argument, mode), Ok(shown), "`{argument}` in {mode}");
            }
        }
    }

    #[test]
    fn every_cell_of_the_table() {
        for (argument, outside, inside) in [
            ("", PlanSlashCommand::Run(PlanCommand::Enter), PlanSlashCommand::Show(PlanQuery::Current)),
            ("  \n", PlanSlashCommand::Run(PlanCommand::Enter), PlanSlashCommand::Show(PlanQuery::Current)),
            ("open", PlanSlashCommand::Run(PlanCommand::Enter), PlanSlashCommand::Run(PlanCommand::Open)),
            (" open ", PlanSlashCommand::Run(PlanCommand::Enter), PlanSlashCommand::Run(PlanCommand::Open)),
            ("restore 0", restore(0), restore(0)),
            ("restore 3", restore(3), restore(3)),
            ("restore  0012", restore(12), restore(12)),
            ("restore 99999999999", restore(u32::MAX), restore(u32::MAX)),
            (" review ", review(), review()),
            ("restore the tests", say(true, "restore the tests"), say(false, "restore the tests")),
            ("restore 3 files", say(true, "restore 3 files"), say(false, "restore 3 files")),
            ("list all endpoints", say(true, "list all endpoints"), say(false, "list all endpoints")),
            ("open the door", say(true, "open the door"), say(false, "open the door")),
            ("diff the two", say(true, "diff the two"), say(false, "diff the two")),
            ("history of it", say(true, "history of it"), say(false, "history of it")),
            ("rehearsal room", say(true, "rehearsal room"), say(false, "rehearsal room")),
            ("review the parser", say(true, "review the parser"), say(false, "review the parser")),
            ("report on it", say(true, "report on it"), say(false, "report on it")),
            ("List", say(true, "List"), say(false, "List")),
            ("add a cache", say(true, "add a cache"), say(false, "add a cache")),
            (" two\n lines ", say(true, "two\n lines"), say(false, "two\n lines")),
        ] {
            assert_eq!(PlanSlashCommand::parse(argument, Mode::Default), Ok(outside), "`{argument}` outside");
            assert_eq!(PlanSlashCommand::parse(argument, Mode::Plan), Ok(inside), "`{argument}` inside");
        }
    }

    /// In every mode: no mode is entered, and no word reaches the model.
    #[test]
    fn what_is_no_revision_is_refused() {
        for given in ["x", "three", "+3", "-3", "2 3", "2.", "1,2"] {
            for mode in Mode::ALL {
                let refused = PlanSlashCommand::parse(&format!("restore {given}"), mode);
                let why = refused.expect_err(given);
                assert!(why.starts_with(&format!("`{given}` is not a revision\n")), "{why}");
            }
        }
    }

    proptest! {
        /// No text is lost, and plan mode is entered with a prompt only if there is text.
        #[test]
        fn words_reach_the_model_whole(argument in "\\PC{0,40}", mode in proptest::sample::select(Mode::ALL.to_vec())) {
            if let Ok(PlanSlashCommand::Run(PlanCommand::Say { enter, text })) = PlanSlashCommand::parse(&argument, mode) {
                prop_assert_eq!(enter, mode != Mode::Plan);
                prop_assert_eq!(text.as_str(), argument.trim());
                prop_assert!(!text.is_empty());
            }
        }
    }
}
