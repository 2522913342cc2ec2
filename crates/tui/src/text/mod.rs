//! Words on a screen, broken at the window's edge.

mod fit;
mod unseen;
mod wrap;

pub(crate) use fit::fitted;
pub(crate) use forelook_wording::sanitize;
pub(crate) use unseen::Unseen;
pub(crate) use wrap::{Indent, wrap};
