//! Reads one answer.

use forelook_protocol::{AnswerEvent, ProviderFailure, StopReason, Usage};
use serde_json::value::RawValue;

use super::calls::{Calls, PiecePosition};
use super::wire::{CallPiece, Choice, Chunk, Content, Delta};
use crate::dialect::StreamParser;
use crate::failure::{Cause, stream_truncated};
use crate::openai::{BlockKind, Blocks, garbled, read_usage, stream_failure};

/// An answer while it arrives.
#[derive(Default)]
pub(super) struct ChatParser {
    started: bool,
    over: bool,
    id: String,
    blocks: Blocks,
    next_key: u64,
    /// The block of words or thinking that is open.
    open_text: Option<(u64, BlockKind)>,
    has_text: bool,
    calls: Calls,
    refused: bool,
    finish: String,
    usage: Usage,
    /// Which of the server's choices is read: the one that came first.
    choice_index: Option<u64>,
}

impl StreamParser for ChatParser {
    fn event(&mut self, name: &str, data: &str, out: &mut Vec<AnswerEvent>) {
        let data = data.trim();
        if self.over || data.is_empty() {
            return;
        }
        if data == "[DONE]" {
            return self.on_done(out);
        }
        match serde_json::from_str::<Chunk<'_>>(data) {
            Ok(chunk) if chunk.error.is_some() || name == "error" || &*chunk.object == "error" => {
                self.fail(stream_failure(data), out);
            }
            Ok(chunk) => self.on_chunk(&chunk, out),
            Err(error) => self.fail(garbled(&error, data), out),
        }
    }

    fn is_complete(&self) -> bool {
        !self.finish.is_empty()
    }

    fn closed(&mut self, out: &mut Vec<AnswerEvent>) {
        match (self.over, self.finish.is_empty()) {
            (true, _) => {}
            (false, true) => self.fail(stream_truncated(), out),
            (false, false) => self.done(out),
        }
    }
}

impl ChatParser {
    fn on_chunk(&mut self, chunk: &Chunk<'_>, out: &mut Vec<AnswerEvent>) {
        if self.id.is_empty() {
            self.id.push_str(&chunk.id);
        }
        // Azure begins with a chunk about its filters, which has neither id nor model.
        if !self.started && !chunk.choices.is_empty() {
            self.start(&chunk.model, out);
        }
        for usage in [chunk.usage, chunk.x_groq.as_ref().and_then(|groq| groq.usage)] {
            self.count(usage);
        }
        for (at, choice) in (0..).zip(&chunk.choices) {
            let index = choice.index.unwrap_or(at);
            // Only one was asked for. Pieces of a second one would end up in the middle of the first.
            if *self.choice_index.get_or_insert(index) == index {
                self.choice(choice, out);
            }
        }
    }

    fn start(&mut self, model: &str, out: &mut Vec<AnswerEvent>) {
        self.started = true;
        out.push(AnswerEvent::Started { id: self.id.clone(), model: model.to_owned() });
    }

    /// The last count is the whole one.
    fn count(&mut self, raw: Option<&RawValue>) {
        if let Some(usage) = raw.and_then(read_usage) {
            self.usage = usage;
        }
    }

    fn choice(&mut self, choice: &Choice<'_>, out: &mut Vec<AnswerEvent>) {
        self.count(choice.usage);
        if let Some(error) = choice.error {
            return self.fail(stream_failure(error.get()), out);
        }
        self.delta(&choice.delta, out);
        // An empty one is none: some servers send it along with every chunk.
        if !choice.finish_reason.is_empty() {
            self.finish.clear();
            self.finish.push_str(&choice.finish_reason);
        }
    }

    fn delta(&mut self, delta: &Delta<'_>, out: &mut Vec<AnswerEvent>) {
        // Two names for one thing, and some servers send both.
        let thinking = [&delta.reasoning_content, &delta.reasoning].into_iter().find(|text| !text.is_empty());
        if let Some(thinking) = thinking {
            self.add_text(BlockKind::Thinking, thinking, out);
        }
        self.content(BlockKind::Text, &delta.content, out);
        if !delta.refusal.is_empty() {
            self.refused = true;
            self.add_text(BlockKind::Text, &delta.refusal, out);
        }
        let only = delta.tool_calls.len() == 1;
        for (at, piece) in (0..).zip(&delta.tool_calls) {
            self.call(piece, PiecePosition { at, only }, out);
        }
        // Some servers say it both ways, for clients old and new.
        if delta.tool_calls.is_empty()
            && let Some(function) = &delta.function_call
        {
            let function = function.clone();
            let piece = CallPiece { index: Some(0), function, ..CallPiece::default() };
            self.call(&piece, PiecePosition { at: 0, only: true }, out);
        }
    }

    fn content(&mut self, kind: BlockKind, content: &Content<'_>, out: &mut Vec<AnswerEvent>) {
        match content {
            Content::Text(text) => self.add_text(kind, text, out),
            Content::Pieces(pieces) => {
                for piece in pieces {
                    self.content(BlockKind::Thinking, &piece.thinking, out);
                    self.add_text(kind.clone(), &piece.text, out);
                }
            }
        }
    }

    fn add_text(&mut self, kind: BlockKind, piece: &str, out: &mut Vec<AnswerEvent>) {
        if piece.is_empty() {
            return;
        }
        let key = match &self.open_text {
            Some((key, open)) if *open == kind => *key,
            _ => {
                let key = self.next(out);
                self.blocks.open(key, kind.clone(), out);
                self.open_text = Some((key, kind));
                key
            }
        };
        self.has_text = true;
        self.blocks.add(key, piece, out);
    }

    /// Makes room for a new block.
    fn next(&mut self, out: &mut Vec<AnswerEvent>) -> u64 {
        if let Some((key, _)) = self.open_text.take() {
            self.blocks.end(key, None, out);
        }
        self.calls.close_complete(&mut self.blocks, out);
        self.next_key += 1;
        self.next_key
    }

    fn call(&mut self, piece: &CallPiece<'_>, position: PiecePosition, out: &mut Vec<AnswerEvent>) {
        let at = match self.calls.find(piece, position) {
            Some(at) => at,
            None if piece.is_empty() => return,
            None => {
                let key = self.next(out);
                self.calls.begin(key, piece, position)
            }
        };
        self.calls.add(at, piece, &self.id, (&mut self.blocks, out));
    }

    /// The server says that this is the end. If it has not said why the model stopped, there must be an answer, and no
    /// call may break off: one that was cut is never carried out.
    fn on_done(&mut self, out: &mut Vec<AnswerEvent>) {
        let something = self.has_text || self.calls.any();
        if self.finish.is_empty() && (!something || self.calls.any_truncated()) {
            return self.fail(stream_truncated(), out);
        }
        self.done(out);
    }

    fn done(&mut self, out: &mut Vec<AnswerEvent>) {
        if let Some(failure) = failure_from_finish(&self.finish) {
            return self.fail(failure, out);
        }
        if !self.started {
            self.start("", out);
        }
        self.over = true;
        self.calls.end(&self.id, (&mut self.blocks, out));
        self.blocks.end_all(out);
        out.push(AnswerEvent::Done { stop: self.stop(), usage: self.usage });
    }

    /// Calls count more than what the server calls them: many say "stop" after them.
    fn stop(&self) -> StopReason {
        match self.finish.as_str() {
            "length" | "max_tokens" | "model_length" | "MAX_TOKENS" => StopReason::MaxTokens,
            "content_filter" | "refusal" | "safety" | "SAFETY" => StopReason::Refusal,
            _ if self.calls.any() => StopReason::ToolUse,
            _ if self.refused => StopReason::Refusal,
            _ => StopReason::EndTurn,
        }
    }

    fn fail(&mut self, failure: ProviderFailure, out: &mut Vec<AnswerEvent>) {
        if !std::mem::replace(&mut self.over, true) {
            out.push(AnswerEvent::Failed(failure));
        }
    }
}

/// Some servers end an answer that they could not finish like any other.
fn failure_from_finish(finish: &str) -> Option<ProviderFailure> {
    let cause = match finish {
        "error" | "network_error" => Cause::Failed,
        "insufficient_system_resource" => Cause::Overloaded,
        _ => return None,
    };
    Some(cause.failure(&format!("it aborted the response (`{finish}`)")))
}
