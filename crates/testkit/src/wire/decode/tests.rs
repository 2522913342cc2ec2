//! The reader is strict, and says what is wrong.

use serde_json::{Value, json};

use super::*;

fn body(wire_format: WireFormat) -> Value {
    let schema = json!({"type": "object", "properties": {}});
    match wire_format {
        WireFormat::Anthropic => json!({
            "model": "m", "max_tokens": 10, "stream": true,
            "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}],
            "tools": [{"name": "Read", "description": "d", "input_schema": schema}],
            "messages": [
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": seal::of("Hm.")},
                    {"type": "tool_use", "id": "a", "name": "Read", "input": {"invalid_json": "{\"x"}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "no"}], "is_error": true},
                    {"type": "text", "text": "go on"},
                ]},
            ],
        }),
        WireFormat::Responses => json!({
            "model": "m", "stream": true, "store": false, "instructions": "s",
            "tools": [{"type": "function", "name": "Read", "description": "d", "parameters": schema, "strict": false}],
            "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
                {
                    "type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Hm."}],
                    "encrypted_content": seal::of("Hm."),
                },
                {"type": "function_call", "call_id": "a", "name": "Read", "arguments": "{\"invalid_json\":\"{\\\"x\"}"},
                {"type": "function_call_output", "call_id": "a", "output": "no"},
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go on"}]},
            ],
        }),
        WireFormat::Chat => json!({
            "model": "m", "stream": true, "stream_options": {"include_usage": true},
            "tools": [{"type": "function", "function": {"name": "Read", "description": "d", "parameters": schema}}],
            "messages": [
                {"role": "system", "content": "s"},
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": "", "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "Read", "arguments": "{\"invalid_json\":\"{\\\"x\"}"}},
                ]},
                {"role": "tool", "tool_call_id": "a", "content": "no"},
                {"role": "user", "content": "go on"},
            ],
        }),
    }
}

fn read_body(wire_format: WireFormat, body: &Value) -> Result<Decoded, String> {
    decode(wire_format, body.to_string().as_bytes())
}

#[test]
fn all_forms_say_the_same() {
    for wire_format in [WireFormat::Anthropic, WireFormat::Responses, WireFormat::Chat] {
        let Decoded { request, turns, .. } = read_body(wire_format, &body(wire_format)).unwrap();
        assert_eq!((request.model.as_str(), &**request.system), ("m", &vec!["s".to_owned()]));
        assert_eq!(request.tools[0].name, "Read");
        let [Message::User(first), Message::Assistant(answer), Message::User(last)] =
            [0, 1, 2].map(|at| Message::clone(&request.messages[at]))
        else {
            panic!("{request:?}")
        };
        assert_eq!(first, [UserBlock::text("hi")]);
        let Some(AnswerBlock::ToolUse(call)) = answer.last() else { panic!("{answer:?}") };
        assert_eq!(call.input, Value::String("{\"x".to_owned()), "{wire_format:?}");
        let UserBlock::ToolResult(result) = &last[0] else { panic!("{last:?}") };
        assert_eq!((result.text().as_str(), result.is_error), ("no", wire_format == WireFormat::Anthropic));
        assert_eq!(last[1], UserBlock::text("go on"));
        assert!(!turns.iter().any(|turn| turn.wire.to_string().contains("cache_control")));
    }
}

/// The body with something at this place.
fn with(wire_format: WireFormat, pointer: &str, value: Value) -> Value {
    let mut body = body(wire_format);
    let (place, key) = pointer.rsplit_once('/').unwrap();
    let place = body.pointer_mut(place).unwrap_or_else(|| panic!("{pointer}"));
    match key.parse::<usize>() {
        Ok(at) => place[at] = value,
        Err(_) => place[key] = value,
    }
    body
}

#[test]
fn what_no_server_takes_is_refused() {
    let marks = json!(
        [1, 2, 3, 4, 5]
            .map(|_| { json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}) })
    );
    let call = body(WireFormat::Chat)["messages"][2]["tool_calls"][0].clone();
    for (wire_format, pointer, value, why) in [
        (WireFormat::Anthropic, "/temperature", json!(1), "unknown field `temperature`"),
        (WireFormat::Anthropic, "/stream", json!(false), "only streams"),
        (WireFormat::Anthropic, "/max_tokens", json!(null), "`max_tokens` is missing"),
        (
            WireFormat::Anthropic,
            "/thinking",
            json!({"type": "enabled", "budget_tokens": 10}),
            "less than 1024",
        ),
        (WireFormat::Anthropic, "/system/0/extra", json!(1), "unknown field `extra`"),
        (WireFormat::Anthropic, "/system/0/text", json!(" "), "is empty"),
        (WireFormat::Anthropic, "/system", marks, "5 blocks have `cache_control`"),
        (WireFormat::Anthropic, "/messages/1/content/0/thinking", json!("Hm!"), "came back changed"),
        (WireFormat::Anthropic, "/messages/1/content/1/id", json!("b"), "follows no answer"),
        (
            WireFormat::Anthropic,
            "/messages/2/content/0",
            json!({"type": "text", "text": "x"}),
            "has no result",
        ),
        (WireFormat::Anthropic, "/tools/0/name", json!("a b"), "the name of a tool"),
        (WireFormat::Anthropic, "/tools/0/input_schema", json!({}), "does not have the type `object`"),
        (WireFormat::Anthropic, "/messages/1/content/1/id", json!("a:b"), "may have letters"),
        (WireFormat::Anthropic, "/messages/1/content/1/id", json!(""), "empty or too long"),
        (WireFormat::Responses, "/input/2/call_id", json!("x".repeat(65)), "empty or too long"),
        (WireFormat::Responses, "/input/2/name", json!("a.b"), "the name of a called tool"),
        (WireFormat::Chat, "/messages/2/tool_calls/0/id", json!("x".repeat(41)), "empty or too long"),
        (WireFormat::Chat, "/messages/2/tool_calls/0/id", json!(""), "empty or too long"),
        (
            WireFormat::Chat,
            "/messages/2/tool_calls/0/function/name",
            json!("a.b"),
            "the name of a called tool",
        ),
        (WireFormat::Chat, "/messages/2/tool_calls", vec![call; 129].into(), "has 129 calls"),
        (WireFormat::Responses, "/store", json!(true), "`store` must be false"),
        (WireFormat::Responses, "/previous_response_id", json!("x"), "unknown field"),
        (WireFormat::Responses, "/input/0/content/0/extra", json!(1), "unknown field `extra`"),
        (WireFormat::Responses, "/input/1/encrypted_content", json!("x"), "came back changed"),
        (WireFormat::Responses, "/input/1/encrypted_content", json!(null), "without its `encrypted_content`"),
        (WireFormat::Responses, "/input/2/arguments", json!("{"), "are not JSON"),
        (WireFormat::Responses, "/input/3/call_id", json!("b"), "follows no answer"),
        (WireFormat::Chat, "/top_k", json!(1), "unknown field `top_k`"),
        (
            WireFormat::Chat,
            "/messages/2/reasoning_content",
            json!("Hm."),
            "unknown field `reasoning_content`",
        ),
        (WireFormat::Chat, "/messages/2/tool_calls/0/function/arguments", json!("[]"), "is not an object"),
        (WireFormat::Chat, "/messages/3/role", json!("function"), "unknown variant `function`"),
        (WireFormat::Chat, "/messages/4/content", json!(""), "is empty"),
        (WireFormat::Chat, "/messages", json!([]), "there is no message"),
    ] {
        let error = read_body(wire_format, &with(wire_format, pointer, value)).unwrap_err();
        assert!(error.contains(why), "{wire_format:?} {pointer}: {error}");
    }
}
