//! The terminal front end: inline, in the terminal's own scrollback.
//!
//! What is finished is written above, once, and belongs to the terminal from then on; what is under way is drawn below
//! it and drawn anew as it changes. Like every front end it sends commands, hears events, and holds nothing of the
//! session that it could not rebuild from them; what the person is just writing is its own.

mod app;
mod cells;
mod commands;
mod composer;
mod dialog;
mod diff;
mod errands;
mod keys_help;
mod lend;
mod markdown;
mod menu;
mod review;
mod run;
mod sending;
mod setup;
mod syntax;
mod term;
mod text;
mod theme;
mod trust;
mod view;
mod whole;

pub use app::Left;
pub use lend::{Borrower, Lender, lending};
pub use run::run;
pub use setup::{Colours, Failed, Habits, Notifications, Over, Run, Terminal, Typed, front_end};
pub use theme::Speaks;
pub use trust::confirm_trust;
