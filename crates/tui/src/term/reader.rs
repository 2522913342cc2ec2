//! Reads the terminal on a thread of its own. What reads for us never comes back from a terminal that is gone: on the
//! thread that all tasks share, nobody would be left to end the program.
//!
//! The thread waits by itself, for keys or for its end, and has the library read only what is there. The library's own
//! stream has a thread that cannot be waited for: it took keys that were meant for an editor. And its usual reader is told
//! of keys once: if the window's size changed in the same instant, it forgot them until another key came.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crossterm::event::Event;
use rustix::event::{PollFd, PollFlags, poll};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, oneshot};

use super::guard::WRITE_TIMEOUT;

/// So many keys may wait before the terminal does; pastes come as one.
const WAITING: usize = 64;
/// How long more keys are waited for before anything else is looked at.
const MOMENT: Duration = Duration::from_millis(5);
/// So often in a row nothing must have come. The library looks at its clock before it looks at the keys it has already
/// read: a thread that is put aside in between is told that there are none.
const TIMES: u32 = 3;

/// What comes from the terminal.
#[derive(Debug)]
pub(crate) struct InputReader {
    events: mpsc::Receiver<io::Result<Event>>,
    resized: Signal,
    /// Ends the reading when it is dropped.
    stop: UnixStream,
}

impl InputReader {
    /// Begins to read.
    pub(crate) fn begin() -> io::Result<Self> {
        let (sender, events) = mpsc::channel(WAITING);
        let (stop, stopped) = UnixStream::pair()?;
        let terminal = terminal()?;
        let resized = signal(SignalKind::window_change())?;
        let read = move || read(&terminal, &stopped, &sender);
        std::thread::Builder::new().name("keys".to_owned()).spawn(read)?;
        Ok(Self { events, resized, stop })
    }

    /// What comes next; nothing if the terminal is gone.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        tokio::select! {
            biased;
            event = self.events.recv() => event?.ok(),
            // Whoever hears it asks for the size itself.
            Some(()) = self.resized.recv() => Some(Event::Resize(0, 0)),
        }
    }

    /// Stops, so that somebody else can read; what was read and nobody has taken.
    pub(crate) async fn end(mut self) -> Vec<Event> {
        drop(self.stop);
        let mut rest = Vec::new();
        let over = async {
            while let Some(event) = self.events.recv().await {
                rest.extend(event.ok());
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
            if let Ok(PollOutcome::Gone) = wait(&terminal, &stopped, PollFlags::empty()) {
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

fn read(terminal: &OwnedFd, stopped: &UnixStream, sender: &mpsc::Sender<io::Result<Event>>) {
    loop {
        let waited = wait(terminal, stopped, PollFlags::IN);
        if matches!(waited, Ok(PollOutcome::Stopped)) {
            return;
        }
        if let Err(error) = pass_on(sender) {
            let _ = sender.blocking_send(Err(error));
            return;
        }
        let gone = match waited {
            Ok(PollOutcome::Gone) => io::ErrorKind::UnexpectedEof.into(),
            Err(error) => error,
            Ok(PollOutcome::Keys | PollOutcome::Stopped) => continue,
        };
        let _ = sender.blocking_send(Err(gone));
        return;
    }
}

/// What came first.
enum PollOutcome {
    Keys,
    Gone,
    Stopped,
}

fn wait(terminal: &OwnedFd, stopped: &UnixStream, keys: PollFlags) -> io::Result<PollOutcome> {
    let mut both = [PollFd::new(terminal, keys), PollFd::new(stopped, PollFlags::IN)];
    loop {
        match poll(&mut both, None) {
            Err(rustix::io::Errno::INTR) => continue,
            waited => waited?,
        };
        let [terminal, stopped] = both.each_ref().map(PollFd::revents);
        return Ok(match () {
            () if !stopped.is_empty() => PollOutcome::Stopped,
            () if terminal.intersects(PollFlags::HUP | PollFlags::ERR) => PollOutcome::Gone,
            () => PollOutcome::Keys,
        });
    }
}

/// Passes on everything that was typed.
fn pass_on(sender: &mpsc::Sender<io::Result<Event>>) -> io::Result<()> {
    let mut in_vain = 0;
    while in_vain < TIMES {
        if !crossterm::event::poll(MOMENT)? {
            in_vain += 1;
            continue;
        }
        in_vain = 0;
        let event = crossterm::event::read()?;
        // It hears of sizes too, but only when there are keys.
        if !matches!(event, Event::Resize(..)) && sender.blocking_send(Ok(event)).is_err() {
            return Ok(());
        }
    }
    Ok(())
}
