//! What a server gets from us, and what we make of what it sends.

mod bodies;
mod growth;
mod refusals;
mod streams;

use std::sync::Arc;

use forelook_protocol::{AnswerBlock, CallId, Message, Secret, ToolCall, ToolResult, UserBlock};
use serde_json::Value;

use super::Anthropic;
use crate::dialect::Dialect;
use crate::{CacheTtl, ModelFacts, Request, WireCached};

fn request(messages: Vec<Message>) -> Request {
    Request {
        model: "claude-opus-5".to_owned(),
        system: Arc::default(),
        tools: Arc::default(),
        messages: Arc::new(messages.into_iter().map(|message| Arc::new(WireCached::new(message))).collect()),
        cache_ttl: CacheTtl::default(),
        previous_body: Arc::default(),
    }
}

fn user(text: &str) -> Message {
    Message::User(vec![UserBlock::text(text)])
}

fn said(text: &str) -> AnswerBlock {
    AnswerBlock::Text { text: text.to_owned() }
}

fn call(id: &str, input: Value) -> AnswerBlock {
    AnswerBlock::ToolUse(ToolCall { id: CallId(id.to_owned()), name: "Read".to_owned(), input })
}

fn result(id: &str, text: &str) -> UserBlock {
    UserBlock::ToolResult(ToolResult::ok(CallId(id.to_owned()), text))
}

fn body(request: &Request, facts: &ModelFacts) -> String {
    String::from_utf8(Anthropic.body(request, facts).to_vec()).unwrap()
}

#[test]
fn keys_and_tokens_have_their_headers() {
    let check = |key: Option<&str>, expected: Option<(&str, &str)>| {
        let headers = Anthropic.headers(key.map(Secret::new).as_ref());
        assert_eq!(headers.first().unwrap(), &("anthropic-version", "2023-06-01".to_owned()));
        let credential = headers.get(1).map(|(name, value)| (*name, value.as_str()));
        assert_eq!(credential, expected);
    };
    check(None, None);
    check(Some("sk-ant-api03-x"), Some(("x-api-key", "sk-ant-api03-x")));
    check(Some("sk-ant-oat01-x"), Some(("authorization", "Bearer sk-ant-oat01-x")));
    check(Some("Bearer gateway"), Some(("authorization", "Bearer gateway")));
}

#[test]
fn a_count_of_tokens_is_read() {
    assert_eq!(Anthropic.parse_count(r#"{"input_tokens":2095,"more":1}"#), Some(2095));
    assert_eq!(Anthropic.parse_count(r#"{"type":"error"}"#), None);
    assert_eq!(Anthropic.parse_count("<html>"), None);
}
