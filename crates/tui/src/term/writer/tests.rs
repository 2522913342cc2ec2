//! What becomes of frames when the terminal is slow or gone.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::*;

/// A terminal that takes a piece only when it is let.
struct Slow {
    lets: Receiver<()>,
    took: SyncSender<String>,
}

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lets.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
        self.took.send(String::from_utf8_lossy(bytes).into_owned()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn slow() -> (TerminalWriter, SyncSender<()>, Receiver<String>) {
    let (lets, is_let) = sync_channel(9);
    let (took, taken) = sync_channel(9);
    (
        TerminalWriter::new(Slow { lets: is_let, took }, forelook_wording::Charset::Unicode).unwrap(),
        lets,
        taken,
    )
}

#[tokio::test]
async fn a_stopped_terminal_holds_nobody_up_and_gets_everything_in_order() {
    let (writer, lets, taken) = slow();
    writer.send("a");
    for word in ["b", "c", "d"] {
        writer.send(word);
    }
    assert!(writer.is_busy() && !writer.is_lost());
    for _ in 0..4 {
        lets.send(()).unwrap();
    }
    writer.settled().await;
    assert!(!writer.is_busy());
    assert_eq!(taken.try_iter().collect::<String>(), "abcd");
}

#[tokio::test]
async fn a_terminal_that_is_gone_is_told_and_forgotten() {
    let (writer, lets, _taken) = slow();
    drop(lets);
    writer.send("a");
    writer.settled().await;
    assert!(writer.is_lost() && !writer.is_busy());
    writer.send("b");
    assert!(!writer.is_busy());
}

#[tokio::test]
async fn nobody_waits_for_ever() {
    let (writer, _lets, _taken) = slow();
    writer.send("a");
    writer.settled().await;
    assert!(writer.is_busy());
}
