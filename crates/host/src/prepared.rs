//! A session that is resolved and not open yet: where it works, what its settings say, which model it has.

use std::sync::Arc;

use forelook_engine::{Start, load_agents};
use forelook_plan::Plans;
use forelook_protocol::{Notice, NoticeLevel, TerminalLender};
use forelook_sessions::SessionError;
use forelook_settings::{Env, Places, Settings, Trust, TrustStore};

use crate::authority::{self, Loaded};
use crate::choose::{Choice, named_or_found};
use crate::failure::{Failure, Kind};
use crate::host::Host;
use crate::planning::plans;
use crate::spec::SessionSpec;

/// A session that is resolved and not open yet.
pub struct Prepared {
    pub(crate) host: Host,
    pub(crate) spec: SessionSpec,
    pub(crate) places: Places,
    pub(crate) loaded: Loaded,
    pub(crate) model: Option<String>,
    pub(crate) notices: Vec<Notice>,
    /// Whom the terminal is borrowed from, if somebody draws on it.
    pub(crate) terminal: Option<Arc<dyn TerminalLender>>,
}

impl Prepared {
    pub(crate) fn resolve(host: Host, mut spec: SessionSpec) -> Result<Self, Failure> {
        if let Start::Resume(id) = spec.start {
            spec.folder = host.store().header(id).map_err(|error| session_failure(&error))?.folder;
        }
        let places = authority::places(host.env(), &spec.rules, &spec.folder)?;
        let loaded = authority::load(host.env(), &places)?;
        let mut notices = loaded.settings.problems.clone();
        let model = model(host.env(), &spec, &loaded.settings, &mut notices)?;
        Ok(Self { host, spec, places, loaded, model, notices, terminal: None })
    }

    /// The model that was named or found; without one the session cannot be opened.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// What the session is to be, its own folder included.
    pub fn spec(&self) -> &SessionSpec {
        &self.spec
    }

    /// Where its settings are.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// What its settings say.
    pub fn settings(&self) -> &Settings {
        &self.loaded.settings
    }

    /// Where its plans are.
    pub fn plans(&self) -> Plans {
        plans(self.host.env(), &self.places, &self.loaded.settings).0
    }

    /// Adds something that the person should hear first.
    pub fn tell(&mut self, notice: Notice) {
        self.notices.push(notice);
    }

    /// Somebody draws on the terminal: an editor that needs it borrows it from them.
    pub fn borrow_from(&mut self, terminal: Arc<dyn TerminalLender>) {
        self.terminal = Some(terminal);
    }

    /// What the project brings that waits for trust, in sentences.
    pub fn brings(&self) -> Vec<String> {
        if self.loaded.trust == Trust::Trusted {
            return Vec::new();
        }
        let settings =
            self.loaded.settings.waiting.words().map(|waiting| format!("Its settings bring {waiting}."));
        // Read as a stranger's they come to nothing but a word that there are some.
        let agents = load_agents(None, &self.places.project, false).1;
        let agents = (!agents.is_empty()).then(|| "It has agents of its own.".to_owned());
        settings.into_iter().chain(agents).collect()
    }

    /// The folder is trusted from now on: what it says is read again, and it may name a model.
    pub fn trust(&mut self) -> Result<(), Failure> {
        let env = self.host.env();
        let mut store = TrustStore::load(&env.home);
        store.trust(&self.places.project).map_err(|error| Failure::of(Kind::Task, &error))?;
        self.loaded = authority::load(env, &self.places)?;
        self.notices = self.loaded.settings.problems.clone();
        let model = model(env, &self.spec, &self.loaded.settings, &mut self.notices)?;
        self.model = model.or(self.model.take());
        Ok(())
    }
}

/// The model that is named, else the one that is found.
fn model(
    env: &Env,
    spec: &SessionSpec,
    settings: &Settings,
    notices: &mut Vec<Notice>,
) -> Result<Option<String>, Failure> {
    if let Some(model) = &spec.model {
        return Ok(Some(model.clone()));
    }
    let choice = named_or_found(env, settings).map_err(|why| {
        Failure::new(Kind::Usage, format!("No model is named, and none could be looked for: {why}"))
    })?;
    if let Some(Choice::Local(model)) = &choice {
        let text = format!("No model is named; `{model}` runs on this machine and is used");
        notices.push(Notice { level: NoticeLevel::Info, text });
    }
    Ok(choice.map(Choice::model))
}

/// Nothing was named and nothing found: all the ways there are.
pub fn no_model() -> Failure {
    Failure::new(Kind::Usage, "No model is named, and none was found")
        .hint("With a key: set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or `keyFile` or `keyHelper` in your settings")
        .hint("On this machine: start Ollama and fetch a model, or name a server in `OPENAI_BASE_URL`")
        .hint("By name: --model provider/name, `FORELOOK_MODEL` or `model.main`; `forelook models` lists them")
        .hint("Without any: `forelook demo` is a whole session with a scripted model")
}

/// A session that is not there was named wrongly; whatever else is wrong with one is no fault of whoever asks.
pub(crate) fn session_failure(error: &SessionError) -> Failure {
    let kind = if matches!(error, SessionError::NotFound { .. }) { Kind::Usage } else { Kind::Task };
    Failure::of(kind, error)
}
