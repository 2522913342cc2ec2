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
    /// `Agent`: parts of the work can be given to others.
    pub agents: bool,
    /// `TodoWrite`.
    pub todos: bool,
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
            todos: has("TodoWrite"),
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

    /// What to do with one that was sent back and is revised.
    pub(crate) fn submit_again(&self) -> &'static str {
        if self.exit { "call ExitPlanMode again" } else { self.submit() }
    }

    /// How to work on a plan that was sent back with words.
    pub(crate) fn revise_as_told(&self, path: &str) -> String {
        match self.writes() {
            true => format!("Revise `{path}` accordingly, then {}.", self.submit_again()),
            false => {
                format!("Put into your answer what should change in `{path}`: you have no tool to revise it.")
            }
        }
    }

    /// The same without words.
    pub(crate) fn find_out_and_revise(&self, path: &str) -> String {
        let again = self.submit_again();
        match self.ask {
            true => format!("Ask with AskUserQuestion what should change, then revise `{path}` and {again}."),
            false => format!(
                "End the turn and ask what should change. Once you know, revise `{path}` and {again}."
            ),
        }
    }

    /// How to begin with an approved plan.
    pub(crate) fn begin(&self) -> &'static str {
        match self.todos {
            true => "First turn the plan into a list with TodoWrite, then work through it.",
            false => "Work through it step by step.",
        }
    }

    /// Where its parts can be given to others.
    pub(crate) fn in_parallel(&self) -> &'static str {
        match self.agents {
            true => " Parts that do not depend on each other can run in parallel: give them to agents.",
            false => "",
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
