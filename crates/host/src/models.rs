//! Finds the provider of a model.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use forelook_engine::{ModelCatalog, ResolvedModel};
use forelook_network::{Connections, NetworkConfig};
use forelook_protocol::{AbsPath, ModelInfo, Notice};
use forelook_providers::catalog::{KnownModel, KnownProvider, ThinkingSupport, newest};
use forelook_providers::scripted::{Script, ScriptedProvider};
use forelook_providers::{
    Capability, Effort, Endpoint, HttpProvider, KeySource, ModelFacts, Provider, Thinking, WireFormat,
};
use forelook_settings::values::ModelOverrideItem;
use forelook_settings::{Env, ModelSettings, TestWire};

use crate::keys::{KeyChain, KeyLocation};
use crate::model_list::model_list;
use crate::network::network;
use crate::provider_registry::{ANTHROPIC, ProviderRegistry, ResolvedProvider};
use crate::request_recorder::RequestRecorder;
use crate::test_wire::{self, TestWireProvider};
use crate::{demo, ollama};

/// All models that this program can ask.
pub struct KnownModels {
    /// What a script's path is relative to.
    folder: AbsPath,
    /// Where requests are written down, in tests.
    requests: Option<AbsPath>,
    /// Over which wire scripted models are asked, in tests.
    wire: Option<(TestWire, Arc<dyn KeySource>)>,
    /// Where they are.
    pub providers: ProviderRegistry,
    settings: ModelSettings,
    /// The connections of the whole program.
    connections: Arc<Connections>,
    network: Arc<NetworkConfig>,
    /// The session's own model, for hosts that ask for the default one.
    main: OnceLock<String>,
    /// Providers that were made. One for each model: they hold connections, and a script its place.
    made: Mutex<HashMap<String, ResolvedModel>>,
}

impl KnownModels {
    /// All of them, with what the person should hear about the way there.
    pub fn new(env: &Env, settings: &ModelSettings, folder: AbsPath) -> (Self, Vec<Notice>) {
        let (network, notices) = network(env, settings);
        let network = Arc::new(network);
        let models = Self {
            folder,
            requests: env.test_requests.clone(),
            wire: env.test_wire.clone().map(|wire| with_planted_key(env, wire)),
            providers: ProviderRegistry::new(env, settings),
            settings: settings.clone(),
            connections: Arc::new(Connections::new(Arc::clone(&network))),
            network,
            main: OnceLock::new(),
            made: Mutex::default(),
        };
        (models, notices)
    }

    /// How the network is reached, for whoever else needs it.
    pub(crate) fn network(&self) -> Arc<NetworkConfig> {
        Arc::clone(&self.network)
    }

    /// Finds the model that the session begins with; from then on it is the default one.
    pub fn main(&self, model: &str) -> Result<ResolvedModel, String> {
        let choice = self.resolve(model)?;
        let _ = self.main.set(choice.id.clone());
        Ok(choice)
    }

    fn make(&self, model: &str) -> Result<ResolvedModel, String> {
        let (provider, name) = self.split(model)?;
        match provider {
            "scripted" => self.script(name),
            provider => self.remote(&self.providers.find(provider)?, name),
        }
    }

    /// Provider and name of what a person or a host may say.
    fn split<'a>(&'a self, model: &'a str) -> Result<(&'a str, &'a str), String> {
        // A host marks with this that it wants the long window; ours is as long as the model's.
        let model = model.trim().strip_suffix("[1m]").unwrap_or(model.trim());
        if let Some((provider, name)) = model.split_once('/') {
            let whole = !provider.is_empty() && !name.is_empty();
            return whole.then_some((provider, name)).ok_or_else(|| not_a_name(model));
        }
        if let ("default" | "inherit", Some(main)) = (model, self.main.get()) {
            return self.split(main);
        }
        if let Some(found) = newest(model) {
            return Ok(found);
        }
        let provider = KnownModel::provider_of(model).ok_or_else(|| not_a_name(model))?;
        Ok((provider, model))
    }

    fn remote(&self, found: &ResolvedProvider, name: &str) -> Result<ResolvedModel, String> {
        if let Some(missing) = &found.missing {
            return Err(missing.clone());
        }
        let id = format!("{}/{name}", found.id);
        let facts = self.facts(&found.id, name);
        let server = self.endpoint(found.wire_format, found.base.clone(), found.key.clone());
        let provider = self.recorded(Arc::new(HttpProvider::new(server, facts.clone())));
        Ok(ResolvedModel { id, name: name.to_owned(), provider, facts })
    }

    fn endpoint(&self, wire_format: WireFormat, base: String, key: Arc<dyn KeySource>) -> Endpoint {
        Endpoint {
            wire_format,
            base,
            key,
            idle_timeout: self.settings.idle_timeout,
            connections: Arc::clone(&self.connections),
        }
    }

    /// Models that the person's settings know.
    pub(crate) fn configured_models(&self) -> impl Iterator<Item = &str> {
        self.settings.known.keys().map(String::as_str)
    }

    /// What is known of a model; the person's own word first.
    pub(crate) fn facts(&self, provider: &str, name: &str) -> ModelFacts {
        let known = KnownModel::find(provider, name).unwrap_or_default();
        let facts = known.facts(self.settings.thinking, self.effort());
        match self.settings.known.get(&format!("{provider}/{name}")) {
            Some(overrides) => self.with_overrides(facts, &overrides.value),
            None => facts,
        }
    }

    fn with_overrides(&self, facts: ModelFacts, overrides: &ModelOverrideItem) -> ModelFacts {
        let means = overrides.thinking.map(|word| match word {
            "adaptive" => ThinkingSupport::Adaptive,
            "budget" => ThinkingSupport::Budget,
            _ => ThinkingSupport::None,
        });
        let images = overrides.images.map(|sees| if sees { Capability::Assumed } else { Capability::Absent });
        ModelFacts {
            window: overrides.window.or(facts.window),
            output: overrides.output.or(facts.output),
            price: overrides.price.or(facts.price),
            thinking: means.map_or(facts.thinking, |means| means.thinking_for(self.settings.thinking)),
            images: images.unwrap_or(facts.images),
            effort: facts.effort,
        }
    }

    fn effort(&self) -> Option<Effort> {
        let word = self.settings.effort?;
        [Effort::Low, Effort::Medium, Effort::High].into_iter().find(|effort| effort.name() == word)
    }

    fn script(&self, name: &str) -> Result<ResolvedModel, String> {
        let model = format!("scripted/{name}");
        let is_demo = model == demo::MODEL;
        let text = if is_demo { demo::SCRIPT.to_owned() } else { self.read(Path::new(name))? };
        let script = Script::parse(&text).map_err(|error| format!("`{model}`: {error}"))?;
        let facts = ModelFacts { window: script.window(), ..ModelFacts::default() };
        let scripted = ScriptedProvider::new(script);
        let (name, provider): (String, Arc<dyn Provider>) = match &self.wire {
            None => (name.to_owned(), Arc::new(scripted)),
            Some((wire, key)) => {
                let asked = if is_demo { name.to_owned() } else { self.folder.join(name).to_string() };
                let (wire_format, base) = test_wire::address(wire);
                let server = self.endpoint(wire_format, base, Arc::clone(key));
                // Asked to think, so that what a script thinks travels as on the real wire, seals and signatures included.
                let asked_with = ModelFacts { thinking: Thinking::Adaptive, ..facts.clone() };
                (asked, Arc::new(TestWireProvider::new(server, asked_with, scripted.defers_tools())))
            }
        };
        Ok(ResolvedModel { id: model, name, provider: self.recorded(provider), facts })
    }

    fn recorded(&self, inner: Arc<dyn Provider>) -> Arc<dyn Provider> {
        match &self.requests {
            Some(path) => Arc::new(RequestRecorder { path: path.clone(), inner }),
            None => inner,
        }
    }

    fn read(&self, path: &Path) -> Result<String, String> {
        let path = self.folder.join(path);
        std::fs::read_to_string(&path).map_err(|error| format!("cannot read the script `{path}`: {error}"))
    }
}

fn not_a_name(model: &str) -> String {
    format!(
        "`{model}` must have the form provider/name, such as anthropic/claude-sonnet-5-5 or {}/NAME; \
         `forelook models` lists the available models",
        ollama::ID
    )
}

fn with_planted_key(env: &Env, wire: TestWire) -> (TestWire, Arc<dyn KeySource>) {
    // The key that every test plants, whatever the form: with one more variable a run would list more models.
    let name = "ANTHROPIC_API_KEY";
    let key = env.secret(name).ok().flatten();
    let locations = key.map(|key| KeyLocation::Variable { name: name.to_owned(), key });
    (wire, Arc::new(KeyChain::new(ANTHROPIC, locations.into_iter().collect(), None)))
}

impl ModelCatalog for KnownModels {
    fn resolve(&self, model: &str) -> Result<ResolvedModel, String> {
        let mut made = self.made.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(choice) = made.get(model) {
            return Ok(choice.clone());
        }
        let choice = self.make(model)?;
        // By its whole name too: a script must not begin again because it is called otherwise.
        let choice = made.entry(choice.id.clone()).or_insert(choice).clone();
        made.insert(model.to_owned(), choice.clone());
        Ok(choice)
    }

    fn small_model(&self, model: &str) -> Option<String> {
        let (id, _) = self.split(model).ok()?;
        // What is served at an address of the person's own nobody knows.
        let own = self.providers.find(id).ok().filter(|found| !found.moved)?;
        let small = format!("{}/{}", own.id, KnownProvider::find(id)?.small?);
        self.resolve(&small).ok().map(|found| found.id)
    }

    fn list(&self) -> Vec<ModelInfo> {
        model_list(self, self.main.get().map(String::as_str))
    }
}
