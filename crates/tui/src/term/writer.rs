//! Writes frames to the terminal beside everything else: one that is slow, or was stopped with Ctrl+S, holds nobody up.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use tokio::sync::Notify;

/// The way to the terminal. One frame at a time is on its way.
#[derive(Debug)]
pub(crate) struct Writer {
    frames: Option<SyncSender<String>>,
    busy: Arc<AtomicBool>,
    idle: Arc<Notify>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Writer {
    /// Begins to write to this.
    pub(crate) fn new(out: impl Write + Send + 'static) -> std::io::Result<Self> {
        let (frames, queue) = sync_channel(1);
        let (busy, idle) = (Arc::new(AtomicBool::new(false)), Arc::new(Notify::new()));
        let (is_busy, is_idle) = (Arc::clone(&busy), Arc::clone(&idle));
        let write = move || write_all(out, &queue, &is_busy, &is_idle);
        let thread = std::thread::Builder::new().name("terminal".to_owned()).spawn(write)?;
        Ok(Self { frames: Some(frames), busy, idle, thread: Some(thread) })
    }

    /// Whether a frame is still on its way; then the next one waits.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire)
    }

    /// Returns when the frame that is on its way has arrived.
    pub(crate) async fn idle(&self) {
        self.idle.notified().await;
    }

    /// Sends a frame on its way; only when nothing is.
    pub(crate) fn send(&self, frame: String) {
        self.busy.store(true, Ordering::Release);
        if let Some(frames) = &self.frames {
            // The other end is there as long as we are.
            let _ = frames.send(frame);
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.frames.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn write_all(mut out: impl Write, frames: &Receiver<String>, busy: &AtomicBool, idle: &Notify) {
    while let Ok(frame) = frames.recv() {
        // A terminal that is gone is told by a signal and by the end of its input.
        let _ = out.write_all(frame.as_bytes()).and_then(|()| out.flush());
        busy.store(false, Ordering::Release);
        idle.notify_one();
    }
}
