//! Every key a settings file may have.
//!
//! A key is a row of [`KEYS`]: reading, warnings and `docs/settings.md` follow from it. To add one,
//! add a row, a field to [`crate::Settings`], and, if a project must not set it freely, say so in its
//! `scope` or in [`crate::trust`].

mod compaction;
mod kind;
mod models;
mod planning;
mod sandbox;
mod screen;
mod web;

use forelook_protocol::{Behavior, Source};

pub use compaction::*;
pub use kind::ValueKind;
pub(crate) use kind::may_cycle;
pub use models::*;
pub use planning::*;
pub(crate) use sandbox::SANDBOX;
pub use sandbox::{SANDBOX_ENABLED, SANDBOX_NETWORK, SANDBOX_OUTSIDE, SANDBOX_WRITABLE};
pub use screen::*;
pub use web::*;

/// A key of the settings.
#[derive(Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name, sections joined by dots.
    pub name: &'static str,
    /// What it holds.
    pub kind: ValueKind,
    /// Whose files may hold it.
    pub scope: KeyScope,
    /// What it does.
    pub doc: &'static str,
    /// What holds without it.
    pub default: &'static str,
    /// An example value, as JSON.
    pub example: &'static str,
}

/// Whose files may hold a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyScope {
    /// Every file.
    Anyone,
    /// The person's own file and the administrator's.
    UserAndManaged,
    /// The administrator's alone.
    Managed,
}

impl KeyScope {
    /// Whether a file of this source is among them.
    pub fn includes(self, source: Source) -> bool {
        match self {
            KeyScope::Anyone => true,
            KeyScope::UserAndManaged => matches!(source, Source::UserSettings | Source::PolicySettings),
            KeyScope::Managed => source == Source::PolicySettings,
        }
    }

    /// In words that follow "only".
    pub fn words(self) -> &'static str {
        match self {
            KeyScope::Anyone => "all settings",
            KeyScope::UserAndManaged => {
                "user settings (not project settings, not `--settings`) and managed settings"
            }
            KeyScope::Managed => "managed settings",
        }
    }
}

/// `permissions.defaultMode`
pub const DEFAULT_MODE: Key = Key {
    name: "permissions.defaultMode",
    kind: ValueKind::Mode,
    scope: KeyScope::Anyone,
    doc: "The permission mode in which sessions start. Project files cannot set `auto` or `bypassPermissions`.",
    default: "`default`",
    example: r#""acceptEdits""#,
};

/// `permissions.allow`
pub const ALLOW: Key = Key {
    name: "permissions.allow",
    kind: ValueKind::Rules(Behavior::Allow),
    scope: KeyScope::Anyone,
    doc: "Rules for actions that run without approval. Rules from all files are combined. In project files they have no effect until you trust the folder. A rule can include examples of what it must and must not match; Forelook checks them when it loads the rule, and ignores a rule whose examples fail.",
    default: "none",
    example: r#"["Bash(npm run test:*)", {"rule": "Bash(git log:*)", "match": ["git log -3"], "not_match": ["git logx"]}]"#,
};

/// `permissions.ask`
pub const ASK: Key = Key {
    name: "permissions.ask",
    kind: ValueKind::Rules(Behavior::Ask),
    scope: KeyScope::Anyone,
    doc: "Rules for actions that need your approval even if something else allows them. Rules from all files are combined. If a rule is invalid or its examples fail, Forelook asks about everything that tool does.",
    default: "none",
    example: r#"["Bash(git push:*)"]"#,
};

/// `permissions.deny`
pub const DENY: Key = Key {
    name: "permissions.deny",
    kind: ValueKind::Rules(Behavior::Deny),
    scope: KeyScope::Anyone,
    doc: "Rules for actions that never run; no mode, hook, or other rule overrides them. Rules from all files are combined. If a rule is invalid, Forelook asks about everything that tool does; if its examples fail, it does that and also applies the rule as written.",
    default: "none",
    example: r#"["Read(~/.ssh/**)", "WebFetch(domain:*.example.com)"]"#,
};

/// `permissions.additionalDirectories`
pub const ADDITIONAL_DIRECTORIES: Key = Key {
    name: "permissions.additionalDirectories",
    kind: ValueKind::Folders,
    scope: KeyScope::Anyone,
    doc: "Working directories in addition to the one where the session starts. A path can begin with `~/`; a relative path starts at the project in project files, otherwise at the working directory. A path that leads through a link is ignored if a command or a `git pull` could have made that link: in a working directory, a repository, or a folder where commands could ever write. In project files it has no effect until you trust the folder.",
    default: "none",
    example: r#"["~/notes", "../shared"]"#,
};

/// `permissions.disableBypassPermissionsMode`
pub const DISABLE_BYPASS: Key = Key {
    name: "permissions.disableBypassPermissionsMode",
    kind: ValueKind::Disable,
    scope: KeyScope::Anyone,
    doc: "Disables the `bypassPermissions` mode. Any file can disable it; none can enable it again.",
    default: "not disabled",
    example: r#""disable""#,
};

/// `permissions.managedRulesOnly`
pub const MANAGED_RULES_ONLY: Key = Key {
    name: "permissions.managedRulesOnly",
    kind: ValueKind::Switch,
    scope: KeyScope::Managed,
    doc: "Only rules in managed settings apply; all others are ignored, including deny and ask rules. The same is true for `plan.networkCommands`, `sandbox.network`, `sandbox.writable`, and `sandbox.outside`.",
    default: "`false`",
    example: "true",
};

/// `disableAutoMode`
pub const DISABLE_AUTO: Key = Key {
    name: "disableAutoMode",
    kind: ValueKind::Disable,
    scope: KeyScope::Anyone,
    doc: "Disables the `auto` mode. Any file can disable it; none can enable it again.",
    default: "not disabled",
    example: r#""disable""#,
};

/// `useAutoModeDuringPlan`
pub const AUTO_DURING_PLAN: Key = Key {
    name: "useAutoModeDuringPlan",
    kind: ValueKind::Switch,
    scope: KeyScope::Anyone,
    doc: "Whether the classifier of `auto` mode decides in plan mode about commands that analysis cannot judge. `false` in any file wins.",
    default: "`true`",
    example: "false",
};

/// `modeCycle`
pub const MODE_CYCLE: Key = Key {
    name: "modeCycle",
    kind: ValueKind::Cycle,
    scope: KeyScope::Anyone,
    doc: "The modes that Shift+Tab cycles through, in this order; unavailable modes are skipped. Project files cannot include `auto` or `bypassPermissions`.",
    default: "`default`, `acceptEdits`, `plan`, `bypassPermissions`, `auto`",
    example: r#"["default", "plan"]"#,
};

/// `autoMode.classifyAllShell`
pub const CLASSIFY_ALL_SHELL: Key = Key {
    name: "autoMode.classifyAllShell",
    kind: ValueKind::Switch,
    scope: KeyScope::UserAndManaged,
    doc: "In `auto` mode, ignore allow rules for shell commands: the classifier sees every command that is not known to be read-only. `true` in any file wins.",
    default: "`false`",
    example: "true",
};

/// `hooks`
pub const HOOKS: Key = Key {
    name: "hooks",
    kind: ValueKind::Hooks,
    scope: KeyScope::Anyone,
    doc: "Commands to run on events: for each event, a list of `{\"matcher\": …, \"hooks\": [{\"type\": \"command\", \"command\": …, \"timeout\": seconds, \"failClosed\": true}]}`. Without a matcher, or with `*`, a hook runs for every tool. Hooks from all files are combined. In project files they have no effect until you trust the folder.",
    default: "none",
    example: r#"{"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check.sh", "timeout": 10, "failClosed": true}]}]}"#,
};

/// `env`
pub const ENV: Key = Key {
    name: "env",
    kind: ValueKind::Variables,
    scope: KeyScope::Anyone,
    doc: "Environment variables for the commands that the model runs, merged variable by variable. In project files it has no effect until you trust the folder. Keys of model providers are always left out.",
    default: "none",
    example: r#"{"RUST_BACKTRACE": "1"}"#,
};

/// Every key, in the order of the documentation.
pub const KEYS: &[&Key] = &[
    &DEFAULT_MODE,
    &ALLOW,
    &ASK,
    &DENY,
    &ADDITIONAL_DIRECTORIES,
    &DISABLE_BYPASS,
    &MANAGED_RULES_ONLY,
    &DISABLE_AUTO,
    &AUTO_DURING_PLAN,
    &MODE_CYCLE,
    &CLASSIFY_ALL_SHELL,
    &HOOKS,
    &MODEL_MAIN,
    &MODEL_SMALL,
    &MODEL_PLAN,
    &MODEL_FALLBACK,
    &MODEL_EFFORT,
    &MODEL_THINKING,
    &MODEL_IDLE_TIMEOUT,
    &MODEL_MAX_ANSWERS,
    &MODEL_PROVIDERS,
    &MODEL_KNOWN,
    &KEY_HELPER,
    &KEY_FILE,
    &CERTIFICATES,
    &ALLOW_LOCAL,
    &PLANS_DIRECTORY,
    &EXPLORE_AGENTS,
    &PLAN_AGENTS,
    &PLAN_INTERVIEW,
    &PLAN_LENGTH,
    &PLAN_EAGERNESS,
    &PLAN_TEMPLATE,
    &NETWORK_COMMANDS,
    &SANDBOX_ENABLED,
    &SANDBOX_NETWORK,
    &SANDBOX_WRITABLE,
    &SANDBOX_OUTSIDE,
    &SUBSCRIPTION,
    &MAX_PARALLEL,
    &EXPLORE_MODEL,
    &QUESTION_WAIT,
    &COMPACTION_AUTO,
    &COMPACTION_THRESHOLD,
    &THEME,
    &STATUS_LINE,
    &VI_KEYS,
    &NOTIFICATIONS,
    &ENV,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_no_key_is_a_section() {
        for (at, key) in KEYS.iter().enumerate() {
            for other in &KEYS[at + 1..] {
                assert_ne!(key.name, other.name);
                assert!(!other.name.starts_with(&format!("{}.", key.name)), "{} is a section", key.name);
                assert!(!key.name.starts_with(&format!("{}.", other.name)), "{} is a section", other.name);
            }
        }
    }
}
