//! Reads one answer.

use forelook_protocol::{AnswerEvent, CallId, ProviderFailure, StopReason, Usage};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::wire::{Event, Item, Response};
use crate::WireFormat;
use crate::dialect::StreamParser;
use crate::failure::stream_truncated;
use crate::openai::{BlockKind, Blocks, garbled, read_usage, stream_failure};

/// An answer while it arrives. Its items are told apart by their place in it.
#[derive(Default)]
pub(super) struct ResponsesParser {
    started: bool,
    over: bool,
    blocks: Blocks,
    /// The places of items that are complete.
    done: Vec<u64>,
    /// The place that was spoken of last, for servers that do not say one.
    output_index: u64,
    has_calls: bool,
    refused: bool,
    /// Reasoning was sealed: what follows must be sent back with its id.
    sealed: bool,
    /// The next piece of thinking begins another part of it.
    part_due: bool,
}

impl StreamParser for ResponsesParser {
    fn event(&mut self, name: &str, data: &str, out: &mut Vec<AnswerEvent>) {
        let data = data.trim();
        if self.over || data.is_empty() || data == "[DONE]" {
            return;
        }
        match serde_json::from_str::<Event<'_>>(data) {
            Ok(event) => self.on_event(name, data, &event, out),
            Err(error) => self.fail(garbled(&error, data), out),
        }
    }

    fn closed(&mut self, out: &mut Vec<AnswerEvent>) {
        if !self.over {
            self.fail(stream_truncated(), out);
        }
    }
}

impl ResponsesParser {
    fn on_event(&mut self, name: &str, data: &str, event: &Event<'_>, out: &mut Vec<AnswerEvent>) {
        let kind = if event.kind.is_empty() { name } else { &event.kind };
        self.output_index = event.output_index.unwrap_or(self.output_index);
        match kind {
            "response.output_text.delta" => self.add(BlockKind::Text, &event.delta, out),
            "response.refusal.delta" => {
                self.refused = true;
                self.add(BlockKind::Text, &event.delta, out);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                // Once there is something to keep apart: a part may stay empty.
                if !event.delta.is_empty() && std::mem::take(&mut self.part_due) {
                    self.add(BlockKind::Thinking, "\n\n", out);
                }
                self.add(BlockKind::Thinking, &event.delta, out);
            }
            "response.reasoning_summary_part.added" => {
                self.part_due = event.summary_index.is_some_and(|at| at > 0);
            }
            "response.function_call_arguments.delta" => self.input(&event.delta, out),
            "response.function_call_arguments.done" => self.add_missing_input(&event.arguments, out),
            "response.output_item.added" => self.item(event.item, Self::begin, out),
            "response.output_item.done" => self.item(event.item, Self::complete, out),
            "response.created" | "response.in_progress" | "response.queued" => {
                self.start(&response(event), out)
            }
            "response.completed" | "response.done" => self.finish(&response(event), "", out),
            "response.incomplete" => self.finish(&response(event), "unsaid", out),
            "response.failed" | "response.cancelled" => {
                self.fail(stream_failure(event.response.map_or(data, RawValue::get)), out);
            }
            "error" => self.fail(stream_failure(data), out),
            _ => tracing::debug!(kind, "an event that says nothing new"),
        }
    }

    fn start(&mut self, response: &Response<'_>, out: &mut Vec<AnswerEvent>) {
        if !std::mem::replace(&mut self.started, true) {
            out.push(AnswerEvent::Started { id: response.id.to_string(), model: response.model.to_string() });
        }
    }

    /// Adds words to the item at this place. One that was not announced begins with them.
    fn add(&mut self, kind: BlockKind, piece: &str, out: &mut Vec<AnswerEvent>) {
        if self.done.contains(&self.output_index) {
            return tracing::warn!(output_index = self.output_index, "a delta for a complete item");
        }
        if self.blocks.size(self.output_index).is_none() {
            self.blocks.open(self.output_index, kind, out);
        }
        self.blocks.add(self.output_index, piece, out);
    }

    /// Adds to the input of the call at this place, which must have been announced: its name is not said again.
    fn input(&mut self, piece: &str, out: &mut Vec<AnswerEvent>) {
        self.blocks.add(self.output_index, piece, out);
    }

    /// The whole text of the item at this place: what has not come in pieces is added.
    fn add_missing_input(&mut self, whole: &str, out: &mut Vec<AnswerEvent>) {
        let more = self.blocks.size(self.output_index).and_then(|size| whole.get(size..)).unwrap_or_default();
        if !more.is_empty() {
            self.blocks.add(self.output_index, more, out);
        }
    }

    fn item(
        &mut self,
        raw: Option<&RawValue>,
        then: fn(&mut Self, &Item<'_>, &str, &mut Vec<AnswerEvent>),
        out: &mut Vec<AnswerEvent>,
    ) {
        let text = raw.map_or("{}", RawValue::get);
        match serde_json::from_str::<Item<'_>>(text) {
            Ok(item) => then(self, &item, text, out),
            Err(error) => self.fail(garbled(&error, text), out),
        }
    }

    fn begin(&mut self, item: &Item<'_>, _: &str, out: &mut Vec<AnswerEvent>) {
        if self.blocks.size(self.output_index).is_some() || self.done.contains(&self.output_index) {
            return;
        }
        match &*item.kind {
            "message" => self.blocks.open(self.output_index, BlockKind::Text, out),
            "reasoning" => self.blocks.open(self.output_index, BlockKind::Thinking, out),
            "function_call" => {
                self.has_calls = true;
                let id = [&item.call_id, &item.id].into_iter().find(|id| !id.is_empty());
                let id = id.map_or_else(|| format!("call_{}", self.output_index), |id| id.to_string());
                let kind = BlockKind::Call { id: CallId(id), name: item.name.to_string() };
                self.blocks.open(self.output_index, kind, out);
            }
            kind => tracing::warn!(kind, "skipped an unknown item"),
        }
    }

    fn complete(&mut self, item: &Item<'_>, raw: &str, out: &mut Vec<AnswerEvent>) {
        if self.done.contains(&self.output_index) {
            return;
        }
        self.begin(item, raw, out);
        let after = match &*item.kind {
            "message" => {
                self.refused |= item.content.iter().any(|piece| !piece.refusal.is_empty());
                let pieces = item.content.iter().flat_map(|piece| [&*piece.text, &*piece.refusal]);
                self.add_missing_input(&pieces.collect::<String>(), out);
                self.label(item)
            }
            "function_call" => {
                self.add_missing_input(&item.arguments, out);
                self.label(item)
            }
            "reasoning" => {
                if self.blocks.size(self.output_index) == Some(0) {
                    let pieces = if item.summary.is_empty() { &item.content } else { &item.summary };
                    let pieces: Vec<&str> = pieces.iter().map(|piece| &*piece.text).collect();
                    self.add_missing_input(&pieces.join("\n\n"), out);
                }
                seal(raw).inspect(|_| self.sealed = true)
            }
            _ => None,
        };
        let after = after
            .map(|item| AnswerEvent::Opaque { wire_format: WireFormat::Responses.name().to_owned(), item });
        self.blocks.end(self.output_index, after, out);
        self.done.push(self.output_index);
    }

    /// What the server must be told again of this item besides its words: the phase that it belongs to, and after
    /// reasoning its id, by which it is known to follow it.
    fn label(&self, item: &Item<'_>) -> Option<Value> {
        let mut label = json!({ "type": &*item.kind });
        if self.sealed && !item.id.is_empty() {
            label["id"] = (&*item.id).into();
        }
        if !item.phase.is_empty() {
            label["phase"] = (&*item.phase).into();
        }
        label.as_object().is_some_and(|fields| fields.len() > 1).then_some(label)
    }

    /// The end; `reason` is why it came early, where the server does not say.
    fn finish(&mut self, response: &Response<'_>, reason: &str, out: &mut Vec<AnswerEvent>) {
        self.start(response, out);
        // Nothing was said item by item: all of it stands here.
        if self.done.is_empty() && !self.over {
            for (output_index, raw) in (0..).zip(&response.output) {
                self.output_index = output_index;
                self.item(Some(raw), Self::complete, out);
            }
        }
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        self.blocks.end_all(out);
        let reason = response.incomplete_details.as_ref().map_or(reason, |details| &details.reason);
        let usage: Usage = response.usage.and_then(read_usage).unwrap_or_default();
        out.push(AnswerEvent::Done { stop: self.stop(reason), usage });
    }

    fn stop(&self, reason: &str) -> StopReason {
        match reason {
            "content_filter" => StopReason::Refusal,
            "" if self.has_calls => StopReason::ToolUse,
            "" if self.refused => StopReason::Refusal,
            "" => StopReason::EndTurn,
            _ => StopReason::MaxTokens,
        }
    }

    fn fail(&mut self, failure: ProviderFailure, out: &mut Vec<AnswerEvent>) {
        if !std::mem::replace(&mut self.over, true) {
            out.push(AnswerEvent::Failed(failure));
        }
    }
}

fn response<'a>(event: &Event<'a>) -> Response<'a> {
    let read = event.response.map(|raw| serde_json::from_str(raw.get()));
    read.and_then(|read| {
        read.inspect_err(|error| tracing::warn!(%error, "a response that cannot be read")).ok()
    })
    .unwrap_or_default()
}

/// Reasoning as it is sent back. Nothing, if there is nothing in it that a server without a memory could read: it would
/// look for it by its id, and refuse the conversation.
fn seal(raw: &str) -> Option<Value> {
    let mut item: Value = serde_json::from_str(raw).ok()?;
    let fields = item.as_object_mut()?;
    // What is null on the way out is not taken back, and no server needs to be told how far its own item had come.
    fields.retain(|name, value| !value.is_null() && name != "status");
    let filled = |name: &str| match fields.get(name) {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(list)) => !list.is_empty(),
        _ => false,
    };
    let readable = filled("encrypted_content") || filled("content");
    fields.entry("summary").or_insert_with(|| json!([]));
    readable.then_some(item)
}
