//! From layers to what the program needs: one value where one is needed, everything where things add up.

use std::collections::BTreeMap;

use forelook_permissions::{RuleEntry, ShellPattern, Strictness};
use forelook_protocol::{AbsPath, Mode, Notice, NoticeLevel, Source};

use crate::agents::{AgentSettings, agents};
use crate::compaction::{CompactionSettings, compaction};
use crate::hooks::HookSetting;
use crate::keys::{self, Key};
use crate::layers::{Layer, Layered, highest_precedence};
use crate::models::{ModelSettings, models};
use crate::planning::{network_commands, template};
use crate::roots::Roots;
use crate::sandbox::{SandboxSettings, sandbox};
use crate::screen::{ScreenSettings, screen};
use crate::trust::PendingTrust;
use crate::values::Value;

/// How many minutes a question waits if nobody says otherwise.
const QUESTION_WAIT_MINUTES: u16 = 60;

/// The settings, resolved.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The mode to start in.
    pub default_mode: Option<Layered<Mode>>,
    /// The model of the main agent.
    pub model: Option<Layered<String>>,
    /// The small, fast model.
    pub model_small: Option<Layered<String>>,
    /// The model of the main agent while it plans.
    pub model_plan: Option<Layered<String>>,
    /// How models are reached and asked.
    pub models: ModelSettings,
    /// How agents run.
    pub agents: AgentSettings,
    /// When a long conversation is made shorter.
    pub compaction: CompactionSettings,
    /// How many minutes a question waits while nobody is attached who could answer it.
    pub question_wait: u16,
    /// The folder for plans, as it is written: relative to the project. Not looked at.
    pub plans_directory: Option<Layered<String>>,
    /// The skeleton of a plan, every link followed; it may be missing. If a project's own file names it, it lies inside
    /// the project.
    pub plan_template: Option<Layered<AbsPath>>,
    /// Commands that may use the network while planning, of all files.
    pub network_commands: Vec<Layered<ShellPattern>>,
    /// The fence around commands in modes other than plan.
    pub sandbox: SandboxSettings,
    /// Hosts that may be fetched from though they are not on the public internet, of all files that may say so.
    pub web_local: Vec<String>,
    /// Variables for child processes, to be set on top of what they get anyway. No keys among them.
    pub env: BTreeMap<String, Layered<String>>,
    /// Every rule that counts, of all files.
    pub rules: Vec<RuleEntry>,
    /// Who says that only managed rules count, if somebody does: then `rules` has no others, and those of the command
    /// line and the session do not count either.
    pub managed_rules_only: Option<Layered<()>>,
    /// Folders to work in besides the working folder. Not looked at: one may be missing.
    pub additional_directories: Vec<Layered<AbsPath>>,
    /// Who took the mode `bypassPermissions` away.
    pub bypass_disabled: Option<Layered<()>>,
    /// Who took the mode `auto` away.
    pub auto_disabled: Option<Layered<()>>,
    /// The classifier judges during planning too, as far as settings are concerned.
    pub auto_during_plan: bool,
    /// The modes that Shift+Tab goes through, if that is said.
    pub mode_cycle: Option<Vec<Mode>>,
    /// Which allow rules do not count while the classifier is on.
    pub strictness: Strictness,
    /// How the terminal program looks and behaves.
    pub screen: ScreenSettings,
    /// Every hook that counts, of all files, lightest source first.
    pub hooks: Vec<HookSetting>,
    /// What of the project waits until the person trusts the folder.
    pub pending_trust: PendingTrust,
    /// What each file said, lightest first, without what it may not say.
    pub layers: Vec<Layer>,
    /// What the person should hear.
    pub problems: Vec<Notice>,
}

/// What was read.
pub(crate) struct LoadedLayers {
    pub(crate) layers: Vec<Layer>,
    pub(crate) rules: Vec<RuleEntry>,
    pub(crate) pending_trust: PendingTrust,
    pub(crate) problems: Vec<Notice>,
}

pub(crate) fn resolve(loaded: LoadedLayers, roots: &Roots) -> Settings {
    let LoadedLayers { layers, mut rules, pending_trust, mut problems } = loaded;
    let mut network_commands = network_commands(&layers);
    let managed_rules_only = any_layer_has(&layers, &keys::MANAGED_RULES_ONLY, Value::Switch(true));
    if let Some(only) = &managed_rules_only {
        problems.extend(keep_managed(&mut rules, |entry| entry.origin.source, only, ("rule", "rules")));
        let words = ("network command", "network commands");
        problems.extend(keep_managed(&mut network_commands, |layered| layered.source, only, words));
    }
    let (sandbox, overruled) = sandbox(&layers, roots, managed_rules_only.as_ref());
    problems.extend(overruled);
    problems.extend(pending_trust.notice());
    let (additional_directories, homeless) = directories(&layers, roots);
    problems.extend(homeless);
    let (plan_template, refused) = template(&layers, roots);
    problems.extend(refused);
    let all_shell = any_layer_has(&layers, &keys::CLASSIFY_ALL_SHELL, Value::Switch(true)).is_some();
    Settings {
        default_mode: resolve_single(&layers, &keys::DEFAULT_MODE, Value::as_mode),
        model: text(&layers, &keys::MODEL_MAIN),
        model_small: text(&layers, &keys::MODEL_SMALL),
        model_plan: text(&layers, &keys::MODEL_PLAN),
        models: models(&layers, roots),
        agents: agents(&layers),
        compaction: compaction(&layers),
        question_wait: resolve_single(&layers, &keys::QUESTION_WAIT, Value::as_count)
            .map_or(QUESTION_WAIT_MINUTES, |layered| layered.value),
        plans_directory: text(&layers, &keys::PLANS_DIRECTORY),
        plan_template,
        network_commands,
        sandbox,
        web_local: hosts(&layers),
        env: variables(&layers),
        rules,
        managed_rules_only,
        additional_directories,
        bypass_disabled: any_layer_has(&layers, &keys::DISABLE_BYPASS, Value::Disable),
        auto_disabled: any_layer_has(&layers, &keys::DISABLE_AUTO, Value::Disable),
        // The stricter word wins, whoever says it.
        auto_during_plan: any_layer_has(&layers, &keys::AUTO_DURING_PLAN, Value::Switch(false)).is_none(),
        mode_cycle: resolve_single(&layers, &keys::MODE_CYCLE, |value| {
            value.as_cycle().map(<[Mode]>::to_vec)
        })
        .map(|cycle| cycle.value),
        strictness: if all_shell { Strictness::AllShell } else { Strictness::Runners },
        screen: screen(&layers),
        hooks: hooks(&layers),
        pending_trust,
        layers,
        problems,
    }
}

/// The single value that counts.
pub(crate) fn resolve_single<T>(
    layers: &[Layer],
    key: &Key,
    value: impl Fn(&Value) -> Option<T>,
) -> Option<Layered<T>> {
    highest_precedence(layers.iter().filter_map(|layer| {
        let found = layer.get(key)?;
        Some(layer.attributed(value(&found.value)?, found.line))
    }))
}

/// The single text that counts.
pub(crate) fn text(layers: &[Layer], key: &Key) -> Option<Layered<String>> {
    resolve_single(layers, key, |value| value.as_text().map(str::to_owned))
}

/// Whether anybody says exactly this: for keys where one voice is enough. The heaviest voice is named.
fn any_layer_has(layers: &[Layer], key: &Key, wanted: Value) -> Option<Layered<()>> {
    resolve_single(layers, key, |value| (*value == wanted).then_some(()))
}

/// Takes out everybody's but the administrator's, and says so.
fn keep_managed<T>(
    items: &mut Vec<T>,
    source: impl Fn(&T) -> Source,
    only: &Layered<()>,
    (one, many): (&str, &str),
) -> Option<Notice> {
    let before = items.len();
    items.retain(|item| source(item) == Source::PolicySettings);
    let gone = before - items.len();
    let file = only.file.as_ref().map(crate::sanitize::sanitized_path).unwrap_or_default();
    let what = if gone == 1 { format!("{one} was") } else { format!("{many} were") };
    (gone > 0).then(|| Notice {
        level: NoticeLevel::Info,
        text: format!(
            "{gone} {what} ignored: `{}` in `{file}:{}` allows only managed ones\n\
             Ask your administrator for the {many} you need",
            keys::MANAGED_RULES_ONLY.name,
            only.line.unwrap_or_default(),
        ),
    })
}

/// Variable by variable, so that a project that sets one does not take away the person's others.
fn variables(layers: &[Layer]) -> BTreeMap<String, Layered<String>> {
    let mut by_name: BTreeMap<String, Vec<Layered<String>>> = BTreeMap::new();
    for layer in layers {
        let variables =
            layer.get(&keys::ENV).and_then(|found| found.value.as_variables()).unwrap_or_default();
        for variable in variables {
            let layered = layer.attributed(variable.value.clone(), variable.line);
            by_name.entry(variable.name.clone()).or_default().push(layered);
        }
    }
    by_name.into_iter().filter_map(|(name, layered)| Some((name, highest_precedence(layered)?))).collect()
}

/// Every folder once, by whoever named it first.
fn directories(layers: &[Layer], roots: &Roots) -> (Vec<Layered<AbsPath>>, Vec<Notice>) {
    let (mut directories, mut notices): (Vec<Layered<AbsPath>>, _) = (Vec::new(), Vec::new());
    for layer in layers {
        let key = &keys::ADDITIONAL_DIRECTORIES;
        for item in layer.get(key).and_then(|found| found.value.as_folders()).unwrap_or_default() {
            match roots.folder(layer.source, item.text.trim()) {
                Some(folder) if directories.iter().any(|known| known.value == folder) => {}
                Some(folder) => directories.push(layer.attributed(folder, item.line)),
                None => notices.push(Notice {
                    level: NoticeLevel::Warning,
                    text: format!(
                        "Setting `{}` on line {} of the {} names a folder in your home folder, but `HOME` is not set\nSet `HOME`",
                        key.name, item.line, layer.source
                    ),
                }),
            }
        }
    }
    (directories, notices)
}

fn hosts(layers: &[Layer]) -> Vec<String> {
    let of_layer = |layer: &Layer| {
        let hosts = layer.get(&keys::ALLOW_LOCAL).and_then(|found| found.value.as_hosts());
        hosts.unwrap_or_default().to_vec()
    };
    layers.iter().flat_map(of_layer).collect()
}

fn hooks(layers: &[Layer]) -> Vec<HookSetting> {
    let of_layer = |layer: &Layer| {
        let items = layer.get(&keys::HOOKS).and_then(|found| found.value.as_hooks()).unwrap_or_default();
        let signed = items.iter().cloned().map(|item| HookSetting {
            event: item.event,
            matcher: item.matcher,
            command: item.command,
            timeout: item.timeout,
            fail_closed: item.fail_closed,
            source: layer.source,
            file: layer.file.clone(),
            line: item.line,
        });
        signed.collect::<Vec<_>>()
    };
    layers.iter().flat_map(of_layer).collect()
}
