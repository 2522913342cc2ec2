//! The tools that a reminder may name: nobody is sent to a tool that they do not have.

use super::fill::fill;

/// Which of the tools that planning is about the reader has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReaderTools {
    /// `Write`.
    pub write: bool,
    /// `Edit`.
    pub edit: bool,
    /// `AskUserQuestion`.
    pub ask: bool,
    /// `ExitPlanMode`.
    pub exit: bool,
    /// `Bash`.
    pub bash: bool,
    /// `Rehearse`.
    pub rehearse: bool,
    /// `Agent`.
    pub agents: bool,
}

impl ReaderTools {
    /// Those that there are under their names.
    pub fn of(has: impl Fn(&str) -> bool) -> Self {
        Self {
            write: has("Write"),
            edit: has("Edit"),
            ask: has("AskUserQuestion"),
            exit: has("ExitPlanMode"),
            bash: has("Bash"),
            rehearse: has("Rehearse"),
            agents: has("Agent"),
        }
    }

    /// Whether it has a tool to write a plan with.
    pub fn writes(&self) -> bool {
        self.write || self.edit
    }

    /// How a planning turn ends.
    pub(super) fn closing(&self) -> String {
        let text = match (self.ask, self.exit) {
            (true, true) => include_str!("../text/closing.md"),
            (false, true) => include_str!("../text/closing_exit.md"),
            (true, false) => include_str!("../text/closing_ask.md"),
            (false, false) => include_str!("../text/closing_none.md"),
        };
        fill(text, &[])
    }

    /// The same in part of a sentence.
    pub(super) fn end(&self) -> &'static str {
        match (self.ask, self.exit) {
            (true, true) => {
                "end the turn with AskUserQuestion or ExitPlanMode, and ask for approval only with ExitPlanMode"
            }
            (false, true) => "end the turn with ExitPlanMode, and ask for approval only with it",
            (true, false) => {
                "when the plan is complete, end the turn and say that it waits for review; ask with AskUserQuestion"
            }
            (false, false) => "when the plan is complete, end the turn and say that it waits for review",
        }
    }

    /// What to do with a finished plan.
    pub(super) fn submit(&self) -> &'static str {
        match self.exit {
            true => "call ExitPlanMode",
            false => "end the turn, and say that the plan waits for the user's review",
        }
    }

    /// The same, before which something is to be done.
    pub(super) fn leave(&self) -> &'static str {
        if self.exit { "call ExitPlanMode" } else { "end the turn" }
    }

    pub(super) fn ask_now(&self) -> &'static str {
        if self.ask { "ask with AskUserQuestion now." } else { "say in the plan which way you read it." }
    }

    pub(super) fn ask_open(&self) -> &'static str {
        match self.ask {
            true => "Ask about anything still open with AskUserQuestion.",
            false => "Note anything still open in the plan.",
        }
    }

    pub(super) fn question(&self) -> &'static str {
        if self.ask { "AskUserQuestion" } else { "message" }
    }

    /// What a rehearsal is made with; nothing if it cannot be.
    pub(super) fn rehearse(&self) -> Option<&'static str> {
        match (self.bash, self.rehearse) {
            (true, true) => Some("Bash and `rehearse` or with Rehearse"),
            (true, false) => Some("Bash and `rehearse`"),
            (false, true) => Some("Rehearse"),
            (false, false) => None,
        }
    }

    pub(super) fn revise(&self) -> &'static str {
        match (self.edit, self.write) {
            (true, _) => "revise it with Edit",
            (false, true) => "revise it with Write",
            (false, false) => "put what should change into your answer: you have no tool to revise it",
        }
    }

    pub(super) fn create(&self, path: &str) -> String {
        match self.write {
            true => format!("Create it with Write as `{path}`."),
            false => {
                format!(
                    "It would be `{path}`, but you have no tool to create it: put the plan into your answer."
                )
            }
        }
    }

    pub(super) fn replace(&self) -> &'static str {
        if self.write { "If you cannot replace it with Write, tell the user." } else { "Tell the user." }
    }
}
