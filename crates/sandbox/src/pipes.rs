//! Our ends of a child's outputs.

use std::future::Future;
use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::process::Stdio;
use std::task::{Context, Poll};

use rustix::io::Errno;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::process::ChildStdout;

use crate::Output;

/// As much as a pipe holds: one read takes all that is there.
const CHUNK: usize = 64 * 1024;

/// Which output something came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output, or both in their order where they are merged.
    Stdout,
    /// Standard error, where it comes apart.
    Stderr,
}

/// Some bytes of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Where from.
    pub stream: Stream,
    /// What.
    pub bytes: Vec<u8>,
}

/// The reading ends, each until it closes.
#[derive(Debug)]
pub(crate) struct Pipes {
    open: Vec<(Stream, ChildStdout)>,
    buffer: Vec<u8>,
}

impl Pipes {
    /// New pipes, and the child's ends of them for stdout and stderr.
    pub(crate) fn new(output: Output) -> io::Result<(Self, Stdio, Stdio)> {
        let (out_read, out_write) = io::pipe()?;
        let mut open = vec![(Stream::Stdout, reader(out_read)?)];
        let err_write = match output {
            Output::Merged => out_write.try_clone()?,
            Output::Separate => {
                let (err_read, err_write) = io::pipe()?;
                open.push((Stream::Stderr, reader(err_read)?));
                err_write
            }
        };
        let pipes = Self { open, buffer: vec![0; CHUNK] };
        Ok((pipes, Stdio::from(out_write), Stdio::from(err_write)))
    }

    /// Whether nothing can come any more.
    pub(crate) fn are_closed(&self) -> bool {
        self.open.is_empty()
    }

    /// The next bytes, or nothing when all pipes closed. Dropping it half-way loses nothing.
    pub(crate) fn read(&mut self) -> impl Future<Output = Option<Chunk>> + '_ {
        std::future::poll_fn(|cx| self.poll_read(cx))
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Option<Chunk>> {
        let mut at = 0;
        while let Some((stream, pipe)) = self.open.get_mut(at) {
            let mut space = ReadBuf::new(&mut self.buffer);
            match Pin::new(pipe).poll_read(cx, &mut space) {
                Poll::Pending => at += 1,
                Poll::Ready(Ok(())) if !space.filled().is_empty() => {
                    return Poll::Ready(Some(Chunk { stream: *stream, bytes: space.filled().to_vec() }));
                }
                // A pipe that cannot be read is as good as closed: there is nobody to tell.
                Poll::Ready(_) => {
                    self.open.remove(at);
                }
            }
        }
        if self.open.is_empty() { Poll::Ready(None) } else { Poll::Pending }
    }
}

impl Pipes {
    /// What stands in the pipes now, by asking the kernel itself. On a busy machine the runtime may not have
    /// heard of it yet; at the end that would be output lost.
    pub(crate) fn read_now(&mut self) -> Option<Chunk> {
        while let Some((stream, pipe)) = self.open.first() {
            match rustix::io::read(pipe, &mut self.buffer) {
                Ok(length) if length > 0 => {
                    return Some(Chunk { stream: *stream, bytes: self.buffer[..length].to_vec() });
                }
                Err(Errno::INTR) => {}
                // Its end, or nothing in it: this one is done with.
                _ => {
                    self.open.remove(0);
                }
            }
        }
        None
    }
}

/// A pipe for the runtime. `ChildStdout` is the way in without tokio's networking: to it this pipe is
/// like any child's.
fn reader(pipe: io::PipeReader) -> io::Result<ChildStdout> {
    ChildStdout::from_std(std::process::ChildStdout::from(OwnedFd::from(pipe)))
}
