//! The terminal front end: inline, in the terminal's own scrollback.
//!
//! What is finished is written above, once, and belongs to the terminal from then on; what is under way is drawn below
//! it and drawn anew as it changes. Like every front end it sends commands, hears events, and holds nothing of the
//! session that it could not rebuild from them; what the person is just writing is its own.

mod app;
mod call_input;
mod cells;
mod choose_session;
mod command_sender;
mod commands;
mod composer;
mod dialog;
mod diff;
mod keys_help;
mod lend;
mod markdown;
mod menu;
mod review;
mod run;
mod setup;
mod syntax;
mod tasks;
mod term;
mod text;
mod theme;
mod trust;
mod view;

pub use app::ExitReason;
pub use choose_session::choose_session;
pub use lend::{Borrower, Lender, lending};
pub use run::run;
pub use setup::{
    Colors, Entrance, Notifications, PendingInput, Terminal, TuiError, TuiExit, TuiSetup, UserPreferences,
    front_end,
};
pub use theme::NotifyStyle;
pub use trust::{TrustAnswer, TrustMoment, confirm_trust};
