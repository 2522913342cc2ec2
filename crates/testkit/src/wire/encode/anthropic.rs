//! Anthropic Messages, written.

use forelook_protocol::{AnswerEvent, ProviderFailure, StopReason, Usage};
use serde_json::{Value, json};

use super::super::{refusal, seal};
use super::{Encoder, named};
use forelook_providers::WireFormat;

/// One answer.
#[derive(Debug, Default)]
pub(super) struct AnthropicEncoder {
    index: u64,
    thinking: Option<String>,
}

impl AnthropicEncoder {
    fn begin(&mut self, block: &Value, out: &mut String) {
        let data = json!({"type": "content_block_start", "index": self.index, "content_block": block});
        named(out, "content_block_start", &data);
    }

    fn delta(&mut self, delta: &Value, out: &mut String) {
        let data = json!({"type": "content_block_delta", "index": self.index, "delta": delta});
        named(out, "content_block_delta", &data);
    }

    fn end(&mut self, out: &mut String) {
        if let Some(thinking) = self.thinking.take() {
            self.delta(&json!({"type": "signature_delta", "signature": seal::of(&thinking)}), out);
        }
        named(out, "content_block_stop", &json!({"type": "content_block_stop", "index": self.index}));
        self.index += 1;
    }
}

impl Encoder for AnthropicEncoder {
    fn event(&mut self, event: &AnswerEvent, out: &mut String) {
        match event {
            AnswerEvent::Started { id, model } => {
                // The whole count comes at the end; here servers say what they know by now.
                let usage = usage(&Usage { output_tokens: 1, ..Usage::default() });
                let message = json!({
                    "id": id, "type": "message", "role": "assistant", "model": model, "content": [],
                    "stop_reason": null, "stop_sequence": null, "usage": usage,
                });
                named(out, "message_start", &json!({"type": "message_start", "message": message}));
                named(out, "ping", &json!({"type": "ping"}));
            }
            AnswerEvent::TextStarted => self.begin(&json!({"type": "text", "text": ""}), out),
            AnswerEvent::Text { text } => self.delta(&json!({"type": "text_delta", "text": text}), out),
            AnswerEvent::ThinkingStarted => {
                self.thinking = Some(String::new());
                self.begin(&json!({"type": "thinking", "thinking": "", "signature": ""}), out);
            }
            AnswerEvent::Thinking { text } => {
                self.thinking.get_or_insert_default().push_str(text);
                self.delta(&json!({"type": "thinking_delta", "thinking": text}), out);
            }
            AnswerEvent::CallStarted { id, name } => {
                self.begin(&json!({"type": "tool_use", "id": id.0, "name": name, "input": {}}), out);
                self.delta(&json!({"type": "input_json_delta", "partial_json": ""}), out);
            }
            AnswerEvent::Input { json } => {
                self.delta(&json!({"type": "input_json_delta", "partial_json": json}), out);
            }
            AnswerEvent::BlockEnded => self.end(out),
            AnswerEvent::Done { stop, usage: count } => {
                let delta = json!({"stop_reason": reason(*stop), "stop_sequence": null});
                let data = json!({"type": "message_delta", "delta": delta, "usage": usage(count)});
                named(out, "message_delta", &data);
                named(out, "message_stop", &json!({"type": "message_stop"}));
            }
            AnswerEvent::Failed(failure) => self.failure(failure, out),
            // No script says these.
            AnswerEvent::Signature { .. } | AnswerEvent::Opaque { .. } | AnswerEvent::Retrying(_) => {}
        }
    }

    fn failure(&mut self, failure: &ProviderFailure, out: &mut String) {
        named(out, "error", &refusal::of(WireFormat::Anthropic, failure).json);
    }
}

fn usage(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "cache_creation_input_tokens": usage.cache_creation_input_tokens,
        "cache_read_input_tokens": usage.cache_read_input_tokens,
        "output_tokens": usage.output_tokens,
    })
}

fn reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn | StopReason::Interrupted => "end_turn",
        StopReason::ToolUse => "tool_use",
        StopReason::MaxTokens => "max_tokens",
        StopReason::Refusal => "refusal",
        StopReason::Paused => "pause_turn",
        StopReason::WindowFull => "model_context_window_exceeded",
    }
}
