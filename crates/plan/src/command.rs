//! What `/plan` means, with what stands behind it.

/// What `/plan` asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanCommand {
    /// Plan mode on.
    Enter,
    /// The plan as it stands.
    Show,
    /// The plan in the person's editor.
    Open,
    /// Words for the model.
    Say {
        /// Whether plan mode is to be entered first.
        enter: bool,
        /// The words.
        text: String,
    },
    /// What changed since the revision before.
    Diff,
    /// All revisions.
    History,
    /// An older revision, to be the plan again.
    Restore(u32),
    /// All plans.
    List,
    /// What the rehearsal changed.
    Rehearsal,
}

impl PlanCommand {
    /// Reads what stands behind `/plan`. Only the word alone is a command: `list all endpoints` is for the model.
    ///
    /// | argument | not planning | planning |
    /// |---|---|---|
    /// | nothing | enter | show |
    /// | `open` | enter | open |
    /// | `list` | list | list |
    /// | `diff`, `history`, `restore N`, `rehearsal` | enter and say | do it |
    /// | anything else | enter and say | say |
    pub fn parse(argument: &str, planning: bool) -> Self {
        let argument = argument.trim();
        let say = || PlanCommand::Say { enter: !planning, text: argument.to_owned() };
        match (argument, planning) {
            ("" | "open", false) => PlanCommand::Enter,
            ("list", _) => PlanCommand::List,
            (_, false) => say(),
            ("", true) => PlanCommand::Show,
            ("open", true) => PlanCommand::Open,
            ("diff", true) => PlanCommand::Diff,
            ("history", true) => PlanCommand::History,
            ("rehearsal", true) => PlanCommand::Rehearsal,
            (argument, true) => restore(argument).map_or_else(say, PlanCommand::Restore),
        }
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

    fn say(enter: bool, text: &str) -> PlanCommand {
        PlanCommand::Say { enter, text: text.into() }
    }

    #[test]
    fn every_cell_of_the_table() {
        for (argument, outside, inside) in [
            ("", PlanCommand::Enter, PlanCommand::Show),
            ("  \n", PlanCommand::Enter, PlanCommand::Show),
            ("open", PlanCommand::Enter, PlanCommand::Open),
            (" open ", PlanCommand::Enter, PlanCommand::Open),
            ("list", PlanCommand::List, PlanCommand::List),
            ("diff", say(true, "diff"), PlanCommand::Diff),
            ("history", say(true, "history"), PlanCommand::History),
            ("rehearsal", say(true, "rehearsal"), PlanCommand::Rehearsal),
            ("restore 3", say(true, "restore 3"), PlanCommand::Restore(3)),
            ("restore  0012", say(true, "restore  0012"), PlanCommand::Restore(12)),
            ("restore 0", say(true, "restore 0"), PlanCommand::Restore(0)),
            ("restore 99999999999", say(true, "restore 99999999999"), PlanCommand::Restore(u32::MAX)),
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
            assert_eq!(PlanCommand::parse(argument, false), outside, "`{argument}` outside");
            assert_eq!(PlanCommand::parse(argument, true), inside, "`{argument}` inside");
        }
    }

    proptest! {
        /// No words are lost, and only words enter plan mode with something to say.
        #[test]
        fn words_reach_the_model_whole(argument in "\\PC{0,40}", planning: bool) {
            if let PlanCommand::Say { enter, text } = PlanCommand::parse(&argument, planning) {
                prop_assert_eq!(enter, !planning);
                prop_assert_eq!(text.as_str(), argument.trim());
                prop_assert!(!text.is_empty());
            }
        }
    }
}
