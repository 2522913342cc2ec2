//! A session that is resolved and not open yet: where it works, what its settings say, which model it has.

use std::sync::Arc;

use forelook_engine::SessionStart;
use forelook_plan::PlanStore;
use forelook_protocol::{Notice, TerminalLender, TrustQuestion};
use forelook_sessions::SessionError;
use forelook_settings::{Env, PowerItem, PowerKind, Settings, SettingsPaths, TrustState, TrustStore};

use crate::authority::{self, LoadedSettings};
use crate::demo;
use crate::failure::{Failure, FailureClass};
use crate::for_model;
use crate::host::Host;
use crate::model_selection::{ModelSelection, select_model};
use crate::planning::plans;
use crate::spec::SessionSpec;

/// A session that is resolved and not open yet.
pub struct PreparedSession {
    pub(crate) host: Host,
    pub(crate) spec: SessionSpec,
    pub(crate) settings_paths: SettingsPaths,
    pub(crate) loaded: LoadedSettings,
    pub(crate) model: Option<ModelSelection>,
    /// Said from outside. What is wrong with settings is in them: it is another thing once the folder is trusted.
    pub(crate) notices: Vec<Notice>,
    /// Whom the terminal is borrowed from, if somebody draws on it.
    pub(crate) terminal: Option<Arc<dyn TerminalLender>>,
}

impl PreparedSession {
    pub(crate) fn resolve(host: Host, mut spec: SessionSpec) -> Result<Self, Failure> {
        if let SessionStart::Resume(id) = spec.start {
            spec.folder = host.store().header(id).map_err(|error| session_failure(&error))?.folder;
        }
        if host.env().runs_for_model {
            for_model::check(&spec)?;
        }
        let settings_paths = authority::settings_paths(host.env(), &spec.rules, &spec.folder)?;
        let loaded = authority::load(host.env(), &settings_paths)?;
        let model = model(host.env(), &spec, &loaded.settings)?;
        Ok(Self { host, spec, settings_paths, loaded, model, notices: Vec::new(), terminal: None })
    }

    /// The model that was named or found; without one the session cannot be opened.
    pub fn model(&self) -> Option<&str> {
        self.model.as_ref().map(ModelSelection::name)
    }

    /// What the session is to be, its own folder included.
    pub fn spec(&self) -> &SessionSpec {
        &self.spec
    }

    /// Whether it is a session of the demo that goes on where it was: only there can the demo's model answer.
    pub fn continues_demo(&self) -> Result<bool, Failure> {
        let (SessionStart::Resume(id) | SessionStart::Fork(id)) = self.spec.start else { return Ok(false) };
        let transcript = self.host.store().read(id).map_err(|error| session_failure(&error))?;
        Ok(demo::is_made_by_demo(&self.spec.folder, &transcript.entries))
    }

    /// Where its settings are.
    pub fn settings_paths(&self) -> &SettingsPaths {
        &self.settings_paths
    }

    /// What its settings say.
    pub fn settings(&self) -> &Settings {
        &self.loaded.settings
    }

    /// Where its plans are.
    pub fn plans(&self) -> PlanStore {
        plans(self.host.env(), &self.settings_paths, &self.loaded.settings).0
    }

    /// Adds something that the person should hear first.
    pub fn add_notice(&mut self, notice: Notice) {
        self.notices.push(notice);
    }

    /// Somebody draws on the terminal: an editor that needs it borrows it from them.
    pub fn set_terminal_lender(&mut self, terminal: Arc<dyn TerminalLender>) {
        self.terminal = Some(terminal);
    }

    /// The question to ask, if what the project brings waits for trust.
    pub fn trust_question(&self) -> Option<TrustQuestion> {
        self.trust_review().filter(|question| !question.trusted)
    }

    /// The same question, also where the folder is trusted: whether it still is.
    pub fn trust_review(&self) -> Option<TrustQuestion> {
        let LoadedSettings { trust_state, contents, .. } = &self.loaded;
        if !contents.needs_trust() {
            return None;
        }
        let changes = match trust_state {
            TrustState::Changed(differences) => Some(differences.clone()),
            TrustState::Trusted | TrustState::NotYet | TrustState::Unrecorded | TrustState::Impossible(_) => {
                None
            }
        };
        Some(TrustQuestion {
            trusted: *trust_state == TrustState::Trusted,
            folder: self.settings_paths.project.to_string(),
            changes,
            obstacles: contents.obstacles(),
            brings: contents
                .items()
                .filter(|item| item.kind != PowerKind::Obstacle)
                .map(PowerItem::words)
                .collect(),
        })
    }

    /// The folder is trusted from now on, with what the question showed: it is read again, and may name a model. If it
    /// changed while the question was open, it is not trusted.
    pub fn trust(&mut self) -> Result<(), Failure> {
        let mut store = TrustStore::load(&self.host.env().home);
        store
            .trust(&self.settings_paths.project, &self.loaded.contents)
            .map_err(|error| Failure::of(FailureClass::Task, &error))?;
        self.reload()
    }

    /// The folder is trusted no longer.
    pub fn withdraw_trust(&mut self) -> Result<(), Failure> {
        let mut store = TrustStore::load(&self.host.env().home);
        store
            .withdraw(&self.settings_paths.project)
            .map_err(|error| Failure::of(FailureClass::Task, &error))?;
        self.reload()
    }

    fn reload(&mut self) -> Result<(), Failure> {
        let env = self.host.env();
        self.loaded = authority::load(env, &self.settings_paths)?;
        let model = model(env, &self.spec, &self.loaded.settings)?;
        self.model = model.or(self.model.take());
        Ok(())
    }
}

/// The model that is named, else the one that is found.
fn model(env: &Env, spec: &SessionSpec, settings: &Settings) -> Result<Option<ModelSelection>, Failure> {
    if let Some(model) = &spec.model {
        return Ok(Some(ModelSelection::Set(model.clone())));
    }
    select_model(env, settings).map_err(|why| {
        Failure::new(
            FailureClass::Usage,
            format!("No model is configured, and the search for one failed: {why}"),
        )
    })
}

/// Nothing was named and nothing found: all the ways there are.
pub fn no_model() -> Failure {
    Failure::new(FailureClass::Usage, "No model is configured, and none was found")
        .hint("With an API key: set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or `keyFile` or `keyHelper` in your settings")
        .hint("On this machine: start Ollama and pull a model, or set `OPENAI_BASE_URL` to a server")
        .hint("By name: --model provider/name, `FORELOOK_MODEL`, or `model.main`; `forelook models` lists them")
        .hint("Without a model: `forelook demo` runs a whole session with a scripted one")
}

/// A session that is not there was named wrongly; whatever else is wrong with one is no fault of whoever asks.
pub(crate) fn session_failure(error: &SessionError) -> Failure {
    let kind =
        if matches!(error, SessionError::NotFound { .. }) { FailureClass::Usage } else { FailureClass::Task };
    Failure::of(kind, error)
}
