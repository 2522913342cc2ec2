//! Every setting with its value and where that comes from: what a person asks for who wonders why.

use forelook_protocol::{Mode, SettingInfo, SettingOrigin};

use crate::counting::effective_layers;
use crate::keys::{self, KEYS, Key, ValueKind};
use crate::layers::{Layer, SettingEntry};
use crate::resolve::Settings;
use crate::values::{Value, pattern_words};

/// Every key, in the order of the documentation: its default if nobody sets it, else what each file says, what counts first.
pub fn effective(settings: &Settings) -> Vec<SettingInfo> {
    let managed_only = settings.managed_rules_only.is_some();
    KEYS.iter().flat_map(|key| rows(key, &settings.layers, managed_only)).collect()
}

fn rows(key: &'static Key, layers: &[Layer], managed_only: bool) -> Vec<SettingInfo> {
    let mut found: Vec<(&Layer, &SettingEntry)> =
        layers.iter().filter_map(|layer| Some((layer, layer.get(key)?))).collect();
    if found.is_empty() {
        let (value, origin) = (key.default.replace('`', ""), SettingOrigin::Default);
        return vec![SettingInfo { key: key.name.to_owned(), value, origin, counts: true }];
    }
    // Among equals the later one counts, so it comes first.
    found.reverse();
    found.sort_by_key(|(layer, entry)| {
        std::cmp::Reverse((stricter(key, &entry.value), layer.source.precedence()))
    });
    let adds_up = adds_up(key.kind);
    let (counting, _) = effective_layers(layers, key, managed_only);
    let counts = |at: usize, layer: &Layer| match adds_up {
        true => counting.iter().any(|counting| std::ptr::eq(*counting, layer)),
        false => at == 0,
    };
    let row = |(at, (layer, entry)): (usize, (&Layer, &SettingEntry))| SettingInfo {
        key: key.name.to_owned(),
        value: words(&entry.value),
        origin: SettingOrigin::Settings { source: layer.source, file: layer.file.clone(), line: entry.line },
        counts: counts(at, layer),
    };
    found.into_iter().enumerate().map(row).collect()
}

/// Whether the values of all files count.
fn adds_up(kind: ValueKind) -> bool {
    match kind {
        ValueKind::Variables
        | ValueKind::Rules(_)
        | ValueKind::Folders
        | ValueKind::Hosts
        | ValueKind::Domains
        | ValueKind::Commands
        | ValueKind::Hooks
        | ValueKind::Providers
        | ValueKind::Known
        // One voice is enough.
        | ValueKind::Disable => true,
        ValueKind::Mode
        | ValueKind::Cycle
        | ValueKind::Text
        | ValueKind::Word(_)
        | ValueKind::Count { .. }
        | ValueKind::Path
        | ValueKind::Switch
        | ValueKind::StatusLine => false,
    }
}

/// Of some switches the stricter word wins, whoever says it.
fn stricter(key: &Key, value: &Value) -> bool {
    let strict = match () {
        () if *key == keys::AUTO_DURING_PLAN => false,
        () if *key == keys::CLASSIFY_ALL_SHELL || *key == keys::MANAGED_RULES_ONLY => true,
        () => return false,
    };
    *value == Value::Switch(strict)
}

/// A value in words. Of variables and providers only the names: a value may be what nobody should read over a shoulder.
fn words(value: &Value) -> String {
    let modes = |modes: &[Mode]| joined(modes.iter().map(ToString::to_string));
    match value {
        Value::Mode(mode) => mode.to_string(),
        Value::Cycle(cycle) => modes(cycle),
        Value::Text(text) => text.clone(),
        Value::Word(word) => (*word).to_owned(),
        Value::Count(count) => count.to_string(),
        Value::Switch(switch) => switch.to_string(),
        Value::Disable => "disable".to_owned(),
        Value::Variables(variables) => joined(variables.iter().map(|variable| variable.name.clone())),
        Value::Rules(rules) => joined(rules.iter().map(|rule| rule.text.clone())),
        Value::Folders(folders) => joined(folders.iter().map(|folder| folder.text.clone())),
        Value::Hosts(hosts) => joined(hosts.iter().cloned()),
        Value::Commands(commands) => joined(commands.iter().map(|command| pattern_words(&command.pattern))),
        Value::Hooks(hooks) => joined(hooks.iter().map(|hook| format!("{}: {}", hook.event, hook.command))),
        Value::StatusLine(status_line) => status_line.command.clone(),
        Value::Providers(providers) => joined(providers.iter().map(|provider| provider.id.clone())),
        Value::Known(models) => joined(models.iter().map(|model| model.name.clone())),
    }
}

fn joined(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}
