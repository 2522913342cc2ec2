//! The reader is strict, and says what is wrong.

use serde_json::{Value, json};

use super::*;

fn body(form: Form) -> Value {
    let schema = json!({"type": "object", "properties": {}});
    match form {
        Form::Anthropic => json!({
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
        Form::Responses => json!({
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
        Form::Chat => json!({
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

fn read_body(form: Form, body: &Value) -> Result<Decoded, String> {
    decode(form, body.to_string().as_bytes())
}

#[test]
fn all_forms_say_the_same() {
    for form in [Form::Anthropic, Form::Responses, Form::Chat] {
        let Decoded { request, turns, .. } = read_body(form, &body(form)).unwrap();
        assert_eq!((request.model.as_str(), &**request.system), ("m", &vec!["s".to_owned()]));
        assert_eq!(request.tools[0].name, "Read");
        let [Message::User(first), Message::Assistant(answer), Message::User(last)] =
            [0, 1, 2].map(|at| Message::clone(&request.messages[at]))
        else {
            panic!("{request:?}")
        };
        assert_eq!(first, [UserBlock::text("hi")]);
        let Some(AnswerBlock::ToolUse(call)) = answer.last() else { panic!("{answer:?}") };
        assert_eq!(call.input, Value::String("{\"x".to_owned()), "{form:?}");
        let UserBlock::ToolResult(result) = &last[0] else { panic!("{last:?}") };
        assert_eq!((result.text().as_str(), result.is_error), ("no", form == Form::Anthropic));
        assert_eq!(last[1], UserBlock::text("go on"));
        assert!(!turns.iter().any(|turn| turn.wire.to_string().contains("cache_control")));
    }
}

/// The body with something at this place.
fn with(form: Form, pointer: &str, value: Value) -> Value {
    let mut body = body(form);
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
    for (form, pointer, value, why) in [
        (Form::Anthropic, "/temperature", json!(1), "unknown field `temperature`"),
        (Form::Anthropic, "/stream", json!(false), "only streams"),
        (Form::Anthropic, "/max_tokens", json!(null), "`max_tokens` is missing"),
        (Form::Anthropic, "/thinking", json!({"type": "enabled", "budget_tokens": 10}), "less than 1024"),
        (Form::Anthropic, "/system/0/extra", json!(1), "unknown field `extra`"),
        (Form::Anthropic, "/system/0/text", json!(" "), "no words"),
        (Form::Anthropic, "/system", marks, "5 blocks have `cache_control`"),
        (Form::Anthropic, "/messages/1/content/0/thinking", json!("Hm!"), "came back changed"),
        (Form::Anthropic, "/messages/1/content/1/id", json!("b"), "follows no answer"),
        (Form::Anthropic, "/messages/2/content/0", json!({"type": "text", "text": "x"}), "has no result"),
        (Form::Anthropic, "/tools/0/name", json!("a b"), "the name of a tool"),
        (Form::Anthropic, "/tools/0/input_schema", json!({}), "has not the type `object`"),
        (Form::Responses, "/store", json!(true), "`store` must be false"),
        (Form::Responses, "/previous_response_id", json!("x"), "unknown field"),
        (Form::Responses, "/input/0/content/0/extra", json!(1), "unknown field `extra`"),
        (Form::Responses, "/input/1/encrypted_content", json!("x"), "came back changed"),
        (Form::Responses, "/input/1/encrypted_content", json!(null), "without its `encrypted_content`"),
        (Form::Responses, "/input/2/arguments", json!("{"), "are no JSON"),
        (Form::Responses, "/input/3/call_id", json!("b"), "follows no answer"),
        (Form::Chat, "/top_k", json!(1), "unknown field `top_k`"),
        (Form::Chat, "/messages/2/reasoning_content", json!("Hm."), "unknown field `reasoning_content`"),
        (Form::Chat, "/messages/2/tool_calls/0/function/arguments", json!("[]"), "is no object"),
        (Form::Chat, "/messages/3/role", json!("function"), "unknown variant `function`"),
        (Form::Chat, "/messages/4/content", json!(""), "no words"),
        (Form::Chat, "/messages", json!([]), "there is no message"),
    ] {
        let error = read_body(form, &with(form, pointer, value)).unwrap_err();
        assert!(error.contains(why), "{form:?} {pointer}: {error}");
    }
}
