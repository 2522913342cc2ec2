//! The body of a request. Only what every compatible server takes is sent: many refuse a field that they do not know.

use std::borrow::Cow;

use bytes::Bytes;
use forelook_protocol::{AnswerBlock, Message, ResultBlock, ToolCall, ToolResult, ToolSpec, UserBlock};
use serde::Serialize;
use serde_json::Value;

use crate::openai::{self, Fragment, InputSupport, arguments, data_url, image_placeholder, json};
use crate::{Capability, Effort, ModelFacts, Request, WireFormat};

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
    let support = InputSupport { images, sealed: true, thinking: wants_thinking(&request.model) };
    let system = request.system.wire(WireFormat::Chat, |blocks| system_of(blocks));
    let tools = request.tools.wire(WireFormat::Chat, |tools| list_of(tools));
    let renamed = names_openai(&request.model);
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
    openai::body(request, facts, WireFormat::Chat, head, (support, items))
}

/// Whether this is a model on OpenAI's own servers, whose newer ones refuse `max_tokens`. Others know nothing else. The
/// open models of OpenAI's run anywhere; a gateway writes the maker before the name.
fn names_openai(model: &str) -> bool {
    let own = ["gpt-", "chatgpt-", "o1", "o3", "o4", "codex-"];
    own.iter().any(|start| model.starts_with(start)) && !model.starts_with("gpt-oss")
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
            name: &tool.name,
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
    name: &'a str,
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
    tool_call_id: &'a str,
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
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: FunctionCall<'a>,
}

#[derive(Serialize)]
struct FunctionCall<'a> {
    name: &'a str,
    arguments: String,
}

fn items(message: &Message, support: InputSupport) -> String {
    Fragment::of(message, support, user_items, assistant_items)
}

/// Results come first, for nothing may stand between a call and its result; they hold words only, and their pictures
/// follow in the words of the person.
fn user_items<'a>(blocks: &'a [UserBlock], support: InputSupport, fragment: &mut Fragment) {
    let mut pieces: Vec<Piece<'a>> = Vec::new();
    for block in blocks {
        if let UserBlock::ToolResult(result) = block {
            let content = tool_result_text(result, support, &mut pieces);
            fragment.push(&ToolMessage { role: "tool", tool_call_id: &result.call.0, content });
        }
    }
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
                    text: format!("The image in the result of `{}`:", result.call).into(),
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

/// Words and calls, and thinking only for who insists on it.
fn assistant_items(blocks: &[AnswerBlock], support: InputSupport, fragment: &mut Fragment) {
    // Without anything between their pieces: thinking may have cut the words anywhere, and words the thinking.
    let (mut words, mut thoughts) = (String::new(), String::new());
    let mut tool_calls = Vec::new();
    for block in blocks {
        match block {
            AnswerBlock::Text { text } => words.push_str(text),
            AnswerBlock::Thinking { thinking, .. } => thoughts.push_str(thinking),
            AnswerBlock::ToolUse(call) => tool_calls.push(tool_call(call)),
            AnswerBlock::Opaque { .. } => {}
        }
    }
    if words.trim().is_empty() {
        words.clear();
    }
    if !words.is_empty() || !tool_calls.is_empty() {
        // Empty and not null where there are no words: a template may print null as a word.
        let content = Content::Text(words.into());
        let reasoning_content = support.thinking.then_some(thoughts);
        fragment.push(&ChatMessage { role: "assistant", content, reasoning_content, tool_calls });
    }
}

fn tool_call(call: &ToolCall) -> Call<'_> {
    let function = FunctionCall { name: &call.name, arguments: arguments(&call.input) };
    Call { id: &call.id.0, kind: "function", function }
}
