//! What a settings file cannot do.
//!
//! A project's own files (`.forelook/settings.json` and `.forelook/settings.local.json`; a clone can bring both) are
//! untrusted text. In this order:
//!
//! 1. No file sets a key outside of its scope ([`crate::keys::KeyScope`]): a project never sets `autoMode.*`, and never
//!    says where a provider's key comes from or goes to.
//! 2. A project never sets the modes `auto` and `bypassPermissions`, and never puts them in the cycle, trusted or not.
//! 3. Until the user trusts the folder, it sets no mode wider than `default`, and its allow rules, additional working
//!    directories, hooks, `statusLine`, `plan.networkCommands`, `sandbox.*` and `env` have no effect: each can choose what
//!    runs. The same is true for its models: the user's words would go to a party that they did not choose, at their
//!    expense. Its deny and ask rules apply at once.
//! 4. A project never turns off the fence (`sandbox.enabled`), trusted or not.
//! 5. No file, whatever its source, passes a provider's key to a child process.
//!
//! [`crate::TrustStore`] remembers the trusted folders.

use std::ffi::OsStr;

use forelook_protocol::{Behavior, Mode, Notice, NoticeLevel, Source};
use forelook_sandbox::is_secret_name;

use crate::file::Origin;
use crate::keys::{
    ENV, EXPLORE_MODEL, INHERIT, Key, MODEL_FALLBACK, MODEL_MAIN, MODEL_PLAN, MODEL_SMALL, ValueKind,
};
use crate::layers::{Layer, SettingEntry};
use crate::load::ProjectTrust;
use crate::project_contents::PowerKind;
use crate::sandbox;
use crate::sanitize::sanitized;
use crate::values::Value;

/// The keys that name a model.
const MODEL_KEYS: [&Key; 5] = [&MODEL_MAIN, &MODEL_SMALL, &MODEL_PLAN, &MODEL_FALLBACK, &EXPLORE_MODEL];

/// Whether a key names a model.
pub(crate) fn is_model_key(key: &Key) -> bool {
    MODEL_KEYS.contains(&key)
}

/// Whether the person trusts the project's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Nobody has said so.
    NotYet,
    /// The person said so.
    Trusted,
}

/// What of a project waits until the person trusts its folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PendingTrust {
    /// How many allow rules.
    pub allow_rules: usize,
    /// How many additional directories.
    pub directories: usize,
    /// How many hooks.
    pub hooks: usize,
    /// How many patterns of commands that may use the network while planning.
    pub network_commands: usize,
    /// How many environment variables.
    pub variables: usize,
    /// How many models are named.
    pub models: usize,
    /// How many status lines.
    pub status_lines: usize,
    /// How many settings of the fence.
    pub sandbox: usize,
}

impl PendingTrust {
    /// Nothing waits: whether the folder is trusted makes no difference.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// How many of what, in words; nothing if nothing waits.
    pub fn words(&self) -> Option<String> {
        let counts = [
            (self.allow_rules, "allow rule", "allow rules"),
            (self.directories, "additional working directory", "additional working directories"),
            (self.hooks, "hook", "hooks"),
            (self.network_commands, "network command", "network commands"),
            (self.variables, "variable", "variables"),
            (self.models, "model", "models"),
            (self.status_lines, "status line", "status lines"),
            (self.sandbox, "sandbox setting", "sandbox settings"),
        ];
        let mut words: Vec<String> = counts
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
            .collect();
        let last = words.pop()?;
        Some(match words.as_slice() {
            [] => last,
            [one] => format!("{one} and {last}"),
            several => format!("{}, and {last}", several.join(", ")),
        })
    }

    /// The one notice for all that waits.
    pub(crate) fn notice(&self) -> Option<Notice> {
        let text = format!(
            "Until you trust this folder, Forelook ignores {} in this project's settings\n\
             Its deny and ask rules already apply; put rules that you need now in your user settings",
            self.words()?
        );
        Some(Notice { level: NoticeLevel::Info, text })
    }

    /// Counts it, if it is something that waits.
    fn count_pending(&mut self, found: &SettingEntry) -> bool {
        let (count, many) = match (&found.value, found.key.kind) {
            _ if sandbox::is_sandbox_key(found.key) => (&mut self.sandbox, 1),
            (Value::Rules(rules), ValueKind::Rules(Behavior::Allow)) => (&mut self.allow_rules, rules.len()),
            (Value::Folders(folders), _) => (&mut self.directories, folders.len()),
            (Value::StatusLine(_), _) => (&mut self.status_lines, 1),
            (Value::Hooks(hooks), _) => (&mut self.hooks, hooks.len()),
            (Value::Commands(commands), _) => (&mut self.network_commands, commands.len()),
            (Value::Variables(variables), _) => (&mut self.variables, variables.len()),
            (Value::Text(name), _) if MODEL_KEYS.contains(&found.key) && name.trim() != INHERIT => {
                (&mut self.models, 1)
            }
            _ => return false,
        };
        *count += many;
        true
    }
}

/// Takes out of a layer what it may not say; the notices tell the person, what waits is counted.
pub(crate) fn filter_untrusted(
    layer: &mut Layer,
    origin: &Origin,
    project_trust: &ProjectTrust,
    pending_trust: &mut PendingTrust,
) -> Vec<Notice> {
    let mut notices = Vec::new();
    let source = layer.source;
    let stranger = matches!(source, Source::ProjectSettings | Source::LocalSettings);
    let waits = stranger && project_trust.trust == Trust::NotYet;
    // What the person saved here is theirs, item by item, whatever becomes of the rest.
    let own: Vec<SettingEntry> = match waits {
        true => layer.found.iter_mut().filter_map(|found| project_trust.own.take_from(found)).collect(),
        false => Vec::new(),
    };
    layer.found.retain(|found| {
        let refusal = wrong_scope(found, source, origin)
            .or_else(|| stranger.then(|| too_permissive(found, origin, project_trust)).flatten());
        let keep = refusal.is_none() && !(waits && pending_trust.count_pending(found));
        notices.extend(refusal);
        keep
    });
    layer.found.extend(own);
    for found in &mut layer.found {
        if let Value::Variables(variables) = &mut found.value {
            variables.retain(|variable| {
                let key = is_secret_name(OsStr::new(&variable.name));
                if key {
                    notices.push(warning(format!(
                        "Setting `{}.{}` in `{origin}:{}` was ignored: Forelook never passes keys to child processes\nRemove it",
                        ENV.name, sanitized(&variable.name), variable.line
                    )));
                }
                !key
            });
        }
    }
    notices
}

fn wrong_scope(found: &SettingEntry, source: Source, origin: &Origin) -> Option<Notice> {
    let (key, line) = (found.key, found.line);
    (!key.scope.includes(source)).then(|| {
        warning(format!(
            "Setting `{}` in `{origin}:{line}` was ignored: it is valid only in {}\nMove it there or remove it",
            key.name,
            key.scope.words()
        ))
    })
}

fn too_permissive(found: &SettingEntry, origin: &Origin, project_trust: &ProjectTrust) -> Option<Notice> {
    let ProjectTrust { trust, own } = project_trust;
    let (name, line) = (found.key.name, found.line);
    let is_auto_allowed = |mode: &Mode| matches!(mode, Mode::Auto | Mode::BypassPermissions);
    match &found.value {
        Value::Mode(mode) if is_auto_allowed(mode) => Some(warning(format!(
            "Setting `{name}` in `{origin}:{line}` was ignored: a project cannot choose the mode `{mode}`\n\
             Set it in your user settings or start with `--permission-mode {mode}`"
        ))),
        // A clone that says `acceptEdits` of itself would run its own commands unasked.
        Value::Mode(mode)
            if *trust == Trust::NotYet && *mode > Mode::Default && !own.has(PowerKind::Mode, mode.name()) =>
        {
            Some(warning(format!(
            "Setting `{name}` in `{origin}:{line}` was ignored: an untrusted folder cannot choose the mode `{mode}`\n\
             Set it in your user settings or start with `--permission-mode {mode}`"
            )))
        }
        // One press of a key should not lead where the project wants to be.
        Value::Cycle(modes) => modes.iter().find(|mode| is_auto_allowed(mode)).map(|mode| {
            warning(format!(
                "Setting `{name}` in `{origin}:{line}` was ignored: a project cannot include the mode `{mode}`\n\
                 Set it in your user settings"
            ))
        }),
        _ => sandbox::disables_fence(found, origin),
    }
}

fn warning(text: String) -> Notice {
    Notice { level: NoticeLevel::Warning, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::Examples;
    use crate::keys::{
        ADDITIONAL_DIRECTORIES, ALLOW, ALLOW_LOCAL, ASK, CLASSIFY_ALL_SHELL, DEFAULT_MODE, DENY, HOOKS,
        KEY_FILE, KEY_HELPER, MANAGED_RULES_ONLY, MODE_CYCLE, MODEL_PROVIDERS, NETWORK_COMMANDS,
        PLANS_DIRECTORY, STATUS_LINE, SUBSCRIPTION, THEME,
    };
    use crate::values::{Assignment, CommandItem, FolderItem, HookItem, RuleItem, StatusLineItem};
    use Source::{FlagSettings, LocalSettings, PolicySettings, ProjectSettings, UserSettings};
    use forelook_permissions::ShellPattern;
    use forelook_protocol::HookEvent;

    const SOURCES: [Source; 5] = [UserSettings, ProjectSettings, LocalSettings, FlagSettings, PolicySettings];

    /// Whether it is kept, how many notices there are, how much waits.
    fn held(source: Source, key: &'static Key, value: Value, trust: Trust) -> (bool, usize, PendingTrust) {
        let mut layer = Layer { source, file: None, found: vec![SettingEntry { key, value, line: 1 }] };
        let mut pending_trust = PendingTrust::default();
        let notices = filter_untrusted(&mut layer, &Origin::Flag, &trust.into(), &mut pending_trust);
        (!layer.found.is_empty(), notices.len(), pending_trust)
    }

    fn kept(source: Source, key: &'static Key, value: Value, trust: Trust) -> (bool, usize) {
        let (kept, notices, pending_trust) = held(source, key, value, trust);
        assert!(pending_trust.is_empty());
        (kept, notices)
    }

    #[test]
    fn a_project_never_widens_its_own_mode() {
        for source in SOURCES {
            for mode in Mode::ALL {
                for trust in [Trust::NotYet, Trust::Trusted] {
                    let stranger = matches!(source, ProjectSettings | LocalSettings);
                    let too_permissive =
                        mode > Mode::AcceptEdits || (trust == Trust::NotYet && mode > Mode::Default);
                    let refused = stranger && too_permissive;
                    let expected = if refused { (false, 1) } else { (true, 0) };
                    let said = kept(source, &DEFAULT_MODE, Value::Mode(mode), trust);
                    assert_eq!(said, expected, "{source} {mode} {trust:?}");
                    let refused = stranger && mode > Mode::AcceptEdits;
                    let cycle = Value::Cycle(vec![Mode::Plan, mode]);
                    assert_eq!(kept(source, &MODE_CYCLE, cycle, trust).0, !refused, "{source} {mode}");
                }
            }
        }
    }

    #[test]
    fn some_keys_are_not_for_everybody() {
        for source in SOURCES {
            for trust in [Trust::NotYet, Trust::Trusted] {
                let own = matches!(source, UserSettings | PolicySettings);
                assert_eq!(kept(source, &CLASSIFY_ALL_SHELL, Value::Switch(false), trust).0, own);
                assert_eq!(kept(source, &SUBSCRIPTION, Value::Word("team"), trust).0, own);
                assert_eq!(kept(source, &KEY_HELPER, Value::Text("x".into()), trust).0, own);
                assert_eq!(kept(source, &KEY_FILE, Value::Text("x".into()), trust).0, own);
                assert_eq!(kept(source, &ALLOW_LOCAL, Value::Hosts(vec!["router".into()]), trust).0, own);
                assert_eq!(kept(source, &MODEL_PROVIDERS, Value::Providers(vec![]), trust).0, own);
                let managed = source == PolicySettings;
                assert_eq!(kept(source, &MANAGED_RULES_ONLY, Value::Switch(true), trust).0, managed);
            }
        }
    }

    #[test]
    fn what_chooses_what_runs_waits_for_trust() {
        let rule =
            || Value::Rules(vec![RuleItem { text: "Bash".into(), examples: Examples::default(), line: 1 }]);
        let hook = HookItem {
            event: HookEvent::Stop,
            matcher: None,
            command: "x".into(),
            timeout: None,
            fail_closed: false,
            line: 1,
        };
        let command = CommandItem { pattern: ShellPattern::Prefix("gh".into()), line: 1 };
        let status = StatusLineItem { command: "x".into(), timeout: None, line: 1 };
        let cases: [(&'static Key, Value, Option<&str>); 13] = [
            (&STATUS_LINE, Value::StatusLine(status), Some("1 status line")),
            (&THEME, Value::Word("light"), None),
            (&MODEL_MAIN, Value::Text("groq/x".into()), Some("1 model")),
            (&MODEL_FALLBACK, Value::Text("groq/x".into()), Some("1 model")),
            (&EXPLORE_MODEL, Value::Text("groq/x".into()), Some("1 model")),
            (&PLANS_DIRECTORY, Value::Text("plans".into()), None),
            (&ALLOW, rule(), Some("1 allow rule")),
            (&ASK, rule(), None),
            (&DENY, rule(), None),
            (
                &ADDITIONAL_DIRECTORIES,
                Value::Folders(vec![FolderItem { text: "/".into(), line: 1 }]),
                Some("1 additional working directory"),
            ),
            (&HOOKS, Value::Hooks(vec![hook]), Some("1 hook")),
            (&NETWORK_COMMANDS, Value::Commands(vec![command]), Some("1 network command")),
            (
                &ENV,
                Value::Variables(vec![Assignment { name: "A".into(), value: "1".into(), line: 1 }]),
                Some("1 variable"),
            ),
        ];
        for (key, value, words) in cases {
            for source in SOURCES {
                let stranger = matches!(source, ProjectSettings | LocalSettings);
                let (kept, notices, pending_trust) = held(source, key, value.clone(), Trust::NotYet);
                let expected = words.filter(|_| stranger);
                assert_eq!((kept, notices), (expected.is_none(), 0), "{source} {}", key.name);
                assert_eq!(pending_trust.words().as_deref(), expected);
                assert_eq!(
                    held(source, key, value.clone(), Trust::Trusted),
                    (true, 0, PendingTrust::default())
                );
            }
        }
    }

    #[test]
    fn all_that_waits_is_one_sentence() {
        let pending_trust =
            PendingTrust { allow_rules: 12, directories: 1, variables: 3, ..PendingTrust::default() };
        let text = pending_trust.notice().unwrap().text;
        assert!(
            text.contains(
                "12 allow rules, 1 additional working directory, and 3 variables in this project's settings"
            ),
            "{text}"
        );
        assert_eq!(PendingTrust::default().notice(), None);
    }

    #[test]
    fn nobody_hands_on_a_key() {
        let variable = |name: &str| Assignment { name: name.into(), value: "v".into(), line: 2 };
        let value = Value::Variables(vec![variable("OPENAI_API_KEY"), variable("B")]);
        let mut layer = Layer {
            source: Source::UserSettings,
            file: None,
            found: vec![SettingEntry { key: &ENV, value, line: 1 }],
        };
        let notices =
            filter_untrusted(&mut layer, &Origin::Flag, &Trust::Trusted.into(), &mut PendingTrust::default());
        assert_eq!(notices.len(), 1);
        assert_eq!(layer.found[0].value, Value::Variables(vec![variable("B")]));
    }
}
