//! The person's machine, as one port. Neither the engine nor a front end starts a process or keeps a file for the person:
//! whoever runs them gives them this.

use jiff::Timestamp;
use serde_json::Value;

use crate::{AbsPath, Boxed, SessionId, UserBlock};

/// What the person's machine does beside the session and the terminal.
///
/// Every method has a default: that of a machine that has nothing of the kind.
pub trait HostServices: Send + Sync {
    /// The person's editor, if one is known.
    fn editor(&self) -> Option<EditorKind> {
        None
    }

    /// Opens a file in it; done when the editor has it, or, if it needs the terminal, when it has ended.
    fn open_in_editor(&self, _path: AbsPath) -> Boxed<'_, Result<(), String>> {
        nothing(Err("no editor is known".to_owned()))
    }

    /// Lets the person change a text in their editor; what they made of it, or why that was not possible. An editor that
    /// needs the terminal borrows it ([`TerminalLender`]).
    fn edit(&self, _text: String) -> Boxed<'_, Result<String, String>> {
        nothing(Err("no editor is known".to_owned()))
    }

    /// The sessions of this folder in which something was said, newest first.
    fn sessions(&self) -> Boxed<'_, Result<Vec<SessionListed>, String>> {
        nothing(Ok(Vec::new()))
    }

    /// What the person said in sessions before, oldest first.
    fn history(&self) -> Boxed<'_, Vec<String>> {
        nothing(Vec::new())
    }

    /// Keeps what the person said for sessions to come. It does not wait for the disk.
    fn remember(&self, _said: &str) {}

    /// The picture in this file; nothing if it is none.
    fn picture(&self, _path: String) -> Boxed<'_, Option<UserBlock>> {
        nothing(None)
    }

    /// The picture that the person copied, if there is one and the machine gives it.
    fn copied_picture(&self) -> Boxed<'_, Option<UserBlock>> {
        nothing(None)
    }

    /// The branch that is checked out in the working folder.
    fn branch(&self) -> Boxed<'_, Option<String>> {
        nothing(None)
    }

    /// What the person's status line says of these facts; nothing if there is none, or why it says nothing.
    fn status_line(&self, _facts: Value) -> Boxed<'_, Result<Option<String>, String>> {
        nothing(Ok(None))
    }

    /// Writes a file, below the working folder unless the name is a whole path; never over one that is there.
    fn write(&self, _name: String, _text: String) -> Boxed<'_, Result<AbsPath, String>> {
        nothing(Err("files cannot be written here".to_owned()))
    }

    /// Keeps the theme of this name for sessions to come.
    fn keep_theme(&self, _name: &'static str) -> Boxed<'_, Result<(), String>> {
        nothing(Err("themes cannot be kept here".to_owned()))
    }

    /// Stops the program as the shell's Ctrl+Z does; returns when the person has come back.
    fn suspend(&self) {}
}

/// A machine that does nothing for anybody.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoServices;

impl HostServices for NoServices {}

fn nothing<'a, T: Send + 'a>(said: T) -> Boxed<'a, T> {
    Box::pin(std::future::ready(said))
}

/// An editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorKind {
    /// What the person calls it.
    pub name: String,
    /// Whether it runs in the terminal.
    pub in_terminal: bool,
}

/// A session from before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionListed {
    /// Which.
    pub id: SessionId,
    /// What was asked first.
    pub title: String,
    /// When it was last written to.
    pub time: Timestamp,
    /// How often the person said something.
    pub prompts: usize,
}

/// Whoever draws on the terminal, and lends it to an editor for a while. A front end implements this.
pub trait TerminalLender: Send + Sync {
    /// Waits until the terminal is free to use; nothing if nobody has it. It is the borrower's until the loan is dropped.
    fn borrow(&self) -> Boxed<'_, Option<TerminalLoan>>;
}

/// The terminal is the borrower's until this is dropped.
pub type TerminalLoan = Box<dyn Send>;
