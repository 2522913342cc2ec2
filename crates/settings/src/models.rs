//! How models are reached and asked, resolved.

use std::collections::BTreeMap;
use std::time::Duration;

use forelook_protocol::AbsPath;

use crate::keys::{self, Key};
use crate::layers::{Layer, Layered, highest_precedence};
use crate::resolve::{resolve_single, text};
use crate::roots::Roots;
use crate::values::{ModelOverrideItem, ProviderItem, Value};

/// How models are reached and asked.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    /// Who is asked while the session's model has too much to do.
    pub fallback: Option<Layered<String>>,
    /// How hard a model is asked to try: one of [`keys::EFFORTS`].
    pub effort: Option<&'static str>,
    /// Whether a model is asked to think.
    pub thinking: Option<bool>,
    /// How long a server may say nothing.
    pub idle_timeout: Duration,
    /// How many answers one turn may have.
    pub max_answers: u16,
    /// Providers, by id. Only from files that may say where a key goes.
    pub providers: BTreeMap<String, Layered<ProviderItem>>,
    /// What is known of models, by `provider/name`.
    pub known: BTreeMap<String, Layered<ModelOverrideItem>>,
    /// The command that prints keys.
    pub key_helper: Option<Layered<String>>,
    /// The file with keys.
    pub key_file: Option<AbsPath>,
    /// The file with more certificates to trust.
    pub certificates: Option<AbsPath>,
    /// Where paths of these files begin.
    roots: (AbsPath, Option<AbsPath>),
}

impl ModelSettings {
    /// A path in the settings of a provider: it may begin with `~/`, else it starts at the program's own folder.
    pub fn path(&self, text: &str) -> AbsPath {
        let (home, user_home) = &self.roots;
        match (text.strip_prefix("~/"), user_home) {
            (Some(rest), Some(user_home)) => user_home.join(rest),
            _ => home.join(text),
        }
    }

    /// Every file that is named to hold keys.
    pub fn key_files(&self) -> Vec<AbsPath> {
        let own = self.providers.values().filter_map(|own| own.value.key_file.as_deref());
        self.key_file.iter().cloned().chain(own.map(|file| self.path(file.trim()))).collect()
    }
}

pub(crate) fn models(layers: &[Layer], roots: &Roots) -> ModelSettings {
    let word = |key: &Key| resolve_single(layers, key, Value::as_word).map(|layered| layered.value);
    let idle_timeout = resolve_single(layers, &keys::MODEL_IDLE_TIMEOUT, Value::as_count)
        .map_or(keys::DEFAULT_IDLE_TIMEOUT, |layered| layered.value);
    let max_answers = resolve_single(layers, &keys::MODEL_MAX_ANSWERS, Value::as_count)
        .map_or(keys::DEFAULT_MAX_ANSWERS, |layered| layered.value);
    let mut models = ModelSettings {
        fallback: text(layers, &keys::MODEL_FALLBACK),
        effort: word(&keys::MODEL_EFFORT),
        thinking: word(&keys::MODEL_THINKING).map(|word| word == "on"),
        idle_timeout: Duration::from_secs(u64::from(idle_timeout)),
        max_answers,
        providers: each(layers, &keys::MODEL_PROVIDERS, Value::as_providers, |it| (&it.id, it.line)),
        known: each(layers, &keys::MODEL_KNOWN, Value::as_model_overrides, |it| (&it.name, it.line)),
        key_helper: text(layers, &keys::KEY_HELPER),
        key_file: None,
        certificates: None,
        roots: roots.own(),
    };
    models.key_file = text(layers, &keys::KEY_FILE).map(|layered| models.path(layered.value.trim()));
    models.certificates = text(layers, &keys::CERTIFICATES).map(|layered| models.path(layered.value.trim()));
    models
}

/// Item by item, so that a file that has one does not take away another's.
fn each<T: Clone>(
    layers: &[Layer],
    key: &Key,
    items: fn(&Value) -> Option<&[T]>,
    name: fn(&T) -> (&String, usize),
) -> BTreeMap<String, Layered<T>> {
    let mut by_name: BTreeMap<String, Vec<Layered<T>>> = BTreeMap::new();
    for layer in layers {
        for item in layer.get(key).and_then(|found| items(&found.value)).unwrap_or_default() {
            let (name, line) = name(item);
            by_name.entry(name.clone()).or_default().push(layer.attributed(item.clone(), line));
        }
    }
    by_name.into_iter().filter_map(|(name, layered)| Some((name, highest_precedence(layered)?))).collect()
}
