//! Lines from standard input, read by a thread of their own, and only when one is wanted.

use std::io::{BufRead, BufReader, Read};

use tokio::sync::mpsc;

/// The longest line that is read: room for a prompt with several pictures.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// Lines as they are asked for.
///
/// Nothing is read before somebody waits for a line: an editor that was given the terminal would have to fight a
/// reader for every key. What was typed or piped ahead stays where it is until then.
pub struct InputLines {
    wanted: mpsc::UnboundedSender<()>,
    lines: mpsc::UnboundedReceiver<std::io::Result<String>>,
    /// Whether the thread was told to read and has not handed a line over yet.
    reading: bool,
}

/// Where lines come from.
pub struct Stdin;

impl Stdin {
    /// Reads standard input on a thread. A thread and not `tokio::io::stdin`: that one's pending read would
    /// keep the program from ending.
    pub fn lines() -> InputLines {
        lines_of(std::io::stdin())
    }
}

impl InputLines {
    /// The next line; nothing at the end. May be dropped while it waits: the line is there for the next who asks.
    pub async fn recv(&mut self) -> Option<std::io::Result<String>> {
        if !self.reading && self.wanted.send(()).is_err() {
            return self.lines.recv().await;
        }
        self.reading = true;
        let line = self.lines.recv().await;
        self.reading = false;
        line
    }

    /// The next line, where there may be one; waits forever where the input has ended.
    pub(crate) async fn next(lines: &mut Option<Self>) -> Option<std::io::Result<String>> {
        match lines {
            Some(lines) => lines.recv().await,
            None => std::future::pending().await,
        }
    }
}

/// Lines of any source.
pub(crate) fn lines_of(source: impl Read + Send + 'static) -> InputLines {
    // Both are unbounded in type only: there is never more than one wish, and one line for it.
    let (wanted, mut wishes) = mpsc::unbounded_channel();
    let (sender, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        let mut source = BufReader::new(source);
        while let Some(()) = wishes.blocking_recv() {
            let mut line = Vec::new();
            let read = source.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
            if read.as_ref().is_ok_and(|length| *length as u64 == MAX_LINE) && !line.ends_with(b"\n") {
                // What is left of a line that is too long is no line of its own.
                let _ = source.skip_until(b'\n');
            }
            let line = match read {
                Ok(0) => return,
                Ok(_) => Ok(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()),
                Err(error) => Err(error),
            };
            let failed = line.is_err();
            if sender.send(line).is_err() || failed {
                return;
            }
        }
    });
    InputLines { wanted, lines, reading: false }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    /// One line a read, as a terminal gives them; counts the reads.
    struct Terminal(Arc<AtomicUsize>);

    impl Read for Terminal {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let line = match self.0.fetch_add(1, Ordering::SeqCst) {
                0 => "one\n",
                1 => "two\r\n",
                _ => "",
            };
            buffer[..line.len()].copy_from_slice(line.as_bytes());
            Ok(line.len())
        }
    }

    #[tokio::test]
    async fn nothing_is_read_before_it_is_wanted() {
        let reads = Arc::new(AtomicUsize::new(0));
        let mut lines = lines_of(Terminal(Arc::clone(&reads)));
        for (line, before) in [(Some("one"), 0), (Some("two"), 1), (None, 2), (None, 3)] {
            // A reader that runs ahead would have read by then.
            tokio::time::sleep(Duration::from_millis(20)).await;
            assert_eq!(reads.load(Ordering::SeqCst), before);
            assert_eq!(lines.recv().await.map(Result::unwrap).as_deref(), line);
        }
    }

    /// Has nothing to read until it is told so.
    struct Later(std::sync::mpsc::Receiver<&'static [u8]>);

    impl Read for Later {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.0.recv().map_or(Ok(0), |mut text| text.read(buffer))
        }
    }

    #[tokio::test]
    async fn a_wait_that_was_given_up_loses_no_line() {
        let (typist, keyboard) = std::sync::mpsc::channel();
        let mut lines = lines_of(Later(keyboard));
        for _ in 0..3 {
            tokio::select! {
                biased;
                line = lines.recv() => panic!("{line:?} was there at once"),
                () = std::future::ready(()) => {}
            }
            // Three wishes would have read both lines.
        }
        typist.send(b"a\nb\n").unwrap();
        assert_eq!(lines.recv().await.unwrap().unwrap(), "a");
        assert_eq!(lines.recv().await.unwrap().unwrap(), "b");
    }
}
