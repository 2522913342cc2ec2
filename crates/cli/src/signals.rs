//! Signals that ask the program to stop.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// Hears SIGINT, SIGTERM and SIGHUP: each is one wish to stop.
pub(crate) fn wishes_to_stop() -> mpsc::Receiver<()> {
    // Two wishes are enough: to end the turn, and to end the program.
    let (sender, wishes) = mpsc::channel(2);
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let Ok(mut signals) = signal(kind) else { continue };
        let sender = sender.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                if sender.send(()).await.is_err() {
                    return;
                }
            }
        });
    }
    wishes
}
