//! One hook as a process: told of the event, listened to, and ended when its time is over.

use std::time::Duration;

use forelook_sandbox::{Child, Chunk, Ending, Event, Program, Stream};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::ran::Ran;

/// As much of its answer as is kept.
pub(crate) const MAX_STDOUT: usize = 1024 * 1024;
/// As much of its complaint as is kept: it becomes a sentence, not a document.
const MAX_STDERR: usize = 64 * 1024;
/// Between the polite signal and the last one. Short: a person or a call waits.
const GRACE: Duration = Duration::from_millis(500);

/// What a hook left that ended by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finished {
    /// How.
    pub(crate) ending: Ending,
    /// Its answer.
    pub(crate) stdout: Kept,
    /// Its complaint.
    pub(crate) stderr: Kept,
}

/// The beginning of an output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    /// What was kept.
    pub(crate) bytes: Vec<u8>,
    /// Whether there was more.
    pub(crate) cut: bool,
}

impl Kept {
    fn push(&mut self, bytes: &[u8], most: usize) {
        let room = most.saturating_sub(self.bytes.len()).min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..room]);
        self.cut |= room < bytes.len();
    }
}

/// Runs it to its end. Nothing of its group is left afterwards, nor when this is dropped half-way.
pub(crate) async fn run(program: &Program, timeout: Duration, cancel: &CancellationToken) -> Ran {
    if cancel.is_cancelled() {
        return Ran::Interrupted;
    }
    let mut child = match Child::spawn(program) {
        Ok(child) => child,
        Err(error) => return Ran::NotStarted(error.to_string()),
    };
    let (mut stdout, mut stderr) = (Kept::default(), Kept::default());
    // Not a deadline: a time-out from settings may be longer than an instant can hold, and `sleep` knows that.
    let mut over = std::pin::pin!(sleep(timeout));
    let mut cut_short = None;
    loop {
        tokio::select! {
            event = child.next() => match event {
                // What is over the limit is read and dropped: a hook that may not write would hang.
                Event::Output(Chunk { stream: Stream::Stdout, bytes }) => stdout.push(&bytes, MAX_STDOUT),
                Event::Output(Chunk { stream: Stream::Stderr, bytes }) => stderr.push(&bytes, MAX_STDERR),
                Event::Ended(ending) => {
                    return cut_short.unwrap_or(Ran::Ended(Finished { ending, stdout, stderr }));
                }
            },
            () = cancel.cancelled(), if cut_short.is_none() => {
                cut_short = Some(Ran::Interrupted);
                child.terminate(GRACE);
            }
            () = &mut over, if cut_short.is_none() => {
                cut_short = Some(Ran::TimedOut);
                child.terminate(GRACE);
            }
        }
    }
}
