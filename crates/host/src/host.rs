//! What a process has once for all of its sessions.

use std::sync::Arc;

use forelook_engine::{FixedClock, SeededIds, SystemClock, SystemIds};
use forelook_protocol::{AbsPath, Clock, IdGenerator, SessionInfo};
use forelook_sessions::{NewestSession, SessionStore};
use forelook_settings::Env;

use crate::authority;
use crate::failure::{Failure, FailureClass};
use crate::open::OpenSession;
use crate::prepared_session::PreparedSession;
use crate::services;
use crate::spec::{RuleSpec, SessionSpec};

/// Opens sessions. Cheap to clone: all clones are one host.
#[derive(Clone)]
pub struct Host {
    env: Arc<Env>,
    // One kind for all sessions: what counts ids in a test must not begin anew.
    ids: Arc<dyn IdGenerator>,
    clock: Arc<dyn Clock>,
}

impl Host {
    /// The host of a process with this environment.
    pub fn new(env: Env) -> Self {
        let (ids, clock) = (ids(&env), clock(&env));
        Self { env: Arc::new(env), ids, clock }
    }

    /// Opens a session.
    pub async fn open(&self, spec: SessionSpec) -> Result<OpenSession, Failure> {
        self.prepare(spec)?.open().await
    }

    /// Resolves what a session needs, without opening it: no journal is begun, and the person can still be asked whether
    /// they trust the folder.
    pub fn prepare(&self, spec: SessionSpec) -> Result<PreparedSession, Failure> {
        PreparedSession::resolve(self.clone(), spec)
    }

    /// The newest session of a folder, and what was passed over on the way to it.
    pub fn newest(&self, folder: &AbsPath) -> Result<NewestSession, Failure> {
        self.store().newest(folder).map_err(|error| Failure::of(FailureClass::Task, &error))
    }

    /// The sessions of a folder in which something was said, newest first.
    pub fn sessions(&self, folder: &AbsPath) -> Result<Vec<SessionInfo>, Failure> {
        services::sessions(&self.store(), folder).map_err(|why| Failure::new(FailureClass::Task, why))
    }

    /// The theme that the settings of a folder name. What is wrong with them is told when a session begins.
    pub fn theme(&self, folder: &AbsPath) -> Option<&'static str> {
        let settings_paths = authority::settings_paths(&self.env, &RuleSpec::default(), folder).ok()?;
        authority::load(&self.env, &settings_paths).ok()?.settings.screen.theme
    }

    /// The environment.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// The time.
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    /// New ids.
    pub fn ids(&self) -> Arc<dyn IdGenerator> {
        Arc::clone(&self.ids)
    }

    pub(crate) fn store(&self) -> SessionStore {
        SessionStore::new(self.env.home.clone())
    }
}

/// New ids, as the environment says.
pub fn ids(env: &Env) -> Arc<dyn IdGenerator> {
    match env.test_ids {
        Some(seed) => Arc::new(SeededIds::new(seed)),
        None => Arc::new(SystemIds),
    }
}

/// Ids for lines of output that stand in no journal. In a test they are counted apart: which of two tasks takes the
/// next id first is chance.
pub fn line_ids(env: &Env) -> Arc<dyn IdGenerator> {
    match env.test_ids {
        Some(seed) => Arc::new(SeededIds::new(seed + 0xffff)),
        None => Arc::new(SystemIds),
    }
}

/// The time, as the environment says.
pub fn clock(env: &Env) -> Arc<dyn Clock> {
    match env.test_clock {
        Some(instant) => Arc::new(FixedClock(instant)),
        None => Arc::new(SystemClock),
    }
}
