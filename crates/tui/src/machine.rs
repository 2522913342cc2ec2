//! What the person's machine does for the screen. A front end starts no process and keeps no file by itself: whoever
//! runs it says how.

use forelook_protocol::{AbsPath, Boxed, SessionId, UserBlock};
use serde_json::Value;

/// What is beyond the session and the terminal.
pub trait Machine: Send + Sync {
    /// Lets the person change a text in their editor; what they made of it, or why that was not possible. An editor that
    /// needs the terminal borrows it ([`crate::Borrower`]).
    fn edit(&self, text: String) -> Boxed<'_, Result<String, String>>;

    /// The sessions of this folder, newest first.
    fn sessions(&self) -> Boxed<'_, Result<Vec<SessionListed>, String>>;

    /// What the person said in sessions before, oldest first.
    fn history(&self) -> Boxed<'_, Vec<String>>;

    /// Keeps what the person said for sessions to come. It does not wait for the disk.
    fn remember(&self, said: &str);

    /// The picture in this file; nothing if it is none.
    fn picture(&self, path: String) -> Boxed<'_, Option<UserBlock>>;

    /// The picture that the person copied, if there is one and the machine gives it.
    fn copied_picture(&self) -> Boxed<'_, Option<UserBlock>>;

    /// The branch that is checked out in the working folder.
    fn branch(&self) -> Boxed<'_, Option<String>>;

    /// What the person's status line says of these facts; nothing if there is none, or why it says nothing.
    fn status_line(&self, facts: Value) -> Boxed<'_, Result<Option<String>, String>>;

    /// Writes a file, below the working folder unless the name is a whole path; never over one that is there.
    fn write(&self, name: String, text: String) -> Boxed<'_, Result<AbsPath, String>>;

    /// Keeps the theme of this name for sessions to come.
    fn keep_theme(&self, name: &'static str) -> Boxed<'_, Result<(), String>>;

    /// Stops the program as the shell's Ctrl+Z does; returns when the person has come back.
    fn suspend(&self);
}

/// A session from before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionListed {
    /// Which.
    pub id: SessionId,
    /// What was asked first.
    pub title: String,
    /// When it was last written to.
    pub time: jiff::Timestamp,
    /// How often the person said something.
    pub prompts: usize,
}
