//! Requests, byte for byte.

use std::sync::Arc;

use forelook_protocol::{AnswerBlock, CallId, Message, ResultBlock, ToolResult, ToolSpec, UserBlock};
use serde_json::{Value, json};

use super::{body, call, request, result, said, user};
use crate::anthropic::Anthropic;
use crate::dialect::Dialect;
use crate::{CacheTtl, Capability, Effort, ModelFacts, Request, Thinking, WireCached, WireFormat};

fn tools() -> Arc<WireCached<Vec<ToolSpec>>> {
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: format!("{name}s."),
        input_schema: json!({"type": "object"}),
    };
    Arc::new(WireCached::new(vec![tool("Read"), tool("Write")]))
}

fn system() -> Arc<WireCached<Vec<String>>> {
    Arc::new(WireCached::new(vec!["Be good.".to_owned(), "Here: /w".to_owned()]))
}

/// The messages of a body.
fn messages(body: &str) -> Value {
    serde_json::from_str::<Value>(body).unwrap()["messages"].take()
}

fn sent(message: Message) -> Value {
    let mut list = messages(&body(&request(vec![message]), &ModelFacts::default()).replace(MARK, ""));
    list[0]["content"].take()
}

const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;

#[test]
fn a_whole_request() {
    let image = UserBlock::Image { media_type: "image/png".to_owned(), data: "iVBO".to_owned() };
    let picture = ResultBlock::Image { media_type: "image/jpeg".to_owned(), data: "/9j/".to_owned() };
    let results = vec![
        result("a", "fn main() {}"),
        UserBlock::ToolResult(ToolResult::error(CallId("b".to_owned()), "No such file")),
        UserBlock::ToolResult(ToolResult {
            call: CallId("c".to_owned()),
            content: vec![ResultBlock::text("Here:"), picture],
            is_error: false,
        }),
    ];
    let answer = vec![
        AnswerBlock::Thinking { thinking: "Hm".to_owned(), signature: "Eq==".to_owned() },
        AnswerBlock::Opaque {
            wire_format: "anthropic".to_owned(),
            item: json!({"type": "redacted_thinking", "data": "x"}),
        },
        said("Let me \"look\""),
        call("a", json!({"file_path": "/b", "a": 1})),
        call("b", json!({})),
        call("c", json!({})),
    ];
    let conversation = vec![
        Message::User(vec![UserBlock::text("Look"), image]),
        Message::Assistant(answer),
        Message::User(results),
        user("Go on"),
    ];
    let request = Request { system: system(), tools: tools(), ..request(conversation) };
    let facts = ModelFacts {
        output: Some(64_000),
        thinking: Thinking::Adaptive,
        effort: Some(Effort::High),
        ..ModelFacts::default()
    };
    let expected = concat!(
        r#"{"model":"claude-opus-5","max_tokens":64000,"stream":true,"thinking":{"type":"adaptive"},"#,
        r#""output_config":{"effort":"high"},"#,
        r#""tools":[{"name":"Read","description":"Reads.","input_schema":{"type":"object"}},"#,
        r#"{"name":"Write","description":"Writes.","input_schema":{"type":"object"}}],"#,
        r#""system":[{"type":"text","text":"Be good."},"#,
        r#"{"type":"text","text":"Here: /w","cache_control":{"type":"ephemeral"}}],"#,
        r#""messages":[{"role":"user","content":[{"type":"text","text":"Look"},"#,
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBO"},"#,
        r#""cache_control":{"type":"ephemeral"}}]},"#,
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"Hm","signature":"Eq=="},"#,
        r#"{"type":"redacted_thinking","data":"x"},{"type":"text","text":"Let me \"look\""},"#,
        r#"{"type":"tool_use","id":"a","name":"Read","input":{"file_path":"/b","a":1}},"#,
        r#"{"type":"tool_use","id":"b","name":"Read","input":{}},"#,
        r#"{"type":"tool_use","id":"c","name":"Read","input":{}}]},"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","#,
        r#""content":[{"type":"text","text":"fn main() {}"}]},"#,
        r#"{"type":"tool_result","tool_use_id":"b","#,
        r#""content":[{"type":"text","text":"No such file"}],"is_error":true},"#,
        r#"{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"Here:"},"#,
        r#"{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"/9j/"}}],"#,
        r#""cache_control":{"type":"ephemeral"}}]},"#,
        r#"{"role":"user","content":[{"type":"text","text":"Go on","cache_control":{"type":"ephemeral"}}]}]}"#,
    );
    assert_eq!(body(&request, &facts), expected);
    let counted = expected.replace(r#","max_tokens":64000,"stream":true"#, "");
    let (path, count) = Anthropic.count_request(&request, &facts).unwrap();
    assert_eq!((path, String::from_utf8(count.to_vec()).unwrap()), ("/v1/messages/count_tokens", counted));
}

#[test]
fn limits_fit_each_other() {
    let check = |output, thinking, max_tokens: u64, budget: Option<u64>| {
        let facts = ModelFacts { output, thinking, ..ModelFacts::default() };
        let body: Value = serde_json::from_str(&body(&request(vec![user("x")]), &facts)).unwrap();
        assert_eq!(body["max_tokens"], max_tokens, "{facts:?}");
        assert_eq!(body["thinking"]["budget_tokens"].as_u64(), budget, "{facts:?}");
        assert_eq!(body.get("thinking").is_some(), budget.is_some(), "{facts:?}");
    };
    check(None, Thinking::Unspecified, 8192, None);
    check(Some(32_000), Thinking::Unspecified, 32_000, None);
    check(Some(32_000), Thinking::Budget(10_000), 32_000, Some(10_000));
    check(Some(32_000), Thinking::Budget(64_000), 32_000, Some(24_000));
    check(Some(32_000), Thinking::Budget(1), 32_000, Some(1024));
    check(Some(4096), Thinking::Budget(4096), 4096, Some(3072));
    check(Some(1024), Thinking::Budget(4096), 1024, None);
    check(None, Thinking::Budget(16_000), 24_192, Some(16_000));
    check(None, Thinking::Budget(u32::MAX), u64::from(u32::MAX) + 8192, Some(u64::from(u32::MAX)));
}

#[test]
fn one_mark_covers_what_is_before_the_conversation() {
    let marked = |system, tools| {
        let request = Request { system, tools, ..request(vec![]) };
        body(&request, &ModelFacts::default())
    };
    let none = marked(Arc::default(), Arc::default());
    assert!(none.ends_with(r#""stream":true,"messages":[]}"#), "{none}");
    let only_tools = marked(Arc::default(), tools());
    assert!(only_tools.ends_with(&format!(r#""input_schema":{{"type":"object"}}{MARK}}}],"messages":[]}}"#)));
    let blank = marked(Arc::new(WireCached::new(vec![" \n".to_owned()])), Arc::default());
    assert_eq!(blank, none);
    let both = marked(system(), tools());
    assert_eq!(both.matches(MARK).count(), 1);
    assert!(both.contains(&format!(r#""Here: /w"{MARK}}}]"#)));
}

#[test]
fn what_is_asked_rarely_is_kept_for_an_hour() {
    let request =
        Request { system: system(), cache_ttl: CacheTtl::OneHour, ..request(vec![user("a"), user("b")]) };
    let body = body(&request, &ModelFacts::default());
    assert_eq!(body.matches(r#""cache_control":{"type":"ephemeral","ttl":"1h"}"#).count(), 2, "{body}");
    assert!(!body.contains(MARK));
}

#[test]
fn what_a_server_would_refuse_is_left_out() {
    let answer = |blocks: Vec<AnswerBlock>| sent(Message::Assistant(blocks));
    let foreign = AnswerBlock::Thinking { thinking: "mine".to_owned(), signature: String::new() };
    let sealed =
        AnswerBlock::Opaque { wire_format: "responses".to_owned(), item: json!({"type": "reasoning"}) };
    let words = json!([{"type": "text", "text": "x"}]);
    assert_eq!(answer(vec![foreign.clone(), said(" "), sealed.clone(), said("x")]), words);
    assert_eq!(sent(Message::User(vec![UserBlock::text(""), UserBlock::text("x")])), words);
    let result = json!([{"type": "tool_result", "tool_use_id": "a"}]);
    assert_eq!(sent(Message::User(vec![super::result("a", "\n")])), result);

    let empty = Message::Assistant(vec![foreign, said(""), sealed]);
    let request = request(vec![user("a"), empty, user(" "), user("b")]);
    let roles: Vec<Value> = messages(&body(&request, &ModelFacts::default())).as_array().unwrap().clone();
    assert_eq!(roles.len(), 2);
    assert!(roles.iter().all(|message| message["role"] == "user"));
}

#[test]
fn results_come_first_in_their_message() {
    let content = sent(Message::User(vec![UserBlock::text("also"), result("a", "1"), result("b", "2")]));
    let kinds: Vec<&Value> = content.as_array().unwrap().iter().map(|block| &block["type"]).collect();
    assert_eq!(kinds, ["tool_result", "tool_result", "text"]);
    assert_eq!(content[0]["tool_use_id"], "a");
}

#[test]
fn an_input_is_always_an_object() {
    let input = |value: Value| sent(Message::Assistant(vec![call("a", value)]))[0]["input"].take();
    assert_eq!(input(json!({"x": 1})), json!({"x": 1}));
    assert_eq!(input(json!("{\"x\": ")), json!({"invalid_json": "{\"x\": "}));
    assert_eq!(input(json!([1])), json!({"invalid_json": "[1]"}));
    assert_eq!(input(Value::Null), json!({"invalid_json": "null"}));
}

#[test]
fn a_result_finds_its_call_whatever_its_id() {
    for id in ["call|1", "", "ü", "functions.Read:0", "toolu_01"] {
        let call = sent(Message::Assistant(vec![call(id, json!({}))]))[0]["id"].take();
        let result = sent(Message::User(vec![result(id, "x")]))[0]["tool_use_id"].take();
        assert_eq!(call, result);
    }
}

#[test]
fn pictures_go_only_to_whom_can_see_them() {
    let picture = |kind: &str| {
        Message::User(vec![UserBlock::Image { media_type: kind.to_owned(), data: "AA".to_owned() }])
    };
    let blind = ModelFacts { images: Capability::Absent, ..ModelFacts::default() };
    let part = ResultBlock::Image { media_type: "image/gif".to_owned(), data: "BB".to_owned() };
    let in_result = ToolResult { call: CallId("a".to_owned()), content: vec![part], is_error: false };
    let request = request(vec![picture("image/png"), Message::User(vec![UserBlock::ToolResult(in_result)])]);

    let first = body(&request, &blind);
    assert!(
        first.contains("[An image (image/png) was omitted: this model does not support images]"),
        "{first}"
    );
    assert!(first.contains("[An image (image/gif) was omitted"), "{first}");
    assert!(!first.contains("base64"));
    // The next model of the same conversation can see.
    assert_eq!(body(&request, &ModelFacts::default()).matches("base64").count(), 2);
    assert_eq!(body(&request, &blind), first);

    let odd = sent(picture("image/svg+xml"));
    assert_eq!(odd[0]["type"], "text");
    assert!(odd[0]["text"].as_str().unwrap().contains("(image/svg+xml)"));
}

#[test]
fn bytes_of_a_message_are_made_once() {
    let request = Request { system: system(), tools: tools(), ..request(vec![user("a"), user("b")]) };
    let first = body(&request, &ModelFacts::default());
    for message in request.messages.iter() {
        message.wire(WireFormat::Anthropic, |_| unreachable!());
    }
    request.tools.wire(WireFormat::Anthropic, |_| unreachable!());
    request.system.wire(WireFormat::Anthropic, |_| unreachable!());
    assert_eq!(body(&request, &ModelFacts::default()), first);
}
