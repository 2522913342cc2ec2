//! Signals that ask the program to stop.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

/// Wishes that wait to be heard: to end the turn, and to end the program. Whoever has not heard two of them hears nothing.
const QUEUED_SIGNALS: usize = 2;

/// What a shell reports for a program that an interrupt ended.
const INTERRUPTED: i32 = 130;

/// Hears SIGINT, SIGTERM and SIGHUP: each is one wish to stop.
///
/// On a thread of its own. The program's one thread may be stuck in a write that nobody reads; then the third wish ends the
/// process, which the journal survives at any instant.
pub(crate) fn stop_signals() -> mpsc::Receiver<()> {
    let (sender, stops) = mpsc::channel(QUEUED_SIGNALS);
    // Not waited for: a signal that comes before it listens ends the program, which has done nothing yet.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        if let Ok(runtime) = runtime {
            runtime.block_on(listen(sender));
        }
    });
    stops
}

async fn listen(sender: mpsc::Sender<()>) {
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal);
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = kinds else { return };
    loop {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
            () = sender.closed() => return,
        }
        match sender.try_send(()) {
            Ok(()) => {}
            Err(TrySendError::Full(())) => std::process::exit(INTERRUPTED),
            Err(TrySendError::Closed(())) => return,
        }
    }
}
