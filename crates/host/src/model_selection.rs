//! Which model is taken.
//!
//! The one that the environment or the settings name. Where nobody names one, in this order: Anthropic, if there is a key for it or an address of its own; OpenAI, the same, and at an address of
//! its own what is served there; a local Ollama that has models. Other providers have no model to take unasked.

use forelook_protocol::{Notice, NoticeLevel};
use forelook_providers::WireFormat;
use forelook_providers::catalog::newest;
use forelook_settings::{Env, Settings};

use crate::ollama;
use crate::provider_registry::ProviderRegistry;

/// Providers whose newest model of a family is taken.
const PREFERRED: [(&str, &str); 2] = [("anthropic", "sonnet"), ("openai", "gpt")];

/// A model that was found, and how.
#[derive(Debug, PartialEq, Eq)]
pub enum ModelSelection {
    /// It is named, or there is a key for it, or an address.
    Set(String),
    /// It runs here.
    Local(String),
}

impl ModelSelection {
    /// Its name.
    pub fn model(self) -> String {
        match self {
            ModelSelection::Set(model) | ModelSelection::Local(model) => model,
        }
    }

    /// The same, to look at.
    pub(crate) fn name(&self) -> &str {
        match self {
            ModelSelection::Set(model) | ModelSelection::Local(model) => model,
        }
    }

    /// What the person should know of it.
    pub(crate) fn notice(&self) -> Option<Notice> {
        let ModelSelection::Local(model) = self else { return None };
        let text = format!("No model is configured; using the local model `{model}`");
        Some(Notice { level: NoticeLevel::Info, text })
    }
}

/// The model that environment or settings name, else the one that is found.
pub fn select_model(env: &Env, settings: &Settings) -> Result<Option<ModelSelection>, String> {
    let named = env.model.clone().or_else(|| settings.model.as_ref().map(|layered| layered.value.clone()));
    match named {
        Some(model) => Ok(Some(ModelSelection::Set(model))),
        None => discover_model(&ProviderRegistry::new(env, &settings.models)),
    }
}

/// Looks around. An error is a place that should be looked at and cannot be.
pub(crate) fn discover_model(providers: &ProviderRegistry) -> Result<Option<ModelSelection>, String> {
    for (id, family) in PREFERRED {
        let server = providers.find(id)?;
        if (server.has_key || server.moved)
            && let Some((_, name)) = newest(family)
        {
            let served = if server.moved && server.wire_format == WireFormat::Chat {
                ollama::served(&server.base)
            } else {
                None
            };
            let name = match served.unwrap_or_default() {
                names if names.iter().any(|served| served == name) => name.to_owned(),
                names => names.into_iter().next().unwrap_or_else(|| name.to_owned()),
            };
            return Ok(Some(ModelSelection::Set(format!("{id}/{name}"))));
        }
    }
    let local = providers.find(ollama::ID)?;
    Ok(ollama::best(&local.base).map(|name| ModelSelection::Local(format!("{}/{name}", ollama::ID))))
}
