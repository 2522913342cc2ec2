//! What `/plan` means, with what stands behind it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AbsPath, Mode, PlanShown};

/// What `/plan` asks for: something to do, or something to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanLine {
    /// A command.
    Do(PlanCommand),
    /// A query.
    Show(PlanQuery),
}

/// Something to do about the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanCommand {
    /// Plan mode on.
    Enter,
    /// Words for the model.
    Say {
        /// Whether plan mode is to be entered first.
        enter: bool,
        /// The words.
        text: String,
    },
    /// The plan in the person's editor.
    Open,
    /// An older revision, to be the plan again.
    Restore(u32),
}

/// Something to see of plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanQuery {
    /// The plan as it stands.
    Current,
    /// What changed since the last review, or else since the revision before.
    Diff,
    /// All revisions.
    History,
    /// All plans.
    List,
    /// What the rehearsal changed.
    Rehearsal,
}

impl PlanLine {
    /// Reads what stands behind `/plan`. Only the word alone is a command: `list all endpoints` is for the model.
    ///
    /// | argument | not planning | planning |
    /// |---|---|---|
    /// | nothing | enter | show |
    /// | `open` | enter | open |
    /// | `list` | list | list |
    /// | `diff`, `history`, `restore N`, `rehearsal` | enter and say | do it |
    /// | anything else | enter and say | say |
    pub fn parse(argument: &str, mode: Mode) -> Self {
        let (argument, planning) = (argument.trim(), mode.is_plan());
        let say = || PlanLine::Do(PlanCommand::Say { enter: !planning, text: argument.to_owned() });
        match (argument, planning) {
            ("" | "open", false) => PlanLine::Do(PlanCommand::Enter),
            ("list", _) => PlanLine::Show(PlanQuery::List),
            (_, false) => say(),
            ("", true) => PlanLine::Show(PlanQuery::Current),
            ("open", true) => PlanLine::Do(PlanCommand::Open),
            ("diff", true) => PlanLine::Show(PlanQuery::Diff),
            ("history", true) => PlanLine::Show(PlanQuery::History),
            ("rehearsal", true) => PlanLine::Show(PlanQuery::Rehearsal),
            (argument, true) => {
                restore(argument).map_or_else(say, |number| PlanLine::Do(PlanCommand::Restore(number)))
            }
        }
    }
}

impl PlanCommand {
    /// What is shown to whoever gave the command once it is carried out; `path` is the plan's file.
    pub fn shown(&self, path: AbsPath) -> Option<PlanShown> {
        match self {
            PlanCommand::Enter | PlanCommand::Say { enter: true, .. } => Some(PlanShown::Entered { path }),
            PlanCommand::Restore(revision) => Some(PlanShown::Restored { revision: *revision, path }),
            PlanCommand::Say { enter: false, .. } | PlanCommand::Open => None,
        }
    }
}

impl PlanShown {
    /// The mode that is on now, where this is shown because it was entered.
    pub fn entered(&self) -> Option<Mode> {
        matches!(self, PlanShown::Entered { .. }).then_some(Mode::Plan)
    }
}

/// The number in `restore N`. One too large for any revision is a number all the same, and no revision has it.
fn restore(argument: &str) -> Option<u32> {
    let mut words = argument.split_whitespace();
    let (Some("restore"), Some(number), None) = (words.next(), words.next(), words.next()) else {
        return None;
    };
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn say(enter: bool, text: &str) -> PlanLine {
        PlanLine::Do(PlanCommand::Say { enter, text: text.into() })
    }

    #[test]
    fn every_cell_of_the_table() {
        for (argument, outside, inside) in [
            ("", PlanLine::Do(PlanCommand::Enter), PlanLine::Show(PlanQuery::Current)),
            ("  \n", PlanLine::Do(PlanCommand::Enter), PlanLine::Show(PlanQuery::Current)),
            ("open", PlanLine::Do(PlanCommand::Enter), PlanLine::Do(PlanCommand::Open)),
            (" open ", PlanLine::Do(PlanCommand::Enter), PlanLine::Do(PlanCommand::Open)),
            ("list", PlanLine::Show(PlanQuery::List), PlanLine::Show(PlanQuery::List)),
            ("diff", say(true, "diff"), PlanLine::Show(PlanQuery::Diff)),
            ("history", say(true, "history"), PlanLine::Show(PlanQuery::History)),
            ("rehearsal", say(true, "rehearsal"), PlanLine::Show(PlanQuery::Rehearsal)),
            ("restore 3", say(true, "restore 3"), PlanLine::Do(PlanCommand::Restore(3))),
            ("restore  0012", say(true, "restore  0012"), PlanLine::Do(PlanCommand::Restore(12))),
            ("restore 0", say(true, "restore 0"), PlanLine::Do(PlanCommand::Restore(0))),
            (
                "restore 99999999999",
                say(true, "restore 99999999999"),
                PlanLine::Do(PlanCommand::Restore(u32::MAX)),
            ),
            ("restore", say(true, "restore"), say(false, "restore")),
            ("restore three", say(true, "restore three"), say(false, "restore three")),
            ("restore +3", say(true, "restore +3"), say(false, "restore +3")),
            ("restore -3", say(true, "restore -3"), say(false, "restore -3")),
            ("restore 3 files", say(true, "restore 3 files"), say(false, "restore 3 files")),
            ("list all endpoints", say(true, "list all endpoints"), say(false, "list all endpoints")),
            ("open the door", say(true, "open the door"), say(false, "open the door")),
            ("diff the two", say(true, "diff the two"), say(false, "diff the two")),
            ("history of it", say(true, "history of it"), say(false, "history of it")),
            ("rehearsal room", say(true, "rehearsal room"), say(false, "rehearsal room")),
            ("List", say(true, "List"), say(false, "List")),
            ("add a cache", say(true, "add a cache"), say(false, "add a cache")),
            (" two\n lines ", say(true, "two\n lines"), say(false, "two\n lines")),
        ] {
            assert_eq!(PlanLine::parse(argument, Mode::Default), outside, "`{argument}` outside");
            assert_eq!(PlanLine::parse(argument, Mode::Plan), inside, "`{argument}` inside");
        }
    }

    proptest! {
        /// No words are lost, and only words enter plan mode with something to say.
        #[test]
        fn words_reach_the_model_whole(argument in "\\PC{0,40}", mode in proptest::sample::select(Mode::ALL.to_vec())) {
            if let PlanLine::Do(PlanCommand::Say { enter, text }) = PlanLine::parse(&argument, mode) {
                prop_assert_eq!(enter, mode != Mode::Plan);
                prop_assert_eq!(text.as_str(), argument.trim());
                prop_assert!(!text.is_empty());
            }
        }
    }
}
