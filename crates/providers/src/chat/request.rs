//! The body of a request. Only what every compatible server takes is sent: many refuse a field that they do not know.

use std::borrow::Cow;
use std::collections::HashMap;

use bytes::Bytes;
use forelook_protocol::{
    AnswerBlock, CallId, Message, ResultBlock, ToolCall, ToolResult, ToolSpec, UserBlock,
};
use serde::Serialize;
use serde_json::Value;

use crate::names::CHAT;
use crate::openai::{
    self, Fragment, InputSupport, ItemEncoder, arguments, data_url, image_placeholder, json, names_openai,
};
use crate::{Capability, Effort, ModelFacts, Request, WireFormat};

/// How many calls one message may have.
const MAX_CALLS: usize = 128;

#[derive(Serialize)]
struct Head<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

pub(super) fn body(request: &Request, facts: &ModelFacts) -> Bytes {
    let images = facts.images == Capability::Assumed;
    // OpenAI's newer models refuse `max_tokens`. Others know nothing else.
    let renamed = names_openai(&request.model);
    let thinking = wants_thinking(&request.model);
    let support = InputSupport { images, sealed: true, thinking, gateway_ids: !renamed };
    let system = request.system.wire(WireFormat::Chat, |blocks| system_of(blocks));
    let tools = request.tools.wire(WireFormat::Chat, |tools| list_of(tools));
    let head = Head {
        model: &request.model,
        stream: true,
        // Mistral sends its count unasked, and refuses to be asked.
        stream_options: (!names_mistral(&request.model)).then_some(StreamOptions { include_usage: true }),
        max_tokens: facts.output.filter(|_| !renamed),
        max_completion_tokens: facts.output.filter(|_| renamed),
        reasoning_effort: facts.effort.map(Effort::name),
    };
    let more: &[(&str, &str)] = if tools.is_empty() { &[] } else { &[("tools", tools)] };
    let head = openai::head(&head, more, "messages") + system;
    let encoder = ItemEncoder { items, items_behind };
    openai::body(request, facts, WireFormat::Chat, head, (support, encoder))
}

/// Whether this is a model on Mistral's own servers: there, names end in a month or in `latest`. Elsewhere they end in a
/// size or a tag.
fn names_mistral(model: &str) -> bool {
    let family = ["mistral-", "ministral-", "magistral-", "codestral-", "devstral-", "pixtral-", "voxtral-"];
    let name = model.strip_prefix("labs-").or(model.strip_prefix("open-")).unwrap_or(model);
    let version = model.rsplit('-').next().unwrap_or_default();
    let dated = version.len() == 4 && version.bytes().all(|byte| byte.is_ascii_digit());
    family.iter().any(|start| name.starts_with(start)) && (dated || version == "latest")
}

/// Whether this is a model whose makers refuse a conversation with calls in which an answer stands without its thinking,
/// be it empty. All others ignore the field or refuse it. Small models that learned from one of these are none of them.
fn wants_thinking(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    (model.contains("deepseek") || model.contains("kimi")) && !model.contains("distill")
}

fn system_of(blocks: &[String]) -> String {
    if blocks.is_empty() {
        return String::new();
    }
    json(&ChatMessage::plain("system", Content::Text(blocks.join("\n\n").into())))
}

fn list_of(tools: &[ToolSpec]) -> String {
    if tools.is_empty() {
        return String::new();
    }
    let tools = tools.iter().map(|tool| Tool {
        kind: "function",
        function: Function {
            name: CHAT.name(&tool.name),
            description: &tool.description,
            parameters: &tool.input_schema,
        },
    });
    json(&tools.collect::<Vec<_>>())
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: Cow<'a, str>,
    description: &'a str,
    parameters: &'a Value,
}

#[derive(Serialize)]
struct ChatMessage<'a> {
    role: &'static str,
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
}

impl<'a> ChatMessage<'a> {
    fn plain(role: &'static str, content: Content<'a>) -> Self {
        Self { role, content, reasoning_content: None, tool_calls: Vec::new() }
    }
}

#[derive(Serialize)]
struct ToolMessage<'a> {
    role: &'static str,
    tool_call_id: Cow<'a, str>,
    content: String,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Pieces(Vec<Piece<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: Url },
}

#[derive(Serialize)]
struct Url {
    url: String,
}

#[derive(Serialize)]
struct Call<'a> {
    id: Cow<'a, str>,
    #[serde(rename = "type")]
    kind: &'static str,
    function: FunctionCall<'a>,
}

#[derive(Serialize)]
struct FunctionCall<'a> {
    name: Cow<'a, str>,
    arguments: String,
}

fn items(message: &Message, support: InputSupport) -> String {
    Fragment::of(message, support, user_items, assistant_items)
}

/// Results come first, for nothing may stand between a call and its result; they hold words only, and their pictures
/// follow in the words of the person.
fn user_items(blocks: &[UserBlock], support: InputSupport, fragment: &mut Fragment) {
    let mut pieces = Vec::new();
    push_results(results(blocks), (support, &mut pieces), fragment);
    push_words(blocks, (support, pieces), fragment);
}

/// What follows an answer with more calls than one message may have: of the others come as many as may be, then their
/// results, and so on. The answer itself has the first of them.
fn items_behind(answer: &Message, message: &Message, support: InputSupport) -> Option<String> {
    let (Message::Assistant(said), Message::User(blocks)) = (answer, message) else { return None };
    let calls: Vec<&ToolCall> = calls(said).collect();
    if calls.len() <= MAX_CALLS {
        return None;
    }
    let by_call: HashMap<&CallId, &ToolResult> =
        results(blocks).map(|result| (&result.call, result)).collect();
    let (mut fragment, mut pieces) = (Fragment::default(), Vec::new());
    for (at, group) in calls.chunks(MAX_CALLS).enumerate() {
        let answered = group.iter().filter(|call| by_call.contains_key(&call.id));
        let tool_calls: Vec<Call<'_>> = answered.map(|call| tool_call(call, support)).collect();
        if at > 0 && !tool_calls.is_empty() {
            fragment.push(&assistant_message(String::new(), String::new(), tool_calls, support));
        }
        let results = group.iter().filter_map(|call| by_call.get(&call.id).copied());
        push_results(results, (support, &mut pieces), &mut fragment);
    }
    push_words(blocks, (support, pieces), &mut fragment);
    Some(fragment.into_items())
}

fn results(blocks: &[UserBlock]) -> impl Iterator<Item = &ToolResult> {
    blocks.iter().filter_map(|block| match block {
        UserBlock::ToolResult(result) => Some(result),
        UserBlock::Text { .. } | UserBlock::Image { .. } => None,
    })
}

fn calls(blocks: &[AnswerBlock]) -> impl Iterator<Item = &ToolCall> {
    blocks.iter().filter_map(|block| match block {
        AnswerBlock::ToolUse(call) => Some(call),
        AnswerBlock::Text { .. } | AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } => None,
    })
}

/// Pictures of results go to `pieces`.
fn push_results<'a>(
    results: impl Iterator<Item = &'a ToolResult>,
    (support, pieces): (InputSupport, &mut Vec<Piece<'a>>),
    fragment: &mut Fragment,
) {
    for result in results {
        let content = tool_result_text(result, support, pieces);
        let tool_call_id = support.id(&CHAT, &result.call);
        fragment.push(&ToolMessage { role: "tool", tool_call_id, content });
    }
}

/// What the person says, after these pieces.
fn push_words<'a>(
    blocks: &'a [UserBlock],
    (support, mut pieces): (InputSupport, Vec<Piece<'a>>),
    fragment: &mut Fragment,
) {
    for block in blocks {
        match block {
            UserBlock::Text { text } if text.trim().is_empty() => {}
            UserBlock::Text { text } => pieces.push(Piece::Text { text: text.into() }),
            UserBlock::Image { media_type, data } => pieces.push(image_piece(media_type, data, support)),
            UserBlock::ToolResult(_) => {}
        }
    }
    if !pieces.is_empty() {
        fragment.push(&ChatMessage::plain("user", content(pieces)));
    }
}

/// The words of a result. Its pictures go to `pieces`.
fn tool_result_text<'a>(
    result: &'a ToolResult,
    support: InputSupport,
    pieces: &mut Vec<Piece<'a>>,
) -> String {
    let mut words: Vec<Cow<'a, str>> = Vec::new();
    for part in &result.content {
        match part {
            ResultBlock::Text { text } => words.push(text.into()),
            ResultBlock::Image { media_type, .. } if !support.images => {
                words.push(image_placeholder(media_type).into())
            }
            ResultBlock::Image { media_type, data } => {
                words.push("[An image, shown after the results]".into());
                pieces.push(Piece::Text {
                    text: format!("The image in the result of `{}`:", support.id(&CHAT, &result.call)).into(),
                });
                pieces.push(image_piece(media_type, data, support));
            }
        }
    }
    words.join("\n")
}

fn image_piece<'a>(media_type: &str, data: &str, support: InputSupport) -> Piece<'a> {
    if support.images {
        Piece::ImageUrl { image_url: Url { url: data_url(media_type, data) } }
    } else {
        Piece::Text { text: image_placeholder(media_type).into() }
    }
}

/// A plain string where there is no picture: some servers know nothing else.
fn content(pieces: Vec<Piece<'_>>) -> Content<'_> {
    let words: Option<Vec<&str>> = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text { text } => Some(&**text),
            Piece::ImageUrl { .. } => None,
        })
        .collect();
    match words {
        Some(words) => Content::Text(words.join("\n\n").into()),
        None => Content::Pieces(pieces),
    }
}

/// Words and calls, and thinking only for who insists on it. Calls that are too many for one message come behind the
/// results of the first ones.
fn assistant_items(blocks: &[AnswerBlock], support: InputSupport, fragment: &mut Fragment) {
    // Without anything between their pieces: thinking may have cut the words anywhere, and words the thinking.
    let (mut words, mut thoughts) = (String::new(), String::new());
    for block in blocks {
        match block {
            AnswerBlock::Text { text } => words.push_str(text),
            AnswerBlock::Thinking { thinking, .. } => thoughts.push_str(thinking),
            AnswerBlock::ToolUse(_) | AnswerBlock::Opaque { .. } => {}
        }
    }
    if words.trim().is_empty() {
        words.clear();
    }
    let tool_calls: Vec<Call<'_>> =
        calls(blocks).take(MAX_CALLS).map(|call| tool_call(call, support)).collect();
    if !words.is_empty() || !tool_calls.is_empty() {
        fragment.push(&assistant_message(words, thoughts, tool_calls, support));
    }
}

fn assistant_message(
    words: String,
    thoughts: String,
    tool_calls: Vec<Call<'_>>,
    support: InputSupport,
) -> ChatMessage<'_> {
    // Empty and not null where there are no words: a template may print null as a word.
    let content = Content::Text(words.into());
    let reasoning_content = support.thinking.then_some(thoughts);
    ChatMessage { role: "assistant", content, reasoning_content, tool_calls }
}

fn tool_call(call: &ToolCall, support: InputSupport) -> Call<'_> {
    let function = FunctionCall { name: CHAT.name(&call.name), arguments: arguments(&call.input) };
    Call { id: support.id(&CHAT, &call.id), kind: "function", function }
}
