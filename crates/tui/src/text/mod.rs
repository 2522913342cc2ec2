//! Words on a screen: made harmless, measured, and broken at the window's edge.

mod harmless;
mod wrap;

pub(crate) use harmless::harmless;
pub(crate) use wrap::{Hang, wrap};
