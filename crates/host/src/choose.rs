//! Which model is taken.
//!
//! The one that the environment or the settings name. Where nobody names one, in this order: Anthropic, if there is a key for it or an address of its own; OpenAI, the same, and at an address of
//! its own what is served there; a local Ollama that has models. Other providers have no model to take unasked.

use forelook_providers::Form;
use forelook_providers::catalogue::newest;
use forelook_settings::{Env, Settings};

use crate::ollama;
use crate::servers::Servers;

/// Providers whose newest model of a family is taken.
const TAKEN: [(&str, &str); 2] = [("anthropic", "sonnet"), ("openai", "gpt")];

/// A model that was found, and how.
#[derive(Debug, PartialEq, Eq)]
pub enum Choice {
    /// It is named, or there is a key for it, or an address.
    Set(String),
    /// It runs here.
    Local(String),
}

impl Choice {
    /// Its name.
    pub fn model(self) -> String {
        match self {
            Choice::Set(model) | Choice::Local(model) => model,
        }
    }
}

/// The model that environment or settings name, else the one that is found.
pub fn named_or_found(env: &Env, settings: &Settings) -> Result<Option<Choice>, String> {
    let named = env.model.clone().or_else(|| settings.model.as_ref().map(|said| said.value.clone()));
    match named {
        Some(model) => Ok(Some(Choice::Set(model))),
        None => found(&Servers::new(env, &settings.models)),
    }
}

/// Looks around. An error is a place that should be looked at and cannot be.
pub(crate) fn found(servers: &Servers) -> Result<Option<Choice>, String> {
    for (id, family) in TAKEN {
        let server = servers.find(id)?;
        if (server.has_key || server.moved)
            && let Some((_, name)) = newest(family)
        {
            let served =
                if server.moved && server.form == Form::Chat { ollama::served(&server.base) } else { None };
            let name = match served.unwrap_or_default() {
                names if names.iter().any(|served| served == name) => name.to_owned(),
                names => names.into_iter().next().unwrap_or_else(|| name.to_owned()),
            };
            return Ok(Some(Choice::Set(format!("{id}/{name}"))));
        }
    }
    let local = servers.find(ollama::ID)?;
    Ok(ollama::best(&local.base).map(|name| Choice::Local(format!("{}/{name}", ollama::ID))))
}
