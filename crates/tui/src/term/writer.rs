//! Writes frames to the terminal beside everything else: one that is slow, stopped or gone holds nobody up.

use std::io::Write;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use forelook_wording::Charset;
use tokio::sync::Notify;

use super::guard::WRITE_TIMEOUT;

/// The way to the terminal. One frame at a time is on its way.
#[derive(Debug)]
pub(crate) struct TerminalWriter {
    shared: Arc<Shared>,
    /// What it can show: everything that is drawn goes through here.
    charset: Charset,
    /// Nothing comes from there; it ends when the thread does.
    over: Mutex<Receiver<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<WriterState>,
    /// There is something to write, or no more will come.
    work: Condvar,
    /// All is written.
    idle: Notify,
}

#[derive(Debug, Default)]
struct WriterState {
    waiting: String,
    doing: WriteState,
    /// No more will come.
    closed: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum WriteState {
    #[default]
    Nothing,
    Writing,
    /// The terminal is gone.
    Lost,
}

impl TerminalWriter {
    /// Begins to write to this.
    pub(crate) fn new(out: impl Write + Send + 'static, charset: Charset) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (alive, over) = channel();
        let theirs = Arc::clone(&shared);
        let write = move || write_all(out, &theirs, &alive);
        std::thread::Builder::new().name("terminal".to_owned()).spawn(write)?;
        Ok(Self { shared, charset, over: Mutex::new(over) })
    }

    /// Whether something is still on its way; then the next frame waits.
    pub(crate) fn is_busy(&self) -> bool {
        let state = self.shared.lock();
        state.doing == WriteState::Writing || !state.waiting.is_empty()
    }

    /// Whether the terminal is gone.
    pub(crate) fn is_lost(&self) -> bool {
        self.shared.lock().doing == WriteState::Lost
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
        let _ = tokio::time::timeout(WRITE_TIMEOUT, settled).await;
    }

    /// Sends this on its way, behind what is there.
    pub(crate) fn send(&self, bytes: &str) {
        let mut state = self.shared.lock();
        if state.doing != WriteState::Lost {
            state.waiting.push_str(&self.charset.text(bytes));
            self.shared.work.notify_one();
        }
    }
}

impl Drop for TerminalWriter {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.work.notify_one();
        // A thread that hangs in a stopped terminal ends with the program.
        let over = self.over.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = over.recv_timeout(WRITE_TIMEOUT);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, WriterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be written; nothing at the end.
    fn take(&self) -> Option<String> {
        let state = self.lock();
        let idle = |state: &mut WriterState| state.waiting.is_empty() && !state.closed;
        let mut state = self.work.wait_while(state, idle).unwrap_or_else(PoisonError::into_inner);
        if state.waiting.is_empty() {
            return None;
        }
        state.doing = WriteState::Writing;
        Some(std::mem::take(&mut state.waiting))
    }

    fn done(&self, arrived: bool) {
        let mut state = self.lock();
        state.doing = if arrived { WriteState::Nothing } else { WriteState::Lost };
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
