//! The terminal is ours for a while, and is given back as it was, whatever happens.

use std::io::{self, Write};
use std::sync::Once;

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

/// Pastes come marked, keys come unambiguous where the terminal can do that, and it tells whether it is looked at.
/// Nothing of it is asked back: a terminal that does not know it passes over it. The title is kept, and put back.
const ENTER: &str = "\x1b[22;2t\x1b[?2004h\x1b[>1u\x1b[?1004h";
const LEAVE: &str = "\x1b[23;2t\x1b[?1004l\x1b[<u\x1b[?2004l\x1b[?2026l\x1b[0m\x1b[?25h";

/// The terminal while it is ours.
#[derive(Debug)]
pub(crate) struct Guard(());

impl Guard {
    /// Takes the terminal.
    pub(crate) fn enter() -> io::Result<Self> {
        give_back_on_panic();
        enable_raw_mode()?;
        write(ENTER)?;
        Ok(Self(()))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}

fn give_back() {
    // A terminal that is gone needs nothing back.
    let _ = write(LEAVE);
    let _ = disable_raw_mode();
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// What a panic says must be readable, and the shell usable after it.
fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
    });
}
