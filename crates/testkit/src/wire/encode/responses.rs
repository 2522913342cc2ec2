//! OpenAI Responses, written.

use forelook_protocol::{AnswerEvent, FailureKind, ProviderFailure, StopReason, Usage};
use forelook_providers::WireFormat;
use serde_json::{Value, json};

use super::super::{refusal, seal};
use super::{Encoder, named};

/// One answer.
#[derive(Debug)]
pub(super) struct ResponsesEncoder {
    id: String,
    model: String,
    /// The number of the next event.
    sequence: u64,
    /// The items that are complete.
    output: Vec<Value>,
    open: Option<OpenItem>,
    seals: bool,
}

/// The item that is being written.
#[derive(Debug)]
struct OpenItem {
    kind: ItemKind,
    id: String,
    text: String,
}

#[derive(Debug)]
enum ItemKind {
    Message,
    Reasoning,
    Call { call_id: String, name: String },
}

impl OpenItem {
    /// As far as it is written.
    fn item(&self, status: &str, seals: bool) -> Value {
        match &self.kind {
            ItemKind::Message => {
                let done = status == "completed";
                let content = if done { vec![self.part()] } else { Vec::new() };
                json!({"id": self.id, "type": "message", "status": status, "content": content, "role": "assistant"})
            }
            ItemKind::Reasoning => {
                let done = status == "completed";
                let summary = if done { vec![self.part()] } else { Vec::new() };
                let mut item = json!({"id": self.id, "type": "reasoning", "summary": summary});
                if seals {
                    item["encrypted_content"] = seal::of(&self.text).into();
                }
                item
            }
            ItemKind::Call { call_id, name } => json!({
                "id": self.id, "type": "function_call", "status": status, "arguments": self.text,
                "call_id": call_id, "name": name,
            }),
        }
    }

    fn part(&self) -> Value {
        match self.kind {
            ItemKind::Reasoning => json!({"type": "summary_text", "text": self.text}),
            _ => json!({"type": "output_text", "annotations": [], "logprobs": [], "text": self.text}),
        }
    }
}

impl ResponsesEncoder {
    /// A new answer; its thinking is sealed for those who ask.
    pub(super) fn new(seals: bool) -> Self {
        let (id, model) = (String::new(), String::new());
        Self { id, model, sequence: 0, output: Vec::new(), open: None, seals }
    }

    fn emit(&mut self, kind: &str, mut data: Value, out: &mut String) {
        data["type"] = kind.into();
        data["sequence_number"] = self.sequence.into();
        self.sequence += 1;
        named(out, kind, &data);
    }

    /// An event about the open item.
    fn about(&mut self, kind: &str, mut data: Value, out: &mut String) {
        data["output_index"] = self.output.len().into();
        data["item_id"] = self.open.as_ref().map(|open| open.id.clone()).into();
        self.emit(kind, data, out);
    }

    fn response(&self, status: &str, usage: Option<&Usage>, incomplete: Option<&str>) -> Value {
        json!({"response": {
            "id": self.id, "object": "response", "created_at": 1_700_000_000, "status": status, "error": null,
            "incomplete_details": incomplete.map(|reason| json!({"reason": reason})),
            "instructions": null, "metadata": {}, "model": self.model, "output": self.output,
            "parallel_tool_calls": true, "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0,
            "store": false, "usage": usage.map(count),
        }})
    }

    fn begin(&mut self, kind: ItemKind, out: &mut String) {
        let prefix = match kind {
            ItemKind::Message => "msg",
            ItemKind::Reasoning => "rs",
            ItemKind::Call { .. } => "fc",
        };
        let reasoned = self.seals && self.output.iter().any(|item| item["type"] == "reasoning");
        let end = if reasoned { seal::AFTER_REASONING } else { "" };
        let id = format!("{prefix}_{}_{}{end}", self.id, self.output.len());
        let open = OpenItem { kind, id, text: String::new() };
        let mut item = open.item("in_progress", self.seals);
        if self.seals && item["type"] == "reasoning" {
            // Only the whole item is sealed with what it will hold.
            item["encrypted_content"] = seal::of("").into();
        }
        let part = open.part();
        let is_call = matches!(open.kind, ItemKind::Call { .. });
        let is_message = matches!(open.kind, ItemKind::Message);
        self.open = Some(open);
        self.emit(
            "response.output_item.added",
            json!({"output_index": self.output.len(), "item": item}),
            out,
        );
        if is_message {
            self.about("response.content_part.added", json!({"content_index": 0, "part": part}), out);
        } else if !is_call {
            self.about(
                "response.reasoning_summary_part.added",
                json!({"summary_index": 0, "part": part}),
                out,
            );
        }
    }

    fn delta(&mut self, piece: &str, out: &mut String) {
        let Some(open) = &mut self.open else { return };
        open.text.push_str(piece);
        let (kind, data) = match open.kind {
            ItemKind::Message => {
                ("response.output_text.delta", json!({"content_index": 0, "delta": piece, "logprobs": []}))
            }
            ItemKind::Reasoning => {
                ("response.reasoning_summary_text.delta", json!({"summary_index": 0, "delta": piece}))
            }
            ItemKind::Call { .. } => ("response.function_call_arguments.delta", json!({"delta": piece})),
        };
        self.about(kind, data, out);
    }

    fn end(&mut self, out: &mut String) {
        let Some(open) = &self.open else { return };
        let (text, part, item) = (open.text.clone(), open.part(), open.item("completed", self.seals));
        match open.kind {
            ItemKind::Message => {
                let data = json!({"content_index": 0, "text": text, "logprobs": []});
                self.about("response.output_text.done", data, out);
                self.about("response.content_part.done", json!({"content_index": 0, "part": part}), out);
            }
            ItemKind::Reasoning => {
                let data = json!({"summary_index": 0, "text": text});
                self.about("response.reasoning_summary_text.done", data, out);
                let data = json!({"summary_index": 0, "part": part});
                self.about("response.reasoning_summary_part.done", data, out);
            }
            ItemKind::Call { .. } => {
                self.about("response.function_call_arguments.done", json!({"arguments": text}), out);
            }
        }
        let data = json!({"output_index": self.output.len(), "item": item});
        self.emit("response.output_item.done", data, out);
        self.open = None;
        self.output.push(item);
    }

    fn finish(&mut self, stop: StopReason, usage: &Usage, out: &mut String) {
        let (kind, status, incomplete) = match stop {
            StopReason::MaxTokens => ("response.incomplete", "incomplete", Some("max_output_tokens")),
            StopReason::Refusal => ("response.incomplete", "incomplete", Some("content_filter")),
            StopReason::WindowFull => {
                let message = "The window of this model is full";
                return self.failure(&ProviderFailure::new(FailureKind::ContextOverflow, message), out);
            }
            // This wire has no word for a pause.
            _ => ("response.completed", "completed", None),
        };
        let data = self.response(status, Some(usage), incomplete);
        self.emit(kind, data, out);
    }
}

impl Encoder for ResponsesEncoder {
    fn event(&mut self, event: &AnswerEvent, out: &mut String) {
        match event {
            AnswerEvent::Started { id, model } => {
                (self.id, self.model) = (id.clone(), model.clone());
                for kind in ["response.created", "response.in_progress"] {
                    let data = self.response("in_progress", None, None);
                    self.emit(kind, data, out);
                }
            }
            AnswerEvent::TextStarted => self.begin(ItemKind::Message, out),
            AnswerEvent::ThinkingStarted => self.begin(ItemKind::Reasoning, out),
            AnswerEvent::CallStarted { id, name } => {
                self.begin(ItemKind::Call { call_id: id.0.clone(), name: name.clone() }, out);
            }
            AnswerEvent::Text { text }
            | AnswerEvent::Thinking { text }
            | AnswerEvent::Input { json: text } => {
                self.delta(text, out);
            }
            AnswerEvent::BlockEnded => self.end(out),
            AnswerEvent::Done { stop, usage } => self.finish(*stop, usage, out),
            AnswerEvent::Failed(failure) => self.failure(failure, out),
            // No script says these.
            AnswerEvent::Signature { .. } | AnswerEvent::Opaque { .. } | AnswerEvent::Retrying(_) => {}
        }
    }

    fn failure(&mut self, failure: &ProviderFailure, out: &mut String) {
        let error = &refusal::of(WireFormat::Responses, failure).json["error"];
        let mut data = self.response("failed", None, None);
        // Inside a stream there is always a code.
        let code = error["code"].as_str().unwrap_or("invalid_prompt");
        data["response"]["error"] = json!({"code": code, "message": error["message"]});
        self.emit("response.failed", data, out);
    }
}

fn count(usage: &Usage) -> Value {
    let input = usage.input();
    json!({
        "input_tokens": input,
        "input_tokens_details": {
            "cached_tokens": usage.cache_read_input_tokens,
            "cache_write_tokens": usage.cache_creation_input_tokens,
        },
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.total(),
    })
}
