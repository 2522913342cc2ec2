//! May this be done, why, and what mode are we in. Pure: no files, no clock, no runtime.
//!
//! - `decide.rs`: the order of the decision, numbered;
//! - `plan_gate.rs`: what plan mode allows, row by row, and all that anybody else asks about that; `walls.rs`: what no mode and no rule lets through;
//! - `confine.rs`: what the kernel holds it to; `guards.rs`: what it hides;
//! - `rule.rs`, `shell_pattern.rs`, `path_pattern.rs`: the grammar of rules; `rules.rs`: looking them up;
//! - `transition.rs`: every change of mode; `mode.rs`: the cycle and the width; `breaker.rs`: the gate of auto mode;
//!   `strip.rs`: rules that would take the judgement from the classifier;
//! - `explain.rs`: every sentence of a refusal.

mod breaker;
mod case;
mod confine;
mod decide;
mod explain;
mod file_rules;
mod guards;
mod line;
mod mode;
mod path_pattern;
mod paths;
pub mod plan_gate;
mod policy;
mod rule;
mod rules;
mod shell_pattern;
mod strip;
mod transition;
mod walls;

pub use breaker::{DENIALS_IN_A_ROW, DENIALS_IN_ALL, Denials, GateClosed, GateInputs};
pub use decide::{Explanation, decide, explain_decision};
pub use guards::Hidden;
pub use line::git_only_reads;
pub use mode::{CYCLE, for_child, narrowed, next_in_cycle};
pub use path_pattern::Bases;
pub use paths::is_protected;
pub use policy::{AgentKind, Kernel, OwnFiles, Policy, Workspace, works_at_home};
pub use rule::{Access, HostPattern, Matcher, Rule, RuleError};
pub use rules::{Counting, RuleEntry, RuleSet};
pub use shell_pattern::ShellPattern;
pub use strip::Strictness;
pub use transition::{Change, Changed, Conditions, NotChanged, Said, Turning, reminded, transition};
