//! The body of a request. Only what every compatible server takes is sent: many refuse a field that they do not know.

use std::borrow::Cow;

use bytes::Bytes;
use forelook_protocol::{AnswerBlock, Message, Part, ToolCall, ToolResult, ToolSpec, UserBlock};
use serde::Serialize;
use serde_json::Value;

use crate::openai::{self, Fragment, Takes, arguments, data_url, json, unseen};
use crate::{Ability, Effort, Form, ModelFacts, Request};

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
    let pictures = facts.images == Ability::Assumed;
    let takes = Takes { pictures, sealed: true, thinking: wants_thinking(&request.model) };
    let system = request.system.wire(Form::Chat, |blocks| system_of(blocks));
    let tools = request.tools.wire(Form::Chat, |tools| list_of(tools));
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
    openai::body(request, facts, Form::Chat, head, (takes, items))
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
    json(&Said::plain("system", Content::Text(blocks.join("\n\n").into())))
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
struct Said<'a> {
    role: &'static str,
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
}

impl<'a> Said<'a> {
    fn plain(role: &'static str, content: Content<'a>) -> Self {
        Self { role, content, reasoning_content: None, tool_calls: Vec::new() }
    }
}

#[derive(Serialize)]
struct Answered<'a> {
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
    function: Called<'a>,
}

#[derive(Serialize)]
struct Called<'a> {
    name: &'a str,
    arguments: String,
}

fn items(message: &Message, takes: Takes) -> String {
    Fragment::of(message, takes, given, said)
}

/// Results come first, for nothing may stand between a call and its result; they hold words only, and their pictures
/// follow in the words of the person.
fn given<'a>(blocks: &'a [UserBlock], takes: Takes, fragment: &mut Fragment) {
    let mut pieces: Vec<Piece<'a>> = Vec::new();
    for block in blocks {
        if let UserBlock::ToolResult(result) = block {
            let content = answer(result, takes, &mut pieces);
            fragment.push(&Answered { role: "tool", tool_call_id: &result.call.0, content });
        }
    }
    for block in blocks {
        match block {
            UserBlock::Text { text } if text.is_empty() => {}
            UserBlock::Text { text } => pieces.push(Piece::Text { text: text.into() }),
            UserBlock::Image { media_type, data } => pieces.push(picture(media_type, data, takes)),
            UserBlock::ToolResult(_) => {}
        }
    }
    if !pieces.is_empty() {
        fragment.push(&Said::plain("user", content(pieces)));
    }
}

/// The words of a result. Its pictures go to `pieces`.
fn answer<'a>(result: &'a ToolResult, takes: Takes, pieces: &mut Vec<Piece<'a>>) -> String {
    let mut words: Vec<Cow<'a, str>> = Vec::new();
    for part in &result.content {
        match part {
            Part::Text { text } => words.push(text.into()),
            Part::Image { media_type, .. } if !takes.pictures => words.push(unseen(media_type).into()),
            Part::Image { media_type, data } => {
                words.push("[A picture: it follows after the results.]".into());
                pieces.push(Piece::Text {
                    text: format!("The picture in the result of `{}`:", result.call).into(),
                });
                pieces.push(picture(media_type, data, takes));
            }
        }
    }
    words.join("\n")
}

fn picture<'a>(media_type: &str, data: &str, takes: Takes) -> Piece<'a> {
    if takes.pictures {
        Piece::ImageUrl { image_url: Url { url: data_url(media_type, data) } }
    } else {
        Piece::Text { text: unseen(media_type).into() }
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
fn said(blocks: &[AnswerBlock], takes: Takes, fragment: &mut Fragment) {
    // Without anything between their pieces: thinking may have cut the words anywhere, and words the thinking.
    let (mut words, mut thoughts) = (String::new(), String::new());
    let mut tool_calls = Vec::new();
    for block in blocks {
        match block {
            AnswerBlock::Text { text } => words.push_str(text),
            AnswerBlock::Thinking { thinking, .. } => thoughts.push_str(thinking),
            AnswerBlock::ToolUse(call) => tool_calls.push(called(call)),
            AnswerBlock::Sealed { .. } => {}
        }
    }
    if !words.is_empty() || !tool_calls.is_empty() {
        // Empty and not null where there are no words: a template may print null as a word.
        let content = Content::Text(words.into());
        let reasoning_content = takes.thinking.then_some(thoughts);
        fragment.push(&Said { role: "assistant", content, reasoning_content, tool_calls });
    }
}

fn called(call: &ToolCall) -> Call<'_> {
    let function = Called { name: &call.name, arguments: arguments(&call.input) };
    Call { id: &call.id.0, kind: "function", function }
}
