//! The fence around commands in modes other than plan: who wants it, and how far it reaches.

use forelook_permissions::ShellPattern;
use forelook_protocol::{AbsPath, Notice, NoticeLevel};

use crate::counting::effective_layers;
use crate::file::Origin;
use crate::keys::{Key, SANDBOX, SANDBOX_ENABLED, SANDBOX_NETWORK, SANDBOX_OUTSIDE, SANDBOX_WRITABLE};
use crate::layers::{Layer, Layered, SettingEntry};
use crate::resolve::resolve_single;
use crate::roots::Roots;
use crate::sanitize::sanitized_path;
use crate::values::Value;

/// The fence around commands in modes other than plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxSettings {
    /// On or off; nothing if no file says so.
    pub enabled: Option<bool>,
    /// Domains that can be reached, in small letters, perhaps with `*.` before them or a port after them; none: no network.
    pub network: Vec<Layered<String>>,
    /// Folders that may be written to beside the working folders. Not looked at: one may be missing.
    pub writable: Vec<Layered<AbsPath>>,
    /// Commands that run outside.
    pub outside: Vec<Layered<ShellPattern>>,
}

/// Whether a key is about the fence. In a project's files all of them wait for trust.
pub(crate) fn is_sandbox_key(key: &Key) -> bool {
    key.name.starts_with(SANDBOX)
}

/// What a project is told that would switch the fence off. Where nobody switched it on this does nothing, and it is told
/// all the same: what a file says must not depend on whose machine it is read on.
pub(crate) fn disables_fence(found: &SettingEntry, origin: &Origin) -> Option<Notice> {
    (found.key == &SANDBOX_ENABLED && found.value == Value::Switch(false)).then(|| {
        warning(format!(
            "Setting `{}` in `{origin}:{}` was ignored: a project cannot turn off the fence\n\
             Set it in your user settings",
            SANDBOX_ENABLED.name, found.line
        ))
    })
}

/// What counts. `only` is set where only what is managed does.
pub(crate) fn sandbox(
    layers: &[Layer],
    roots: &Roots,
    only: Option<&Layered<()>>,
) -> (SandboxSettings, Vec<Notice>) {
    let mut notices = Vec::new();
    let mut layers_for = |key: &'static Key| {
        let (layers, left) = effective_layers(layers, key, only.is_some());
        notices.extend(left.iter().map(|layer| overruled_notice(layer, key)));
        layers
    };
    let network = collect_layered(&layers_for(&SANDBOX_NETWORK), |layer| {
        let found = layer.get(&SANDBOX_NETWORK)?;
        let hosts = found.value.as_hosts()?.iter();
        Some(hosts.map(|host| layer.attributed(host.clone(), found.line)).collect())
    });
    let outside = collect_layered(&layers_for(&SANDBOX_OUTSIDE), |layer| {
        let items = layer.get(&SANDBOX_OUTSIDE)?.value.as_commands()?.iter();
        Some(items.map(|item| layer.attributed(item.pattern.clone(), item.line)).collect())
    });
    let mut homeless = Vec::new();
    let writable = collect_layered(&layers_for(&SANDBOX_WRITABLE), |layer| {
        let items = layer.get(&SANDBOX_WRITABLE)?.value.as_folders()?.iter();
        let folders = items.filter_map(|item| {
            let folder = roots.in_project(item.text.trim());
            homeless.extend(folder.is_none().then(|| missing_home_notice(layer, item.line)));
            folder.map(|folder| layer.attributed(folder, item.line))
        });
        Some(folders.collect())
    });
    notices.extend(homeless);
    let enabled = resolve_single(layers, &SANDBOX_ENABLED, Value::as_switch).map(|layered| layered.value);
    (SandboxSettings { enabled, network, writable, outside }, notices)
}

/// What all of them list, each thing once, by whoever named it first.
fn collect_layered<T: PartialEq>(
    layers: &[&Layer],
    mut list: impl FnMut(&Layer) -> Option<Vec<Layered<T>>>,
) -> Vec<Layered<T>> {
    let mut all: Vec<Layered<T>> = Vec::new();
    for one in layers.iter().flat_map(|layer| list(layer).unwrap_or_default()) {
        if !all.iter().any(|known| known.value == one.value) {
            all.push(one);
        }
    }
    all
}

fn overruled_notice(layer: &Layer, key: &Key) -> Notice {
    let line = layer.get(key).map_or(0, |found| found.line);
    let place = layer.file.as_ref().map_or_else(|| "--settings".to_owned(), sanitized_path);
    let text = format!(
        "Setting `{}` in `{place}:{line}` was ignored: only managed settings apply here\n\
         Ask your administrator for what you need",
        key.name
    );
    Notice { level: NoticeLevel::Info, text }
}

fn missing_home_notice(layer: &Layer, line: usize) -> Notice {
    warning(format!(
        "Setting `{}` on line {line} of the {} names a folder in your home folder, but `HOME` is not set\nSet `HOME`",
        SANDBOX_WRITABLE.name, layer.source
    ))
}

fn warning(text: String) -> Notice {
    Notice { level: NoticeLevel::Warning, text }
}
