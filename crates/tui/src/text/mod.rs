//! Words on a screen, broken at the window's edge.

mod wrap;

pub(crate) use forelook_wording::harmless;
pub(crate) use wrap::{Hang, wrap};
