//! Lines from standard input, read by a thread of their own.

use std::io::{BufRead, BufReader, Read};

use tokio::sync::mpsc;

/// Lines that were read ahead. Small: whoever writes to us waits until we are ready.
const AHEAD: usize = 16;

/// The longest line that is read: room for a prompt with several pictures.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// Lines as they come.
pub type InputLines = mpsc::Receiver<std::io::Result<String>>;

/// Where lines come from.
pub struct Stdin;

impl Stdin {
    /// Reads standard input on a thread. A thread and not `tokio::io::stdin`: that one's pending read would
    /// keep the program from ending.
    pub fn lines() -> InputLines {
        lines_of(std::io::stdin())
    }
}

/// Lines of any source.
pub(crate) fn lines_of(source: impl Read + Send + 'static) -> InputLines {
    let (sender, lines) = mpsc::channel(AHEAD);
    std::thread::spawn(move || {
        let mut source = BufReader::new(source);
        loop {
            let mut line = Vec::new();
            let read = source.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
            let line = match read {
                Ok(0) => return,
                Ok(_) => Ok(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()),
                Err(error) => Err(error),
            };
            let failed = line.is_err();
            if sender.blocking_send(line).is_err() || failed {
                return;
            }
        }
    });
    lines
}
