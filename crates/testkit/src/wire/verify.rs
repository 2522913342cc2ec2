//! What must be true of everything that a server was sent.

use forelook_protocol::{AnswerBlock, Message, ResultBlock, UserBlock};
use forelook_providers::WireFormat;
use serde_json::{Value, json};

use super::decode::{Decoded, Turn, decode, joined};
use super::{KeySeen, LoggedRequest, ScriptedServer};
use crate::check;

/// Nothing was wrong with any request; each had the planted key; conversations only grew, byte for byte but for the
/// marks of the cache; and what arrived is what the program had meant to send (`recorded`, as it writes it down).
pub fn verify(wire_format: WireFormat, server: &ScriptedServer, recorded: &[Value]) {
    let problems = server.problems();
    assert!(problems.is_empty(), "the server could not accept what it was sent:\n{}", problems.join("\n"));
    let requests = server.requests();
    for request in &requests {
        assert_eq!((request.wire_format, request.key), (wire_format, KeySeen::Planted), "{request:?}");
    }
    let decoded: Vec<Decoded> = requests.iter().map(understood).collect();
    check::grew(&decoded.iter().map(on_the_wire).collect::<Vec<_>>());
    same(wire_format, &decoded, recorded);
}

fn understood(request: &LoggedRequest) -> Decoded {
    decode(request.wire_format, &request.body).unwrap_or_else(|error| panic!("{error}: {request:?}"))
}

/// As `check` looks at it; all that one answer came to is one message.
fn on_the_wire(decoded: &Decoded) -> Value {
    let runs = decoded.turns.chunk_by(|before, after| before.is_answer && after.is_answer);
    let message = |run: &[Turn]| {
        let role = if run[0].is_answer { "assistant" } else { "user" };
        json!({"role": role, "wire": run.iter().map(|turn| &turn.wire).collect::<Vec<_>>()})
    };
    let request = &decoded.request;
    let messages: Vec<Value> = runs.map(message).collect();
    json!({"model": request.model, "system": request.system, "tools": request.tools, "messages": messages})
}

/// Agents ask at the same time, so the order of the two lists may differ.
fn same(wire_format: WireFormat, decoded: &[Decoded], recorded: &[Value]) {
    let mut arrived: Vec<String> =
        decoded.iter().map(|it| plain(wire_format, &serde_json::to_value(&it.request).unwrap())).collect();
    let mut meant: Vec<String> = recorded.iter().map(|it| plain(wire_format, it)).collect();
    arrived.sort();
    meant.sort();
    for (arrived, meant) in arrived.iter().zip(&meant) {
        assert_eq!(arrived, meant, "a request arrived as something else");
    }
    assert_eq!(arrived.len(), meant.len(), "requests arrived, and requests were meant");
}

/// A request without what this form cannot carry: where one block of words ends and the next begins, whether a result
/// is an error, thinking that is not sealed.
fn plain(wire_format: WireFormat, request: &Value) -> String {
    let system: Vec<String> = serde_json::from_value(request["system"].clone()).unwrap();
    let messages: Vec<Message> = serde_json::from_value(request["messages"].clone()).unwrap();
    let messages = messages.into_iter().filter(carried).collect();
    let messages: Vec<Value> =
        joined(messages).iter().map(|message| plain_message(wire_format, message)).collect();
    let (model, tools) = (&request["model"], &request["tools"]);
    json!({"model": model, "system": system.join("\n\n"), "tools": tools, "messages": messages}).to_string()
}

/// Whether anything of it is sent.
fn carried(message: &Message) -> bool {
    match message {
        Message::User(blocks) => !blocks.is_empty(),
        Message::Assistant(blocks) => blocks.iter().any(|block| match block {
            AnswerBlock::Text { text } => !text.trim().is_empty(),
            // Thinking that led to nothing is not sent.
            AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } => false,
            AnswerBlock::ToolUse(_) => true,
        }),
    }
}

fn plain_message(wire_format: WireFormat, message: &Message) -> Value {
    let (mut words, mut others) = (Vec::new(), Vec::new());
    match message {
        Message::User(blocks) => {
            for block in blocks {
                match block {
                    UserBlock::Text { text } => words.push(text.as_str()),
                    UserBlock::Image { media_type, data } => others.push(json!([media_type, data])),
                    UserBlock::ToolResult(result) => {
                        let failed = result.is_error && wire_format == WireFormat::Anthropic;
                        let pictures = result
                            .content
                            .iter()
                            .filter(|it| matches!(it, ResultBlock::Image { .. }))
                            .count();
                        others.push(json!([result.call, result.text().trim(), failed, pictures]));
                    }
                }
            }
            words.retain(|text| !text.trim().is_empty());
            json!({"told": words.join("\n\n"), "and": others})
        }
        Message::Assistant(blocks) => {
            let says =
                |block: &AnswerBlock| matches!(block, AnswerBlock::Text { .. } | AnswerBlock::ToolUse(_));
            let end = blocks.iter().rposition(says).map_or(0, |last| last + 1);
            for block in &blocks[..end] {
                match block {
                    AnswerBlock::Text { text } => words.push(text.as_str()),
                    AnswerBlock::Thinking { thinking, signature } if wire_format == WireFormat::Anthropic => {
                        others.push(json!([thinking, signature]));
                    }
                    AnswerBlock::ToolUse(call) => others.push(serde_json::to_value(call).unwrap()),
                    AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } => {}
                }
            }
            json!({"said": words.concat(), "and": others})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether these requests, as they arrived, are those that were meant.
    fn holds(arrived: &[Value], meant: &[Value]) -> bool {
        let decoded: Vec<Decoded> = arrived
            .iter()
            .map(|body| decode(WireFormat::Chat, body.to_string().as_bytes()).unwrap())
            .collect();
        std::panic::catch_unwind(|| same(WireFormat::Chat, &decoded, meant)).is_ok()
    }

    fn arrived(words: &str) -> Value {
        json!({"model": "m", "stream": true, "messages": [
            {"role": "system", "content": "a\n\nb"},
            {"role": "user", "content": format!("{words}\n\nmore")},
        ]})
    }

    fn meant(words: &str) -> Value {
        let blocks = json!([{"type": "text", "text": words}, {"type": "text", "text": "more"}]);
        let messages = json!([{"role": "user", "blocks": blocks}]);
        json!({"model": "m", "system": ["a", "b"], "tools": [], "messages": messages})
    }

    #[test]
    fn what_arrives_otherwise_than_meant_is_found() {
        assert!(holds(&[arrived("x"), arrived("y")], &[meant("y"), meant("x")]), "the order does not matter");
        assert!(!holds(&[arrived("x")], &[meant("y")]), "a word changed");
        assert!(!holds(&[arrived("x")], &[]), "it came from nowhere");
        assert!(!holds(&[], &[meant("x")]), "it was lost");
    }

    #[test]
    fn a_conversation_on_the_wire_only_grows() {
        let body = |messages: Value| {
            let body = json!({"model": "m", "stream": true, "messages": messages});
            on_the_wire(&decode(WireFormat::Chat, body.to_string().as_bytes()).unwrap())
        };
        let turn = |role: &str, words: &str| json!({"role": role, "content": words});
        let first = body(json!([turn("user", "hi")]));
        let longer = json!([turn("user", "hi"), turn("assistant", "a"), turn("user", "b")]);
        check::grew(&[first.clone(), body(longer)]);
        let changed = json!([turn("user", "ho"), turn("assistant", "a"), turn("user", "b")]);
        assert!(std::panic::catch_unwind(|| check::grew(&[first, body(changed)])).is_err());
    }
}
