//! Writes frames to the terminal beside everything else: one that is slow, stopped or gone holds nobody up.

use std::io::Write;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::guard::PATIENCE;

/// The way to the terminal. One frame at a time is on its way.
#[derive(Debug)]
pub(crate) struct Writer {
    shared: Arc<Shared>,
    /// Nothing comes from there; it ends when the thread does.
    over: Receiver<()>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// There is something to write, or no more will come.
    work: Condvar,
    /// All is written.
    idle: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: String,
    doing: Doing,
    /// No more will come.
    closed: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Doing {
    #[default]
    Nothing,
    Writing,
    /// The terminal is gone.
    Lost,
}

impl Writer {
    /// Begins to write to this.
    pub(crate) fn new(out: impl Write + Send + 'static) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (alive, over) = channel();
        let theirs = Arc::clone(&shared);
        let write = move || write_all(out, &theirs, &alive);
        std::thread::Builder::new().name("terminal".to_owned()).spawn(write)?;
        Ok(Self { shared, over })
    }

    /// Whether something is still on its way; then the next frame waits.
    pub(crate) fn is_busy(&self) -> bool {
        let state = self.shared.lock();
        state.doing == Doing::Writing || !state.waiting.is_empty()
    }

    /// Whether the terminal is gone.
    pub(crate) fn is_lost(&self) -> bool {
        self.shared.lock().doing == Doing::Lost
    }

    /// Returns when what is on its way may have arrived.
    pub(crate) async fn idle(&self) {
        self.shared.idle.notified().await;
    }

    /// Returns when nothing is on its way, or when that was waited for long enough.
    pub(crate) async fn settled(&self) {
        let settled = async {
            while self.is_busy() {
                self.idle().await;
            }
        };
        let _ = tokio::time::timeout(PATIENCE, settled).await;
    }

    /// Sends this on its way, behind what is there.
    pub(crate) fn send(&self, bytes: &str) {
        let mut state = self.shared.lock();
        if state.doing != Doing::Lost {
            state.waiting.push_str(bytes);
            self.shared.work.notify_one();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.work.notify_one();
        // A thread that hangs in a stopped terminal ends with the program.
        let _ = self.over.recv_timeout(PATIENCE);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be written; nothing at the end.
    fn take(&self) -> Option<String> {
        let state = self.lock();
        let idle = |state: &mut State| state.waiting.is_empty() && !state.closed;
        let mut state = self.work.wait_while(state, idle).unwrap_or_else(PoisonError::into_inner);
        if state.waiting.is_empty() {
            return None;
        }
        state.doing = Doing::Writing;
        Some(std::mem::take(&mut state.waiting))
    }

    fn done(&self, arrived: bool) {
        let mut state = self.lock();
        state.doing = if arrived { Doing::Nothing } else { Doing::Lost };
        if !arrived {
            state.waiting.clear();
        }
        drop(state);
        self.idle.notify_one();
    }
}

fn write_all(mut out: impl Write, shared: &Shared, _alive: &Sender<()>) {
    while let Some(bytes) = shared.take() {
        let written = out.write_all(bytes.as_bytes()).and_then(|()| out.flush());
        shared.done(written.is_ok());
        if written.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
