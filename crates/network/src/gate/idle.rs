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
pub(super) struct ActivityCounter(Arc<AtomicU64>);

impl ActivityCounter {
    /// Waits until nothing has moved for so long. It may take up to twice that.
    pub(super) async fn idle_for(&self, idle_timeout: Duration) {
        let mut before = self.0.load(Ordering::Relaxed);
        loop {
            tokio::time::sleep(idle_timeout).await;
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
pub(super) struct CountedStream {
    pub(super) stream: TcpStream,
    pub(super) activity: ActivityCounter,
}

impl AsyncRead for CountedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_read(task, into);
        self.activity.count(done)
    }
}

impl AsyncWrite for CountedStream {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(task, from);
        self.activity.count(done)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(task)
    }
}
