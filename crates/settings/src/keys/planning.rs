//! The keys about planning and agents.

use super::{Key, KeyScope, ValueKind};
use crate::planning::Subscription;

/// The most agents of a kind that one phase of planning may start.
pub const MAX_PLANNERS: u8 = 10;

/// The most agents that may run at the same time.
pub const MAX_PARALLEL_LIMIT: u8 = 50;

/// What `plan.length` can be, the longest plans first; the first is the default.
pub const LENGTHS: &[&str] = &["control", "trim", "cut", "cap"];

/// What `plan.eagerness` can be; the first is the default.
pub const EAGERNESS: &[&str] = &["eager", "reserved"];

/// The text of `agents.exploreModel` that means the session's model.
pub const INHERIT: &str = "inherit";

/// `plansDirectory`
pub const PLANS_DIRECTORY: Key = Key {
    name: "plansDirectory",
    kind: ValueKind::Path,
    scope: KeyScope::Anyone,
    doc: "The folder where plans are saved, relative to the project. It must be inside the project after resolving symlinks, and not in a folder whose files decide what runs later, such as `.github/workflows`; otherwise the default is used.",
    default: "`plans` in `~/.forelook` (`FORELOOK_HOME` moves it)",
    example: r#""docs/plans""#,
};

/// `plan.exploreAgents`
pub const EXPLORE_AGENTS: Key = Key {
    name: "plan.exploreAgents",
    kind: ValueKind::Count { max: MAX_PLANNERS as u16 },
    scope: KeyScope::Anyone,
    doc: "How many Explore agents can run at once while planning. `FORELOOK_PLAN_EXPLORE_AGENT_COUNT` overrides it.",
    default: "`3`",
    example: "5",
};

/// `plan.agents`
pub const PLAN_AGENTS: Key = Key {
    name: "plan.agents",
    kind: ValueKind::Count { max: MAX_PLANNERS as u16 },
    scope: KeyScope::Anyone,
    doc: "How many Plan agents can run at once, each with its own perspective. `FORELOOK_PLAN_AGENT_COUNT` overrides it.",
    default: "`1`, or `3` if `subscription` is `max_20x`, `team`, or `enterprise`",
    example: "2",
};

/// `plan.interview`
pub const PLAN_INTERVIEW: Key = Key {
    name: "plan.interview",
    kind: ValueKind::Switch,
    scope: KeyScope::Anyone,
    doc: "Whether the model develops the plan in conversation with you, question by question, instead of in five phases. `FORELOOK_PLAN_MODE_INTERVIEW_PHASE` overrides it in both directions.",
    default: "`false`",
    example: "true",
};

/// `plan.length`
pub const PLAN_LENGTH: Key = Key {
    name: "plan.length",
    kind: ValueKind::Word(LENGTHS),
    scope: KeyScope::Anyone,
    doc: "How long plans should be: `control` starts with a short context section; `trim` has one line of context and one verification command; `cut` has no context and usually fewer than 40 lines; `cap` has at most 40 lines.",
    default: "`control`",
    example: r#""trim""#,
};

/// `plan.eagerness`
pub const PLAN_EAGERNESS: Key = Key {
    name: "plan.eagerness",
    kind: ValueKind::Word(EAGERNESS),
    scope: KeyScope::Anyone,
    doc: "When the model suggests planning: `eager`, for every task that is not simple; `reserved`, only when the approach is unclear.",
    default: "`eager`",
    example: r#""reserved""#,
};

/// `plan.template`
pub const PLAN_TEMPLATE: Key = Key {
    name: "plan.template",
    kind: ValueKind::Path,
    scope: KeyScope::Anyone,
    doc: "A Markdown file with the headings that plans should have. The path is relative to the project, or to your home folder with `~/`. Project files can only name a file inside the project.",
    default: "none",
    example: r#""docs/plan-template.md""#,
};

/// `plan.networkCommands`
pub const NETWORK_COMMANDS: Key = Key {
    name: "plan.networkCommands",
    kind: ValueKind::Commands,
    scope: KeyScope::Anyone,
    doc: "Commands that you declare to be read-only but that need the network. They run in plan mode with network access and with the credentials of their clients (such as `~/.kube/config`), but cannot write. Patterns are the same as in `Bash(…)` rules, and each must begin with a full command name. Lists from all files are combined. In project files it has no effect until you trust the folder.",
    default: "none",
    example: r#"["gh pr view:*", "kubectl get:*"]"#,
};

/// `subscription`
pub const SUBSCRIPTION: Key = Key {
    name: "subscription",
    kind: ValueKind::Word(Subscription::NAMES),
    scope: KeyScope::UserAndManaged,
    doc: "Your subscription. It determines how many Plan agents can run at once.",
    default: "none",
    example: r#""max_20x""#,
};

/// `agents.maxParallel`
pub const MAX_PARALLEL: Key = Key {
    name: "agents.maxParallel",
    kind: ValueKind::Count { max: MAX_PARALLEL_LIMIT as u16 },
    scope: KeyScope::Anyone,
    doc: "How many subagents can run at the same time; the others wait.",
    default: "`10`",
    example: "4",
};

/// `agents.exploreModel`
pub const EXPLORE_MODEL: Key = Key {
    name: "agents.exploreModel",
    kind: ValueKind::Text,
    scope: KeyScope::Anyone,
    doc: "The model of Explore agents, as `provider/name`; `inherit` means the session's model. In project files it has no effect until you trust the folder.",
    default: "`model.small`",
    example: r#""inherit""#,
};

/// The longest that a question may wait: a week.
const MAX_WAIT_MINUTES: u16 = 7 * 24 * 60;

/// `questions.waitMinutes`
pub const QUESTION_WAIT: Key = Key {
    name: "questions.waitMinutes",
    kind: ValueKind::Count { max: MAX_WAIT_MINUTES },
    scope: KeyScope::Anyone,
    doc: "How many minutes a question waits while no front end is attached to show it. After that it is closed without an answer, which never counts as approval.",
    default: "`60`",
    example: "240",
};
