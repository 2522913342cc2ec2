//! How things are called and written for people, whichever front end shows them: one meaning, one wording.

mod answers;
mod calls;
mod fences;
mod figures;
mod harmless;
mod modes;
mod numbers;
mod plans;
mod rehearsals;
mod slash;
mod tables;
mod width;

pub use answers::{answered_in, plan_answered_in};
pub use calls::call_about;
pub use fences::{
    RUNNING_ABOUT, fence_lines, kept_running, running_shell, still_running, stopped_running, would_run,
};
pub use figures::{UNKNOWN, again, bill, dollars, lasting, listed, price, window};
pub use harmless::{Filter, harmless, visible};
pub use modes::{ModeLook, Tone, goes_on, mode_look, mode_named, mode_words};
pub use numbers::{age, counted, cut, thousands, title};
pub use plans::{editor_failed, line_range, plan_length, plan_length_short, plan_revisions};
pub use rehearsals::{
    FileLine, NOT_REHEARSED, applied_files, applied_head, rehearsal_files, rehearsal_head, rehearsal_ignored,
    rehearsed,
};
pub use slash::slash;
pub use tables::{COSTS, COSTS_UNKNOWN, Side, cost_cells, cost_table, model_cells, models_with, table};
pub use width::{columns, cut_columns, measure};
