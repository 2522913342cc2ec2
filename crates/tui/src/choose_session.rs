//! Asked before a session begins: which one is to go on?

use forelook_protocol::{SessionId, SessionInfo};
use jiff::Timestamp;

use crate::app::{ExitReason, Frame, page_frame};
use crate::commands::session_picker;
use crate::markdown::RenderContext;
use crate::setup::{Terminal, TuiError, depth, screen, window, write};
use crate::term::{self, Input, InputReader, Key};
use crate::theme::Theme;
use crate::view::{PickAction, ViewOutcome};

/// Lets the person choose one of these sessions; nothing if they want none, or the terminal is gone.
pub async fn choose_session(
    terminal: Terminal,
    theme: Option<&str>,
    sessions: &[SessionInfo],
    now: Timestamp,
) -> Result<Option<SessionId>, TuiError> {
    let guard = term::TerminalGuard::enter()?;
    let mut size = window()?;
    let mut screen = screen(terminal, size);
    let theme = theme.and_then(Theme::named).unwrap_or(Theme::DARK).on(depth(terminal));
    let mut picker = session_picker(now, sessions);
    let mut keys = InputReader::begin()?;
    guard.shows_page(true);
    let chosen = loop {
        let page = picker.page(size, RenderContext { width: usize::from(size.width), theme });
        let Frame::Page { page, cursor } = page_frame(page, size) else { break None };
        if write(&terminal.charset.text(&screen.page(page, cursor))).is_err() {
            return Ok(None);
        }
        let Some(input) = keys.next().await else { return Ok(None) };
        let outcome = match input {
            Input::Key(key) if key == Key::ctrl('c') || key == Key::ctrl('d') => break None,
            Input::Key(key) => picker.key(key),
            Input::Paste(text) => {
                picker.paste(&text);
                continue;
            }
            Input::Resized => {
                // A window that is gone has no size; the keys tell.
                size = window().unwrap_or(size);
                screen.resized(size);
                continue;
            }
            Input::Focus(_) => continue,
        };
        match outcome {
            ViewOutcome::Stay(_) => {}
            ViewOutcome::Chosen(PickAction::Leave(ExitReason::Resume(id))) => break Some(id),
            ViewOutcome::Chosen(_) | ViewOutcome::Close(_) => break None,
        }
    };
    keys.end().await;
    if write(&screen.leave()).is_ok() {
        guard.shows_page(false);
    }
    Ok(chosen)
}
