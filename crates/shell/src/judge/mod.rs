//! From the tree to verdicts.

mod attached;
pub(crate) mod code;
pub(crate) mod command;
pub(crate) mod danger;
pub(crate) mod env;
pub(crate) mod finding;
mod flow;
pub(crate) mod folder;
mod forms;
pub(crate) mod line;
mod mentions;
pub(crate) mod motion;
pub(crate) mod operands;
pub(crate) mod options;
pub(crate) mod prefix;
mod redirects;
pub(crate) mod severity;
pub(crate) mod special;
mod spelling;
pub(crate) mod walk;
mod wrappers;
