//! A model that plays a script: for the demo, for tests, and for trying things without a key.
//!
//! What it says next is a pure function of the conversation ([`walk`]), so a killed and resumed session
//! goes on where it was, and no two runs differ. `docs/scenarios.md` describes the form of a script.

mod capture;
mod play;
mod script;
mod walk;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use forelook_protocol::{AnswerEvent, FailureKind, ProviderFailure};
use futures::StreamExt;
use tokio_util::sync::CancellationToken;

use capture::CaptureMiss;
pub use script::{Script, ScriptError};

use crate::{AnswerStream, Provider, Request};

/// A provider that plays a [`Script`].
pub struct ScriptedProvider {
    script: Arc<Script>,
    /// How often an answer with `fail` has failed in this process. A failure leaves no trace in the
    /// conversation, so this cannot be read off it.
    failures: Mutex<HashMap<usize, u32>>,
}

impl ScriptedProvider {
    /// Plays this script.
    pub fn new(script: Script) -> Self {
        Self { script: Arc::new(script), failures: Mutex::default() }
    }

    fn failure_due(&self, at: usize) -> Option<ProviderFailure> {
        let fail = self.script.answers.get(at)?.fail.as_ref()?;
        let mut failures = self.failures.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let seen = failures.entry(at).or_default();
        if *seen >= fail.times {
            return None;
        }
        *seen += 1;
        let failure = ProviderFailure::new(fail.kind, fail.message.clone());
        Some(ProviderFailure { retry_after_ms: fail.retry_after_ms, ..failure })
    }
}

impl Provider for ScriptedProvider {
    fn stream(&self, request: Request, cancel: CancellationToken) -> AnswerStream {
        let Some(position) = walk::next_answer(&self.script, &request.messages) else {
            let message = format!("The script of model `{}` has no more answers", request.model);
            let failure = ProviderFailure::new(FailureKind::ScriptEnded, message);
            return failed(failure.hint("Add an `[[answer]]` to the script, or a `goto`"));
        };
        let Some(answer) = self.script.answers.get(position.index) else {
            return futures::stream::empty().boxed();
        };
        let answer = match self.script.capture.fill(answer, &request.messages) {
            Ok(answer) => answer,
            Err(missing) => return failed(capture_miss(&request.model, &missing)),
        };
        let failure = self.failure_due(position.index);
        let chunk = self.script.chunk;
        play::play(&answer, position, play::Playback { model: request.model, chunk, failure, cancel })
    }

    fn defers_tools(&self) -> bool {
        self.script.defers_tools
    }
}

fn capture_miss(model: &str, missing: &CaptureMiss) -> ProviderFailure {
    let CaptureMiss { name, regex } = missing;
    let message = format!(
        "The script of model `{model}` uses `{{{name}}}`, but nothing in the conversation matches `{regex}`"
    );
    ProviderFailure::new(FailureKind::BadRequest, message)
        .hint("Change the regular expression in `[capture]`, or remove the name from this answer")
}

fn failed(failure: ProviderFailure) -> AnswerStream {
    futures::stream::iter([AnswerEvent::Failed(failure)]).boxed()
}
