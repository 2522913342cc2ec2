//! Hooks that another program runs: one that drives Forelook, such as an SDK.

use std::fmt::Debug;
use std::time::Duration;

use forelook_protocol::CallId;
use futures::future::BoxFuture;
use serde_json::Value;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::run_result::RunResult;

/// Somebody who carries out hooks for us.
pub trait HookHost: Debug + Send + Sync {
    /// Carries one out and gives its answer: the JSON that a command would write to its standard output.
    ///
    /// The future is dropped after a time-out or a cancel; the host should then stop its callback.
    fn call(&self, call: HookCall) -> BoxFuture<'_, Result<Value, HookHostError>>;
}

/// One hook for a host to carry out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCall {
    /// The id that the host gave to its callback.
    pub callback: String,
    /// What a command would be told on its standard input.
    pub input: Value,
    /// The tool call it is about, where the event has one.
    pub call: Option<CallId>,
}

/// Why a host gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HookHostError {
    /// The host answered that its callback failed.
    #[error("The callback failed: {0}")]
    Failed(String),
    /// No host is connected to run it.
    #[error("The host of this hook is not connected")]
    Gone,
}

/// Has it carried out to its end.
pub(crate) async fn run(
    host: &dyn HookHost,
    call: HookCall,
    timeout: Duration,
    cancel: &CancellationToken,
) -> RunResult {
    // Here too: below, the host is called before the first look at the token.
    if cancel.is_cancelled() {
        return RunResult::Interrupted;
    }
    tokio::select! {
        // In this order, so that nothing passes after a cancel, and an answer in time is heard.
        biased;
        () = cancel.cancelled() => RunResult::Interrupted,
        answer = host.call(call) => match answer {
            Ok(answer) => RunResult::Answered(answer),
            Err(HookHostError::Failed(why)) => RunResult::Failed(why),
            Err(HookHostError::Gone) => RunResult::Gone,
        },
        // Not a deadline, for the same reason as with a process.
        () = sleep(timeout) => RunResult::TimedOut,
    }
}

#[cfg(test)]
mod tests;
