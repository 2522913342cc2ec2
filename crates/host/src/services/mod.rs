//! The person's machine: editor, history, pictures, branch, status line. The one implementation of [`HostServices`].

mod branch;
mod edit;
mod editor;
mod history;
mod pictures;
mod status_line;
mod stdout;
mod tip;

use std::path::Path;
use std::sync::Arc;

use forelook_disk::{DiskError, Permissions};
use forelook_protocol::{AbsPath, Boxed, EditorKind, HostServices, SessionListed, TerminalLender, UserBlock};
use forelook_sandbox::ChildEnv;
use forelook_sessions::Store;
use forelook_settings::{Env, Places, Settings, StatusLine, save_theme};
use serde_json::Value;

use crate::servers::Servers;
use editor::PersonsEditor;
use history::History;
pub use tip::Tips;

/// This machine, for one session.
pub(crate) struct Services {
    places: Places,
    store: Store,
    status_line: Option<StatusLine>,
    /// The environment of the person's own programs.
    env: ChildEnv,
    editor: Arc<PersonsEditor>,
    /// What the person says is kept here.
    history: History,
}

impl Services {
    /// As settings say. An editor that needs the terminal borrows it, if somebody draws on it.
    pub(crate) fn new(
        env: &Env,
        places: Places,
        settings: &Settings,
        terminal: Option<Arc<dyn TerminalLender>>,
    ) -> Self {
        Self {
            store: Store::new(env.home.clone()),
            status_line: settings.screen.status_line.clone(),
            env: persons_env(env, settings),
            editor: Arc::new(PersonsEditor::find(env, &places.working, terminal)),
            history: History::new(env.home.join("history")),
            places,
        }
    }

    /// The path that a person means by these words.
    fn path(&self, words: &str) -> AbsPath {
        match (words.strip_prefix("~/"), &self.places.user_home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.places.working.join(words),
        }
    }
}

impl HostServices for Services {
    fn editor(&self) -> Option<EditorKind> {
        self.editor.known()
    }

    fn open_in_editor(&self, path: AbsPath) -> Boxed<'_, Result<(), String>> {
        Box::pin(self.editor.open(path))
    }

    fn edit(&self, text: String) -> Boxed<'_, Result<String, String>> {
        let (editor, scratch) = (Arc::clone(&self.editor), self.places.home.join("scratch"));
        // In a task of its own: whoever waits here may be the one who has to give the terminal away.
        let edited = tokio::spawn(async move { edit::edit(&editor, &scratch, text).await });
        Box::pin(async { edited.await.unwrap_or_else(|error| Err(error.to_string())) })
    }

    fn sessions(&self) -> Boxed<'_, Result<Vec<SessionListed>, String>> {
        let (store, folder) = (self.store.clone(), self.places.working.clone());
        beside(move || sessions(&store, &folder), Err)
    }

    fn history(&self) -> Boxed<'_, Vec<String>> {
        let path = self.history.path().clone();
        beside(move || history::read(&path), |_| Vec::new())
    }

    fn remember(&self, said: &str) {
        self.history.add(said);
    }

    fn picture(&self, path: String) -> Boxed<'_, Option<UserBlock>> {
        let path = self.path(path.trim());
        beside(move || pictures::in_file(&path), |_| None)
    }

    fn copied_picture(&self) -> Boxed<'_, Option<UserBlock>> {
        Box::pin(pictures::copied(&self.env, &self.places.working))
    }

    fn branch(&self) -> Boxed<'_, Option<String>> {
        let folder = self.places.working.clone();
        beside(move || branch::of(&folder), |_| None)
    }

    fn status_line(&self, facts: Value) -> Boxed<'_, Result<Option<String>, String>> {
        Box::pin(async move {
            match &self.status_line {
                None => Ok(None),
                Some(line) => status_line::says(line, &facts, &self.env, &self.places.working).await,
            }
        })
    }

    fn write(&self, name: String, text: String) -> Boxed<'_, Result<AbsPath, String>> {
        let path = self.path(&name);
        beside(move || write(&path, &text).map(|()| path), Err)
    }

    fn keep_theme(&self, name: &'static str) -> Boxed<'_, Result<(), String>> {
        let places = self.places.clone();
        beside(move || save_theme(name, &places).map(drop).map_err(|error| error.to_string()), Err)
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

/// The environment of the person's own programs: as theirs is, without keys.
fn persons_env(env: &Env, settings: &Settings) -> ChildEnv {
    let mut own = ChildEnv::without_secrets(env.all().iter().cloned());
    for name in Servers::own_variables(&settings.models) {
        own.forget(name);
    }
    own
}

/// Does work that may wait for a disk on another thread; `lost` makes an answer of work that broke.
fn beside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    lost: impl FnOnce(String) -> T + Send + 'static,
) -> Boxed<'static, T> {
    let done = tokio::task::spawn_blocking(work);
    Box::pin(async move { done.await.unwrap_or_else(|error| lost(error.to_string())) })
}

/// The sessions of a folder in which something was said.
fn sessions(store: &Store, folder: &AbsPath) -> Result<Vec<SessionListed>, String> {
    let listing = store.list(Some(folder)).map_err(|error| error.to_string())?;
    for problem in listing.problems {
        tracing::warn!(%problem, "A session was left out");
    }
    let said = listing.sessions.into_iter().filter(|one| one.prompts > 0);
    let listed = said.map(|one| SessionListed {
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
            format!("`{path}` is there already, and was not touched; give another name")
        }
        error => error.to_string(),
    })
}

/// Whether this is a file that can be read without waiting for anybody.
fn is_plain_file(path: &Path, most: u64) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= most)
}

#[cfg(test)]
mod tests;
