//! What may be done in a run: settings, flags and the machine, put together for the engine.

use std::collections::BTreeSet;
use std::sync::Arc;

use forelook_disk::Owners;
use forelook_engine::{PermissionConfig, project_root};
use forelook_hooks::{CommandCheck, DEFAULT_TIMEOUT, Hook, HookHandler, Hooks, Matcher};
use forelook_permissions::{CYCLE, GateClosed, ModeConditions, ProgramFiles};
use forelook_protocol::{AbsPath, Behavior, FileRef, Mode, Notice, NoticeLevel};
use forelook_sandbox::ChildEnv;
use forelook_settings::{
    BoundProject, Env, Fingerprint, MANAGED, ProjectContents, ProjectSnapshot, ProjectTrust, Settings,
    SettingsPaths, Trust, TrustState, TrustStore, command_line_rules, fingerprint, load_snapshot,
    own_command, parse_setting_sources,
};

use crate::failure::{Failure, FailureClass};
use crate::fence_config::FenceConfig;
use crate::linked_files::{LinkNames, LinkSearch};
use crate::named_folders::NamedFolders;
use crate::planning::network_commands;
use crate::policy_store::SettingsPolicyStore;
use crate::spec::{RuleSpec, SessionSpec};

/// How many differences are told in one notice.
const MAX_DIFFERENCES: usize = 5;

/// Where settings are looked for.
pub fn settings_paths(env: &Env, rules: &RuleSpec, folder: &AbsPath) -> Result<SettingsPaths, Failure> {
    let usage = |error: &dyn std::error::Error| Failure::of(FailureClass::Usage, error);
    let sources = rules.sources.as_deref().map(parse_setting_sources).transpose();
    Ok(SettingsPaths {
        home: env.home.clone(),
        user_home: env.user_home.clone(),
        project: project_root(folder, &env.owners),
        working: folder.clone(),
        flag: rules.settings.clone(),
        managed: AbsPath::new(MANAGED).map_err(|error| usage(&error))?,
        setting_sources: sources.map_err(|error| usage(&error))?,
        owners: env.owners.clone(),
    })
}

/// Settings as they hold here.
#[derive(Clone)]
pub struct LoadedSettings {
    /// What they say.
    pub settings: Settings,
    /// Whether the folder is trusted.
    pub trust: Trust,
    /// What the user said about it.
    pub(crate) trust_state: TrustState,
    /// What it brings, without what the user saved there themselves.
    pub(crate) contents: ProjectContents,
    /// The files that trust is bound to; none if it is not trusted.
    pub(crate) bound: Arc<BoundProject>,
    /// Whose files are believed.
    pub(crate) owners: Owners,
    /// What the files looked like before they were read.
    pub(crate) fingerprint: Fingerprint,
}

/// Reads the settings, with whether the folder is trusted.
pub fn load(env: &Env, settings_paths: &SettingsPaths) -> Result<LoadedSettings, Failure> {
    let store = TrustStore::load(&env.home);
    let fingerprint = fingerprint(settings_paths);
    let snapshot = ProjectSnapshot::read(settings_paths);
    let trust_state = store.state(&settings_paths.project, &snapshot.contents);
    let own = store.own(&settings_paths.project);
    let contents = snapshot.contents.without(&own);
    let trust = trust_state.trust();
    // Who trusts another user's folder believes that user, there.
    let owners = match (trust, contents.owner()) {
        (Trust::Trusted, Some(owner)) => settings_paths.owners.with(owner),
        _ => settings_paths.owners.clone(),
    };
    let believing = SettingsPaths { owners: owners.clone(), ..settings_paths.clone() };
    let mut settings = load_snapshot(&believing, &ProjectTrust { trust, own }, &snapshot)
        .map_err(|error| Failure::of(FailureClass::Usage, &error))?;
    settings.problems.extend(store.problem());
    settings.problems.extend(changed_notice(&trust_state, &contents));
    let bound = Arc::new(if trust == Trust::Trusted { snapshot.bound } else { BoundProject::default() });
    Ok(LoadedSettings { settings, trust, trust_state, contents, bound, owners, fingerprint })
}

/// What is told where nobody can be asked, about a folder that is no longer what was trusted.
fn changed_notice(trust_state: &TrustState, contents: &ProjectContents) -> Option<Notice> {
    let what = match trust_state {
        TrustState::Changed(differences) if contents.needs_trust() => {
            let more = differences.len().saturating_sub(MAX_DIFFERENCES);
            let mut shown: Vec<String> = differences.iter().take(MAX_DIFFERENCES).cloned().collect();
            shown.extend((more > 0).then(|| format!("{more} more")));
            format!("This folder changed since you trusted it: {}", shown.join("; "))
        }
        TrustState::Impossible(reasons) => {
            let reasons = reasons.iter().take(MAX_DIFFERENCES).cloned().collect::<Vec<_>>().join("; ");
            let text = format!(
                "Forelook cannot check what this folder would run, and treats it as untrusted: {reasons}\n\
                 Check the folder's files, and remove or fix what is named here"
            );
            return Some(Notice { level: NoticeLevel::Warning, text });
        }
        TrustState::Unrecorded if contents.needs_trust() => {
            "You trusted this folder before Forelook recorded what it contained".to_owned()
        }
        _ => return None,
    };
    let text = format!(
        "{what}\nForelook treats it as untrusted. To review it and trust it again, type `/trust`, or start `forelook` \
         here in a terminal"
    );
    Some(Notice { level: NoticeLevel::Warning, text })
}

/// What may be done and what holds it, with what the person should hear about both. `links` are what [`link_search`] found.
pub(crate) fn permissions(
    env: &Env,
    spec: &SessionSpec,
    settings_paths: &SettingsPaths,
    loaded: &LoadedSettings,
    links: Vec<FileRef>,
) -> (PermissionConfig, FenceConfig, Vec<Notice>) {
    let settings = &loaded.settings;
    let NamedFolders { working: folders, writable, mut notices } =
        NamedFolders::find(env, &spec.rules, settings_paths, settings);
    let all: Vec<AbsPath> = folders.iter().chain([&spec.folder]).cloned().collect();
    let fence_config = FenceConfig::new(&settings.sandbox, writable, env);
    notices.extend(fence_config.unenforceable_notice(env, &all));
    notices.extend(unchecked_notice(settings_paths, loaded));
    let (rules, wrong) = all_rules(&spec.rules, settings_paths, settings);
    notices.extend(wrong);
    let bypass = Bypass::of(env, spec);
    let permissions = PermissionConfig {
        rules,
        folders,
        user_home: env.user_home.as_ref().map(real_home),
        trusted: loaded.trust == Trust::Trusted,
        own: own_files_and(links, env, settings_paths, loaded),
        conditions: conditions(bypass, settings),
        strictness: settings.strictness,
        network_commands: network_commands(settings),
        workspace: fence_config.policy_view.clone(),
        policy_store: Arc::new(SettingsPolicyStore::new(settings_paths.clone(), loaded.clone(), bypass)),
    };
    (permissions, fence_config, notices)
}

/// Which links of the project and the home folder decisions must know.
pub(crate) fn link_search(env: &Env, settings_paths: &SettingsPaths, loaded: &LoadedSettings) -> LinkSearch {
    let denies = loaded.settings.rules.iter().any(|rule| rule.origin.behavior == Behavior::Deny);
    let names = if denies { LinkNames::All } else { LinkNames::Secret };
    let home = env.user_home.as_ref().map(real_home);
    LinkSearch { home, project: real_home(&settings_paths.project), names }
}

/// The program's own files.
pub fn own_files(env: &Env, settings_paths: &SettingsPaths, loaded: &LoadedSettings) -> ProgramFiles {
    let links = link_search(env, settings_paths, loaded).run();
    own_files_and(links, env, settings_paths, loaded)
}

fn own_files_and(
    links: Vec<FileRef>,
    env: &Env,
    settings_paths: &SettingsPaths,
    loaded: &LoadedSettings,
) -> ProgramFiles {
    let managed = settings_paths.managed.parent().unwrap_or_else(|| settings_paths.managed.clone());
    let named = loaded.settings.models.key_files();
    let real = named.iter().filter_map(|file| AbsPath::new(file.as_path().canonicalize().ok()?).ok());
    let mut keys: Vec<AbsPath> = real.chain(named.iter().cloned()).collect();
    keys.sort();
    keys.dedup();
    let home = forelook_disk::resolve(&env.home).unwrap_or_else(|_| env.home.clone());
    ProgramFiles { home, managed, keys, runs: files_that_run(settings_paths, loaded), links }
}

/// The commands of hooks and of the status line.
fn commands(settings: &Settings) -> impl Iterator<Item = &str> {
    let line = settings.screen.status_line.as_ref().map(|line| line.command.as_str());
    settings.hooks.iter().map(|hook| hook.command.as_str()).chain(line)
}

/// The files that hooks and the status line run, whoever wrote them: the model must not.
fn files_that_run(settings_paths: &SettingsPaths, loaded: &LoadedSettings) -> Vec<AbsPath> {
    let LoadedSettings { settings, bound, .. } = loaded;
    let mut files = Vec::new();
    for command in commands(settings) {
        match bound.command(command) {
            Some(bound) => files.extend(bound.paths().cloned()),
            None => files.extend(own_command(command, settings_paths).files),
        }
    }
    files.sort();
    files.dedup();
    files
}

/// What the person should know of commands of their own: which of them run files that the model may write. Of a project's,
/// the question about trust says so.
fn unchecked_notice(settings_paths: &SettingsPaths, loaded: &LoadedSettings) -> Option<Notice> {
    let LoadedSettings { settings, bound, .. } = loaded;
    let own = commands(settings).filter(|command| bound.command(command).is_none());
    let unchecked: BTreeSet<String> =
        own.flat_map(|command| own_command(command, settings_paths).unchecked).collect();
    if unchecked.is_empty() {
        return None;
    }
    let words = |text: &String| format!("`{}`", text.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut shown: Vec<String> = unchecked.iter().take(MAX_DIFFERENCES).map(words).collect();
    let more = unchecked.len() - shown.len();
    shown.extend((more > 0).then(|| format!("{more} more")));
    let text = format!(
        "Hooks or the status line in your settings run files that Forelook cannot tell, so it cannot keep the model from \
         changing them: {}",
        shown.join("; ")
    );
    Some(Notice { level: NoticeLevel::Info, text })
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
        if settings.flag_rules_count(behavior) {
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
pub(crate) fn hooks(loaded: &LoadedSettings, env: &ChildEnv, folder: &AbsPath) -> (Hooks, Vec<Notice>) {
    let settings = &loaded.settings;
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
    let bound = Arc::clone(&loaded.bound);
    let check =
        CommandCheck::new(move |command| bound.command(command).map_or(Ok(()), |files| files.verify()));
    (Hooks::new(hooks, env.clone(), folder.clone()).checked(check), notices)
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
