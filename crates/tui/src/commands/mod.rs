//! What a line with a slash does, a file for each command.

mod exit;
mod plan;

use crate::app::{App, Wish};

/// A command.
pub(crate) struct Slash {
    /// Its name, without the slash.
    pub(crate) name: &'static str,
    /// What may stand behind it, such as `[name]`.
    pub(crate) form: &'static str,
    /// What it does, in a few words.
    pub(crate) about: &'static str,
    /// Does it, with what stood behind it.
    pub(crate) run: fn(&mut App, &str) -> Vec<Wish>,
}

/// All of them, in the order of the menu.
pub(crate) const ALL: [&Slash; 2] = [&plan::PLAN, &exit::EXIT];

/// The command of this name.
pub(crate) fn named(name: &str) -> Option<&'static Slash> {
    ALL.into_iter().find(|slash| slash.name == name)
}
