//! One hook as a process: it gets the event, its output is read, and it is killed at its timeout.

use std::time::Duration;

use forelook_sandbox::{Child, ChildEvent, ChildExit, OutputChunk, OutputStream, Program};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::run_result::RunResult;

/// As much of its answer as is kept.
pub(crate) const MAX_STDOUT: usize = 1024 * 1024;
/// As much of its complaint as is kept: it becomes a sentence, not a document.
const MAX_STDERR: usize = 64 * 1024;
/// Between the polite signal and the last one. Short: a person or a call waits.
const GRACE: Duration = Duration::from_millis(500);

/// What a hook left that ended by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessOutput {
    /// How.
    pub(crate) ending: ChildExit,
    /// Its answer.
    pub(crate) stdout: CapturedOutput,
    /// Its complaint.
    pub(crate) stderr: CapturedOutput,
}

/// The beginning of an output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CapturedOutput {
    /// What was kept.
    pub(crate) bytes: Vec<u8>,
    /// Whether there was more.
    pub(crate) truncated: bool,
}

impl CapturedOutput {
    fn push(&mut self, bytes: &[u8], most: usize) {
        let room = most.saturating_sub(self.bytes.len()).min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..room]);
        self.truncated |= room < bytes.len();
    }
}

/// Runs it to its end. Nothing of its group is left afterwards, nor when this is dropped half-way.
pub(crate) async fn run(program: &Program, timeout: Duration, cancel: &CancellationToken) -> RunResult {
    if cancel.is_cancelled() {
        return RunResult::Interrupted;
    }
    let mut child = match Child::spawn(program) {
        Ok(child) => child,
        Err(error) => return RunResult::NotStarted(error.to_string()),
    };
    let (mut stdout, mut stderr) = (CapturedOutput::default(), CapturedOutput::default());
    // Not a deadline: a time-out from settings may be longer than an instant can hold, and `sleep` knows that.
    let mut over = std::pin::pin!(sleep(timeout));
    let mut cut_short = None;
    loop {
        tokio::select! {
            event = child.next() => match event {
                // What is over the limit is read and dropped: a hook that may not write would hang.
                ChildEvent::Output(OutputChunk { stream: OutputStream::Stdout, bytes }) => stdout.push(&bytes, MAX_STDOUT),
                ChildEvent::Output(OutputChunk { stream: OutputStream::Stderr, bytes }) => stderr.push(&bytes, MAX_STDERR),
                ChildEvent::Ended(ending) => {
                    return cut_short.unwrap_or(RunResult::Ended(ProcessOutput { ending, stdout, stderr }));
                }
            },
            () = cancel.cancelled(), if cut_short.is_none() => {
                cut_short = Some(RunResult::Interrupted);
                child.terminate(GRACE);
            }
            () = &mut over, if cut_short.is_none() => {
                cut_short = Some(RunResult::TimedOut);
                child.terminate(GRACE);
            }
        }
    }
}
