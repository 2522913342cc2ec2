//! Reads the events of one answer.
//!
//! Blocks come one after another, each between its start and its stop. Their numbers are checked all the same: a piece
//! for another block than the open one would end up in the input of the wrong call.

use forelook_protocol::{AnswerEvent, CallId, ProviderFailure, StopReason, Usage};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::events::{
    Block, BlockDelta, BlockStart, BlockStop, Counts, MessageDelta, MessageStart, Piece, Text, Typed, stop,
};
use super::failure;
use crate::WireFormat;
use crate::dialect::StreamParser;
use crate::failure::stream_truncated;

/// Reads one answer: `message_start`, blocks, `message_delta`, `message_stop`.
#[derive(Debug, Default)]
pub(super) struct MessageParser {
    state: ParserState,
    open: Option<OpenBlock>,
    /// The number of the newest block.
    last_index: u64,
    has_text: bool,
    has_calls: bool,
    /// The pieces of the newest call's input.
    last_input: String,
    stop: Option<StopReason>,
    usage: Usage,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum ParserState {
    #[default]
    Before,
    Within,
    /// Done or failed; nothing counts any more.
    Over,
}

#[derive(Debug)]
struct OpenBlock {
    index: u64,
    kind: BlockKind,
}

#[derive(Debug)]
enum BlockKind {
    Text,
    Thinking,
    /// The input that came with the start, for servers that send it whole; pieces replace it.
    Call {
        whole: Option<String>,
    },
    /// Kept back until it is complete. `json` gathers the pieces of its input.
    Sealed {
        item: Value,
        json: String,
    },
}

type ParseResult = Result<(), ProviderFailure>;

impl StreamParser for MessageParser {
    fn event(&mut self, name: &str, data: &str, out: &mut Vec<AnswerEvent>) {
        if self.state == ParserState::Over {
            return;
        }
        if let Err(failure) = self.on_event(name, data, out) {
            self.state = ParserState::Over;
            out.push(AnswerEvent::Failed(failure));
        }
    }

    fn closed(&mut self, out: &mut Vec<AnswerEvent>) {
        if self.state != ParserState::Over {
            self.state = ParserState::Over;
            out.push(AnswerEvent::Failed(stream_truncated()));
        }
    }
}

impl MessageParser {
    fn on_event(&mut self, name: &str, data: &str, out: &mut Vec<AnswerEvent>) -> ParseResult {
        let early = self.state == ParserState::Before;
        match name {
            "ping" => Ok(()),
            "error" => Err(failure::stream_failure(data)),
            "message_start" => self.message_start(data, out),
            "content_block_start"
            | "content_block_delta"
            | "content_block_stop"
            | "message_delta"
            | "message_stop"
                if early =>
            {
                Err(failure::garbled("part of a response that never started", data))
            }
            "content_block_delta" => self.delta(data, out),
            "content_block_start" => self.block_start(data, out),
            "content_block_stop" => self.block_stop(data, out),
            "message_delta" => self.message_delta(data),
            "message_stop" => self.message_stop(data, out),
            _ => self.dispatch(name, data, out),
        }
    }

    /// An event whose name is missing, or unknown: what it says of itself counts. New kinds are added to the protocol
    /// now and then, and are nothing to stumble over.
    fn dispatch(&mut self, name: &str, data: &str, out: &mut Vec<AnswerEvent>) -> ParseResult {
        let typed: Typed<'_> = parsed(data)?;
        match typed.kind {
            Some(Text(kind)) if kind != name => self.on_event(&kind, data, out),
            None if typed.error.is_some() => Err(failure::stream_failure(data)),
            _ => {
                tracing::warn!(name, "an event of an unknown kind");
                Ok(())
            }
        }
    }

    fn message_start(&mut self, data: &str, out: &mut Vec<AnswerEvent>) -> ParseResult {
        if self.state != ParserState::Before {
            return Err(failure::garbled("a second response inside the first", data));
        }
        let MessageStart { message } = parsed(data)?;
        self.state = ParserState::Within;
        self.count(message.usage);
        out.push(AnswerEvent::Started { id: owned(message.id), model: owned(message.model) });
        Ok(())
    }

    fn block_start(&mut self, data: &str, out: &mut Vec<AnswerEvent>) -> ParseResult {
        let BlockStart { index, content_block } = parsed(data)?;
        if self.open.is_some() || index < self.last_index {
            return Err(failure::garbled("response blocks out of order", data));
        }
        let block: Block<'_> = parsed(content_block.get())?;
        let kind = match &*block.kind {
            "text" => {
                out.push(AnswerEvent::TextStarted);
                let text = non_empty(block.text);
                self.has_text |= text.is_some();
                out.extend(text.map(|text| AnswerEvent::Text { text }));
                BlockKind::Text
            }
            "thinking" => {
                out.push(AnswerEvent::ThinkingStarted);
                out.extend(non_empty(block.thinking).map(|text| AnswerEvent::Thinking { text }));
                out.extend(non_empty(block.signature).map(|signature| AnswerEvent::Signature { signature }));
                BlockKind::Thinking
            }
            "tool_use" => self.call_start(block, data, out)?,
            _ => BlockKind::Sealed { item: parsed(content_block.get())?, json: String::new() },
        };
        self.last_index = index;
        self.open = Some(OpenBlock { index, kind });
        Ok(())
    }

    fn call_start(
        &mut self,
        block: Block<'_>,
        data: &str,
        out: &mut Vec<AnswerEvent>,
    ) -> Result<BlockKind, ProviderFailure> {
        let (Some(Text(id)), Some(name)) = (block.id, non_empty(block.name)) else {
            return Err(failure::garbled("a tool call without a name or an ID", data));
        };
        self.has_calls = true;
        self.last_input.clear();
        out.push(AnswerEvent::CallStarted { id: CallId(id.into_owned()), name });
        // An empty object only says that pieces follow.
        let whole =
            block.input.map(|input| input.get()).filter(|input| !matches!(*input, "{}" | "null" | "\"\""));
        Ok(BlockKind::Call { whole: whole.map(str::to_owned) })
    }

    fn delta(&mut self, data: &str, out: &mut Vec<AnswerEvent>) -> ParseResult {
        let BlockDelta { index, delta } = parsed(data)?;
        let open = self.open.as_mut().filter(|open| open.index == index);
        let Some(OpenBlock { kind, .. }) = open else {
            return Err(failure::garbled("part of a block that is not open", data));
        };
        let piece = Piece::of(delta).ok_or_else(|| failure::garbled("an empty delta", data))?;
        match (kind, piece) {
            // A piece with nothing in it is nothing: as an event it would count as progress.
            (_, piece) if piece.is_empty() => {}
            (BlockKind::Text, Piece::Text(text)) => {
                self.has_text = true;
                out.push(AnswerEvent::Text { text: text.into_owned() });
            }
            (BlockKind::Thinking, Piece::Thinking(text)) => {
                out.push(AnswerEvent::Thinking { text: text.into_owned() });
            }
            (BlockKind::Thinking, Piece::Signature(signature)) => {
                out.push(AnswerEvent::Signature { signature: signature.into_owned() });
            }
            (BlockKind::Call { whole }, Piece::Input(json)) => {
                *whole = None;
                self.last_input.push_str(&json);
                out.push(AnswerEvent::Input { json: json.into_owned() });
            }
            (BlockKind::Sealed { json, .. }, Piece::Input(more)) => json.push_str(&more),
            (BlockKind::Sealed { item, .. }, Piece::Text(more)) => append_text(item, "text", &more),
            (BlockKind::Sealed { item, .. }, Piece::Thinking(more)) => append_text(item, "thinking", &more),
            (BlockKind::Sealed { item, .. }, Piece::Signature(more)) => append_text(item, "signature", &more),
            (_, Piece::Citation) => {}
            (_, Piece::Unknown(kind)) => tracing::warn!(%kind, "a delta of an unknown kind"),
            _ => return Err(failure::garbled("a delta that does not fit its block", data)),
        }
        Ok(())
    }

    fn block_stop(&mut self, data: &str, out: &mut Vec<AnswerEvent>) -> ParseResult {
        let BlockStop { index } = parsed(data)?;
        let Some(OpenBlock { kind, .. }) = self.open.take_if(|open| open.index == index) else {
            return Err(failure::garbled("the end of a block that is not open", data));
        };
        match kind {
            BlockKind::Sealed { item, json } => {
                out.push(AnswerEvent::Opaque {
                    wire_format: WireFormat::Anthropic.name().to_owned(),
                    item: complete_sealed(item, &json),
                });
            }
            BlockKind::Call { whole: Some(json) } => {
                out.extend([AnswerEvent::Input { json }, AnswerEvent::BlockEnded])
            }
            BlockKind::Text | BlockKind::Thinking | BlockKind::Call { whole: None } => {
                out.push(AnswerEvent::BlockEnded)
            }
        }
        Ok(())
    }

    fn message_delta(&mut self, data: &str) -> ParseResult {
        let MessageDelta { delta, usage } = parsed(data)?;
        self.count(usage);
        if let Some(Text(reason)) = delta.and_then(|delta| delta.stop_reason) {
            self.stop = Some(stop(&reason));
        }
        Ok(())
    }

    fn message_stop(&mut self, data: &str, out: &mut Vec<AnswerEvent>) -> ParseResult {
        if self.open.is_some() {
            return Err(failure::garbled("the end of the response inside a block", data));
        }
        if self.stop.is_none() && self.is_truncated() {
            return Err(stream_truncated());
        }
        let unsaid = if self.has_calls { StopReason::ToolUse } else { StopReason::EndTurn };
        self.state = ParserState::Over;
        out.push(AnswerEvent::Done { stop: self.stop.unwrap_or(unsaid), usage: self.usage });
        Ok(())
    }

    /// Whether an answer broke off, of which the server does not say why it ended: there is nothing in it, or its last call
    /// is half a call. The other dialects have the same rule.
    fn is_truncated(&self) -> bool {
        let half = || serde_json::from_str::<IgnoredAny>(&self.last_input).is_err();
        !(self.has_text || self.has_calls) || (!self.last_input.is_empty() && half())
    }

    /// Every count is of the whole answer so far, so it takes the place of the one before.
    fn count(&mut self, counts: Option<Counts>) {
        let Some(counts) = counts else { return };
        let usage = &mut self.usage;
        let pairs = [
            (&mut usage.input_tokens, counts.input_tokens),
            (&mut usage.output_tokens, counts.output_tokens),
            (&mut usage.cache_creation_input_tokens, counts.cache_creation_input_tokens),
            (&mut usage.cache_read_input_tokens, counts.cache_read_input_tokens),
        ];
        for (known, new) in pairs {
            *known = new.unwrap_or(*known);
        }
    }
}

fn parsed<'a, T: Deserialize<'a>>(data: &'a str) -> Result<T, ProviderFailure> {
    serde_json::from_str(data).map_err(|error| {
        tracing::debug!(%error, "an event that cannot be read");
        failure::garbled("unreadable data", data)
    })
}

fn owned(text: Option<Text<'_>>) -> String {
    text.map(|text| text.0.into_owned()).unwrap_or_default()
}

fn non_empty(text: Option<Text<'_>>) -> Option<String> {
    text.map(|text| text.0.into_owned()).filter(|text| !text.is_empty())
}

fn append_text(item: &mut Value, key: &str, more: &str) {
    match item.get_mut(key) {
        Some(Value::String(text)) => text.push_str(more),
        _ => tracing::warn!(key, "a delta that does not fit its block"),
    }
}

fn complete_sealed(mut item: Value, json: &str) -> Value {
    if let (false, Value::Object(fields)) = (json.is_empty(), &mut item) {
        match serde_json::from_str(json) {
            Ok(input) => drop(fields.insert("input".to_owned(), input)),
            Err(error) => tracing::warn!(%error, "the input of a sealed block is not JSON"),
        }
    }
    item
}
