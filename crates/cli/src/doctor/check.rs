//! One thing that was looked at.

use serde_json::{Value, json};

/// What was looked at, and what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Check {
    /// What it belongs to.
    pub(super) area: &'static str,
    /// What was looked at.
    pub(super) name: String,
    /// How it is.
    pub(super) state: CheckState,
    /// What was found.
    pub(super) message: String,
    /// What to do about it.
    pub(super) advice: Option<String>,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckState {
    /// As it should be, or of no matter.
    Good,
    /// Not there, and nothing needs it.
    Absent,
    /// Forelook works, and does something less.
    Warning,
    /// Forelook does not work.
    Bad,
}

impl CheckState {
    /// Plain letters: whoever has trouble with their terminal reads this too.
    pub(super) fn mark(self) -> &'static str {
        match self {
            CheckState::Good => "ok",
            CheckState::Absent => "-",
            CheckState::Warning => "!",
            CheckState::Bad => "x",
        }
    }

    fn name(self) -> &'static str {
        match self {
            CheckState::Good => "good",
            CheckState::Absent => "absent",
            CheckState::Warning => "warning",
            CheckState::Bad => "bad",
        }
    }
}

impl Check {
    pub(super) fn new(
        area: &'static str,
        name: impl Into<String>,
        state: CheckState,
        message: impl Into<String>,
    ) -> Self {
        Self { area, name: name.into(), state, message: message.into(), advice: None }
    }

    /// With what to do about it.
    pub(super) fn advice(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }

    pub(super) fn object(&self) -> Value {
        let Self { area, name, state, message, advice } = self;
        json!({ "area": area, "name": name, "state": state.name(), "message": message, "advice": advice })
    }
}
