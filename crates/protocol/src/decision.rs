//! Decisions about actions, and the reasons for them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{AbsPath, Behavior, Confinement, Mode, SandboxSupport, Source};

/// The decision about an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "verdict", content = "reason", rename_all = "snake_case")]
pub enum Decision {
    /// It may run.
    Allow(Reason),
    /// The user decides.
    Ask(Reason),
    /// It does not run.
    Deny(Reason),
    /// The classifier decides.
    Classify(Reason),
    /// These facts are needed before it can be decided.
    #[serde(skip)]
    NeedFacts(BTreeSet<Fact>),
}

/// The reason for a decision, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// The step that decided.
    pub step: DecisionStep,
    /// The reason as text.
    pub text: String,
    /// The rule that decided, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Box<RuleOrigin>>,
    /// What else speaks against it, the worst first. The text above is worse than all of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// Rules that together would allow it; none if no rule would. Journals of earlier versions have one, as a text.
    #[serde(
        default,
        alias = "suggested_rule",
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "one_or_several_rules"
    )]
    #[schemars(with = "Vec<SuggestedRule>")]
    pub suggested_rules: Vec<SuggestedRule>,
    /// A mode that would allow it, and that the user can switch to with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_mode: Option<Mode>,
    /// How the kernel confines it if it runs, including after approval.
    #[serde(default, skip_serializing_if = "Confinement::is_off")]
    pub sandbox: Confinement,
}

impl Reason {
    /// A reason without a rule and without confinement.
    pub fn new(step: DecisionStep, text: impl Into<String>) -> Self {
        Self {
            step,
            text: text.into(),
            rule: None,
            others: Vec::new(),
            suggested_rules: Vec::new(),
            suggested_mode: None,
            sandbox: Confinement::Off,
        }
    }
}

/// A rule that is offered with a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestedRule {
    /// The rule, as written.
    pub rule: String,
    /// What it was made from: a command, a path, a host, or a name that it matches. Absent if that is all that it matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

impl From<&str> for SuggestedRule {
    fn from(rule: &str) -> Self {
        Self { rule: rule.to_owned(), example: None }
    }
}

fn one_or_several_rules<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SuggestedRule>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrSeveral {
        None(()),
        One(String),
        Several(Vec<SuggestedRule>),
    }
    Ok(match OneOrSeveral::deserialize(deserializer)? {
        OneOrSeveral::None(()) => Vec::new(),
        OneOrSeveral::One(rule) => vec![SuggestedRule { rule, example: None }],
        OneOrSeveral::Several(rules) => rules,
    })
}

/// A rule and where it is defined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleOrigin {
    /// The rule, as written.
    pub rule: String,
    /// Whether it allows, asks, or denies.
    pub behavior: Behavior,
    /// The settings source it comes from.
    pub source: Source,
    /// The file it is defined in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<AbsPath>,
    /// The line it is defined on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

impl fmt::Display for RuleOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}` ({}", self.behavior, self.rule, self.source)?;
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, ", {file}:{line})"),
            (Some(file), None) => write!(f, ", {file})"),
            (None, _) => write!(f, ")"),
        }
    }
}

/// The steps of a decision, in order. `permissions/src/decide.rs` explains each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecisionStep {
    /// 1. The input matches the tool's schema.
    Schema,
    /// 2. A deny rule, or a hook that denies.
    DenyRule,
    /// 3. Plan mode, and read-only agents.
    PlanGate,
    /// 4. A wall.
    Wall,
    /// 5. The tool needs the user in every mode.
    NeedsPerson,
    /// 6. An ask rule, or a hook that asks.
    AskRule,
    /// 7. `bypassPermissions`.
    Bypass,
    /// 8. An allow rule, or a hook that allows.
    AllowRule,
    /// 9. `acceptEdits`, and edits in `auto`.
    AcceptEdits,
    /// 10. The action is read-only.
    ReadOnly,
    /// 11. The classifier.
    Classifier,
    /// 12. Everything else.
    Fallback,
}

impl DecisionStep {
    /// All steps, in order.
    pub const ALL: [DecisionStep; 12] = [
        DecisionStep::Schema,
        DecisionStep::DenyRule,
        DecisionStep::PlanGate,
        DecisionStep::Wall,
        DecisionStep::NeedsPerson,
        DecisionStep::AskRule,
        DecisionStep::Bypass,
        DecisionStep::AllowRule,
        DecisionStep::AcceptEdits,
        DecisionStep::ReadOnly,
        DecisionStep::Classifier,
        DecisionStep::Fallback,
    ];

    /// Its number, starting at 1.
    pub fn number(self) -> usize {
        DecisionStep::ALL.iter().position(|step| *step == self).unwrap_or_default() + 1
    }

    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            DecisionStep::Schema => "input schema",
            DecisionStep::DenyRule => "deny rules",
            DecisionStep::PlanGate => "plan gate",
            DecisionStep::Wall => "walls",
            DecisionStep::NeedsPerson => "needs the user",
            DecisionStep::AskRule => "ask rules",
            DecisionStep::Bypass => "bypass mode",
            DecisionStep::AllowRule => "allow rules",
            DecisionStep::AcceptEdits => "accepted edits",
            DecisionStep::ReadOnly => "read-only",
            DecisionStep::Classifier => "classifier",
            DecisionStep::Fallback => "everything else",
        }
    }
}

/// A fact from outside the request that a decision depends on. The engine finds it out; the decision only asks for it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact {
    /// The path with all links resolved.
    RealPath(AbsPath),
    /// Whether configuration in this folder can make a read-only command of this tool run code.
    FolderConfig(ConfigKind, AbsPath),
    /// Whether the git work tree of this folder has uncommitted changes.
    Uncommitted(AbsPath),
    /// Whether all that git could run in this folder is the user's own, as it was when the session began.
    GitRuns(AbsPath),
    /// Whether this decides what git runs: it lies in a folder that git takes for a repository's own, or would once this is
    /// there; or a repository's configuration includes it.
    GovernsGit(AbsPath),
    /// What the kernel can enforce here. Whether it supports overlays takes a try on the disk, so that is asked for apart.
    Sandbox {
        /// Whether to try an overlay too.
        overlay: bool,
    },
}

/// Programs that read configuration from the folder they run in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConfigKind {
    /// `.git/config` and attributes: filters, textconv, external diff.
    Git,
    /// `.cargo/config.toml`.
    Cargo,
    /// `.npmrc`.
    Npm,
    /// `go.work`, `go.mod`.
    Go,
    /// `pip.conf`, `pyproject.toml`.
    Python,
    /// The makefile itself.
    Make,
    /// The Docker context.
    Docker,
    /// The file that a relative `RIPGREP_CONFIG_PATH` names.
    Ripgrep,
}

/// The known facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Paths with all links resolved.
    pub real: BTreeMap<AbsPath, AbsPath>,
    /// What in a folder's configuration can run code; `None` if nothing can.
    pub config: BTreeMap<(ConfigKind, AbsPath), Option<String>>,
    /// Whether there are uncommitted changes.
    pub uncommitted: BTreeMap<AbsPath, bool>,
    /// What git could run in a folder that is not known to be the user's own; `None` if there is nothing like that.
    pub git_runs: BTreeMap<AbsPath, Option<String>>,
    /// Whether what is at a path decides what git runs, whatever it is called.
    pub governs_git: BTreeMap<AbsPath, bool>,
    /// What the kernel can enforce.
    pub sandbox: Option<SandboxSupport>,
    /// The decision of the user's hooks about this call.
    pub hook: Option<HookDecision>,
}

/// The decision of hooks about a call, strictest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "why", rename_all = "snake_case")]
pub enum HookDecision {
    /// It must not run.
    Deny(String),
    /// The user must approve it.
    Ask(String),
    /// The hook has no objection. This overrides nothing before step 8.
    Allow(String),
}
