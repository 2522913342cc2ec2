//! An answer as the stream of each dialect.

mod anthropic;
mod chat;
mod responses;

use forelook_protocol::{AnswerEvent, ProviderFailure};
use forelook_providers::WireFormat;
use serde_json::Value;

use super::seal;

/// Writes one answer.
pub(super) trait Encoder: Send {
    /// What this event is on the wire.
    fn event(&mut self, event: &AnswerEvent, out: &mut String);

    /// The answer fails here, and the server says so.
    fn failure(&mut self, failure: &ProviderFailure, out: &mut String);
}

/// What an answer is to look like.
#[derive(Debug, Clone, Copy)]
pub(super) struct EncodeOptions {
    pub(super) usage: bool,
    pub(super) seals: bool,
}

/// The writer of answers in this form.
pub(super) fn encoder(wire_format: WireFormat, options: EncodeOptions) -> Box<dyn Encoder> {
    match wire_format {
        WireFormat::Anthropic => Box::<anthropic::AnthropicEncoder>::default(),
        WireFormat::Responses => Box::new(responses::ResponsesEncoder::new(options.seals)),
        WireFormat::Chat => Box::new(chat::ChatEncoder::new(options.usage)),
    }
}

/// An event with a name.
fn named(out: &mut String, name: &str, data: &Value) {
    out.push_str(&format!("event: {name}\ndata: {data}\n\n"));
}

/// The seals and calls of one answer, as they must come back.
#[derive(Debug, Default)]
pub(super) struct SentBlocks {
    pub(super) seals: Vec<String>,
    pub(super) calls: Vec<String>,
    thinking: Option<String>,
}

impl SentBlocks {
    /// Takes note of an event.
    pub(super) fn note(&mut self, event: &AnswerEvent) {
        match event {
            AnswerEvent::ThinkingStarted => self.thinking = Some(String::new()),
            AnswerEvent::Thinking { text } => self.thinking.get_or_insert_default().push_str(text),
            AnswerEvent::BlockEnded => {
                // A thought without words is not shown, and does not come back.
                let thought = self.thinking.take().filter(|text| !text.is_empty());
                self.seals.extend(thought.map(|text| seal::of(&text)));
            }
            AnswerEvent::CallStarted { id, .. } => self.calls.push(id.0.clone()),
            _ => {}
        }
    }
}
