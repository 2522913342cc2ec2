//! What is decided about an action, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AbsPath, Behavior, Confinement, Source};

/// What is decided about an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "verdict", content = "reason", rename_all = "snake_case")]
pub enum Decision {
    /// It may run.
    Allow(Reason),
    /// A person decides.
    Ask(Reason),
    /// It does not run.
    Deny(Reason),
    /// The classifier decides.
    Judge(Reason),
    /// It cannot be decided before these facts are known.
    #[serde(skip)]
    Need(BTreeSet<Fact>),
}

/// Why, and who said so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// The step of the decision that spoke.
    pub step: Step,
    /// In words, for whoever reads the refusal.
    pub text: String,
    /// The rule that spoke, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Box<RuleOrigin>>,
    /// A rule that would allow it, for whoever wants to write one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would_allow: Option<String>,
    /// What the kernel holds it to, if it runs: also after a person's yes.
    #[serde(default, skip_serializing_if = "Confinement::is_off")]
    pub within: Confinement,
}

impl Reason {
    /// What a step says, by no rule, about something that nothing confines.
    pub fn new(step: Step, text: impl Into<String>) -> Self {
        Self { step, text: text.into(), rule: None, would_allow: None, within: Confinement::Off }
    }
}

/// A rule and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleOrigin {
    /// As it was written.
    pub rule: String,
    /// What it says.
    pub behavior: Behavior,
    /// Who said it.
    pub source: Source,
    /// In which file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<AbsPath>,
    /// On which line.
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

/// The steps of the decision, in their order. `permissions/src/decide.rs` says what each means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// 1. The input fits the tool's schema.
    Schema,
    /// 2. A deny rule, or a hook that denies.
    DenyRule,
    /// 3. The table of plan mode, for planning and for read-only agents.
    PlanGate,
    /// 4. A wall.
    Wall,
    /// 5. The tool needs a person, whatever the mode.
    NeedsPerson,
    /// 6. An ask rule, or a hook that asks.
    AskRule,
    /// 7. `bypassPermissions`.
    Bypass,
    /// 8. An allow rule, or a hook that allows.
    AllowRule,
    /// 9. `acceptEdits`, and edits under `auto`.
    AcceptEdits,
    /// 10. It only reads.
    ReadOnly,
    /// 11. The classifier.
    Classifier,
    /// 12. Nothing above spoke.
    Rest,
}

impl Step {
    /// All steps, in order.
    pub const ALL: [Step; 12] = [
        Step::Schema,
        Step::DenyRule,
        Step::PlanGate,
        Step::Wall,
        Step::NeedsPerson,
        Step::AskRule,
        Step::Bypass,
        Step::AllowRule,
        Step::AcceptEdits,
        Step::ReadOnly,
        Step::Classifier,
        Step::Rest,
    ];

    /// Its number, from 1.
    pub fn number(self) -> usize {
        Step::ALL.iter().position(|step| *step == self).unwrap_or_default() + 1
    }

    /// A few words for it.
    pub fn name(self) -> &'static str {
        match self {
            Step::Schema => "input fits the schema",
            Step::DenyRule => "deny rules",
            Step::PlanGate => "plan gate",
            Step::Wall => "walls",
            Step::NeedsPerson => "needs a person",
            Step::AskRule => "ask rules",
            Step::Bypass => "bypass mode",
            Step::AllowRule => "allow rules",
            Step::AcceptEdits => "accepted edits",
            Step::ReadOnly => "only reads",
            Step::Classifier => "classifier",
            Step::Rest => "everything else",
        }
    }
}

/// Something outside of the text that a decision depends on. The engine finds it out; a decision only asks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact {
    /// Where this path leads when every link is followed.
    RealPath(AbsPath),
    /// Whether configuration that this folder's owner wrote can make a read-only command of this tool run code.
    FolderConfig(ConfigKind, AbsPath),
    /// Whether the git work tree of this folder has changes that are not committed.
    Uncommitted(AbsPath),
}

/// Programs that take configuration from the folder they run in.
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
    /// Docker's context.
    Docker,
}

/// Facts that were found out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Where paths lead.
    pub real: BTreeMap<AbsPath, AbsPath>,
    /// What in a folder's configuration can run code; nothing if it cannot.
    pub config: BTreeMap<(ConfigKind, AbsPath), Option<String>>,
    /// Whether there are uncommitted changes.
    pub uncommitted: BTreeMap<AbsPath, bool>,
    /// What the person's hooks said of this call.
    pub hook: Option<HookSays>,
}

/// What hooks said of a call, the strictest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "why", rename_all = "snake_case")]
pub enum HookSays {
    /// It must not run.
    Deny(String),
    /// A person must say yes.
    Ask(String),
    /// It may run, as far as the hook is concerned. Lifts nothing above step 8.
    Allow(String),
}
