//! What may be done in a run: settings, flags and the machine, put together for the engine.

use std::sync::Arc;

use forelook_engine::{PermissionConfig, project_root};
use forelook_hooks::{DEFAULT_TIMEOUT, Hook, HookHandler, Hooks, Matcher};
use forelook_permissions::{CYCLE, GateClosed, ModeConditions, ProgramFiles};
use forelook_protocol::{AbsPath, Behavior, Mode, Notice, NoticeLevel};
use forelook_sandbox::ChildEnv;
use forelook_settings::{
    Env, Fingerprint, MANAGED, Settings, SettingsPaths, Trust, TrustStore, command_line_rules, fingerprint,
    parse_setting_sources,
};

use crate::failure::{Failure, FailureClass};
use crate::fence_config::FenceConfig;
use crate::planning::network_commands;
use crate::policy_store::SettingsPolicyStore;
use crate::spec::{RuleSpec, SessionSpec};

/// Where settings are looked for.
pub fn settings_paths(env: &Env, rules: &RuleSpec, folder: &AbsPath) -> Result<SettingsPaths, Failure> {
    let usage = |error: &dyn std::error::Error| Failure::of(FailureClass::Usage, error);
    let sources = rules.sources.as_deref().map(parse_setting_sources).transpose();
    Ok(SettingsPaths {
        home: env.home.clone(),
        user_home: env.user_home.clone(),
        project: project_root(folder),
        working: folder.clone(),
        flag: rules.settings.clone(),
        managed: AbsPath::new(MANAGED).map_err(|error| usage(&error))?,
        setting_sources: sources.map_err(|error| usage(&error))?,
    })
}

/// Settings as they hold here.
#[derive(Clone)]
pub struct LoadedSettings {
    /// What they say.
    pub settings: Settings,
    /// Whether the folder is trusted.
    pub trust: Trust,
    /// What the files looked like before they were read.
    pub(crate) fingerprint: Fingerprint,
}

/// Reads the settings, with whether the folder is trusted.
pub fn load(env: &Env, settings_paths: &SettingsPaths) -> Result<LoadedSettings, Failure> {
    let store = TrustStore::load(&env.home);
    let trust = store.of(&settings_paths.project);
    let fingerprint = fingerprint(settings_paths);
    let mut settings = forelook_settings::load(settings_paths, trust)
        .map_err(|error| Failure::of(FailureClass::Usage, &error))?;
    settings.problems.extend(store.problem());
    Ok(LoadedSettings { settings, trust, fingerprint })
}

/// What may be done, with what the person should hear about it.
pub(crate) fn permissions(
    env: &Env,
    spec: &SessionSpec,
    settings_paths: &SettingsPaths,
    loaded: &LoadedSettings,
    fence_config: &FenceConfig,
) -> (PermissionConfig, Vec<Notice>) {
    let settings = &loaded.settings;
    let (rules, mut notices) = all_rules(&spec.rules, settings_paths, settings);
    let mut folders: Vec<AbsPath> =
        settings.additional_directories.iter().map(|folder| folder.value.clone()).collect();
    folders.extend(spec.rules.folders.iter().map(|folder| settings_paths.working.join(folder)));
    folders = folders.into_iter().filter_map(|folder| real_folder(&folder, &mut notices)).collect();
    let bypass = Bypass::of(env, spec);
    let permissions = PermissionConfig {
        rules,
        folders,
        user_home: env.user_home.as_ref().map(real_home),
        own: own_files(env, settings_paths, settings),
        conditions: conditions(bypass, settings),
        strictness: settings.strictness,
        network_commands: network_commands(settings),
        workspace: fence_config.policy_view.clone(),
        policy_store: Arc::new(SettingsPolicyStore::new(settings_paths.clone(), loaded.clone(), bypass)),
    };
    (permissions, notices)
}

/// The program's own files.
pub fn own_files(env: &Env, settings_paths: &SettingsPaths, settings: &Settings) -> ProgramFiles {
    let managed = settings_paths.managed.parent().unwrap_or_else(|| settings_paths.managed.clone());
    let named = settings.models.key_files();
    let real = named.iter().filter_map(|file| AbsPath::new(file.as_path().canonicalize().ok()?).ok());
    let mut keys: Vec<AbsPath> = real.chain(named.iter().cloned()).collect();
    keys.sort();
    keys.dedup();
    ProgramFiles { home: env.home.clone(), managed, keys }
}

/// Rules of settings and of the command line.
pub fn all_rules(
    rule_spec: &RuleSpec,
    settings_paths: &SettingsPaths,
    settings: &Settings,
) -> (Vec<forelook_permissions::RuleEntry>, Vec<Notice>) {
    let mut rules = settings.rules.clone();
    let mut notices = Vec::new();
    for (flag, behavior, words) in [
        ("--allowedTools", Behavior::Allow, &rule_spec.allowed),
        ("--disallowedTools", Behavior::Deny, &rule_spec.denied),
    ] {
        let texts: Vec<String> = words.iter().flat_map(|words| split_rules(words)).collect();
        let (entries, wrong) = command_line_rules(flag, behavior, &texts, settings_paths);
        notices.extend(wrong);
        // A policy may say that only its rules count; what forbids more never loosens that.
        let counts = behavior == Behavior::Deny || settings.managed_rules_only.is_none();
        if counts {
            rules.extend(entries);
        }
    }
    (rules, notices)
}

/// Tools that `--disallowedTools` names whole: the model is not offered them at all.
pub(crate) fn disallowed_tools(rule_spec: &RuleSpec) -> Vec<String> {
    let rules = rule_spec.denied.iter().flat_map(|words| split_rules(words));
    rules.filter(|rule| !rule.contains('(')).collect()
}

/// Rules in one word, separated by commas or spaces that stand outside of parentheses.
fn split_rules(words: &str) -> Vec<String> {
    let mut depth = 0usize;
    let split = words.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    });
    split.map(str::trim).filter(|rule| !rule.is_empty()).map(str::to_owned).collect()
}

fn real_folder(folder: &AbsPath, notices: &mut Vec<Notice>) -> Option<AbsPath> {
    let real = folder.as_path().canonicalize().ok().filter(|real| real.is_dir());
    if real.is_none() {
        notices.push(Notice {
            level: NoticeLevel::Warning,
            text: format!(
                "`{folder}` is not a folder and was ignored\nCorrect it in `--add-dir` or the settings"
            ),
        });
    }
    real.and_then(|real| AbsPath::new(real).ok())
}

/// What of a run decides whether the mode `bypassPermissions` can be had. It stays the same while the run lasts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bypass {
    asked_for: bool,
    sandboxed: bool,
}

impl Bypass {
    pub(crate) fn of(env: &Env, spec: &SessionSpec) -> Self {
        let asked_for = spec.allow_bypass || spec.mode == Some(Mode::BypassPermissions);
        Self { asked_for, sandboxed: env.sandboxed }
    }
}

/// Which modes can be had.
pub(crate) fn conditions(bypass: Bypass, settings: &Settings) -> ModeConditions {
    let gate = match settings.auto_disabled {
        Some(_) => Err(GateClosed::Disabled),
        // The classifier is not built yet.
        None => Err(GateClosed::Model),
    };
    ModeConditions {
        gate,
        bypass: can_bypass(bypass, settings),
        auto_during_plan: settings.auto_during_plan,
        cycle: settings.mode_cycle.clone().unwrap_or_else(|| CYCLE.to_vec()),
    }
}

fn can_bypass(bypass: Bypass, settings: &Settings) -> Result<(), String> {
    if let Some(by) = &settings.bypass_disabled {
        return Err(format!("it is disabled by {}", by.source));
    }
    if !bypass.asked_for {
        let flags = "`--permission-mode bypassPermissions` or `--allow-dangerously-skip-permissions`";
        return Err(format!("the session was not started with {flags}"));
    }
    if !bypass.sandboxed && forelook_sandbox::is_root() && !forelook_sandbox::in_container() {
        return Err("as root it would allow anything on this machine; \
             if the machine is disposable, set FORELOOK_SANDBOXED=1"
            .to_owned());
    }
    Ok(())
}

/// The person's hooks, with what is wrong with them.
pub(crate) fn hooks(settings: &Settings, env: &ChildEnv, folder: &AbsPath) -> (Hooks, Vec<Notice>) {
    let mut hooks = Vec::new();
    let mut notices = Vec::new();
    for setting in &settings.hooks {
        let file =
            setting.file.as_ref().map(ToString::to_string).unwrap_or_else(|| setting.source.to_string());
        let origin = format!("{file}:{}", setting.line);
        let matcher = match Matcher::new(setting.matcher.as_deref().unwrap_or_default(), &origin) {
            Ok(matcher) => matcher,
            Err(error) => {
                notices.push(Notice { level: NoticeLevel::Warning, text: error.to_string() });
                // A hook that must not fail must not fail to run either: it runs for everything.
                if !setting.fail_closed {
                    continue;
                }
                Matcher::all()
            }
        };
        hooks.push(Hook {
            event: setting.event,
            matcher,
            handler: HookHandler::Command(setting.command.clone()),
            timeout: setting.timeout.unwrap_or(DEFAULT_TIMEOUT),
            fail_closed: setting.fail_closed,
            origin,
        });
    }
    (Hooks::new(hooks, env.clone(), folder.clone()), notices)
}

/// Where the home folder really is: paths are compared with it after their links were followed.
fn real_home(home: &AbsPath) -> AbsPath {
    let real = home.as_path().canonicalize().ok().and_then(|real| AbsPath::new(real).ok());
    real.unwrap_or_else(|| home.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_split_outside_of_parentheses() {
        for (words, expected) in [
            ("Read,Edit", &["Read", "Edit"][..]),
            ("Bash(git log:*) Bash(a, b)", &["Bash(git log:*)", "Bash(a, b)"]),
            ("Bash(ls), Read", &["Bash(ls)", "Read"]),
            ("", &[]),
            ("Bash(unclosed, x", &["Bash(unclosed, x"]),
        ] {
            assert_eq!(split_rules(words), expected, "{words}");
        }
    }
}
