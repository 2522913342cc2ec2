//! Streams and bodies of Chat Completions, as servers send and take them.

use forelook_protocol::{AnswerBlock, FailureKind, Message, ResultBlock, StopReason, Usage, UserBlock};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::CHAT;
use crate::dialect::Dialect;
use crate::openai::testing::{self, ParsedAnswer, call, only_appends, picture, request, result, user};
use crate::{Capability, Effort, ModelFacts};

fn read(stream: &str) -> ParsedAnswer {
    testing::read(&CHAT, stream.lines().map(str::trim).filter(|line| !line.is_empty()))
}

/// One chunk with this delta.
fn chunk(delta: &Value) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": null});
    json!({"id": "chatcmpl-7", "object": "chat.completion.chunk", "model": "m", "choices": [choice]})
        .to_string()
}

fn finish(reason: &str) -> String {
    json!({"id": "chatcmpl-7", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}).to_string()
}

fn of_calls(lists: &[Value]) -> ParsedAnswer {
    let mut stream: Vec<String> = lists.iter().map(|list| chunk(&json!({"tool_calls": list}))).collect();
    stream.extend([finish("tool_calls"), "[DONE]".to_owned()]);
    testing::read(&CHAT, stream)
}

fn check(stream: &str, blocks: &[&str], stop: StopReason, usage: [u64; 3]) {
    let read = read(stream);
    assert_eq!(read.blocks, blocks, "{stream}");
    let [input_tokens, output_tokens, cache_read_input_tokens] = usage;
    let usage =
        Usage { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens: 0 };
    assert_eq!(read.end, Ok((stop, usage)), "{stream}");
}

fn check_calls(lists: &[Value], blocks: &[&str]) {
    let read = of_calls(lists);
    assert_eq!(read.blocks, blocks, "{lists:?}");
    assert_eq!(read.end.unwrap().0, StopReason::ToolUse);
}

fn check_failed(stream: &str, kind: FailureKind) {
    assert_eq!(read(stream).end.unwrap_err().kind, kind, "{stream}");
}

#[test]
fn openai_streams_words_and_counts_in_a_last_chunk_without_choices() {
    check(
        r#"
        {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-x-2026","service_tier":"default","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null}
        {"id":"chatcmpl-1","model":"gpt-x-2026","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}],"usage":null}
        {"id":"chatcmpl-1","model":"gpt-x-2026","choices":[{"index":0,"delta":{"content":"lo \u00e9\n"},"finish_reason":null}],"usage":null}
        {"id":"chatcmpl-1","model":"gpt-x-2026","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}
        {"id":"chatcmpl-1","model":"gpt-x-2026","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":3,"total_tokens":23,"prompt_tokens_details":{"cached_tokens":16,"audio_tokens":0}}}
        [DONE]
        "#,
        &["text Hello é\n"],
        StopReason::EndTurn,
        [4, 3, 16],
    );
    let read = read(
        r#"
        {"id":"","model":"","choices":[],"prompt_filter_results":[]}
        {"id":"chatcmpl-1","model":"gpt-x","choices":[{"delta":{"content":"x"}}]}
        {"choices":[{"delta":{},"finish_reason":"stop"}]}
    "#,
    );
    assert_eq!((read.message.as_str(), read.model.as_str()), ("chatcmpl-1", "gpt-x"));
}

#[test]
fn thinking_goes_by_several_names() {
    let deepseek = r#"
        {"id":"1","model":"deepseek-reasoner","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"Hm"}}]}
        {"id":"1","choices":[{"index":0,"delta":{"content":null,"reasoning_content":"m."}}]}
        {"id":"1","choices":[{"index":0,"delta":{"content":"Yes","reasoning_content":null}}]}
        {"id":"1","choices":[{"index":0,"delta":{"content":"","reasoning_content":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":9,"prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":2}}
        [DONE]"#;
    check(deepseek, &["thinking Hmm.", "text Yes"], StopReason::EndTurn, [2, 9, 8]);
    let openrouter = r#"
        {"id":"gen-1","model":"x/y","choices":[{"delta":{"role":"assistant","content":"","reasoning":"Hm","reasoning_content":"Hm","reasoning_details":[{"type":"reasoning.text","text":"Hm"}]}}]}
        {"id":"gen-1","choices":[{"delta":{"content":"Yes","reasoning":null}}]}
        {"id":"gen-1","choices":[{"delta":{"content":""},"finish_reason":"stop","native_finish_reason":"eos"}]}
        [DONE]"#;
    check(openrouter, &["thinking Hm", "text Yes"], StopReason::EndTurn, [0, 0, 0]);
    let magistral = r#"
        {"id":"1","model":"m","choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]}]}}]}
        {"id":"1","choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"m"}],"closed":true},{"type":"text","text":"Y"}]}}]}
        {"id":"1","choices":[{"delta":{"content":"es"},"finish_reason":"stop"}]}"#;
    check(magistral, &["thinking Hmm", "text Yes"], StopReason::EndTurn, [0, 0, 0]);
    let in_text = r#"
        {"choices":[{"delta":{"content":"<think>Hm</think>Yes"}}]}
        {"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    check(in_text, &["text <think>Hm</think>Yes"], StopReason::EndTurn, [0, 0, 0]);
}

/// Some servers give more than was asked for. Two answers are not one.
#[test]
fn of_two_choices_the_first_counts() {
    let numbered = r#"
        {"id":"1","choices":[{"index":0,"delta":{"content":"A"}},{"index":1,"delta":{"content":"B"}}]}
        {"id":"1","choices":[{"index":1,"delta":{"content":"B"}}]}
        {"id":"1","choices":[{"index":1,"delta":{},"finish_reason":"length"}]}
        {"id":"1","choices":[{"index":0,"delta":{"content":"A"}}]}
        {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
        [DONE]"#;
    let unnumbered = r#"
        {"id":"1","choices":[{"delta":{"content":"A"}},{"delta":{"content":"B"}}]}
        {"id":"1","choices":[{"delta":{"content":"A"},"finish_reason":"stop"},{"delta":{},"finish_reason":"length"}]}
        [DONE]"#;
    for stream in [numbered, unnumbered] {
        check(stream, &["text AA"], StopReason::EndTurn, [0, 0, 0]);
    }
    // Numbered from one.
    check(
        r#"{"choices":[{"index":1,"delta":{"content":"A"},"finish_reason":"stop"}]}"#,
        &["text A"],
        StopReason::EndTurn,
        [0, 0, 0],
    );
}

#[test]
fn calls_are_told_apart() {
    let a_and_b = ["call a Read {\"p\":1}", "call b Grep {\"q\":2}"];
    // OpenAI: in pieces, by number.
    check_calls(
        &[
            json!([{"index": 0, "id": "a", "type": "function", "function": {"name": "Read", "arguments": ""}}]),
            json!([{"index": 0, "function": {"arguments": "{\"p\""}}]),
            json!([{"index": 0, "function": {"arguments": ":1}"}}]),
            json!([{"index": 1, "id": "b", "type": "function", "function": {"name": "Grep", "arguments": ""}}]),
            json!([{"index": 1, "function": {"arguments": "{\"q\":2}"}}]),
        ],
        &a_and_b,
    );
    // Mixed, and with id and name in every piece.
    check_calls(
        &[
            json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{\"p"}}]),
            json!([{"index": 1, "id": "b", "function": {"name": "Grep", "arguments": "{\"q\""}}]),
            json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": "\":1}"}},
                   {"index": 1, "id": "b", "function": {"name": "Grep", "arguments": ":2}"}}]),
        ],
        &a_and_b,
    );
    // Ollama: whole, all of them number 0, in one chunk or two.
    let whole = |index: Value| {
        [
            json!({"index": index, "id": "a", "function": {"name": "Read", "arguments": "{\"p\":1}"}}),
            json!({"index": index, "id": "b", "function": {"name": "Grep", "arguments": "{\"q\":2}"}}),
        ]
    };
    for [a, b] in [whole(json!(0)), whole(Value::Null)] {
        check_calls(&[json!([a, b])], &a_and_b);
        check_calls(&[json!([a]), json!([b])], &a_and_b);
        // And once more at the end.
        check_calls(&[json!([a]), json!([b]), json!([a, b])], &a_and_b);
    }
    // Number 0 for all, in pieces that carry their id, mixed.
    check_calls(
        &[
            json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{\"p"}}]),
            json!([{"index": 0, "id": "b", "function": {"name": "Grep", "arguments": "{\"q"}}]),
            json!([{"index": 0, "id": "a", "function": {"arguments": "\":1}"}}]),
            json!([{"index": 0, "id": "b", "function": {"arguments": "\":2}"}}]),
        ],
        &a_and_b,
    );
    // An input that is no text, and a number for an id.
    check_calls(
        &[json!([{"id": 5, "function": {"name": "Read", "arguments": {"p": 1}}}])],
        &["call 5 Read {\"p\":1}"],
    );
}

#[test]
fn calls_without_ids_get_their_own() {
    let made = ["call call_chatcmpl7_0 Read {\"p\":1}", "call call_chatcmpl7_1 Grep {\"q\":2}"];
    let a = |index: Value, id: Value| json!({"index": index, "id": id, "function": {"name": "Read", "arguments": "{\"p\":1}"}});
    let b = |index: Value, id: Value| json!({"index": index, "id": id, "function": {"name": "Grep", "arguments": "{\"q\":2}"}});
    check_calls(&[json!([a(json!(0), Value::Null), b(json!(1), Value::Null)])], &made);
    // Gemini: all of them number 0, with an empty id; or no number at all.
    check_calls(&[json!([a(json!(0), json!("")), b(json!(0), json!(""))])], &made);
    check_calls(&[json!([a(json!(0), json!(""))]), json!([b(json!(0), json!(""))])], &made);
    check_calls(&[json!([a(Value::Null, Value::Null)]), json!([b(Value::Null, Value::Null)])], &made);
    // Two at once in pieces, by their place alone.
    check_calls(
        &[
            json!([{"function": {"name": "Read", "arguments": "{\"p\""}}, {"function": {"name": "Grep", "arguments": "{\"q\""}}]),
            json!([{"function": {"arguments": ":1}"}}, {"function": {"arguments": ":2}"}}]),
        ],
        &made,
    );
    // The same id twice is the session's to judge.
    check_calls(
        &[json!([a(json!(0), json!("f"))]), json!([b(json!(1), json!("f"))])],
        &["call f Read {\"p\":1}", "call f Grep {\"q\":2}"],
    );
    // The same call twice, by a server that gives no ids, is two calls.
    check_calls(
        &[json!([a(json!(0), json!(""))]), json!([a(json!(1), json!(""))])],
        &["call call_chatcmpl7_0 Read {\"p\":1}", "call call_chatcmpl7_1 Read {\"p\":1}"],
    );
    let nameless = r#"
        {"choices":[{"delta":{"tool_calls":[{"function":{"name":"Read","arguments":"{}"}}]}}]}
        {"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    check(nameless, &["call call_0 Read {}"], StopReason::ToolUse, [0, 0, 0]);
}

#[test]
fn names_come_in_every_way() {
    let named = |names: &[&str]| -> Vec<Value> {
        let mut lists: Vec<Value> =
            names.iter().map(|name| json!([{"index": 0, "id": "a", "function": {"name": name}}])).collect();
        lists.push(json!([{"index": 0, "function": {"name": null, "arguments": "{}"}}]));
        lists
    };
    for names in [&["Read"] as &[&str], &["Re", "ad"], &["Read", "Read"], &["Re", "Read"], &["", "Read", ""]]
    {
        check_calls(&named(names), &["call a Read {}"]);
    }
    let old = r#"
        {"id":"1","choices":[{"delta":{"function_call":{"name":"Read","arguments":""}}}]}
        {"id":"1","choices":[{"delta":{"function_call":{"arguments":"{}"}}}]}
        {"id":"1","choices":[{"delta":{},"finish_reason":"function_call"}]}"#;
    check(old, &["call call_1_0 Read {}"], StopReason::ToolUse, [0, 0, 0]);
    // Both ways at once, as `llama-cpp-python` does it.
    let both = r#"
        {"id":"1","choices":[{"delta":{"function_call":{"name":"Read","arguments":""},"tool_calls":[{"index":0,"id":"a","function":{"name":"Read","arguments":""}}]}}]}
        {"id":"1","choices":[{"delta":{"function_call":{"name":"Read","arguments":"{}"},"tool_calls":[{"index":0,"id":"a","function":{"name":"Read","arguments":"{}"}}]}}]}
        {"id":"1","choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#;
    check(both, &["call a Read {}"], StopReason::ToolUse, [0, 0, 0]);
    // No input at all, and a piece that says nothing.
    check_calls(
        &[
            json!([{"index": 0, "function": {"arguments": ""}}]),
            json!([{"index": 0, "id": "a", "function": {"name": "Read"}}]),
        ],
        &["call a Read "],
    );
}

#[test]
fn a_whole_call_does_not_wait_for_the_end_of_the_answer() {
    let (mut parser, mut out) = (CHAT.parser(), Vec::new());
    let mut take = |list: Value| {
        out.clear();
        parser.event("", &chunk(&json!({"tool_calls": list})), &mut out);
        out.iter().filter(|event| matches!(event, crate::AnswerEvent::BlockEnded)).count()
    };
    assert_eq!(
        take(json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{\"p\":1}"}}])),
        0
    );
    assert_eq!(
        take(json!([{"index": 1, "id": "b", "function": {"name": "Read", "arguments": "{\"p\":"}}])),
        1
    );
    assert_eq!(
        take(json!([{"index": 2, "id": "c", "function": {"name": "Read", "arguments": "{\"p\":1}"}}])),
        0
    );
    assert_eq!(take(json!([{"index": 1, "function": {"arguments": "2}"}}])), 0);
    assert_eq!(take(json!([{"index": 3, "id": "d", "function": {"name": "Read", "arguments": ""}}])), 2);
}

#[test]
fn words_around_calls_keep_their_place() {
    let stream = [
        chunk(&json!({"content": "I look."})),
        chunk(
            &json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{\"p\":1}"}}]}),
        ),
        chunk(&json!({"content": "\nAnd "})),
        chunk(&json!({"content": "on."})),
        finish("stop"),
    ];
    let read = testing::read(&CHAT, stream);
    assert_eq!(read.blocks, ["text I look.", "call a Read {\"p\":1}", "text \nAnd on."]);
    assert_eq!(read.end.unwrap().0, StopReason::ToolUse);
}

#[test]
fn reasons_to_stop_are_odd() {
    let words = chunk(&json!({"content": "x"}));
    let called =
        chunk(&json!({"tool_calls": [{"id": "a", "function": {"name": "Read", "arguments": "{}"}}]}));
    let cases = [
        ("stop", StopReason::EndTurn, StopReason::ToolUse),
        ("tool_calls", StopReason::EndTurn, StopReason::ToolUse),
        ("function_call", StopReason::EndTurn, StopReason::ToolUse),
        ("eos", StopReason::EndTurn, StopReason::ToolUse),
        ("length", StopReason::MaxTokens, StopReason::MaxTokens),
        ("content_filter", StopReason::Refusal, StopReason::Refusal),
    ];
    for (reason, without, with) in cases {
        for end in [None, Some("[DONE]".to_owned())] {
            let ended = |said: &String| {
                let stream = [said.clone(), finish(reason)].into_iter().chain(end.clone());
                testing::read(&CHAT, stream).end.unwrap().0
            };
            assert_eq!((ended(&words), ended(&called)), (without, with), "{reason}");
        }
    }
    let refused = [chunk(&json!({"content": null, "refusal": "I can't"})), finish("stop")];
    let read = testing::read(&CHAT, refused);
    assert_eq!((read.blocks, read.end.unwrap().0), (vec!["text I can't".to_owned()], StopReason::Refusal));
}

#[test]
fn an_answer_is_whole_only_if_the_server_said_so() {
    let x = r#"{"id":"1","choices":[{"delta":{"content":"x"},"finish_reason":""}]}"#;
    check_failed("", FailureKind::Connection);
    check_failed(x, FailureKind::Connection);
    check_failed("[DONE]", FailureKind::Connection);
    check(&format!("{x}\n[DONE]"), &["text x"], StopReason::EndTurn, [0, 0, 0]);
    let cut = r#"{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"Bash","arguments":"{\"command\":\"rm"}}]}}]}"#;
    check_failed(cut, FailureKind::Connection);
    check_failed(&format!("{cut}\n[DONE]"), FailureKind::Connection);
    let empty = r#"{"id":"1","model":"m","choices":[{"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}"#;
    check(empty, &[], StopReason::EndTurn, [0, 0, 0]);
}

#[test]
fn failures_inside_a_stream() {
    let x = r#"{"id":"1","choices":[{"delta":{"content":"x"}}]}"#;
    let cases = [
        (
            r#"{"error":{"message":"Rate limit","type":"rate_limit_error","code":429}}"#,
            FailureKind::RateLimited,
        ),
        (r#"{"error":"llama runner process has terminated"}"#, FailureKind::Server),
        (
            r#"{"object":"error","message":"bad","type":"BadRequestError","code":400}"#,
            FailureKind::BadRequest,
        ),
        (
            r#"{"id":"gen-1","provider":"X","model":"m","error":{"code":502,"message":"Upstream gone"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}"#,
            FailureKind::Server,
        ),
        (
            r#"{"choices":[{"delta":{},"finish_reason":"error","error":{"code":429,"message":"Slow"}}]}"#,
            FailureKind::RateLimited,
        ),
        (
            r#"{"error":{"message":"This model's maximum context length is 10 tokens","code":"context_length_exceeded"}}"#,
            FailureKind::ContextOverflow,
        ),
        ("{\"id\":", FailureKind::Garbled),
        ("<html>", FailureKind::Garbled),
    ];
    for (data, kind) in cases {
        check_failed(&format!("{x}\n{data}\n[DONE]"), kind);
        check_failed(data, kind);
    }
    check_failed(&format!("{x}\n{}", finish("insufficient_system_resource")), FailureKind::Overloaded);
    check_failed(&format!("{x}\n{}\n[DONE]", finish("error")), FailureKind::Server);
    let (mut parser, mut out) = (CHAT.parser(), Vec::new());
    parser.event("error", r#"{"message":"no","code":503}"#, &mut out);
    assert_eq!(testing::gather(&out).end.unwrap_err().kind, FailureKind::Overloaded);
}

#[test]
fn counts_come_in_every_chunk_or_in_odd_places() {
    let every = r#"
        {"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":5,"completion_tokens":1}}
        {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}
        {"choices":[],"usage":null}"#;
    check(every, &["text x"], StopReason::EndTurn, [5, 2, 0]);
    let groq = r#"
        {"choices":[{"delta":{"content":"x"}}],"x_groq":{"id":"req_1"}}
        {"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"req_1","usage":{"prompt_tokens":5,"completion_tokens":2,"queue_time":0.1}}}"#;
    check(groq, &["text x"], StopReason::EndTurn, [5, 2, 0]);
    let moonshot = r#"
        {"choices":[{"delta":{"content":"x"}}]}
        {"choices":[{"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":5,"completion_tokens":2}}]}"#;
    check(moonshot, &["text x"], StopReason::EndTurn, [5, 2, 0]);
}

#[test]
fn a_conversation_on_the_wire() {
    let messages = vec![
        user("Look"),
        Message::Assistant(vec![
            AnswerBlock::Thinking { thinking: "hm".into(), signature: "s".into() },
            AnswerBlock::Text { text: "I look.".into() },
            call("a", json!({"path": "x.png"})),
            call("b", json!("{\"path\":")),
        ]),
        Message::User(vec![
            result("a", vec![ResultBlock::text("One"), picture()]),
            result("b", vec![ResultBlock::text("No")]),
        ]),
        Message::Assistant(vec![call("c", json!({}))]),
        Message::User(vec![result("c", vec![])]),
        Message::Assistant(vec![AnswerBlock::Thinking { thinking: "hm".into(), signature: String::new() }]),
        Message::User(vec![UserBlock::text("Two"), UserBlock::text("blocks"), UserBlock::text("")]),
    ];
    let request = request("llama3.2", messages);
    let body = testing::body(&CHAT, &request, &ModelFacts::default());
    let function = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "Read", "arguments": arguments}});
    assert_eq!(
        body,
        json!({
            "model": "llama3.2",
            "stream": true,
            "stream_options": {"include_usage": true},
            "tools": [{"type": "function", "function": {
                "name": "Read", "description": "Reads a file.", "parameters": request.tools[0].input_schema,
            }}],
            "messages": [
                {"role": "system", "content": "You help.\n\nBe brief."},
                {"role": "user", "content": "Look"},
                {"role": "assistant", "content": "I look.", "tool_calls": [
                    function("a", r#"{"path":"x.png"}"#), function("b", r#"{"invalid_json":"{\"path\":"}"#),
                ]},
                {"role": "tool", "tool_call_id": "a", "content": "One\n[An image, shown after the results]"},
                {"role": "tool", "tool_call_id": "b", "content": "No"},
                {"role": "user", "content": [
                    {"type": "text", "text": "The image in the result of `a`:"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
                ]},
                {"role": "assistant", "content": "", "tool_calls": [function("c", "{}")]},
                {"role": "tool", "tool_call_id": "c", "content": ""},
                {"role": "user", "content": "Two\n\nblocks"},
            ],
        })
    );
    let blind = ModelFacts { images: Capability::Absent, ..ModelFacts::default() };
    let body = testing::body(&CHAT, &request, &blind);
    let words = body["messages"][3]["content"].as_str().unwrap();
    assert!(words.contains("does not support images") && !body.to_string().contains("base64"), "{body}");
    assert_eq!(body["messages"][5]["role"], "assistant", "no message for a picture that is not there");
}

/// The calls in the messages of a body, and behind each message the results.
fn calls_and_results(body: &Value) -> Vec<(Vec<String>, Vec<String>)> {
    let mut all: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for message in body["messages"].as_array().unwrap() {
        match message["role"].as_str().unwrap() {
            "assistant" => {
                let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
                let ids = calls.iter().map(|call| call["id"].as_str().unwrap().to_owned());
                all.push((ids.collect(), Vec::new()));
            }
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap().to_owned();
                all.last_mut().unwrap().1.push(id);
            }
            _ => {}
        }
    }
    all
}

#[test]
fn an_answer_with_many_calls_goes_back_in_messages_of_as_many_as_may_be() {
    for (count, sizes) in [(128, vec![128]), (129, vec![128, 1]), (300, vec![128, 128, 44])] {
        let ids: Vec<String> = (0..count).map(|at| format!("call_{at}")).collect();
        let mut said = vec![AnswerBlock::Text { text: "All at once.".into() }];
        said.extend(ids.iter().map(|id| call(id, json!({"path": "a"}))));
        let mut results: Vec<UserBlock> =
            ids.iter().map(|id| result(id, vec![ResultBlock::text(id), picture()])).collect();
        results.push(UserBlock::text("Go on"));
        let messages = vec![user("Look"), Message::Assistant(said), Message::User(results), user("Then?")];
        for model in ["m", "deepseek-v4"] {
            let request = request(model, messages.clone());
            let body = testing::body(&CHAT, &request, &ModelFacts::default());
            let groups = calls_and_results(&body);
            assert_eq!(groups.iter().map(|(calls, _)| calls.len()).collect::<Vec<_>>(), sizes, "{model}");
            assert!(groups.iter().all(|(calls, results)| calls == results));
            assert_eq!(groups.into_iter().flat_map(|(calls, _)| calls).collect::<Vec<_>>(), ids);
            let text = body.to_string();
            assert_eq!((text.matches("All at once.").count(), text.matches("Go on").count()), (1, 1));
            assert_eq!(text.matches("base64").count(), count);
        }
        only_appends(&CHAT, "m", &messages, &ModelFacts::default()).unwrap();
    }
}

#[test]
fn names_and_ids_go_back_as_services_take_them() {
    let long = "x".repeat(41);
    let gateways = format!("call_1__thought__{}", "aB+/".repeat(200));
    let named = |id: &str, name: &str| {
        let AnswerBlock::ToolUse(call) = call(id, json!({})) else { unreachable!() };
        AnswerBlock::ToolUse(forelook_protocol::ToolCall { name: name.into(), ..call })
    };
    let odd = [
        ("", "multi_tool_use.parallel"),
        (long.as_str(), ""),
        ("functions.Read:0", "a b!"),
        (&gateways, "é"),
    ];
    let said = odd.iter().map(|(id, name)| named(id, name)).collect();
    let results = odd.iter().map(|(id, _)| result(id, vec![ResultBlock::text("ok")])).collect();
    let messages = vec![user("Look"), Message::Assistant(said), Message::User(results)];
    let request = request("gemini-3-pro", messages);
    let ids = |model: &str| {
        let request = crate::Request { model: model.into(), ..request.clone() };
        let body = testing::body(&CHAT, &request, &ModelFacts::default());
        let calls = body["messages"][2]["tool_calls"].as_array().unwrap();
        let names: Vec<&str> = calls.iter().map(|call| call["function"]["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["multi_tool_use_parallel", "_", "a_b_", "_"]);
        let [(ids, results)] = &calls_and_results(&body)[..] else { panic!("{body}") };
        assert_eq!(ids, results);
        assert_eq!(ids.iter().collect::<std::collections::HashSet<_>>().len(), odd.len());
        ids.clone()
    };
    // A gateway has what it keeps in an id back; who has none is not sent it, whoever was asked before.
    let theirs = ids("gemini-3-pro");
    assert!(theirs[..3].iter().all(|id| (1..=40).contains(&id.len())), "{theirs:?}");
    assert_eq!((theirs[2].as_str(), &theirs[3]), ("functions.Read:0", &gateways));
    assert!(ids("gpt-5").iter().all(|id| (1..=40).contains(&id.len())));
    assert_eq!(ids("gemini-3-pro"), theirs);
}

#[test]
fn what_is_known_of_the_model_is_said_in_its_words() {
    let facts = ModelFacts { output: Some(9), effort: Some(Effort::Low), ..ModelFacts::default() };
    let fields = |model: &str| {
        let body = testing::body(&CHAT, &request(model, vec![user("x")]), &facts);
        let has = |name: &str| body.get(name).is_some();
        assert_eq!(body["reasoning_effort"], "low");
        (has("max_tokens"), has("max_completion_tokens"), has("stream_options"))
    };
    for own in ["gpt-5.2", "o4-mini", "chatgpt-4o-latest"] {
        assert_eq!(fields(own), (false, true, true), "{own}");
    }
    for other in ["gpt-oss:20b", "openai/gpt-5", "llama3.2", "mistral-small:24b", "mistralai/devstral-2512"] {
        assert_eq!(fields(other), (true, false, true), "{other}");
    }
    for mistral in
        ["mistral-large-latest", "labs-devstral-small-2512", "codestral-2508", "open-mistral-nemo-2407"]
    {
        assert_eq!(fields(mistral), (true, false, false), "{mistral}");
    }
    let mut bare = request("m", vec![user("x")]);
    (bare.system, bare.tools) = Default::default();
    let body = testing::body(&CHAT, &bare, &ModelFacts::default());
    assert!(body.get("tools").is_none() && body.get("max_tokens").is_none(), "{body}");
    assert_eq!(body["messages"].as_array().unwrap().len(), 1);
}

#[test]
fn thinking_goes_back_to_who_insists_on_it() {
    let thought = AnswerBlock::Thinking { thinking: "hm".into(), signature: String::new() };
    let messages = vec![
        user("x"),
        Message::Assistant(vec![thought, call("a", json!({}))]),
        user("y"),
        Message::Assistant(vec![call("b", json!({}))]),
    ];
    let sent = |model: &str| {
        let body = testing::body(&CHAT, &request(model, messages.clone()), &ModelFacts::default());
        [2, 4].map(|at| body["messages"][at].get("reasoning_content").cloned())
    };
    for insists in ["deepseek-reasoner", "deepseek/deepseek-v4-pro", "moonshotai/Kimi-K2-Thinking"] {
        assert_eq!(sent(insists), [Some(json!("hm")), Some(json!(""))], "{insists}");
    }
    for other in ["gpt-5", "llama3.2", "mistral-large-latest", "deepseek-r1-distill-llama-70b"] {
        assert_eq!(sent(other), [None, None], "{other}");
    }
}

#[derive(Debug, Clone)]
struct Server {
    ids: bool,
    names_again: bool,
    numbers: bool,
    mixed: bool,
}

/// A server that sends these calls in pieces of these sizes.
fn stream_of(server: &Server, inputs: &[String], sizes: &[usize]) -> Vec<String> {
    let mut sizes = sizes.iter().copied().cycle();
    let mut pieces: Vec<Vec<Value>> = Vec::new();
    for (at, input) in inputs.iter().enumerate() {
        let (mut rest, mut of_call) = (input.as_str(), Vec::new());
        while !rest.is_empty() {
            let size = sizes.next().unwrap();
            let end = rest.char_indices().nth(size).map_or(rest.len(), |(end, _)| end);
            let first = of_call.is_empty();
            let mut piece = json!({"function": {"arguments": &rest[..end]}});
            if server.numbers {
                piece["index"] = json!(at);
            }
            if server.ids && (first || !server.numbers) {
                piece["id"] = json!(format!("id{at}"));
            }
            if first || server.names_again {
                piece["function"]["name"] = json!("Read");
            }
            of_call.push(piece);
            rest = &rest[end..];
        }
        pieces.push(of_call);
    }
    let order: Vec<Value> = if server.mixed && (server.numbers || server.ids) {
        let longest = pieces.iter().map(Vec::len).max().unwrap_or(0);
        (0..longest)
            .flat_map(|at| pieces.iter().filter_map(move |of_call| of_call.get(at).cloned()))
            .collect()
    } else {
        pieces.into_iter().flatten().collect()
    };
    let chunks = order.iter().map(|piece| chunk(&json!({"tool_calls": [piece]})));
    chunks.chain([finish("tool_calls")]).collect()
}

proptest! {
    #[test]
    fn calls_in_any_pieces_are_the_same_calls(
        (ids, names_again, numbers, mixed) in any::<(bool, bool, bool, bool)>(),
        values in prop::collection::vec("[a-z{}\"\\\\é ]{0,12}", 1..5),
        sizes in prop::collection::vec(1usize..9, 1..6),
    ) {
        let server = Server { ids, names_again, numbers, mixed };
        let inputs: Vec<String> = values.iter().map(|value| json!({"path": value}).to_string()).collect();
        let read = testing::read(&CHAT, stream_of(&server, &inputs, &sizes));
        let expected: Vec<String> = inputs.iter().enumerate().map(|(at, input)| {
            let id = if ids { format!("id{at}") } else { format!("call_chatcmpl7_{at}") };
            format!("call {id} Read {input}")
        }).collect();
        prop_assert_eq!(read.blocks, expected);
    }

    #[test]
    fn words_in_any_pieces_are_the_same_words(
        thinking in prop::collection::vec("\\PC{0,5}", 0..6),
        text in prop::collection::vec("\\PC{0,5}", 0..6),
    ) {
        let thoughts = thinking.iter().map(|piece| chunk(&json!({"reasoning_content": piece, "content": null})));
        let words = text.iter().map(|piece| chunk(&json!({"content": piece})));
        let read = testing::read(&CHAT, thoughts.chain(words).chain([finish("stop")]));
        let (thinking, text) = (thinking.concat(), text.concat());
        let expected: Vec<String> = [("thinking", thinking), ("text", text)].into_iter()
            .filter(|(_, words)| !words.is_empty()).map(|(kind, words)| format!("{kind} {words}")).collect();
        prop_assert_eq!(read.blocks, expected);
    }

    #[test]
    fn requests_only_append(messages in testing::conversations(), blind in any::<bool>(), echo in any::<bool>()) {
        let images = if blind { Capability::Absent } else { Capability::Assumed };
        only_appends(&CHAT, if echo { "deepseek-v4" } else { "m" }, &messages, &ModelFacts { images, ..ModelFacts::default() })?;
    }

    #[test]
    fn nothing_breaks_the_reader(datas in prop::collection::vec("[\\[\\]{}:,\"a-z0-9]{0,20}", 0..4)) {
        testing::read(&CHAT, datas);
    }
}
