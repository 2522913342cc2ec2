//! From the tree to verdicts.

pub(crate) mod command;
pub(crate) mod danger;
pub(crate) mod env;
pub(crate) mod finding;
mod forms;
pub(crate) mod line;
pub(crate) mod options;
mod redirects;
pub(crate) mod walk;
mod wrappers;
