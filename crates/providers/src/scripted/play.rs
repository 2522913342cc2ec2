//! Turns one scripted answer into the stream of events that a real model would send.

use std::time::Duration;

use forelook_protocol::{AnswerEvent, CallId, ProviderFailure, StopReason};
use futures::{StreamExt, stream};
use tokio_util::sync::CancellationToken;

use super::script::{ScriptedAnswer, ScriptedCall};
use super::walk::ScriptPosition;
use crate::AnswerStream;

/// How to play it.
pub(super) struct Playback {
    /// The model's name, as asked for.
    pub(super) model: String,
    /// How many characters arrive at once.
    pub(super) chunk: usize,
    /// A failure to end in.
    pub(super) failure: Option<ProviderFailure>,
    /// Ends the stream early.
    pub(super) cancel: CancellationToken,
}

/// Plays the answer.
pub(super) fn play(answer: &ScriptedAnswer, position: ScriptPosition, run: Playback) -> AnswerStream {
    let mut events = events(answer, position, run.chunk, run.model);
    if let Some(failure) = run.failure {
        events.truncate(answer.fail.as_ref().map_or(0, |fail| fail.after));
        events.push(AnswerEvent::Failed(failure));
    }
    let (delay, pace) = (Duration::from_millis(answer.delay_ms), Duration::from_millis(answer.pace_ms));
    let paced = stream::iter(events.into_iter().enumerate()).then(move |(at, event)| async move {
        pause(if at == 0 { delay } else { pace }).await;
        event
    });
    paced.take_until(run.cancel.cancelled_owned()).boxed()
}

async fn pause(time: Duration) {
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}

fn events(
    answer: &ScriptedAnswer,
    position: ScriptPosition,
    chunk: usize,
    model: String,
) -> Vec<AnswerEvent> {
    let mut events = vec![AnswerEvent::Started { id: format!("msg_{}", position.played + 1), model }];
    if let Some(thinking) = &answer.thinking {
        events.push(AnswerEvent::ThinkingStarted);
        events.extend(pieces(thinking, chunk).map(|text| AnswerEvent::Thinking { text }));
        events.push(AnswerEvent::BlockEnded);
    }
    if let Some(text) = &answer.text {
        events.push(AnswerEvent::TextStarted);
        events.extend(pieces(text, chunk).map(|text| AnswerEvent::Text { text }));
        events.push(AnswerEvent::BlockEnded);
    }
    for (at, call) in answer.calls.iter().enumerate() {
        let id = call.id.clone().unwrap_or_else(|| new_id(position, at));
        events.push(AnswerEvent::CallStarted { id: CallId(id), name: call.tool.clone() });
        events.extend(pieces(&input_of(call), chunk).map(|json| AnswerEvent::Input { json }));
        events.push(AnswerEvent::BlockEnded);
    }
    let natural = if answer.calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
    events.push(AnswerEvent::Done { stop: answer.stop.unwrap_or(natural), usage: answer.usage });
    events
}

fn new_id(position: ScriptPosition, at: usize) -> String {
    let start = position.start.map(|start| format!("s{start}_")).unwrap_or_default();
    format!("call_{start}{}_{}", position.played + 1, at + 1)
}

fn input_of(call: &ScriptedCall) -> String {
    call.raw.clone().unwrap_or_else(|| call.input.to_string())
}

/// Cuts a text into pieces of `size` characters.
fn pieces(text: &str, size: usize) -> impl Iterator<Item = String> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.char_indices().nth(size.max(1)).map_or(rest.len(), |(at, _)| at);
        let (piece, tail) = rest.split_at(end);
        rest = tail;
        Some(piece.to_owned())
    })
}
