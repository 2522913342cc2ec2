//! How things are called and written for people, whichever front end shows them: one meaning, one wording.

mod answers;
mod calls;
mod changes;
mod charset;
mod context;
mod fences;
mod figures;
mod mentions;
mod missing;
mod modes;
mod numbers;
mod plans;
mod refusals;
mod rehearsals;
mod sanitize;
mod settings;
mod slash;
mod tables;
mod tasks;
mod turns;
mod width;

pub use answers::{answered_in, plan_answered_in};
pub use calls::{call_summary, permission_title};
pub use changes::{COMMANDS_RAN, no_changes, unknown_change};
pub use charset::Charset;
pub use context::{cleared_line, compacted_line, context_limit, context_rows, context_title};
pub use fences::{
    RUNNING_SHELLS_NOTE, fence_lines, kept_running, running_shell, sandbox_note, still_running,
    stopped_running,
};
pub use figures::{UNKNOWN, bill, dollars, find_model, format_duration, price, retry_message, window};
pub use mentions::{AttachedLine, attached_lines, parse_mentions};
pub use missing::{missing_hints, missing_short};
pub use modes::{
    ModeDisplay, ModeRow, ModeTone, continuation, mode_display, mode_rows, mode_words, parse_mode,
};
pub use numbers::{age, counted, plan_title, thousands, truncate};
pub use plans::{
    approved_percent, editor_failed, line_range, mode_unavailable, no_plan, plan_length, plan_length_short,
    plan_revisions,
};
pub use refusals::how_to_allow;
pub use rehearsals::{
    FileLine, NOT_REHEARSED, PROTECTED_HEAD, applied_files, applied_head, protected_count, rehearsal_files,
    rehearsal_head, rehearsal_ignored, rehearsal_size,
};
pub use sanitize::{EscapeFilter, sanitize, visible};
pub use settings::{
    RULES_ARE_TYPED, matching_settings, no_matching_setting, permission_change, rule_place, setting_origin,
    trust_words,
};
pub use slash::{is_exit_word, parse_slash};
pub use tables::{
    COST_HEADERS, COSTS_UNKNOWN, ColumnAlign, cost_cells, cost_table, model_cells, models_with, table,
};
pub use tasks::{NO_TASKS, task_cells, task_state};
pub use turns::{NO_ANSWER, answer_limit};
pub use width::{char_width, display_width, truncate_columns};
