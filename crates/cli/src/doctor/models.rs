//! Which models could be asked: who has a key, what runs on this machine, and which one is taken.

use forelook_host::{
    KnownModels, ModelSelection, OLLAMA, ProviderRegistry, ResolvedProvider, ollama_models, select_model,
};
use forelook_settings::{Env, Settings};

use super::check::{Check, CheckState};
use crate::run::here;

const AREA: &str = "Models";

/// The keys are looked for and not shown, and no server is sent one.
pub(super) fn checks(env: &Env, settings: &Settings) -> Vec<Check> {
    let providers = ProviderRegistry::new(env, &settings.models);
    let mut checks: Vec<Check> =
        providers.ids().into_iter().filter_map(|id| provider(&providers, id)).collect();
    checks.push(selected(env, settings));
    checks
}

/// What is worth a line: a key that is there, an address of one's own, a server on this machine, trouble.
fn provider(providers: &ProviderRegistry, id: &str) -> Option<Check> {
    let found = match providers.find(id) {
        Ok(found) => found,
        Err(why) => return Some(Check::new(AREA, id, CheckState::Warning, why)),
    };
    if id == OLLAMA {
        return Some(local(&found));
    }
    let at = if found.moved { format!(", at {}", host(&found.base)) } else { String::new() };
    if found.has_key {
        return Some(Check::new(AREA, id, CheckState::Good, format!("Key from {}{at}", found.key_origin())));
    }
    let message = "No key; the server may not need one";
    found.moved.then(|| Check::new(AREA, id, CheckState::Good, format!("{message}{at}")))
}

fn local(found: &ResolvedProvider) -> Check {
    let at = host(&found.base);
    match ollama_models(&found.base) {
        None => Check::new(AREA, OLLAMA, CheckState::Absent, format!("Not running: no answer at {at}")),
        Some(models) if models.is_empty() => {
            Check::new(AREA, OLLAMA, CheckState::Good, format!("Running at {at}, without any models"))
        }
        Some(models) => {
            Check::new(AREA, OLLAMA, CheckState::Good, format!("Running at {at}: {}", models.join(", ")))
        }
    }
}

/// The host alone: an address may have a name and a password in it.
fn host(base: &str) -> &str {
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    let place = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    place.rsplit('@').next().unwrap_or(place)
}

/// The model that a session would begin with.
fn selected(env: &Env, settings: &Settings) -> Check {
    let name = select_model(env, settings).map(|found| found.map(ModelSelection::model));
    let bad = |message: String| Check::new(AREA, "in use", CheckState::Bad, message);
    match name {
        Err(why) => bad(why),
        Ok(None) => bad("No model is configured, and none was found".to_owned())
            .advice("Set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, start Ollama, or set `model.main`\n`forelook demo` works without a model"),
        Ok(Some(name)) => match usable(env, settings, &name) {
            Ok(id) => Check::new(AREA, "in use", CheckState::Good, id),
            Err(why) => bad(format!("`{name}` cannot be used: {why}")),
        },
    }
}

fn usable(env: &Env, settings: &Settings, name: &str) -> Result<String, String> {
    let folder = here().map_err(|failure| failure.text())?;
    let (models, _) = KnownModels::new(env, &settings.models, folder);
    models.main(name).map(|choice| choice.id)
}
