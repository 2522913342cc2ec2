//! Where models are: the address of a provider, how it is spoken to, and who has its key.
//!
//! What a project's files say has no part in this: its settings cannot hold addresses, helpers or key files, and the
//! model that it names is asked where the person's own settings and environment say.

use std::sync::Arc;

use forelook_protocol::{Source, nearest};
use forelook_providers::catalog::{KnownProvider, wire_format};
use forelook_providers::{KeySource as _, WireFormat};
use forelook_settings::keys::{KEY_FILE, KEY_HELPER, MODEL_PROVIDERS};
use forelook_settings::values::ProviderItem;
use forelook_settings::{Env, Layered, ModelSettings};

use crate::child_env::user_env;
use crate::keys::{KeyChain, KeyFile, KeyHelper, KeyLocation, SingleKeyOwner};
use crate::ollama;

/// Whose a key is that stands alone in `keyHelper` or `keyFile`.
pub(crate) const ANTHROPIC: &str = "anthropic";

/// OpenAI's own host. What is compatible with it elsewhere rarely knows the newer of its two forms.
const OPENAI_HOST: &str = "https://api.openai.com";

/// A provider, as it can be asked.
pub struct ResolvedProvider {
    pub(crate) id: String,
    pub(crate) wire_format: WireFormat,
    /// Its address.
    pub base: String,
    /// The address is not the provider's usual one.
    pub moved: bool,
    pub(crate) key: Arc<KeyChain>,
    /// Whether a key is there for sure.
    pub has_key: bool,
    /// Why it cannot be asked: its key is missing.
    pub(crate) missing: Option<String>,
}

impl ResolvedProvider {
    /// Where its key is.
    pub fn key_origin(&self) -> String {
        self.key.origin()
    }
}

/// All providers.
pub struct ProviderRegistry {
    env: Env,
    settings: ModelSettings,
    helper: Option<Arc<KeyHelper>>,
    file: Option<Arc<KeyFile>>,
}

impl ProviderRegistry {
    /// As environment and settings say.
    pub fn new(env: &Env, settings: &ModelSettings) -> Self {
        let helper = settings.key_helper.as_ref().map(|configured| {
            KeyHelper::new(KEY_HELPER.name, &configured.value, user_env(env, settings), env)
        });
        let file = settings.key_file.clone().map(KeyFile::new);
        Self {
            env: env.clone(),
            settings: settings.clone(),
            helper: helper.map(Arc::new),
            file: file.map(Arc::new),
        }
    }

    /// The ids of all of them.
    pub fn ids(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = KnownProvider::ids().collect();
        let own = self.settings.providers.keys().map(String::as_str);
        ids.extend(own.filter(|id| KnownProvider::ids().all(|known| known != *id)));
        ids
    }

    /// The provider with this id, or why there is none.
    pub fn find(&self, id: &str) -> Result<ResolvedProvider, String> {
        let (known, own) = (KnownProvider::find(id), self.settings.providers.get(id));
        if known.is_none() && own.is_none() {
            return Err(self.unknown(id));
        }
        let item = own.map(|own| &own.value);
        let (base, moved) = self.base(id, known.as_ref(), own)?;
        let configured = item.and_then(|item| item.wire_format).and_then(wire_format);
        let usual = known.as_ref().map(|known| known.wire_format);
        let wire_format = match (configured, usual) {
            (Some(wire_format), _) => wire_format,
            (None, Some(WireFormat::Responses)) if !is_at(&base, OPENAI_HOST) => WireFormat::Chat,
            (None, Some(wire_format)) => wire_format,
            (None, None) => WireFormat::Chat,
        };
        let base =
            if wire_format == WireFormat::Anthropic { base.trim_end_matches("/v1").to_owned() } else { base };
        let locations = self.locations(id, known.as_ref(), item)?;
        let mut has_key = false;
        for location in &locations {
            // What is not needed is not looked at: a file that is open to others is no matter beside a variable.
            has_key = has_key || self.is_sure(id, location)?;
        }
        let may_have = locations.iter().any(|location| matches!(location, KeyLocation::Helper(..)));
        let none = !has_key && !may_have;
        let missing = Self::missing(id, known.as_ref(), item, moved);
        let key = Arc::new(KeyChain::new(id, locations, missing.clone()));
        Ok(ResolvedProvider {
            id: id.to_owned(),
            wire_format,
            base,
            moved,
            key,
            has_key,
            missing: missing.filter(|_| none),
        })
    }

    fn base(
        &self,
        id: &str,
        known: Option<&KnownProvider>,
        own: Option<&Layered<ProviderItem>>,
    ) -> Result<(String, bool), String> {
        let set = own.and_then(|own| own.value.base_url.clone());
        let managed = own.is_some_and(|own| own.source == Source::PolicySettings);
        // An administrator's gateway is not gone around by a variable.
        if let Some(base) = set.clone().filter(|_| managed) {
            return Ok((base, true));
        }
        if let Some(name) = known.and_then(|known| known.address.as_deref())
            && let Some(address) = self.env.address(name).map_err(|error| error.to_string())?
        {
            let base = if id == ollama::ID { ollama::base(address) } else { plain(address) };
            return base
                .map(|base| (base, true))
                .ok_or_else(|| format!("`{name}` is not a URL like `https://models.example.com`"));
        }
        if let Some(base) = set {
            return Ok((base, true));
        }
        let usual = known.map(|known| (known.base.clone(), false));
        usual.ok_or_else(|| format!("`{}.{id}` has no `baseUrl`", MODEL_PROVIDERS.name))
    }

    /// Where its key may be: environment, command, file. What is said of this provider alone comes in place of what is
    /// said for all.
    fn locations(
        &self,
        id: &str,
        known: Option<&KnownProvider>,
        item: Option<&ProviderItem>,
    ) -> Result<Vec<KeyLocation>, String> {
        let mut locations = Vec::new();
        if let Some(item) = item.filter(|item| names_key(item)) {
            if let Some(name) = &item.key_variable {
                locations.extend(self.variable(name, known)?);
            }
            let setting = |field: &str| format!("{}.{id}.{field}", MODEL_PROVIDERS.name);
            if let Some(command) = &item.key_helper {
                let helper = KeyHelper::new(
                    &setting("keyHelper"),
                    command,
                    user_env(&self.env, &self.settings),
                    &self.env,
                );
                locations.push(KeyLocation::Helper(Arc::new(helper), SingleKeyOwner::ThisProvider));
            }
            if let Some(path) = &item.key_file {
                let file = KeyFile::new(self.settings.path(path.trim()));
                locations.push(KeyLocation::File(Arc::new(file), SingleKeyOwner::ThisProvider));
            }
            return Ok(locations);
        }
        // Whoever needs no key is given none.
        let Some(known) = known.filter(|known| !known.keys.is_empty()) else { return Ok(locations) };
        for name in &known.keys {
            locations.extend(self.variable(name, Some(known))?);
        }
        let owner =
            if id == ANTHROPIC { SingleKeyOwner::ThisProvider } else { SingleKeyOwner::OtherProvider };
        locations.extend(self.helper.clone().map(|helper| KeyLocation::Helper(helper, owner)));
        locations.extend(self.file.clone().map(|file| KeyLocation::File(file, owner)));
        Ok(locations)
    }

    fn variable(&self, name: &str, known: Option<&KnownProvider>) -> Result<Option<KeyLocation>, String> {
        let is_token = known.and_then(|known| known.token.as_deref()) == Some(name);
        let key = if is_token { self.env.token(name) } else { self.env.secret(name) };
        let key = key.map_err(|error| error.to_string())?;
        Ok(key.map(|key| KeyLocation::Variable { name: name.to_owned(), key }))
    }

    /// Whether a place has a key for sure. What a command prints is not known before it runs; that it is there for
    /// Anthropic, and for the provider that it is said for, is what the person says by naming it.
    fn is_sure(&self, id: &str, location: &KeyLocation) -> Result<bool, String> {
        match location {
            KeyLocation::Variable { .. } | KeyLocation::Helper(_, SingleKeyOwner::ThisProvider) => Ok(true),
            KeyLocation::Helper(_, SingleKeyOwner::OtherProvider) => Ok(false),
            KeyLocation::File(file, owner) => file.has(id, *owner),
        }
    }

    /// What is said where no key is; nothing where none is needed: at an address of one's own there may be a server
    /// that asks for none.
    fn missing(
        id: &str,
        known: Option<&KnownProvider>,
        item: Option<&ProviderItem>,
        moved: bool,
    ) -> Option<String> {
        if let Some(item) = item.filter(|item| names_key(item)) {
            return Some(match &item.key_variable {
                Some(name) => format!("no key for `{id}`: set the variable `{name}`"),
                None => format!("no key for `{id}`: its key file has none"),
            });
        }
        let known = known.filter(|known| !known.keys.is_empty() && !moved)?;
        let variable = known.keys.first()?;
        let title = &known.title;
        Some(format!(
            "no key for {title}: set the variable `{variable}`, or `{}` or `{}` in your settings",
            KEY_FILE.name, KEY_HELPER.name
        ))
    }

    fn unknown(&self, id: &str) -> String {
        let near = nearest(id, self.ids().into_iter().chain(["scripted"]));
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                format!(
                    "the known ones are {}; define your own in `{}`",
                    self.ids().join(", "),
                    MODEL_PROVIDERS.name
                )
            }
        };
        format!("unknown provider `{id}`; {hint}")
    }

    /// The variables of the environment that hold keys under names of the person's own.
    pub(crate) fn own_variables(settings: &ModelSettings) -> impl Iterator<Item = &str> {
        settings.providers.values().filter_map(|own| own.value.key_variable.as_deref())
    }
}

fn names_key(item: &ProviderItem) -> bool {
    item.key_variable.is_some() || item.key_helper.is_some() || item.key_file.is_some()
}

/// An address, as a person may write it.
fn plain(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('/');
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let whole =
        !host.is_empty() && !host.contains(|letter: char| letter.is_whitespace() || letter.is_control());
    whole.then(|| text.to_owned())
}

/// Whether an address is at this host, and not at one that only begins like it.
fn is_at(base: &str, host: &str) -> bool {
    base.strip_prefix(host).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':']))
}

#[cfg(test)]
pub(crate) mod tests;
