//! What the tests of both dialects share.

use std::sync::Arc;

use forelook_protocol::{
    AnswerBlock, AnswerEvent, CallId, Message, ProviderFailure, ResultBlock, StopReason, ToolCall,
    ToolResult, ToolSpec, Usage, UserBlock,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::dialect::{Dialect, StreamParser};
use crate::{CacheTtl, ModelFacts, Request, WireCached};

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ParsedAnswer {
    pub(crate) blocks: Vec<String>,
    pub(crate) end: Result<(StopReason, Usage), ProviderFailure>,
    pub(crate) message: String,
    pub(crate) model: String,
}

/// Puts the events of an answer together, and holds them to the rules: one block at a time, one end, `Started` once.
pub(crate) fn gather(events: &[AnswerEvent]) -> ParsedAnswer {
    let (mut blocks, mut open) = (Vec::new(), None::<String>);
    let (mut started, mut end) = (None, None);
    for event in events {
        assert!(end.is_none(), "{event:?} after the end");
        match event {
            AnswerEvent::Started { id, model } => {
                assert!(started.replace((id.clone(), model.clone())).is_none(), "started twice");
            }
            AnswerEvent::TextStarted => assert_eq!(open.replace("text ".into()), None, "{events:?}"),
            AnswerEvent::ThinkingStarted => assert_eq!(open.replace("thinking ".into()), None, "{events:?}"),
            AnswerEvent::CallStarted { id, name } => {
                assert_eq!(open.replace(format!("call {id} {name} ")), None, "{events:?}");
            }
            AnswerEvent::Text { text } => piece(&mut open, "text ", text),
            AnswerEvent::Thinking { text } => piece(&mut open, "thinking ", text),
            AnswerEvent::Input { json } => piece(&mut open, "call ", json),
            AnswerEvent::BlockEnded => blocks.push(open.take().expect("an end without a block")),
            AnswerEvent::Opaque { wire_format: by, item } => {
                assert_eq!(open, None, "sealed inside a block");
                blocks.push(format!("sealed {by} {item}"));
            }
            AnswerEvent::Done { stop, usage } => {
                assert_eq!(open, None, "done inside a block");
                assert!(started.is_some(), "done without a start");
                end = Some(Ok((*stop, *usage)));
            }
            AnswerEvent::Failed(failure) => end = Some(Err(failure.clone())),
            AnswerEvent::Signature { .. } | AnswerEvent::Retrying(_) => panic!("not from here: {event:?}"),
        }
    }
    let (message, model) = started.unwrap_or_default();
    ParsedAnswer { blocks, end: end.expect("no end"), message, model }
}

fn piece(open: &mut Option<String>, kind: &str, text: &str) {
    let block = open.as_mut().expect("a piece without a block");
    assert!(block.starts_with(kind), "a piece of {kind} for {block}");
    assert!(!text.is_empty(), "an empty piece");
    block.push_str(text);
}

/// Reads a stream, closed after its last event.
pub(crate) fn read<S: AsRef<str>>(dialect: &dyn Dialect, datas: impl IntoIterator<Item = S>) -> ParsedAnswer {
    let (mut parser, mut out) = (dialect.parser(), Vec::new());
    for data in datas {
        if over(&out) {
            break;
        }
        parser.event("", data.as_ref(), &mut out);
    }
    close(&mut *parser, &mut out);
    gather(&out)
}

/// Whether the answer has ended.
pub(crate) fn over(out: &[AnswerEvent]) -> bool {
    matches!(out.last(), Some(AnswerEvent::Done { .. } | AnswerEvent::Failed(_)))
}

/// Closes the stream, if it has not ended.
pub(crate) fn close(parser: &mut dyn StreamParser, out: &mut Vec<AnswerEvent>) {
    if !over(out) {
        parser.closed(out);
    }
}

/// A request with these messages.
pub(crate) fn request(model: &str, messages: Vec<Message>) -> Request {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let tool = ToolSpec { name: "Read".into(), description: "Reads a file.".into(), input_schema: schema };
    Request {
        model: model.into(),
        system: Arc::new(WireCached::new(vec!["You help.".into(), "Be brief.".into()])),
        tools: Arc::new(WireCached::new(vec![tool])),
        messages: Arc::new(messages.into_iter().map(|message| Arc::new(WireCached::new(message))).collect()),
        cache_ttl: CacheTtl::Short,
        previous_body: Arc::default(),
    }
}

/// The body as JSON.
pub(crate) fn body(dialect: &dyn Dialect, request: &Request, facts: &ModelFacts) -> Value {
    let bytes = dialect.body(request, facts);
    serde_json::from_slice(&bytes)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&bytes)))
}

pub(crate) fn user(text: &str) -> Message {
    Message::User(vec![UserBlock::text(text)])
}

pub(crate) fn call(id: &str, input: Value) -> AnswerBlock {
    AnswerBlock::ToolUse(ToolCall { id: CallId(id.into()), name: "Read".into(), input })
}

pub(crate) fn result(id: &str, content: Vec<ResultBlock>) -> UserBlock {
    UserBlock::ToolResult(ToolResult { call: CallId(id.into()), content, is_error: false })
}

pub(crate) fn picture() -> ResultBlock {
    ResultBlock::Image { media_type: "image/png".into(), data: "iVBORw0KGgo=".into() }
}

/// Any conversation.
pub(crate) fn conversations() -> impl Strategy<Value = Vec<Message>> {
    let text =
        prop_oneof![Just(String::new()), "\\PC{1,12}", Just("a \"quoted\"\n line \\ \u{1} 🦀".to_owned())];
    let part = prop_oneof![text.clone().prop_map(ResultBlock::text), Just(picture())];
    let user = prop_oneof![
        text.clone().prop_map(UserBlock::text),
        Just(UserBlock::Image { media_type: "image/gif".into(), data: "R0lG".into() }),
        ("[a-z]{3}", prop::collection::vec(part, 0..3)).prop_map(|(id, parts)| result(&id, parts)),
    ];
    let input =
        prop_oneof![Just(json!({"path": "a"})), Just(json!("{\"cut")), Just(json!(null)), Just(json!({}))];
    let sealed = prop_oneof![
        Just(json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gA"})),
        Just(json!({"type": "reasoning", "id": "rs_2", "summary": [], "content": []})),
        Just(json!({"type": "message", "id": "msg_1", "phase": "commentary"})),
        Just(json!({"type": "function_call", "id": "fc_1"})),
    ];
    let answer = prop_oneof![
        text.clone().prop_map(|text| AnswerBlock::Text { text }),
        text.prop_map(|thinking| AnswerBlock::Thinking { thinking, signature: "s".into() }),
        (prop_oneof![Just("responses"), Just("anthropic")], sealed)
            .prop_map(|(by, item)| AnswerBlock::Opaque { wire_format: by.into(), item }),
        ("[a-z]{3}", input).prop_map(|(id, input)| call(&id, input)),
    ];
    let message = prop_oneof![
        prop::collection::vec(user, 0..4).prop_map(Message::User),
        prop::collection::vec(answer, 0..5).prop_map(Message::Assistant),
    ];
    prop::collection::vec(message, 0..10)
}

/// That every body, but for its end, is the beginning of the next, and that all of them are JSON.
pub(crate) fn only_appends(
    dialect: &dyn Dialect,
    model: &str,
    messages: &[Message],
    facts: &ModelFacts,
) -> Result<(), TestCaseError> {
    let whole = request(model, messages.to_vec());
    let mut before: Option<Vec<u8>> = None;
    // From the first message on: it gives a conversation its key for the cache.
    for end in 1..=messages.len() {
        let step = Request { messages: Arc::new(whole.messages[..end].to_vec()), ..whole.clone() };
        let now = dialect.body(&step, facts);
        prop_assert!(serde_json::from_slice::<Value>(&now).is_ok(), "{}", String::from_utf8_lossy(&now));
        let fresh = request(model, messages[..end].to_vec());
        prop_assert_eq!(&dialect.body(&fresh, facts), &now, "what is kept differs from what is made");
        if let Some(before) = before {
            prop_assert!(now.starts_with(&before[..before.len() - 2]), "{}", String::from_utf8_lossy(&now));
        }
        before = Some(now.to_vec());
    }
    Ok(())
}
