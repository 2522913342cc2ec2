//! Streams and bodies of Responses.

use forelook_protocol::{AnswerBlock, FailureKind, Message, ResultBlock, StopReason, Usage, UserBlock};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::RESPONSES;
use crate::dialect::Dialect;
use crate::openai::testing::{self, ParsedAnswer, call, only_appends, picture, request, result, user};
use crate::{CacheTtl, Capability, Effort, ModelFacts, Thinking};

fn read(events: &[Value]) -> ParsedAnswer {
    testing::read(&RESPONSES, events.iter().map(Value::to_string))
}

fn created() -> Value {
    json!({"type": "response.created", "sequence_number": 0, "response": {
        "id": "resp_1", "object": "response", "status": "in_progress", "model": "gpt-x-2026", "output": [],
        "usage": null, "error": null, "incomplete_details": null,
    }})
}

fn completed() -> Value {
    json!({"type": "response.completed", "response": {
        "id": "resp_1", "model": "gpt-x-2026", "status": "completed", "error": null, "incomplete_details": null,
        "usage": {
            "input_tokens": 100, "input_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 0},
            "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 3}, "total_tokens": 107,
        },
    }})
}

fn event(kind: &str, place: u64, more: Value) -> Value {
    let mut event =
        json!({"type": format!("response.{kind}"), "output_index": place, "item_id": format!("i{place}")});
    for (name, value) in more.as_object().unwrap() {
        event[name] = value.clone();
    }
    event
}

fn added(place: u64, item: Value) -> Value {
    event("output_item.added", place, json!({ "item": item }))
}

fn done(place: u64, item: Value) -> Value {
    event("output_item.done", place, json!({ "item": item }))
}

fn delta(kind: &str, place: u64, delta: &str) -> Value {
    event(&format!("{kind}.delta"), place, json!({ "delta": delta }))
}

fn message(text: &str) -> Value {
    let content = json!([{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]);
    json!({"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": content})
}

fn function(place: u64, arguments: &str) -> Value {
    json!({"id": format!("fc_{place}"), "type": "function_call", "status": "completed", "call_id": format!("c{place}"),
           "name": "Read", "arguments": arguments})
}

fn reasoning(sealed: Value, summary: &[&str]) -> Value {
    let summary: Vec<Value> =
        summary.iter().map(|text| json!({"type": "summary_text", "text": text})).collect();
    json!({"id": "rs_1", "type": "reasoning", "status": null, "content": null, "summary": summary, "encrypted_content": sealed})
}

/// The blocks and the stop of these events between a beginning and an end.
fn within(events: &[Value]) -> (Vec<String>, StopReason) {
    let read = read(&[&[created()], events, &[completed()]].concat());
    (read.blocks, read.end.unwrap().0)
}

#[test]
fn words_are_streamed_and_counted() {
    let part = json!({"part": {"type": "output_text", "text": "", "annotations": []}, "content_index": 0});
    let read = read(&[
        created(),
        json!({"type": "response.in_progress", "response": {"id": "resp_1", "model": "gpt-x-2026"}}),
        added(0, message("")),
        event("content_part.added", 0, part.clone()),
        delta("output_text", 0, "Hel"),
        delta("output_text", 0, "lo é"),
        event("output_text.done", 0, json!({"text": "Hello é"})),
        event("content_part.done", 0, part),
        done(0, message("Hello é")),
        json!({"type": "response.something_new", "what": [1, 2]}),
        completed(),
    ]);
    assert_eq!(read.blocks, ["text Hello é"]);
    assert_eq!((read.message.as_str(), read.model.as_str()), ("resp_1", "gpt-x-2026"));
    let usage = Usage {
        input_tokens: 36,
        output_tokens: 7,
        cache_read_input_tokens: 64,
        cache_creation_input_tokens: 0,
    };
    assert_eq!(read.end, Ok((StopReason::EndTurn, usage)));
}

#[test]
fn reasoning_is_shown_and_sealed() {
    let (blocks, stop) = within(&[
        added(0, reasoning(json!("part"), &[])),
        event("reasoning_summary_part.added", 0, json!({"summary_index": 0})),
        delta("reasoning_summary_text", 0, "**One**"),
        event("reasoning_summary_part.added", 0, json!({"summary_index": 1})),
        delta("reasoning_summary_text", 0, "Two"),
        done(0, reasoning(json!("gAAAA"), &["**One**", "Two"])),
        added(1, function(1, "")),
        delta("function_call_arguments", 1, "{\"p\""),
        delta("function_call_arguments", 1, ":1}"),
        event("function_call_arguments.done", 1, json!({"arguments": "{\"p\":1}"})),
        done(1, function(1, "{\"p\":1}")),
    ]);
    assert_eq!(stop, StopReason::ToolUse);
    assert_eq!(
        blocks,
        [
            "thinking **One**\n\nTwo",
            r#"sealed responses {"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"**One**"},{"type":"summary_text","text":"Two"}],"encrypted_content":"gAAAA"}"#,
            "call c1 Read {\"p\":1}",
            r#"sealed responses {"type":"function_call","id":"fc_1"}"#,
        ]
    );
    // Nothing to show, only something to keep; an id only where there is reasoning before it.
    let mut commentary = message("Yes");
    commentary["phase"] = json!("commentary");
    let (blocks, _) =
        within(&[done(0, commentary.clone()), done(1, reasoning(json!("gB"), &[])), done(2, commentary)]);
    assert_eq!(
        blocks,
        [
            "text Yes",
            r#"sealed responses {"type":"message","phase":"commentary"}"#,
            r#"sealed responses {"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gB"}"#,
            "text Yes",
            r#"sealed responses {"type":"message","id":"msg_1","phase":"commentary"}"#,
        ]
    );
    // What a server without a memory could not read is not kept.
    let (blocks, _) = within(&[done(0, reasoning(Value::Null, &["Hm"])), done(1, message("Yes"))]);
    assert_eq!(blocks, ["thinking Hm", "text Yes"]);
    // Open models think in plain words.
    let plain =
        json!({"id": "rs_1", "type": "reasoning", "content": [{"type": "reasoning_text", "text": "Hm"}]});
    let (blocks, _) = within(&[added(0, plain.clone()), delta("reasoning_text", 0, "Hm"), done(0, plain)]);
    assert_eq!(blocks[0], "thinking Hm");
    assert!(
        blocks[1].contains(r#""content":[{"type":"reasoning_text","text":"Hm"}],"summary":[]"#),
        "{blocks:?}"
    );
}

#[test]
fn what_does_not_come_in_pieces_comes_whole() {
    let whole = ["call c0 Read {\"p\":1}", "text Yes"];
    let input = json!({"arguments": "{\"p\":1}"});
    let ways: &[&[Value]] = &[
        &[done(0, function(0, "{\"p\":1}")), done(1, message("Yes"))],
        &[
            added(0, function(0, "")),
            event("function_call_arguments.done", 0, input.clone()),
            done(0, function(0, "{\"p\":1}")),
            added(1, message("")),
            done(1, message("Yes")),
        ],
        &[
            added(0, function(0, "")),
            delta("function_call_arguments", 0, "{\"p"),
            event("function_call_arguments.done", 0, input),
            delta("output_text", 1, "Yes"),
        ],
    ];
    for events in ways {
        assert_eq!(within(events).0, whole, "{events:?}");
    }
    let mut all = completed();
    all["response"]["output"] = json!([function(0, "{\"p\":1}"), message("Yes")]);
    let read = read(&[created(), all]);
    assert_eq!((read.blocks, read.end.unwrap().0), (whole.map(str::to_owned).to_vec(), StopReason::ToolUse));
}

#[test]
fn items_that_are_mixed_are_told_apart() {
    let (blocks, _) = within(&[
        added(0, function(0, "")),
        added(1, function(1, "")),
        delta("function_call_arguments", 1, "{\"b\""),
        delta("function_call_arguments", 0, "{\"a\""),
        delta("function_call_arguments", 1, ":2}"),
        done(1, function(1, "{\"b\":2}")),
        delta("function_call_arguments", 0, ":1}"),
        done(0, function(0, "{\"a\":1}")),
        done(0, function(0, "{\"a\":1}")),
    ]);
    assert_eq!(blocks, ["call c0 Read {\"a\":1}", "call c1 Read {\"b\":2}"]);
}

#[test]
fn unknown_items_are_left_out_and_missing_ids_made() {
    let (blocks, stop) = within(&[
        added(0, json!({"type": "web_search_call", "id": "ws_1", "status": "in_progress"})),
        event("web_search_call.searching", 0, json!({})),
        done(0, json!({"type": "web_search_call", "id": "ws_1", "status": "completed"})),
        done(1, json!({"type": "function_call", "name": "Read", "arguments": "{}"})),
    ]);
    assert_eq!((blocks, stop), (vec!["call call_1 Read {}".to_owned()], StopReason::ToolUse));
}

#[test]
fn ends() {
    let ended = |reason: Value| {
        let mut end = completed();
        end["type"] = json!("response.incomplete");
        end["response"]["incomplete_details"] = reason;
        read(&[created(), delta("output_text", 0, "x"), end]).end.unwrap().0
    };
    assert_eq!(ended(json!({"reason": "max_output_tokens"})), StopReason::MaxTokens);
    assert_eq!(ended(json!({"reason": "content_filter"})), StopReason::Refusal);
    assert_eq!(ended(Value::Null), StopReason::MaxTokens);
    let (blocks, stop) = within(&[delta("refusal", 0, "I can't")]);
    assert_eq!((blocks, stop), (vec!["text I can't".to_owned()], StopReason::Refusal));
    // Only the server's word makes an answer whole.
    for events in [&[][..], &[created()], &[created(), done(0, message("x"))]] {
        assert_eq!(read(events).end.unwrap_err().kind, FailureKind::Connection);
    }
    let marked = [created().to_string(), done(0, message("x")).to_string(), "[DONE]".to_owned()];
    assert_eq!(testing::read(&RESPONSES, marked).end.unwrap_err().kind, FailureKind::Connection);
}

#[test]
fn failures_inside_a_stream() {
    let failed = |error: Value| json!({"type": "response.failed", "response": {"id": "resp_1", "status": "failed", "error": error}});
    let cases = [
        (
            failed(json!({"code": "rate_limit_exceeded", "message": "Please try again in 1.5s."})),
            FailureKind::RateLimited,
        ),
        (failed(json!({"code": "server_error", "message": "Sorry"})), FailureKind::Server),
        (
            failed(json!({"code": "context_length_exceeded", "message": "Too long"})),
            FailureKind::ContextOverflow,
        ),
        (failed(json!({"code": "insufficient_quota", "message": "Pay"})), FailureKind::BadRequest),
        (failed(json!({"code": "invalid_prompt", "message": "No"})), FailureKind::BadRequest),
        (failed(Value::Null), FailureKind::Server),
        (
            json!({"type": "error", "code": "invalid_api_key", "message": "No", "param": null}),
            FailureKind::Authentication,
        ),
        (
            json!({"type": "error", "error": {"type": "server_error", "code": "server_error", "message": "No"}}),
            FailureKind::Server,
        ),
        (
            json!({"type": "error", "code": null, "message": "The server is overloaded"}),
            FailureKind::Overloaded,
        ),
    ];
    for (event, kind) in cases {
        let failure =
            read(&[created(), delta("output_text", 0, "x"), event.clone(), completed()]).end.unwrap_err();
        assert_eq!(failure.kind, kind, "{event}");
        assert!(failure.message.contains(' ') && !failure.message.ends_with(": "), "{}", failure.message);
    }
    let (mut parser, mut out) = (RESPONSES.parser(), Vec::new());
    parser.event("error", r#"{"message":"x","code":"rate_limit_exceeded"}"#, &mut out);
    assert_eq!(testing::gather(&out).end.unwrap_err().kind, FailureKind::RateLimited);
    assert_eq!(testing::read(&RESPONSES, ["<html>"]).end.unwrap_err().kind, FailureKind::Garbled);
}

fn sealed(item: Value) -> AnswerBlock {
    AnswerBlock::Opaque { wire_format: "responses".into(), item }
}

fn a_conversation() -> Vec<Message> {
    let reasoning = json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gA"});
    vec![
        user("Look"),
        Message::Assistant(vec![
            AnswerBlock::Thinking { thinking: "hm".into(), signature: String::new() },
            sealed(reasoning.clone()),
            AnswerBlock::Text { text: "I look.".into() },
            sealed(json!({"type": "message", "id": "msg_1", "phase": "commentary"})),
            call("a", json!({"path": "x.png"})),
            sealed(json!({"type": "function_call", "id": "fc_1"})),
            call("b", json!({})),
        ]),
        Message::User(vec![
            result("a", vec![ResultBlock::text("One"), picture()]),
            result("b", vec![ResultBlock::text("No")]),
        ]),
        Message::Assistant(vec![
            AnswerBlock::Opaque {
                wire_format: "anthropic".into(),
                item: json!({"type": "redacted_thinking"}),
            },
            AnswerBlock::Text { text: "Done.".into() },
            sealed(reasoning),
        ]),
        Message::User(vec![
            UserBlock::text("Now?"),
            UserBlock::Image { media_type: "image/gif".into(), data: "R0lG".into() },
        ]),
    ]
}

#[test]
fn a_conversation_on_the_wire() {
    let request = request("gpt-x", a_conversation());
    let facts = ModelFacts { output: Some(9), effort: Some(Effort::High), ..ModelFacts::default() };
    let mut body = testing::body(&RESPONSES, &request, &facts);
    let key = body.as_object_mut().unwrap().remove("prompt_cache_key").unwrap();
    assert_eq!(key.as_str().unwrap().len(), 16);
    let image = |url: &str| json!({"type": "input_image", "detail": "auto", "image_url": url});
    assert_eq!(
        body,
        json!({
            "model": "gpt-x",
            "stream": true,
            "store": false,
            "max_output_tokens": 9,
            "include": ["reasoning.encrypted_content"],
            "reasoning": {"effort": "high", "summary": "auto"},
            "instructions": "You help.\n\nBe brief.",
            "parallel_tool_calls": true,
            "tools": [{
                "type": "function", "name": "Read", "description": "Reads a file.",
                "parameters": request.tools[0].input_schema, "strict": false,
            }],
            "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look"}]},
                {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gA"},
                {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": "commentary",
                 "content": [{"type": "output_text", "text": "I look.", "annotations": []}]},
                {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "Read", "arguments": "{\"path\":\"x.png\"}"},
                {"type": "function_call", "call_id": "b", "name": "Read", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "a", "output": [
                    {"type": "input_text", "text": "One"}, image("data:image/png;base64,iVBORw0KGgo="),
                ]},
                {"type": "function_call_output", "call_id": "b", "output": "No"},
                {"type": "message", "role": "assistant", "content": "Done."},
                {"type": "message", "role": "user", "content": [
                    {"type": "input_text", "text": "Now?"}, image("data:image/gif;base64,R0lG"),
                ]},
            ],
        })
    );
}

#[test]
fn names_and_ids_go_back_as_services_take_them() {
    let long = "x".repeat(65);
    let label = json!({"type": "function_call", "id": long});
    let odd = ["", long.as_str(), "functions.Read:0"];
    let said = odd.iter().flat_map(|id| {
        let AnswerBlock::ToolUse(call) = call(id, json!({})) else { unreachable!() };
        let call = forelook_protocol::ToolCall { name: "multi_tool_use.parallel".into(), ..call };
        [AnswerBlock::ToolUse(call), sealed(label.clone())]
    });
    let results = odd.iter().map(|id| result(id, vec![ResultBlock::text("ok")])).collect();
    let messages = vec![user("Look"), Message::Assistant(said.collect()), Message::User(results)];
    let body = testing::body(&RESPONSES, &request("gpt-x", messages), &ModelFacts::default());
    let items = body["input"].as_array().unwrap();
    let ids = |kind: &str| -> Vec<String> {
        let found = items.iter().filter(|item| item["type"] == kind);
        found.map(|item| item["call_id"].as_str().unwrap().to_owned()).collect()
    };
    let calls = ids("function_call");
    assert_eq!(calls, ids("function_call_output"));
    assert!(calls.iter().all(|id| (1..=64).contains(&id.len())), "{calls:?}");
    assert_eq!((calls.len(), calls[2].as_str()), (3, "functions.Read:0"));
    assert_ne!(calls[0], calls[1]);
    for item in items.iter().filter(|item| item["type"] == "function_call") {
        assert_eq!(item["name"], "multi_tool_use_parallel");
        assert!(item.get("id").is_none(), "{item}");
    }
}

/// Parts of thinking that stay empty are nothing; between two that do not there is a blank line.
#[test]
fn empty_parts_of_thinking_are_nothing() {
    let part = |at: u64| event("reasoning_summary_part.added", 0, json!({"summary_index": at}));
    let text = |text: &str| event("reasoning_summary_text.delta", 0, json!({"delta": text}));
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": []});
    let events =
        [added(0, reasoning.clone()), part(0), text("a"), part(1), part(2), text(""), text("b"), part(3)];
    assert_eq!(within(&events).0, ["thinking a\n\nb"]);
}

#[test]
fn a_model_is_sent_only_what_it_takes() {
    let request = request("gpt-x", a_conversation());
    let plain = testing::body(&RESPONSES, &request, &ModelFacts::default()).to_string();
    for absent in ["\"reasoning\"", "encrypted", "max_output_tokens", "msg_1", "fc_1"] {
        assert!(!plain.contains(absent), "{absent}: {plain}");
    }
    let facts =
        ModelFacts { images: Capability::Absent, thinking: Thinking::Adaptive, ..ModelFacts::default() };
    let blind = testing::body(&RESPONSES, &request, &facts);
    assert!(!blind.to_string().contains("base64"), "{blind}");
    assert_eq!(blind.to_string().matches("does not support images").count(), 2, "{blind}");
    assert_eq!(blind["reasoning"], json!({"summary": "auto"}));
    // And what was kept meanwhile has lost nothing.
    let all = ModelFacts { effort: Some(Effort::Low), ..ModelFacts::default() };
    let whole = testing::body(&RESPONSES, &request, &all).to_string();
    assert!(whole.contains("base64") && whole.contains("\"encrypted_content\":\"gA\""), "{whole}");
}

#[test]
fn a_conversation_keeps_its_place_in_the_cache() {
    let key = |messages: Vec<Message>, cache_ttl: CacheTtl| {
        let request = crate::Request { cache_ttl, ..request("gpt-x", messages) };
        testing::body(&RESPONSES, &request, &ModelFacts::default())["prompt_cache_key"].clone()
    };
    let first = key(vec![user("a")], CacheTtl::Short);
    assert_eq!(first, key(vec![user("a"), user("b")], CacheTtl::Short));
    assert_ne!(first, key(vec![user("c")], CacheTtl::Short));
    assert_eq!(key(vec![user("a")], CacheTtl::OneHour), key(vec![user("c")], CacheTtl::OneHour));
}

proptest! {
    #[test]
    fn items_in_any_pieces_and_any_order_are_the_same(
        inputs in prop::collection::vec(prop::collection::vec("[a-z{}\"\\\\é ]{1,4}", 0..5), 1..5),
        order in prop::collection::vec(any::<prop::sample::Index>(), 40),
    ) {
        let mut streams: Vec<Vec<Value>> = (0u64..).zip(&inputs).map(|(place, pieces)| {
            let mut events: Vec<Value> =
                pieces.iter().map(|piece| delta("function_call_arguments", place, piece)).collect();
            events.push(done(place, function(place, &pieces.concat())));
            events.reverse();
            events
        }).collect();
        let mut events: Vec<Value> = (0..inputs.len() as u64).map(|place| added(place, function(place, ""))).collect();
        for index in order {
            let place = index.index(streams.len());
            events.extend(streams[place].pop());
        }
        for stream in &mut streams {
            stream.reverse();
            events.append(stream);
        }
        let expected: Vec<String> =
            inputs.iter().enumerate().map(|(at, pieces)| format!("call c{at} Read {}", pieces.concat())).collect();
        prop_assert_eq!(within(&events).0, expected);
    }

    #[test]
    fn requests_only_append(messages in testing::conversations(), blind in any::<bool>(), reasons in any::<bool>()) {
        let images = if blind { Capability::Absent } else { Capability::Assumed };
        let effort = reasons.then_some(Effort::Low);
        only_appends(&RESPONSES, "m", &messages, &ModelFacts { images, effort, ..ModelFacts::default() })?;
    }

    #[test]
    fn nothing_breaks_the_reader(datas in prop::collection::vec("[\\[\\]{}:,\"a-z0-9]{0,20}", 0..4)) {
        testing::read(&RESPONSES, datas);
    }
}
