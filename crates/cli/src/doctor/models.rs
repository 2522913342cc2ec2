//! Which models could be asked: who has a key, what runs on this machine, and which one is taken.

use forelook_host::{Choice, Found, KnownModels, OLLAMA, Servers, choose_model, ollama_models};
use forelook_settings::{Env, Settings};

use super::check::{Check, State};
use crate::run::here;

const AREA: &str = "Models";

/// The keys are looked for and not shown, and no server is sent one.
pub(super) fn checks(env: &Env, settings: &Settings) -> Vec<Check> {
    let servers = Servers::new(env, &settings.models);
    let mut checks: Vec<Check> = servers.ids().into_iter().filter_map(|id| provider(&servers, id)).collect();
    checks.push(taken(env, settings));
    checks
}

/// What is worth a line: a key that is there, an address of one's own, a server on this machine, trouble.
fn provider(servers: &Servers, id: &str) -> Option<Check> {
    let found = match servers.find(id) {
        Ok(found) => found,
        Err(why) => return Some(Check::new(AREA, id, State::Warning, why)),
    };
    if id == OLLAMA {
        return Some(local(&found));
    }
    let at = if found.moved { format!(", at {}", host(&found.base)) } else { String::new() };
    if found.has_key {
        return Some(Check::new(AREA, id, State::Good, format!("A key in {}{at}", found.key_origin())));
    }
    let says = "No key; the server may ask for none";
    found.moved.then(|| Check::new(AREA, id, State::Good, format!("{says}{at}")))
}

fn local(found: &Found) -> Check {
    let at = host(&found.base);
    match ollama_models(&found.base) {
        None => Check::new(AREA, OLLAMA, State::Good, format!("Nobody answers at {at}")),
        Some(models) if models.is_empty() => {
            Check::new(AREA, OLLAMA, State::Good, format!("Runs at {at} and has no model"))
        }
        Some(models) => Check::new(AREA, OLLAMA, State::Good, format!("Runs at {at}: {}", models.join(", "))),
    }
}

/// The host alone: an address may have a name and a password in it.
fn host(base: &str) -> &str {
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    let place = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    place.rsplit('@').next().unwrap_or(place)
}

/// The model that a session would begin with.
fn taken(env: &Env, settings: &Settings) -> Check {
    let name = choose_model(env, settings).map(|found| found.map(Choice::model));
    let bad = |says: String| Check::new(AREA, "in use", State::Bad, says);
    match name {
        Err(why) => bad(why),
        Ok(None) => bad("None is named, and none was found".to_owned())
            .advice("Set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, start Ollama, or name a model in `model.main`\n`forelook demo` needs none"),
        Ok(Some(name)) => match usable(env, settings, &name) {
            Ok(id) => Check::new(AREA, "in use", State::Good, id),
            Err(why) => bad(format!("`{name}` cannot be used: {why}")),
        },
    }
}

fn usable(env: &Env, settings: &Settings, name: &str) -> Result<String, String> {
    let folder = here().map_err(|failure| failure.text())?;
    let (models, _) = KnownModels::new(env, &settings.models, folder);
    models.main(name).map(|choice| choice.id)
}
