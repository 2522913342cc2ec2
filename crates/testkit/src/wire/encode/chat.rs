//! OpenAI Chat Completions, written.

use forelook_protocol::{AnswerEvent, FailureKind, ProviderFailure, StopReason, Usage};
use forelook_providers::WireFormat;
use serde_json::{Value, json};

use super::super::refusal;
use super::Encoder;

/// One answer.
#[derive(Debug)]
pub(super) struct ChatEncoder {
    id: String,
    model: String,
    calls: u64,
    wants_usage: bool,
}

impl ChatEncoder {
    /// A new answer; its cost is said only to those who ask.
    pub(super) fn new(wants_usage: bool) -> Self {
        Self { id: String::new(), model: String::new(), calls: 0, wants_usage }
    }

    fn chunk(&self, choices: &Value, usage: Option<&Value>, out: &mut String) {
        let mut chunk = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": 1_700_000_000, "model": self.model,
            "choices": choices,
        });
        if self.wants_usage {
            chunk["usage"] = usage.cloned().unwrap_or_default();
        }
        out.push_str(&format!("data: {chunk}\n\n"));
    }

    fn delta(&self, delta: &Value, finish: Option<&str>, out: &mut String) {
        let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish});
        self.chunk(&json!([choice]), None, out);
    }

    fn end(&mut self, stop: StopReason, usage: &Usage, out: &mut String) {
        self.delta(&json!({}), Some(reason(stop)), out);
        if self.wants_usage {
            self.chunk(&json!([]), Some(&count(usage)), out);
        }
        out.push_str("data: [DONE]\n\n");
    }
}

impl Encoder for ChatEncoder {
    fn event(&mut self, event: &AnswerEvent, out: &mut String) {
        match event {
            AnswerEvent::Started { id, model } => {
                (self.id, self.model) = (id.clone(), model.clone());
                self.delta(&json!({"role": "assistant", "content": ""}), None, out);
            }
            AnswerEvent::Text { text } => self.delta(&json!({"content": text}), None, out),
            AnswerEvent::Thinking { text } => self.delta(&json!({"reasoning_content": text}), None, out),
            AnswerEvent::CallStarted { id, name } => {
                let call = json!({
                    "index": self.calls, "id": id.0, "type": "function",
                    "function": {"name": name, "arguments": ""},
                });
                self.calls += 1;
                self.delta(&json!({"tool_calls": [call]}), None, out);
            }
            AnswerEvent::Input { json } => {
                let call = json!({"index": self.calls.saturating_sub(1), "function": {"arguments": json}});
                self.delta(&json!({"tool_calls": [call]}), None, out);
            }
            AnswerEvent::Done { stop: StopReason::WindowFull, .. } => {
                let message = "The window of this model is full";
                self.failure(&ProviderFailure::new(FailureKind::ContextOverflow, message), out);
            }
            AnswerEvent::Done { stop, usage } => self.end(*stop, usage, out),
            AnswerEvent::Failed(failure) => self.failure(failure, out),
            // This wire knows no blocks, and no script says the others.
            AnswerEvent::TextStarted
            | AnswerEvent::ThinkingStarted
            | AnswerEvent::BlockEnded
            | AnswerEvent::Signature { .. }
            | AnswerEvent::Opaque { .. }
            | AnswerEvent::Retrying(_) => {}
        }
    }

    fn failure(&mut self, failure: &ProviderFailure, out: &mut String) {
        out.push_str(&format!("data: {}\n\n", refusal::of(WireFormat::Chat, failure).json));
    }
}

fn count(usage: &Usage) -> Value {
    let prompt = usage.input();
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total(),
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read_input_tokens,
            "cache_write_tokens": usage.cache_creation_input_tokens,
        },
        "completion_tokens_details": {"reasoning_tokens": 0},
    })
}

/// What is left of a reason on this wire: it has no word for a pause.
fn reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::ToolUse => "tool_calls",
        StopReason::MaxTokens => "length",
        StopReason::Refusal => "content_filter",
        StopReason::EndTurn | StopReason::Paused | StopReason::WindowFull | StopReason::Interrupted => "stop",
    }
}
