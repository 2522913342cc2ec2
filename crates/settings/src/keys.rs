//! Every key a settings file may have.
//!
//! A key is a row of [`KEYS`]: reading, warnings and `docs/settings.md` follow from it. To add one,
//! add a row, a field to [`crate::Settings`], and, if a project must not set it freely, say so in its
//! `who` or in [`crate::trust`].

mod kind;
mod models;
mod planning;
mod sandbox;
mod screen;
mod web;

use forelook_protocol::{Behavior, Source};

pub use kind::Kind;
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
    pub kind: Kind,
    /// Whose files may hold it.
    pub who: Who,
    /// What it does.
    pub doc: &'static str,
    /// What holds without it.
    pub default: &'static str,
    /// An example value, as JSON.
    pub example: &'static str,
}

/// Whose files may hold a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Every file.
    Anyone,
    /// The person's own file and the administrator's.
    UserAndManaged,
    /// The administrator's alone.
    Managed,
}

impl Who {
    /// Whether a file of this source is among them.
    pub fn includes(self, source: Source) -> bool {
        match self {
            Who::Anyone => true,
            Who::UserAndManaged => matches!(source, Source::UserSettings | Source::PolicySettings),
            Who::Managed => source == Source::PolicySettings,
        }
    }

    /// In words that follow "only".
    pub fn words(self) -> &'static str {
        match self {
            Who::Anyone => "any settings",
            Who::UserAndManaged => "your own settings (not a project's, not `--settings`) and managed ones",
            Who::Managed => "managed settings",
        }
    }
}

/// `permissions.defaultMode`
pub const DEFAULT_MODE: Key = Key {
    name: "permissions.defaultMode",
    kind: Kind::Mode,
    who: Who::Anyone,
    doc: "The permission mode in which a session starts. A project's own files may not set `auto` or `bypassPermissions`.",
    default: "`default`",
    example: r#""acceptEdits""#,
};

/// `permissions.allow`
pub const ALLOW: Key = Key {
    name: "permissions.allow",
    kind: Kind::Rules(Behavior::Allow),
    who: Who::Anyone,
    doc: "What runs without being asked about. The rules of all files add up. In a project's own files they do nothing until the folder is trusted. A rule may carry examples of what it must and must not match; they are checked when it is loaded, and a rule whose examples fail does not count.",
    default: "none",
    example: r#"["Bash(npm run test:*)", {"rule": "Bash(git log:*)", "match": ["git log -3"], "not_match": ["git logx"]}]"#,
};

/// `permissions.ask`
pub const ASK: Key = Key {
    name: "permissions.ask",
    kind: Kind::Rules(Behavior::Ask),
    who: Who::Anyone,
    doc: "What is asked about, whatever else allows it. The rules of all files add up. In place of a rule that cannot be read, or whose examples fail, everything that its tool does is asked about.",
    default: "none",
    example: r#"["Bash(git push:*)"]"#,
};

/// `permissions.deny`
pub const DENY: Key = Key {
    name: "permissions.deny",
    kind: Kind::Rules(Behavior::Deny),
    who: Who::Anyone,
    doc: "What never runs: no mode, hook or other rule lifts it. The rules of all files add up. In place of a rule that cannot be read everything that its tool does is asked about; one whose examples fail holds as it is written besides.",
    default: "none",
    example: r#"["Read(~/.ssh/**)", "WebFetch(domain:*.example.com)"]"#,
};

/// `permissions.additionalDirectories`
pub const ADDITIONAL_DIRECTORIES: Key = Key {
    name: "permissions.additionalDirectories",
    kind: Kind::Folders,
    who: Who::Anyone,
    doc: "Folders to work in besides the one the session starts in. A path may begin with `~/`; a relative one starts at the project in a project's own files, else at the working folder. In a project's own files it does nothing until the folder is trusted.",
    default: "none",
    example: r#"["~/notes", "../shared"]"#,
};

/// `permissions.disableBypassPermissionsMode`
pub const DISABLE_BYPASS: Key = Key {
    name: "permissions.disableBypassPermissionsMode",
    kind: Kind::Disable,
    who: Who::Anyone,
    doc: "Takes the mode `bypassPermissions` away. Any file can; none can give it back.",
    default: "not disabled",
    example: r#""disable""#,
};

/// `permissions.managedRulesOnly`
pub const MANAGED_RULES_ONLY: Key = Key {
    name: "permissions.managedRulesOnly",
    kind: Kind::Switch,
    who: Who::Managed,
    doc: "Rules count only if they stand in managed settings; everybody else's, strict ones too, do nothing. The same holds for `plan.networkCommands`, `sandbox.network`, `sandbox.writable` and `sandbox.outside`.",
    default: "`false`",
    example: "true",
};

/// `disableAutoMode`
pub const DISABLE_AUTO: Key = Key {
    name: "disableAutoMode",
    kind: Kind::Disable,
    who: Who::Anyone,
    doc: "Takes the mode `auto` away. Any file can; none can give it back.",
    default: "not disabled",
    example: r#""disable""#,
};

/// `useAutoModeDuringPlan`
pub const AUTO_DURING_PLAN: Key = Key {
    name: "useAutoModeDuringPlan",
    kind: Kind::Switch,
    who: Who::Anyone,
    doc: "Whether the classifier of auto mode judges during planning what analysis cannot. `false` in any file wins.",
    default: "`true`",
    example: "false",
};

/// `modeCycle`
pub const MODE_CYCLE: Key = Key {
    name: "modeCycle",
    kind: Kind::Cycle,
    who: Who::Anyone,
    doc: "The modes that Shift+Tab goes through, in this order; those that are not available are passed over. A project's own files may not name `auto` or `bypassPermissions`.",
    default: "`default`, `acceptEdits`, `plan`, `bypassPermissions`, `auto`",
    example: r#"["default", "plan"]"#,
};

/// `autoMode.classifyAllShell`
pub const CLASSIFY_ALL_SHELL: Key = Key {
    name: "autoMode.classifyAllShell",
    kind: Kind::Switch,
    who: Who::UserAndManaged,
    doc: "In auto mode, no allow rule for a shell counts: the classifier sees every command that is not known to be read-only. `true` in any file wins.",
    default: "`false`",
    example: "true",
};

/// `hooks`
pub const HOOKS: Key = Key {
    name: "hooks",
    kind: Kind::Hooks,
    who: Who::Anyone,
    doc: "Commands to run when something happens: for each event a list of `{\"matcher\": …, \"hooks\": [{\"type\": \"command\", \"command\": …, \"timeout\": seconds, \"failClosed\": true}]}`. Without a matcher, or with `*`, a hook is for every tool. The hooks of all files add up. In a project's own files they do nothing until the folder is trusted.",
    default: "none",
    example: r#"{"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check.sh", "timeout": 10, "failClosed": true}]}]}"#,
};

/// `env`
pub const ENV: Key = Key {
    name: "env",
    kind: Kind::Variables,
    who: Who::Anyone,
    doc: "Environment variables for the commands that the model runs. Merged variable by variable. In a project's own files it does nothing until the folder is trusted; keys of model providers are left out always.",
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
    &MODEL_SILENCE,
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
