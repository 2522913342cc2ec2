//! The keys about planning and agents.

use super::{Key, Kind, Who};
use crate::planning::Subscription;

/// The most agents of a kind that one phase of planning may start.
pub const MOST_PLANNERS: u8 = 10;

/// The most agents that may run at the same time.
pub const MOST_PARALLEL: u8 = 50;

/// What `plan.length` can be, the longest plans first; the first is the default.
pub const LENGTHS: &[&str] = &["control", "trim", "cut", "cap"];

/// What `plan.eagerness` can be; the first is the default.
pub const EAGERNESS: &[&str] = &["eager", "reserved"];

/// The text of `agents.exploreModel` that means the session's model.
pub const INHERIT: &str = "inherit";

/// `plansDirectory`
pub const PLANS_DIRECTORY: Key = Key {
    name: "plansDirectory",
    kind: Kind::Path,
    who: Who::Anyone,
    doc: "The folder in which plans are kept, relative to the project. It must lie inside the project, every link followed; if not, the default is used.",
    default: "`plans` in `~/.forelook` (`FORELOOK_HOME` moves it)",
    example: r#""docs/plans""#,
};

/// `plan.exploreAgents`
pub const EXPLORE_AGENTS: Key = Key {
    name: "plan.exploreAgents",
    kind: Kind::Count { most: MOST_PLANNERS as u16 },
    who: Who::Anyone,
    doc: "How many Explore agents may look around at once while a plan is made. `FORELOOK_PLAN_EXPLORE_AGENT_COUNT` wins over it.",
    default: "`3`",
    example: "5",
};

/// `plan.agents`
pub const PLAN_AGENTS: Key = Key {
    name: "plan.agents",
    kind: Kind::Count { most: MOST_PLANNERS as u16 },
    who: Who::Anyone,
    doc: "How many Plan agents may design at once, each from its own point of view. `FORELOOK_PLAN_AGENT_COUNT` wins over it.",
    default: "`1`, or `3` if `subscription` is `max_20x`, `team` or `enterprise`",
    example: "2",
};

/// `plan.interview`
pub const PLAN_INTERVIEW: Key = Key {
    name: "plan.interview",
    kind: Kind::Switch,
    who: Who::Anyone,
    doc: "Whether a plan is made in conversation with you, question by question, instead of in five phases. `FORELOOK_PLAN_MODE_INTERVIEW_PHASE` wins over it, whether it says yes or no.",
    default: "`false`",
    example: "true",
};

/// `plan.length`
pub const PLAN_LENGTH: Key = Key {
    name: "plan.length",
    kind: Kind::Word(LENGTHS),
    who: Who::Anyone,
    doc: "How short plans are to be: `control` begins with a short context, `trim` has one line of it and one command to verify, `cut` has none and mostly stays under 40 lines, `cap` never goes beyond 40.",
    default: "`control`",
    example: r#""trim""#,
};

/// `plan.eagerness`
pub const PLAN_EAGERNESS: Key = Key {
    name: "plan.eagerness",
    kind: Kind::Word(EAGERNESS),
    who: Who::Anyone,
    doc: "When the model proposes to plan: `eager`, for every task that is not simple; `reserved`, only where the approach is really unclear.",
    default: "`eager`",
    example: r#""reserved""#,
};

/// `plan.template`
pub const PLAN_TEMPLATE: Key = Key {
    name: "plan.template",
    kind: Kind::Path,
    who: Who::Anyone,
    doc: "A Markdown file with the headings that a plan should have. The path starts at the project, or at your home with `~/`. A project's own files may only name one inside the project.",
    default: "none",
    example: r#""docs/plan-template.md""#,
};

/// `plan.networkCommands`
pub const NETWORK_COMMANDS: Key = Key {
    name: "plan.networkCommands",
    kind: Kind::Commands,
    who: Who::Anyone,
    doc: "Commands that only read but need the network, as you declare; they run while planning, with network, with what clients sign in with (such as `~/.kube/config`), and without any write. Patterns are those of `Bash(…)` rules, and each must begin with the whole name of a command. The lists of all files add up. In a project's own files it does nothing until the folder is trusted.",
    default: "none",
    example: r#"["gh pr view:*", "kubectl get:*"]"#,
};

/// `subscription`
pub const SUBSCRIPTION: Key = Key {
    name: "subscription",
    kind: Kind::Word(Subscription::NAMES),
    who: Who::UserAndManaged,
    doc: "The subscription that you pay with: how many Plan agents may work at once follows from it.",
    default: "none",
    example: r#""max_20x""#,
};

/// `agents.maxParallel`
pub const MAX_PARALLEL: Key = Key {
    name: "agents.maxParallel",
    kind: Kind::Count { most: MOST_PARALLEL as u16 },
    who: Who::Anyone,
    doc: "How many agents may run at the same time; further ones wait for their turn.",
    default: "`10`",
    example: "4",
};

/// `agents.exploreModel`
pub const EXPLORE_MODEL: Key = Key {
    name: "agents.exploreModel",
    kind: Kind::Text,
    who: Who::Anyone,
    doc: "The model of Explore agents, as `provider/name`; `inherit` means the session's. In a project's own files it does nothing until the folder is trusted.",
    default: "`model.small`",
    example: r#""inherit""#,
};

/// The longest that a question may wait: a week.
const LONGEST_WAIT: u16 = 7 * 24 * 60;

/// `questions.waitMinutes`
pub const QUESTION_WAIT: Key = Key {
    name: "questions.waitMinutes",
    kind: Kind::Count { most: LONGEST_WAIT },
    who: Who::Anyone,
    doc: "How many minutes a question waits while no front end is attached that could show it. Then it is closed unanswered, which is never a yes.",
    default: "`60`",
    example: "240",
};
