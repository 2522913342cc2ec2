//! The review of a plan.

mod comments;
