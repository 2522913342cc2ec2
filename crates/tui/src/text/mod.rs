//! Words on a screen, broken at the window's edge.

mod fit;
mod wrap;

pub(crate) use fit::fitted;
pub(crate) use forelook_wording::harmless;
pub(crate) use wrap::{Hang, wrap};
