//! The person's machine: editor, history, pictures, branch, status line. The one implementation of [`HostServices`].

mod branch;
mod edit;
mod editor;
mod history;
mod pictures;
mod status_line;
mod stdout;
mod tip;

use std::sync::Arc;

use forelook_disk::{DiskError, Permissions};
use forelook_protocol::{
    AbsPath, BoxFuture, EditorInfo, HostServices, PastPrompt, SessionInfo, SettingInfo, TerminalLender,
    TrustReport, UserBlock,
};
use forelook_sandbox::ChildEnv;
use forelook_sessions::{SessionStore, SessionSummary};
use forelook_settings::{Env, SettingsPaths, save_theme};
use serde_json::Value;

use crate::authority::LoadedSettings;
use crate::child_env::user_env;
use editor::UserEditor;
use history::History;
use status_line::CheckedStatusLine;
pub use tip::Tips;

/// This machine, for one session.
pub(crate) struct Services {
    settings_paths: SettingsPaths,
    store: SessionStore,
    status_line: Option<CheckedStatusLine>,
    /// The environment of the person's own programs.
    env: ChildEnv,
    editor: Arc<UserEditor>,
    /// What the person says is kept here.
    history: History,
    /// What holds in this session, for who asks.
    report: SessionReport,
}

/// What holds in a session, as it was opened.
pub(crate) struct SessionReport {
    pub(crate) settings: Vec<SettingInfo>,
    pub(crate) trust: TrustReport,
}

impl Services {
    /// As settings say. An editor that needs the terminal borrows it, if somebody draws on it.
    pub(crate) fn new(
        env: &Env,
        settings_paths: SettingsPaths,
        loaded: &LoadedSettings,
        terminal: Option<Arc<dyn TerminalLender>>,
        report: SessionReport,
    ) -> Self {
        let settings = &loaded.settings;
        let own = user_env(env, &settings.models);
        let status_line = settings.screen.status_line.clone();
        let bound = status_line.as_ref().and_then(|line| loaded.bound.command(&line.command)).cloned();
        Self {
            store: SessionStore::new(env.home.clone()),
            status_line: status_line.map(|line| CheckedStatusLine { line, bound }),
            editor: Arc::new(UserEditor::find(env, own.clone(), &settings_paths.working, terminal)),
            env: own,
            history: History::new(env.home.join("history"), settings_paths.project.clone()),
            settings_paths,
            report,
        }
    }

    /// The path that a person means by these words.
    fn path(&self, words: &str) -> AbsPath {
        match (words.strip_prefix("~/"), &self.settings_paths.user_home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.settings_paths.working.join(words),
        }
    }
}

impl HostServices for Services {
    fn editor(&self) -> Option<EditorInfo> {
        self.editor.known()
    }

    fn open_in_editor(&self, path: AbsPath) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(self.editor.open(path))
    }

    fn edit(&self, text: String) -> BoxFuture<'_, Result<String, String>> {
        let (editor, scratch) = (Arc::clone(&self.editor), self.settings_paths.home.join("scratch"));
        // In a task of its own: whoever waits here may be the one who has to give the terminal away.
        let edited = tokio::spawn(async move { edit::edit(&editor, &scratch, text).await });
        Box::pin(async { edited.await.unwrap_or_else(|error| Err(error.to_string())) })
    }

    fn sessions(&self) -> BoxFuture<'_, Result<Vec<SessionInfo>, String>> {
        let (store, folder) = (self.store.clone(), self.settings_paths.working.clone());
        run_blocking(move || sessions(&store, &folder), Err)
    }

    fn history(&self) -> BoxFuture<'_, Vec<PastPrompt>> {
        run_blocking(self.history.reader(), |_| Vec::new())
    }

    fn remember(&self, said: &PastPrompt) {
        self.history.add(said);
    }

    fn picture(&self, path: String) -> BoxFuture<'_, Option<UserBlock>> {
        let path = self.path(path.trim());
        run_blocking(move || pictures::in_file(&path), |_| None)
    }

    fn clipboard_image(&self) -> BoxFuture<'_, Option<UserBlock>> {
        Box::pin(pictures::copied(&self.env, &self.settings_paths.working))
    }

    fn branch(&self) -> BoxFuture<'_, Option<String>> {
        let SettingsPaths { working, owners, .. } = self.settings_paths.clone();
        run_blocking(move || branch::of(&working, &owners), |_| None)
    }

    fn status_line(&self, facts: Value) -> BoxFuture<'_, Result<Option<String>, String>> {
        Box::pin(async move {
            match &self.status_line {
                None => Ok(None),
                Some(line) => status_line::run(line, &facts, &self.env, &self.settings_paths.working).await,
            }
        })
    }

    fn write(&self, name: String, text: String) -> BoxFuture<'_, Result<AbsPath, String>> {
        let path = self.path(&name);
        run_blocking(move || write(&path, &text).map(|()| path), Err)
    }

    fn settings(&self) -> Vec<SettingInfo> {
        self.report.settings.clone()
    }

    fn trust(&self) -> Option<TrustReport> {
        Some(self.report.trust.clone())
    }

    fn save_theme(&self, name: &'static str) -> BoxFuture<'_, Result<(), String>> {
        let settings_paths = self.settings_paths.clone();
        run_blocking(
            move || save_theme(name, &settings_paths).map(drop).map_err(|error| error.to_string()),
            Err,
        )
    }

    fn suspend(&self) {
        // The whole group, as Ctrl+Z would do it: a wrapper that started us stops with us, and the shell sees it.
        if let Err(error) = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP) {
            tracing::warn!(%error, "The program could not be stopped");
        }
        // Another thread may be the one that the signal stops everything with, a moment from now. The time that passes
        // while we are stopped counts.
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

/// Does work that may wait for a disk on another thread; `lost` makes an answer of work that broke.
fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    lost: impl FnOnce(String) -> T + Send + 'static,
) -> BoxFuture<'static, T> {
    let done = tokio::task::spawn_blocking(work);
    Box::pin(async move { done.await.unwrap_or_else(|error| lost(error.to_string())) })
}

/// The sessions of a folder in which something was said.
pub(crate) fn sessions(store: &SessionStore, folder: &AbsPath) -> Result<Vec<SessionInfo>, String> {
    let listing = store.list(Some(folder)).map_err(|error| error.to_string())?;
    for problem in listing.problems {
        tracing::warn!(%problem, "Skipped an unreadable session");
    }
    let said = listing.sessions.into_iter().filter(SessionSummary::has_conversation);
    let listed = said.map(|one| SessionInfo {
        id: one.id,
        title: one.title,
        time: one.last_written,
        prompts: one.prompts,
    });
    Ok(listed.collect())
}

fn write(path: &AbsPath, text: &str) -> Result<(), String> {
    forelook_disk::create_new(path, &[text.as_bytes()], Permissions::Keep).map_err(|error| match error {
        DiskError::Exists { .. } => {
            format!("`{path}` already exists and was not changed; choose another name")
        }
        error => error.to_string(),
    })
}

#[cfg(test)]
mod tests;
