//! The plan: a file with a name and a history, what the model is reminded of, and how it is reviewed.
//!
//! - where it is: [`Plans`] (`store.rs`, `place.rs`), named by `slug.rs`, its revisions in `history.rs`,
//!   all of them in `catalogue.rs`;
//! - where a lost one comes back from: `restore.rs`;
//! - when the model is reminded: `reminder.rs`; with which words: `workflow.rs` and `text/*.md`;
//! - what a reviewer is shown, and what the model hears of the answer: `review.rs`, `outcome.rs`.

mod catalogue;
mod error;
mod history;
pub mod outcome;
mod place;
mod reminder;
mod restore;
mod review;
mod slug;
mod store;
#[cfg(test)]
mod testing;
mod workflow;

pub use outcome::{ExitOutput, Rehearsed, fresh_start};
pub use reminder::{Now, Reminded, due};
pub use review::{Offer, hash, length, modes_on_offer, plan_in, review};
pub use workflow::{
    Eagerness, Length, UnknownChoice, Way, Workflow, enter_declined, enter_description, enter_nobody,
    enter_result, exit_description, text,
};

pub use catalogue::{About, Found};
pub use error::PlanError;
pub use history::{diff, title};
pub use place::Plans;
pub use restore::{PlanSource, lost_plan};
pub use slug::is_slug;
