//! May this be done, and why. Pure: no files, no clock, no runtime.

mod decide;
mod explain;

pub use decide::{Policy, decide};
