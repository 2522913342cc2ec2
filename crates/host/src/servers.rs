//! Where models are: the address of a provider, how it is spoken to, and who has its key.
//!
//! What a project's files say has no part in this: its settings cannot hold addresses, helpers or key files, and the
//! model that it names is asked where the person's own settings and environment say.

use std::sync::Arc;

use forelook_protocol::{Source, nearest};
use forelook_providers::catalogue::{KnownProvider, form};
use forelook_providers::{Form, KeySource as _};
use forelook_settings::keys::{KEY_FILE, KEY_HELPER, MODEL_PROVIDERS};
use forelook_settings::values::ProviderItem;
use forelook_settings::{Env, Layered, ModelSettings};

use crate::keys::{Alone, Helper, KeyFile, Keys, Place};
use crate::ollama;

/// Whose a key is that stands alone in `keyHelper` or `keyFile`.
pub(crate) const ANTHROPIC: &str = "anthropic";

/// OpenAI's own host. What is compatible with it elsewhere rarely knows the newer of its two forms.
const OPENAI_HOST: &str = "https://api.openai.com";

/// A provider, as it can be asked.
pub struct Found {
    pub(crate) id: String,
    pub(crate) form: Form,
    /// Its address.
    pub base: String,
    /// The address is not the provider's usual one.
    pub moved: bool,
    pub(crate) key: Arc<Keys>,
    /// Whether a key is there for sure.
    pub has_key: bool,
    /// Why it cannot be asked: its key is missing.
    pub(crate) missing: Option<String>,
}

impl Found {
    /// Where its key is.
    pub fn key_origin(&self) -> String {
        self.key.origin()
    }
}

/// All providers.
pub struct Servers {
    env: Env,
    said: ModelSettings,
    helper: Option<Arc<Helper>>,
    file: Option<Arc<KeyFile>>,
}

impl Servers {
    /// As environment and settings say.
    pub fn new(env: &Env, said: &ModelSettings) -> Self {
        let helper = said.key_helper.as_ref().map(|said| Helper::new(KEY_HELPER.name, &said.value, env));
        let file = said.key_file.clone().map(KeyFile::new);
        Self { env: env.clone(), said: said.clone(), helper: helper.map(Arc::new), file: file.map(Arc::new) }
    }

    /// The ids of all of them.
    pub fn ids(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = KnownProvider::ids().collect();
        let own = self.said.providers.keys().map(String::as_str);
        ids.extend(own.filter(|id| KnownProvider::ids().all(|known| known != *id)));
        ids
    }

    /// The provider with this id, or why there is none.
    pub fn find(&self, id: &str) -> Result<Found, String> {
        let (known, own) = (KnownProvider::find(id), self.said.providers.get(id));
        if known.is_none() && own.is_none() {
            return Err(self.unknown(id));
        }
        let item = own.map(|own| &own.value);
        let (base, moved) = self.base(id, known.as_ref(), own)?;
        let said = item.and_then(|item| item.form).and_then(form);
        let usual = known.as_ref().map(|known| known.form);
        let form = match (said, usual) {
            (Some(form), _) => form,
            (None, Some(Form::Responses)) if !is_at(&base, OPENAI_HOST) => Form::Chat,
            (None, Some(form)) => form,
            (None, None) => Form::Chat,
        };
        let base = if form == Form::Anthropic { base.trim_end_matches("/v1").to_owned() } else { base };
        let places = self.places(id, known.as_ref(), item)?;
        let mut has_key = false;
        for place in &places {
            // What is not needed is not looked at: a file that is open to others is no matter beside a variable.
            has_key = has_key || self.is_sure(id, place)?;
        }
        let may_have = places.iter().any(|place| matches!(place, Place::Helper(..)));
        let none = !has_key && !may_have;
        let missing = Self::missing(id, known.as_ref(), item, moved);
        let key = Arc::new(Keys::new(id, places, missing.clone()));
        Ok(Found { id: id.to_owned(), form, base, moved, key, has_key, missing: missing.filter(|_| none) })
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
            return base.map(|base| (base, true)).ok_or_else(|| {
                format!("`{name}` does not hold an address like `https://models.example.com`")
            });
        }
        if let Some(base) = set {
            return Ok((base, true));
        }
        let usual = known.map(|known| (known.base.clone(), false));
        usual.ok_or_else(|| format!("`{}.{id}` has no `baseUrl`", MODEL_PROVIDERS.name))
    }

    /// Where its key may be: environment, command, file. What is said of this provider alone comes in place of what is
    /// said for all.
    fn places(
        &self,
        id: &str,
        known: Option<&KnownProvider>,
        item: Option<&ProviderItem>,
    ) -> Result<Vec<Place>, String> {
        let mut places = Vec::new();
        if let Some(item) = item.filter(|item| names_key(item)) {
            if let Some(name) = &item.key_variable {
                places.extend(self.variable(name, known)?);
            }
            let setting = |field: &str| format!("{}.{id}.{field}", MODEL_PROVIDERS.name);
            if let Some(command) = &item.key_helper {
                let helper = Helper::new(&setting("keyHelper"), command, &self.env);
                places.push(Place::Helper(Arc::new(helper), Alone::Ours));
            }
            if let Some(path) = &item.key_file {
                let file = KeyFile::new(self.said.path(path.trim()));
                places.push(Place::File(Arc::new(file), Alone::Ours));
            }
            return Ok(places);
        }
        // Whoever needs no key is given none.
        let Some(known) = known.filter(|known| !known.keys.is_empty()) else { return Ok(places) };
        for name in &known.keys {
            places.extend(self.variable(name, Some(known))?);
        }
        let alone = if id == ANTHROPIC { Alone::Ours } else { Alone::Anothers };
        places.extend(self.helper.clone().map(|helper| Place::Helper(helper, alone)));
        places.extend(self.file.clone().map(|file| Place::File(file, alone)));
        Ok(places)
    }

    fn variable(&self, name: &str, known: Option<&KnownProvider>) -> Result<Option<Place>, String> {
        let is_token = known.and_then(|known| known.token.as_deref()) == Some(name);
        let key = if is_token { self.env.token(name) } else { self.env.secret(name) };
        let key = key.map_err(|error| error.to_string())?;
        Ok(key.map(|key| Place::Variable { name: name.to_owned(), key }))
    }

    /// Whether a place has a key for sure. What a command prints is not known before it runs; that it is there for
    /// Anthropic, and for the provider that it is said for, is what the person says by naming it.
    fn is_sure(&self, id: &str, place: &Place) -> Result<bool, String> {
        match place {
            Place::Variable { .. } | Place::Helper(_, Alone::Ours) => Ok(true),
            Place::Helper(_, Alone::Anothers) => Ok(false),
            Place::File(file, alone) => file.has(id, *alone),
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
                Some(name) => format!("there is no key for `{id}`: set the variable `{name}`"),
                None => format!("there is no key for `{id}`: its file has none"),
            });
        }
        let known = known.filter(|known| !known.keys.is_empty() && !moved)?;
        let variable = known.keys.first()?;
        let title = &known.title;
        Some(format!(
            "there is no key for {title}: set the variable `{variable}`, or `{}` or `{}` in your settings",
            KEY_FILE.name, KEY_HELPER.name
        ))
    }

    fn unknown(&self, id: &str) -> String {
        let near = nearest(id, self.ids().into_iter().chain(["scripted"]));
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                format!("known are {}; your own go into `{}`", self.ids().join(", "), MODEL_PROVIDERS.name)
            }
        };
        format!("there is no provider `{id}`; {hint}")
    }

    /// The variables of the environment that hold keys under names of the person's own.
    pub(crate) fn own_variables(said: &ModelSettings) -> impl Iterator<Item = &str> {
        said.providers.values().filter_map(|own| own.value.key_variable.as_deref())
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
