//! Decides whether an action is allowed and why, and keeps the mode. Pure: no files, no clock, no runtime.
//!
//! - `decide.rs`: the steps of a decision, numbered;
//! - `plan_gate.rs`: what plan mode allows, row by row, and everything else that depends on planning; `walls.rs`: what no
//!   mode and no rule overrides;
//! - `confine.rs`: what the kernel confines an action to; `guards.rs`: what it hides;
//! - `rule.rs`, `shell_pattern.rs`, `path_pattern.rs`: the grammar of rules; `rules.rs`: rule lookup;
//! - `transition.rs`: every change of mode; `mode.rs`: the mode cycle, and which mode is wider; `breaker.rs`: the gate of
//!   auto mode; `strip.rs`: rules that would bypass the classifier;
//! - `explain.rs`: every sentence of a decision, and what the model can do instead of a denied call.

mod breaker;
mod confine;
mod decide;
mod decision_input;
mod explain;
mod file_rules;
mod guards;
mod line;
mod matched;
mod mode;
mod path_pattern;
mod paths;
pub mod plan_gate;
mod policy;
mod read_barrier;
mod rule;
mod rules;
mod shell_pattern;
mod strip;
mod suggest;
mod transition;
mod walls;

pub use breaker::{DenialCounts, GateClosed, GateInputs, MAX_CONSECUTIVE_DENIALS, MAX_TOTAL_DENIALS};
pub use confine::next_confinement;
pub use decide::{Explanation, MAX_FACT_ROUNDS, decide, explain_decision};
pub use explain::{denied_by_hook, model_hint};
pub use guards::{FileVisibility, GuardedNames};
pub use line::{git_only_reads, shows_machine};
pub use mode::{CYCLE, child_mode, child_mode_state, next_in_cycle};
pub use path_pattern::PatternBases;
pub use paths::{
    has_protected_files, is_protected, is_run_or_obeyed, is_secret, protected_places, secret_places,
};
pub use policy::{AgentKind, PermissionPolicy, ProgramFiles, WorkspaceModes, WorkspacePolicy, includes_home};
pub use read_barrier::ReadBarrier;
pub use rule::{Access, HostPattern, Matcher, RULE_TOOLS, Rule, RuleError};
pub use rules::{RuleEntry, RuleFilter, RuleSet};
pub use shell_pattern::ShellPattern;
pub use strip::Strictness;
pub use suggest::ProposedRules;
pub use transition::{
    ModeConditions, ModeNotice, ModeTransition, ModeTrigger, PlanTransition, TransitionError, after_reminder,
    transition,
};
