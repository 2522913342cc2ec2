//! Pieces of an answer as `stream_event` lines: the event stream that hosts know, made from our own.

use forelook_protocol::{AnswerEvent, SessionId};
use serde_json::{Value, json};

use super::outgoing::{Parent, stop_reason};

/// Counts the blocks of the answer that is arriving. What is sealed is no block here, as in the whole message.
#[derive(Debug, Default)]
pub(crate) struct PartialMessages {
    block: usize,
}

impl PartialMessages {
    /// The raw events that one of ours becomes.
    pub(crate) fn events(&mut self, event: &AnswerEvent) -> Vec<Value> {
        let index = self.block;
        let start = |block: Value| {
            vec![json!({"type": "content_block_start", "index": index, "content_block": block})]
        };
        let delta =
            |delta: Value| vec![json!({"type": "content_block_delta", "index": index, "delta": delta})];
        match event {
            AnswerEvent::Started { id, model } => {
                self.block = 0;
                vec![json!({"type": "message_start", "message": {
                    "id": id, "type": "message", "role": "assistant", "model": model, "content": [],
                    "stop_reason": null, "stop_sequence": null,
                    "usage": {"input_tokens": 0, "output_tokens": 0},
                }})]
            }
            AnswerEvent::TextStarted => start(json!({"type": "text", "text": ""})),
            AnswerEvent::Text { text } => delta(json!({"type": "text_delta", "text": text})),
            AnswerEvent::ThinkingStarted => {
                start(json!({"type": "thinking", "thinking": "", "signature": ""}))
            }
            AnswerEvent::Thinking { text } => delta(json!({"type": "thinking_delta", "thinking": text})),
            AnswerEvent::Signature { signature } => {
                delta(json!({"type": "signature_delta", "signature": signature}))
            }
            AnswerEvent::CallStarted { id, name } => {
                start(json!({"type": "tool_use", "id": id, "name": name, "input": {}}))
            }
            AnswerEvent::Input { json } => delta(json!({"type": "input_json_delta", "partial_json": json})),
            AnswerEvent::BlockEnded => {
                self.block += 1;
                vec![json!({"type": "content_block_stop", "index": index})]
            }
            AnswerEvent::Done { stop, usage } => vec![
                json!({
                    "type": "message_delta", "usage": usage,
                    "delta": {"stop_reason": stop_reason(*stop), "stop_sequence": null},
                }),
                json!({"type": "message_stop"}),
            ],
            AnswerEvent::Opaque { .. } | AnswerEvent::Retrying(_) | AnswerEvent::Failed(_) => Vec::new(),
        }
    }
}

/// The line around a raw event; `parent` is the call that started the agent which speaks.
pub(crate) fn line(uuid: impl ToString, session: SessionId, parent: Parent<'_>, event: Value) -> Value {
    json!({
        "type": "stream_event", "uuid": uuid.to_string(), "session_id": session,
        "parent_tool_use_id": parent, "event": event,
    })
}
