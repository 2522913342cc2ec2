//! The terminal is ours for a while, and is given back as it was, whatever happens.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

/// Pastes come marked, keys come unambiguous where the terminal can do that, and it tells whether it is looked at.
/// Nothing of it is asked back: a terminal that does not know it passes over it. The title is kept, and put back.
const ENTER: &str = "\x1b[22;2t\x1b[?2004h\x1b[>1u\x1b[?1004h";
const LEAVE: &str = "\x1b[23;2t\x1b[?1004l\x1b[<u\x1b[?2004l\x1b[?2026l\x1b[0m\x1b[?25h";
/// Only from the other screen: on the first one it would put the cursor somewhere else.
const LEAVE_PAGE: &str = "\x1b[?1049l";

/// How long a terminal is waited for that takes nothing.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_millis(500);

/// Whether the terminal is ours. A panic on any thread must know, and none of them has the guard at hand.
static HELD: AtomicBool = AtomicBool::new(false);
/// Whether its other screen is shown.
static ON_PAGE: AtomicBool = AtomicBool::new(false);

/// The terminal while it is ours.
#[derive(Debug)]
pub(crate) struct TerminalGuard(());

impl TerminalGuard {
    /// Takes the terminal.
    pub(crate) fn enter() -> io::Result<Self> {
        give_back_on_panic();
        enable_raw_mode()?;
        HELD.store(true, Ordering::Release);
        let guard = Self(());
        write(ENTER.to_owned())?;
        Ok(guard)
    }

    /// Whether a panic on some thread gave the terminal back although the program goes on.
    pub(crate) fn is_broken(&self) -> bool {
        !HELD.load(Ordering::Acquire)
    }

    /// Says which screen is shown.
    pub(crate) fn shows_page(&self, page: bool) {
        ON_PAGE.store(page, Ordering::Release);
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        give_back("");
    }
}

/// Once for each time it was taken: what is put back twice is taken from the shell that started us.
fn give_back(after: &str) {
    if !HELD.swap(false, Ordering::AcqRel) {
        return;
    }
    let page = if ON_PAGE.swap(false, Ordering::AcqRel) { LEAVE_PAGE } else { "" };
    // A terminal that is gone needs nothing back.
    let _ = write(format!("{page}{LEAVE}{after}"));
    let _ = disable_raw_mode();
}

/// The terminal as a file: the lock of standard output may be held by somebody who waits for the terminal.
pub(crate) fn output() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// Writes beside everything else and waits only so long: the terminal may be stopped.
fn write(text: String) -> io::Result<()> {
    let mut out = output()?;
    let (done, written) = sync_channel(1);
    let write = move || drop(done.send(out.write_all(text.as_bytes())));
    std::thread::Builder::new().name("terminal".to_owned()).spawn(write)?;
    written.recv_timeout(WRITE_TIMEOUT).unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// What a panic says must be readable, and the shell usable after it.
fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // Below the line that is being written; what was drawn further down goes.
            give_back("\r\n\x1b[J");
            before(panic);
        }));
    });
}

#[cfg(test)]
mod tests;
