//! The plan: a file with a name and a history, what the model is reminded of, and how it is reviewed.
//!
//! - where it is: [`PlanStore`] (`store.rs`, `location.rs`), named by `slug.rs`, its revisions in `history.rs`,
//!   all of them in `catalog.rs`;
//! - where a lost one comes back from: `restore.rs`;
//! - when the model is reminded: `reminder.rs`; with which words: `workflow.rs` and `text/*.md`;
//! - what a reviewer is shown, and what the model hears of the answer: `review.rs`, `outcome.rs`.

mod catalog;
mod error;
mod history;
mod location;
pub mod outcome;
mod reminder;
mod restore;
mod review;
mod slug;
mod store;
#[cfg(test)]
mod testing;
mod workflow;

pub use outcome::{ExitPlanOutput, RehearsalOutcome, fresh_start};
pub use reminder::{ReminderContext, ReminderReader, ReminderState, due_reminders};
pub use review::{
    ApprovalModes, ReviewOptions, approval_modes, build_review, non_blank_plan, plan_hash, plan_length,
};
pub use workflow::{
    Eagerness, LengthStyle, ReaderTools, UnknownChoice, Workflow, WorkflowStyle, enter_declined,
    enter_description, enter_result, enter_unattended, exit_description, reminder_text,
};

pub use catalog::{PlanMatch, PlanMetadata};
pub use error::PlanError;
pub use history::{diff, title};
pub use location::PlanStore;
pub use restore::{PlanSource, recover_plan};
pub use slug::is_slug;
pub use store::PlanFile;
