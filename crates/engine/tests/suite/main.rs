//! Whole sessions against a scripted model, with real tools on real files: what must hold whatever happens and
//! whenever it happens.
#![expect(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make their own files and look at processes; helpers stop at the first surprise"
)]

mod accepted;
mod agents;
mod answers;
mod approvals;
mod attached_files;
mod background;
mod bad_prompts;
mod bound_to_fail;
mod broken;
mod changed_input;
mod classifier;
mod common;
mod compaction;
mod environment;
mod fence;
mod fold;
mod forged_reminders;
mod front_ends;
mod hooks_first;
mod host_hooks;
mod interrupt;
mod live_policy;
mod lost_mode;
mod many_calls;
mod moot_questions;
mod order;
mod origins;
mod over_wire;
mod parallel;
mod permissions;
mod plan_loop;
mod plan_mode;
mod plan_review;
mod plan_travels;
mod planning_model;
mod pre_plan_processes;
mod prefetch;
mod progress;
mod queries;
mod queue;
mod registry;
mod rehearsals;
mod reminders;
mod resume;
mod retries;
mod round_trips;
mod stops;
mod tools;
mod turns;
mod user_shell;
mod web;
