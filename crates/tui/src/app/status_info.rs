//! What the status line is made from beside what is seen of the session, and the person's own status line.

use std::path::Path;

use forelook_protocol::{AbsPath, SessionId, Status};
use forelook_view::SessionView;
use serde_json::{Value, json};

use super::effect::{UiEffect, UiTask};

/// The person's script is not run more often.
const REST_MS: u64 = 300;

/// What is known of the session beside its conversation.
#[derive(Debug)]
pub(super) struct StatusInfo {
    session: String,
    folder: String,
    /// The person's home, which need not be spelled out.
    pub(super) home: Option<AbsPath>,
    pub(super) branch: Option<String>,
    pub(super) script: StatusScript,
}

/// The person's own status line.
#[derive(Debug, Default)]
pub(super) struct StatusScript {
    /// Whether there is one.
    exists: bool,
    /// What it said.
    pub(super) output: Option<String>,
    /// When it was asked last.
    asked_at: Option<u64>,
    /// Whether its answer is still awaited.
    pending: bool,
    /// Whether something has changed since.
    stale: bool,
    /// Whether its failure was told.
    failure_reported: bool,
}

impl StatusInfo {
    pub(super) fn new(status: &Status) -> Self {
        Self {
            session: status.session.to_string(),
            folder: status.folder.to_string(),
            home: None,
            branch: None,
            script: StatusScript::default(),
        }
    }

    /// Whether they are those of this session.
    pub(super) fn are_of(&self, session: SessionId) -> bool {
        self.session == session.to_string()
    }

    /// The working folder.
    pub(super) fn folder(&self) -> &Path {
        Path::new(&self.folder)
    }

    /// The name of the working folder.
    pub(super) fn folder_name(&self) -> &str {
        self.folder.rsplit('/').next().unwrap_or_default()
    }

    /// The working folder as people write it.
    pub(super) fn folder_from_home(&self) -> String {
        let home = self.home.as_ref().map(ToString::to_string);
        let inside = home.as_deref().and_then(|home| self.folder.strip_prefix(home));
        match inside {
            Some(inside) if inside.is_empty() || inside.starts_with('/') => format!("~{inside}"),
            _ => self.folder.clone(),
        }
    }

    /// For the person's script.
    pub(super) fn json(&self, view: &SessionView) -> Value {
        let (totals, todos) = (view.totals(), view.todo_count().unwrap_or((0, 0)));
        json!({
            "session_id": self.session,
            "cwd": self.folder,
            "model": view.model(),
            "mode": view.mode().name(),
            "version": env!("CARGO_PKG_VERSION"),
            "cost_usd": totals.cost.known().dollars(),
            "context": { "used": totals.used, "window": totals.window, "percent": totals.percent() },
            "branch": self.branch,
            "todos": { "done": todos.0, "all": todos.1 },
            "plan": totals.plan.as_ref().map(ToString::to_string),
        })
    }
}

impl StatusScript {
    pub(super) fn exists(&mut self) {
        (self.exists, self.stale) = (true, true);
    }

    /// Something has changed that it may tell of.
    pub(super) fn changed(&mut self) {
        self.stale = self.exists;
    }

    /// When it is to be asked.
    pub(super) fn due(&self) -> Option<u64> {
        (self.stale && !self.pending).then(|| self.asked_at.map_or(0, |asked_at| asked_at + REST_MS))
    }

    /// Asks it, if it is time.
    pub(super) fn ask(&mut self, now: u64, facts: Value) -> Option<UiEffect> {
        self.due().filter(|due| *due <= now)?;
        (self.asked_at, self.pending, self.stale) = (Some(now), true, false);
        Some(UiEffect::Spawn(UiTask::StatusLine(facts)))
    }

    /// It has answered. What is to be told of a failure, the first time.
    pub(super) fn answered(&mut self, answer: Result<Option<String>, String>) -> Option<String> {
        self.pending = false;
        match answer {
            Ok(output) => {
                self.output = output;
                None
            }
            Err(why) => {
                self.output = None;
                let first = !std::mem::replace(&mut self.failure_reported, true);
                first.then(|| format!("Your status line command failed: {why}"))
            }
        }
    }
}
