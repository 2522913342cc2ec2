//! Our ends of a child's outputs.

use std::future::Future;
use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::task::{Context, Poll};

use rustix::io::Errno;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::process::ChildStdout;

use crate::ChildOutput;

/// As much as a pipe holds: one read takes all that is there.
const CHUNK: usize = 64 * 1024;

/// Which output something came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output, or both in their order where they are merged.
    Stdout,
    /// Standard error, where it comes apart.
    Stderr,
}

/// Some bytes of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputChunk {
    /// Where from.
    pub stream: OutputStream,
    /// What.
    pub bytes: Vec<u8>,
}

/// How much is kept of what is written beside the outputs.
const MAX_SIDE: usize = 1024 * 1024;

/// The reading ends, each until it closes.
#[derive(Debug)]
pub(crate) struct Pipes {
    open: Vec<(OutputStream, ChildStdout)>,
    side: Option<ChildStdout>,
    side_output: Vec<u8>,
    buffer: Vec<u8>,
}

/// The child's ends.
pub(crate) struct ChildEnds {
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    pub(crate) side: Option<OwnedFd>,
}

impl Pipes {
    /// New pipes, with one beside the outputs if wanted.
    pub(crate) fn new(output: ChildOutput, with_side: bool) -> io::Result<(Self, ChildEnds)> {
        let (out, stdout) = pipe()?;
        let mut open = vec![(OutputStream::Stdout, out)];
        let stderr = match output {
            ChildOutput::Merged => stdout.try_clone()?,
            ChildOutput::Separate => {
                let (err, stderr) = pipe()?;
                open.push((OutputStream::Stderr, err));
                stderr
            }
        };
        let (side, side_end) = if with_side { Some(pipe()?) } else { None }.unzip();
        let pipes = Self { open, side, side_output: Vec::new(), buffer: vec![0; CHUNK] };
        Ok((pipes, ChildEnds { stdout, stderr, side: side_end }))
    }

    /// Whether no output can come any more.
    pub(crate) fn are_closed(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether nothing can come any more, not even beside the outputs.
    pub(crate) fn is_done(&self) -> bool {
        self.open.is_empty() && self.side.is_none()
    }

    /// What was written beside the outputs; nothing if it was too much.
    pub(crate) fn side_output(&self) -> Option<&[u8]> {
        (self.side_output.len() <= MAX_SIDE).then_some(&self.side_output)
    }

    /// The next output, or nothing when all pipes closed. Dropping it half-way loses nothing.
    pub(crate) fn read(&mut self) -> impl Future<Output = Option<OutputChunk>> + '_ {
        std::future::poll_fn(|cx| self.poll_read(cx))
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Option<OutputChunk>> {
        self.poll_side(cx);
        let mut at = 0;
        while let Some((stream, pipe)) = self.open.get_mut(at) {
            let mut space = ReadBuf::new(&mut self.buffer);
            match Pin::new(pipe).poll_read(cx, &mut space) {
                Poll::Pending => at += 1,
                Poll::Ready(Ok(())) if !space.filled().is_empty() => {
                    return Poll::Ready(Some(OutputChunk {
                        stream: *stream,
                        bytes: space.filled().to_vec(),
                    }));
                }
                // A pipe that cannot be read is as good as closed: there is nobody to tell.
                Poll::Ready(_) => {
                    self.open.remove(at);
                }
            }
        }
        if self.is_done() { Poll::Ready(None) } else { Poll::Pending }
    }

    fn poll_side(&mut self, cx: &mut Context<'_>) {
        while let Some(pipe) = &mut self.side {
            let mut space = ReadBuf::new(&mut self.buffer);
            match Pin::new(pipe).poll_read(cx, &mut space) {
                Poll::Pending => return,
                Poll::Ready(Ok(())) if !space.filled().is_empty() => {
                    keep(&mut self.side_output, space.filled())
                }
                Poll::Ready(_) => self.side = None,
            }
        }
    }

    /// What stands in the pipes now, by asking the kernel itself. On a busy machine the runtime may not have
    /// heard of it yet; at the end that would be output lost.
    pub(crate) fn read_now(&mut self) -> Option<OutputChunk> {
        while let Some(pipe) = &self.side {
            match rustix::io::read(pipe, &mut self.buffer) {
                // One more than the limit is enough to know; whoever goes on writing is not listened to.
                Ok(length) if length > 0 && self.side_output.len() <= MAX_SIDE => {
                    keep(&mut self.side_output, &self.buffer[..length]);
                }
                Err(Errno::INTR) => {}
                _ => self.side = None,
            }
        }
        while let Some((stream, pipe)) = self.open.first() {
            match rustix::io::read(pipe, &mut self.buffer) {
                Ok(length) if length > 0 => {
                    return Some(OutputChunk { stream: *stream, bytes: self.buffer[..length].to_vec() });
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

/// Adds what is within the limit, and enough beyond it to know that there was more.
fn keep(side_output: &mut Vec<u8>, bytes: &[u8]) {
    let room = (MAX_SIDE + 1).saturating_sub(side_output.len());
    side_output.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

/// A new pipe: our end, for the runtime, and the child's.
fn pipe() -> io::Result<(ChildStdout, OwnedFd)> {
    let (read, write) = io::pipe()?;
    Ok((reader(read)?, write.into()))
}

/// A pipe for the runtime. `ChildStdout` is the way in without tokio's networking: to it this pipe is
/// like any child's.
fn reader(pipe: io::PipeReader) -> io::Result<ChildStdout> {
    ChildStdout::from_std(std::process::ChildStdout::from(OwnedFd::from(pipe)))
}
