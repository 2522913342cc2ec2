//! The user's machine, as one port. Neither the engine nor a front end starts processes or writes files for the user:
//! the host passes these services in.

use jiff::Timestamp;
use serde_json::Value;

use crate::{AbsPath, BoxFuture, SessionId, SettingInfo, TrustReport, UserBlock};

/// The services of the user's machine, apart from the session and the terminal.
///
/// Each method has a default, which behaves like a machine that does not provide the service.
pub trait HostServices: Send + Sync {
    /// The user's editor, if one is known.
    fn editor(&self) -> Option<EditorInfo> {
        None
    }

    /// Opens a file in the editor. Returns when the editor has opened it; if the editor needs the terminal, returns
    /// when it has exited.
    fn open_in_editor(&self, _path: AbsPath) -> BoxFuture<'_, Result<(), String>> {
        ready(Err("no editor is set".to_owned()))
    }

    /// Lets the user edit a text in their editor. Returns the edited text, or why that failed. An editor that needs the
    /// terminal borrows it ([`TerminalLender`]).
    fn edit(&self, _text: String) -> BoxFuture<'_, Result<String, String>> {
        ready(Err("no editor is set".to_owned()))
    }

    /// The sessions of this folder that contain at least one prompt, newest first.
    fn sessions(&self) -> BoxFuture<'_, Result<Vec<SessionInfo>, String>> {
        ready(Ok(Vec::new()))
    }

    /// The user's prompts from earlier sessions, oldest first.
    fn history(&self) -> BoxFuture<'_, Vec<PastPrompt>> {
        ready(Vec::new())
    }

    /// Saves a prompt of this project for later sessions. Does not wait for the disk.
    fn remember(&self, _said: &PastPrompt) {}

    /// The image in this file; `None` if it is not an image.
    fn picture(&self, _path: String) -> BoxFuture<'_, Option<UserBlock>> {
        ready(None)
    }

    /// The image on the clipboard, if there is one and it can be read.
    fn clipboard_image(&self) -> BoxFuture<'_, Option<UserBlock>> {
        ready(None)
    }

    /// The branch that is checked out in the working directory.
    fn branch(&self) -> BoxFuture<'_, Option<String>> {
        ready(None)
    }

    /// The output of the user's status line command for this data; `None` if no command is set; or why it failed.
    fn status_line(&self, _facts: Value) -> BoxFuture<'_, Result<Option<String>, String>> {
        ready(Ok(None))
    }

    /// Writes a new file, relative to the working directory unless the name is an absolute path. Never overwrites a
    /// file.
    fn write(&self, _name: String, _text: String) -> BoxFuture<'_, Result<AbsPath, String>> {
        ready(Err("files cannot be written here".to_owned()))
    }

    /// The settings of the session, and where each comes from.
    fn settings(&self) -> Vec<SettingInfo> {
        Vec::new()
    }

    /// What the user trusts in the session's folder, as it was when the session was opened.
    fn trust(&self) -> Option<TrustReport> {
        None
    }

    /// Saves the theme with this name for later sessions.
    fn save_theme(&self, _name: &'static str) -> BoxFuture<'_, Result<(), String>> {
        ready(Err("themes cannot be saved here".to_owned()))
    }

    /// Suspends the program, like Ctrl+Z in a shell. Returns when the user resumes it.
    fn suspend(&self) {}
}

/// A machine that provides no services.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoServices;

impl HostServices for NoServices {}

fn ready<'a, T: Send + 'a>(said: T) -> BoxFuture<'a, T> {
    Box::pin(std::future::ready(said))
}

/// An editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorInfo {
    /// Its name, as the user knows it.
    pub name: String,
    /// Whether it runs in the terminal.
    pub in_terminal: bool,
}

/// A prompt from an earlier session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastPrompt {
    /// What the user said.
    pub text: String,
    /// Whether it was said in this project.
    pub here: bool,
    /// The files that the user named with `@`, if the text has other names, too: those were pasted, and name nothing.
    pub named: Option<Vec<String>>,
}

impl PastPrompt {
    /// A prompt of this project, in which everything is named that it seems to name.
    pub fn here(text: impl Into<String>) -> Self {
        Self { text: text.into(), here: true, named: None }
    }
}

/// An earlier session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    /// Its ID.
    pub id: SessionId,
    /// The first prompt.
    pub title: String,
    /// When it was last written to.
    pub time: Timestamp,
    /// The number of prompts.
    pub prompts: usize,
}

/// The owner of the terminal, who can lend it to an editor for a while. A front end implements this.
pub trait TerminalLender: Send + Sync {
    /// Waits until the terminal is free; `None` if no one owns it. The borrower has it until the loan is dropped.
    fn borrow(&self) -> BoxFuture<'_, Option<TerminalLoan>>;
}

/// The borrower has the terminal until this is dropped.
pub type TerminalLoan = Box<dyn Send>;
