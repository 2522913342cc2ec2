//! What the terminal program needs to run, and what is known of its terminal and its person.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;

use forelook_protocol::{AbsPath, Clock, FrontEnd, HostServices, Notice, SessionConnection};
use forelook_wording::Charset;
use ratatui_core::layout::Size;

use crate::app::ExitReason;
use crate::lend::Lender;
use crate::term::{Code, ColorDepth, Input, Reflow, Screen};
use crate::theme::NotifyStyle;

/// What the terminal says of itself when it is attached to a session: a person is there who answers.
pub fn front_end() -> FrontEnd {
    FrontEnd::attended("terminal")
}

/// What the terminal program needs.
pub struct TuiSetup {
    /// The session, attached to as [`front_end`].
    pub attached: SessionConnection,
    /// What is said first, for the person.
    pub prompt: Option<String>,
    /// How the person came to the session.
    pub entrance: Entrance,
    /// What was typed already, behind what left the session before.
    pub pending_input: PendingInput,
    /// What the person should know before anything else.
    pub notices: Vec<Notice>,
    /// What the loop tells the time by, for ages.
    pub clock: Arc<dyn Clock>,
    /// What the terminal can do.
    pub terminal: Terminal,
    /// What the person is used to.
    pub preferences: UserPreferences,
    /// What is beyond the session and the terminal.
    pub services: Arc<dyn HostServices>,
    /// Asks for the terminal.
    pub lender: Lender,
    /// Each one is a wish to stop.
    pub signals: tokio::sync::mpsc::Receiver<forelook_protocol::StopSignal>,
}

/// How the person came to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entrance {
    /// The program began with a new one.
    Start,
    /// The program began with one from before.
    Continued,
    /// `/clear`: a new one after another.
    Cleared,
    /// `/resume`: one from before, after another.
    Resumed,
    /// Back to the one before: another one could not be opened, or it was left for a question. What was said in it is on
    /// the screen, right above.
    Returned,
}

impl Entrance {
    /// Whether the program begins with it.
    pub(crate) fn begins_program(self) -> bool {
        matches!(self, Self::Start | Self::Continued)
    }

    /// Whether the session goes on from before, so that its end is shown.
    pub(crate) fn has_past(self) -> bool {
        matches!(self, Self::Continued | Self::Resumed | Self::Returned)
    }
}

/// How the program was left.
#[derive(Debug)]
pub struct TuiExit {
    /// For what.
    pub reason: ExitReason,
    /// What was typed behind that: it is for the session that follows.
    pub pending_input: PendingInput,
    /// Whether something was said in the session, now or before.
    pub has_conversation: bool,
}

/// Keys that were typed and that nobody has looked at: whoever types fast types the next words behind `/clear` and Enter.
#[derive(Debug, Clone, Default)]
pub struct PendingInput(pub(crate) VecDeque<Input>);

impl PendingInput {
    /// The words alone, for a session that they were not meant for: they are there to be sent, and nothing else happens.
    pub fn words(self) -> Self {
        let word = |input| match input {
            Input::Key(key) if key.code == Code::Enter => Some(Input::Paste("\n".to_owned())),
            Input::Key(key) => key.letter().map(|letter| Input::Paste(letter.to_string())),
            Input::Paste(_) => Some(input),
            Input::Resized | Input::Focus(_) => None,
        };
        Self(self.0.into_iter().filter_map(word).collect())
    }
}

/// What is known of the terminal.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// How many colours it has.
    pub colors: Colors,
    /// Whether rows that become too long for it are broken, as most do, or cut.
    pub reflows: bool,
    /// How it tells its person something.
    pub notify_style: NotifyStyle,
    /// Whether tmux stands between it and us.
    pub tmux: bool,
    /// Which characters it shows.
    pub charset: Charset,
}

/// What the person is used to.
#[derive(Debug, Clone, Default)]
pub struct UserPreferences {
    /// The keys of vi in the composer.
    pub vi: bool,
    /// Whether there is a status line of the person's own to ask for.
    pub status_line: bool,
    /// Whether the tip about Shift+Tab is due.
    pub tip: bool,
    /// How the person is called.
    pub notifications: Notifications,
    /// The person's home, for short names of folders.
    pub home: Option<AbsPath>,
    /// The theme by its name, if one is named.
    pub theme: Option<String>,
}

/// How the person is called when something waits for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Notifications {
    /// Not at all.
    Off,
    /// With the terminal's bell.
    #[default]
    Bell,
    /// On the desktop, where the terminal can do that.
    Desktop,
}

/// How many colours a terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colors {
    /// None, or none are wanted.
    None,
    /// Sixteen.
    Sixteen,
    /// A palette of 256.
    Palette,
    /// Any.
    Full,
}

/// Why the program could not run.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// The terminal could not be used.
    #[error("Cannot use the terminal: {0}")]
    Terminal(#[from] std::io::Error),
}

/// The screen that such a terminal has.
pub(crate) fn screen(terminal: Terminal, size: Size) -> Screen {
    let reflow = if terminal.reflows { Reflow::Wraps } else { Reflow::Cuts };
    Screen::new(size, depth(terminal), reflow)
}

pub(crate) fn depth(terminal: Terminal) -> ColorDepth {
    match terminal.colors {
        Colors::None => ColorDepth::None,
        Colors::Sixteen => ColorDepth::Sixteen,
        Colors::Palette => ColorDepth::Palette,
        Colors::Full => ColorDepth::Full,
    }
}

pub(crate) fn window() -> std::io::Result<Size> {
    let size = crossterm::terminal::window_size()?;
    // A terminal that was never told its size has none.
    let or = |given: u16, usual: u16| if given == 0 { usual } else { given };
    Ok(Size::new(or(size.columns, 80), or(size.rows, 24)))
}

/// Writes to the terminal and waits for it, for what is asked before a session begins: there is nothing else to do.
pub(crate) fn write(bytes: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes.as_bytes())?;
    out.flush()
}
