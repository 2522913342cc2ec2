//! Notices when a connection has become silent.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// How many times something went over a connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Moves(Arc<AtomicU64>);

impl Moves {
    /// Waits until nothing has moved for so long. It may take up to twice that.
    pub(super) async fn end(&self, silence: Duration) {
        let mut before = self.0.load(Ordering::Relaxed);
        loop {
            tokio::time::sleep(silence).await;
            let now = self.0.load(Ordering::Relaxed);
            if now == before {
                return;
            }
            before = now;
        }
    }

    fn count<T>(&self, done: Poll<T>) -> Poll<T> {
        if done.is_ready() {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        done
    }
}

/// A connection whose moves are counted.
pub(super) struct Counted {
    pub(super) stream: TcpStream,
    pub(super) moves: Moves,
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_read(task, into);
        self.moves.count(done)
    }
}

impl AsyncWrite for Counted {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(task, from);
        self.moves.count(done)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(task)
    }
}
