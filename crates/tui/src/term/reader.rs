//! Reads the terminal on a thread of its own. What reads for us never comes back from a terminal that is gone: on the
//! thread that all tasks share, nobody would be left to end the program.
//!
//! The thread waits by itself, for keys or for its end, and reads only what is there. A library's reader was rejected:
//! its thread cannot be waited for, and took keys that were meant for an editor.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, oneshot};

use super::guard::WRITE_TIMEOUT;
use super::keys::Input;
use super::parser::InputParser;

/// So many keys may wait before the terminal does; pastes come as one.
const WAITING: usize = 64;
/// How long the rest of a sequence is waited for before its beginning counts as a key of its own.
const MOMENT: Duration = Duration::from_millis(5);
/// Bytes that are read at once.
const READ: usize = 4096;

/// What comes from the terminal.
#[derive(Debug)]
pub(crate) struct InputReader {
    inputs: mpsc::Receiver<Input>,
    resized: Signal,
    /// Ends the reading when it is dropped.
    stop: UnixStream,
}

impl InputReader {
    /// Begins to read.
    pub(crate) fn begin() -> io::Result<Self> {
        let (sender, inputs) = mpsc::channel(WAITING);
        let (stop, stopped) = UnixStream::pair()?;
        let terminal = terminal()?;
        let resized = signal(SignalKind::window_change())?;
        let read = move || read(&terminal, &stopped, &sender);
        std::thread::Builder::new().name("keys".to_owned()).spawn(read)?;
        Ok(Self { inputs, resized, stop })
    }

    /// What comes next; nothing if the terminal is gone.
    pub(crate) async fn next(&mut self) -> Option<Input> {
        tokio::select! {
            biased;
            input = self.inputs.recv() => input,
            // Whoever hears it asks for the size itself.
            Some(()) = self.resized.recv() => Some(Input::Resized),
        }
    }

    /// Stops, so that somebody else can read; what was read and nobody has taken.
    pub(crate) async fn end(mut self) -> Vec<Input> {
        drop(self.stop);
        let mut rest = Vec::new();
        let over = async {
            while let Some(input) = self.inputs.recv().await {
                rest.push(input);
            }
        };
        let _ = tokio::time::timeout(WRITE_TIMEOUT, over).await;
        rest
    }
}

/// Watches the terminal while somebody else reads it: an editor may go on although the terminal is gone.
#[derive(Debug)]
pub(crate) struct HangUpWatch {
    gone: oneshot::Receiver<()>,
    /// Ends the watching when it is dropped.
    _stop: UnixStream,
}

impl HangUpWatch {
    /// Begins to watch.
    pub(crate) fn begin() -> io::Result<Self> {
        let (sender, gone) = oneshot::channel();
        let (stop, stopped) = UnixStream::pair()?;
        let terminal = terminal()?;
        let watch = move || {
            // Keys are not waited for, so nothing is taken from whoever reads them.
            if let Ok(PollOutcome::Gone) = wait(&terminal, &stopped, (PollFlags::empty(), None)) {
                let _ = sender.send(());
            }
        };
        std::thread::Builder::new().name("hang-up".to_owned()).spawn(watch)?;
        Ok(Self { gone, _stop: stop })
    }

    /// Returns when the terminal is gone.
    pub(crate) async fn gone(&mut self) {
        if (&mut self.gone).await.is_err() {
            std::future::pending().await
        }
    }
}

/// Where keys come from: the same that the library reads.
fn terminal() -> io::Result<OwnedFd> {
    let stdin = io::stdin();
    match stdin.is_terminal() {
        true => stdin.as_fd().try_clone_to_owned(),
        false => File::open("/dev/tty").map(OwnedFd::from),
    }
}

/// Reads until the end; a terminal that is gone ends it too.
fn read(terminal: &OwnedFd, stopped: &UnixStream, sender: &mpsc::Sender<Input>) {
    let mut parser = InputParser::default();
    let mut bytes = [0; READ];
    loop {
        let moment = parser.is_ambiguous().then_some(MOMENT);
        let inputs = match wait(terminal, stopped, (PollFlags::IN, moment)) {
            Ok(PollOutcome::Keys) => match rustix::io::read(terminal, &mut bytes) {
                Ok(length) if length > 0 => parser.feed(&bytes[..length]),
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => continue,
                Ok(_) | Err(_) => return,
            },
            Ok(PollOutcome::Nothing) => parser.settle().into_iter().collect(),
            Ok(PollOutcome::Gone | PollOutcome::Stopped) | Err(_) => return,
        };
        for input in inputs {
            if sender.blocking_send(input).is_err() {
                return;
            }
        }
    }
}

/// What came first.
enum PollOutcome {
    Keys,
    Gone,
    Stopped,
    /// Nothing, for as long as it was waited for.
    Nothing,
}

/// Waits for keys of this kind, and no longer than this.
fn wait(
    terminal: &OwnedFd,
    stopped: &UnixStream,
    (keys, longest): (PollFlags, Option<Duration>),
) -> io::Result<PollOutcome> {
    let longest = longest.and_then(|time| Timespec::try_from(time).ok());
    let mut both = [PollFd::new(terminal, keys), PollFd::new(stopped, PollFlags::IN)];
    loop {
        match poll(&mut both, longest.as_ref()) {
            Err(rustix::io::Errno::INTR) => continue,
            Ok(0) => return Ok(PollOutcome::Nothing),
            waited => waited?,
        };
        let [terminal, stopped] = both.each_ref().map(PollFd::revents);
        return Ok(match () {
            () if !stopped.is_empty() => PollOutcome::Stopped,
            // What was typed before the terminal went is read first.
            () if terminal.contains(PollFlags::IN) => PollOutcome::Keys,
            () => PollOutcome::Gone,
        });
    }
}
