//! What the person's machine does for the terminal program.

mod branch;
mod edit;
mod history;
mod pictures;
mod status_line;
mod stdout;
mod tip;

use std::path::Path;
use std::sync::Arc;

use forelook_disk::{DiskError, Permissions};
use forelook_protocol::{AbsPath, Boxed, SessionId, UserBlock};
use forelook_sandbox::ChildEnv;
use forelook_sessions::Store;
use forelook_settings::{Env, Places, StatusLine, save_theme};
use forelook_tui::{Machine, SessionListed};
use serde_json::Value;

use crate::editor::PersonsEditor;
use history::History;
pub(crate) use tip::Tips;

/// This machine, for one session.
pub(crate) struct ThisMachine {
    pub(crate) session: SessionId,
    pub(crate) folder: AbsPath,
    pub(crate) places: Places,
    pub(crate) store: Store,
    pub(crate) status_line: Option<StatusLine>,
    /// The environment of the person's own programs.
    pub(crate) env: ChildEnv,
    pub(crate) editor: Arc<PersonsEditor>,
    pub(crate) history: History,
}

impl ThisMachine {
    /// What the person says is kept here.
    pub(crate) fn history_of(env: &Env) -> History {
        History::new(env.home.join("history"))
    }

    /// The path that a person means by these words.
    fn path(&self, words: &str) -> AbsPath {
        match (words.strip_prefix("~/"), &self.places.user_home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.folder.join(words),
        }
    }
}

impl Machine for ThisMachine {
    fn edit(&self, text: String) -> Boxed<'_, Result<String, String>> {
        let (editor, scratch) = (Arc::clone(&self.editor), self.places.home.join("scratch"));
        // In a task of its own: whoever waits here may be the one who has to give the terminal away.
        let edited = tokio::spawn(async move { edit::edit(&editor, &scratch, text).await });
        Box::pin(async { edited.await.unwrap_or_else(|error| Err(error.to_string())) })
    }

    fn sessions(&self) -> Boxed<'_, Result<Vec<SessionListed>, String>> {
        let (store, folder, current) = (self.store.clone(), self.folder.clone(), self.session);
        beside(move || sessions(&store, &folder, current), Err)
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
        Box::pin(pictures::copied(&self.env, &self.folder))
    }

    fn branch(&self) -> Boxed<'_, Option<String>> {
        let folder = self.folder.clone();
        beside(move || branch::of(&folder), |_| None)
    }

    fn status_line(&self, facts: Value) -> Boxed<'_, Result<Option<String>, String>> {
        Box::pin(async move {
            match &self.status_line {
                None => Ok(None),
                Some(line) => status_line::says(line, &facts, &self.env, &self.folder).await,
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

/// Does work that may wait for a disk on another thread; `lost` makes an answer of work that broke.
fn beside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    lost: impl FnOnce(String) -> T + Send + 'static,
) -> Boxed<'static, T> {
    let done = tokio::task::spawn_blocking(work);
    Box::pin(async move { done.await.unwrap_or_else(|error| lost(error.to_string())) })
}

/// The sessions of a folder in which something was said, without the one that is open.
fn sessions(store: &Store, folder: &AbsPath, current: SessionId) -> Result<Vec<SessionListed>, String> {
    let listing = store.list(Some(folder)).map_err(|error| error.to_string())?;
    for problem in listing.problems {
        tracing::warn!(%problem, "A session was left out");
    }
    let said = listing.sessions.into_iter().filter(|one| one.id != current && one.prompts > 0);
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
