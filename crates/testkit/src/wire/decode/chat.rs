//! OpenAI Chat Completions, read.

use forelook_protocol::{AnswerBlock, CallId, Message, ResultBlock, ToolResult, UserBlock};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Decoded, Effort, NameLimits, Turn, call, picture, picture_type, push_user, read, request, texts_or_list,
    tool, words,
};

const LIMITS: NameLimits = NameLimits { name: 64, id: 40, any_id: true };

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are read only to be sure of their types")]
struct Body {
    model: String,
    stream: bool,
    stream_options: Option<StreamOptions>,
    messages: Vec<Value>,
    #[serde(default)]
    tools: Vec<Tool>,
    max_tokens: Option<u64>,
    max_completion_tokens: Option<u64>,
    reasoning_effort: Option<Effort>,
    parallel_tool_calls: Option<bool>,
    prompt_cache_key: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Tool {
    Function { function: Function },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Function {
    name: String,
    description: String,
    parameters: Value,
}

#[derive(Deserialize)]
#[serde(tag = "role", rename_all = "snake_case", deny_unknown_fields)]
enum WireMessage {
    System {
        content: Value,
    },
    Developer {
        content: Value,
    },
    User {
        content: Value,
    },
    Assistant {
        #[serde(default)]
        content: Value,
        #[serde(default)]
        tool_calls: Vec<Call>,
    },
    Tool {
        tool_call_id: String,
        content: Value,
    },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Call {
    Function { id: String, function: FunctionCall },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FunctionCall {
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Content {
    Text { text: String },
    ImageUrl { image_url: Url },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Url {
    url: String,
    detail: Option<String>,
}

pub(super) fn decode(body: &[u8]) -> Result<Decoded, String> {
    let body: Body = read(body)?;
    if !body.stream {
        return Err("this server only streams: `stream` must be true".to_owned());
    }
    let (mut system, mut messages, mut turns) = (Vec::new(), Vec::new(), Vec::new());
    for raw in body.messages {
        let shown = raw.to_string();
        let wire = serde_json::from_value(raw.clone())
            .map_err(|error| format!("a message cannot be read: {error}: {shown:.200}"))?;
        let is_answer = matches!(wire, WireMessage::Assistant { .. });
        take(wire, &mut system, &mut messages)?;
        turns.push(Turn { is_answer, wire: raw });
    }
    let tools = body.tools.into_iter().map(|Tool::Function { function }| {
        tool(&LIMITS, function.name, function.description, function.parameters)
    });
    let tools = tools.collect::<Result<_, _>>()?;
    let wants_usage = body.stream_options.is_some_and(|options| options.include_usage);
    let request = request(body.model, system, tools, messages);
    Ok(Decoded { request, turns, wants_usage, wants_seals: false })
}

fn take(wire: WireMessage, system: &mut Vec<String>, messages: &mut Vec<Message>) -> Result<(), String> {
    match wire {
        WireMessage::System { content } | WireMessage::Developer { content } => {
            for part in parts(content)? {
                system.push(only_text(part)?);
            }
        }
        WireMessage::User { content } => {
            for part in parts(content)? {
                push_user(
                    messages,
                    match part {
                        ResultBlock::Text { text } => UserBlock::Text { text: words(text)? },
                        ResultBlock::Image { media_type, data } => UserBlock::Image { media_type, data },
                    },
                );
            }
        }
        WireMessage::Assistant { content, tool_calls } => messages.push(answer(content, tool_calls)?),
        WireMessage::Tool { tool_call_id, content } => {
            let content = parts(content)?;
            if content.iter().any(|part| matches!(part, ResultBlock::Image { .. })) {
                return Err(
                    "a tool message contains an image; this server accepts only text there".to_owned()
                );
            }
            // This wire does not say whether the call failed.
            let result = ToolResult { call: CallId(tool_call_id), content, is_error: false };
            push_user(messages, UserBlock::ToolResult(result));
        }
    }
    Ok(())
}

/// How many calls one message may have.
const MAX_CALLS: usize = 128;

fn answer(content: Value, calls: Vec<Call>) -> Result<Message, String> {
    if calls.len() > MAX_CALLS {
        return Err(format!("a message has {} calls; it may have {MAX_CALLS}", calls.len()));
    }
    let mut blocks = Vec::new();
    // Beside calls a text may be empty.
    if content != "" {
        for part in parts(content)? {
            blocks.push(AnswerBlock::Text { text: only_text(part)? });
        }
    }
    for Call::Function { id, function } in calls {
        let input = serde_json::from_str(&function.arguments)
            .map_err(|error| format!("the arguments of `{id}` are not JSON: {error}"))?;
        blocks.push(call(&LIMITS, id, function.name, input)?);
    }
    if blocks.is_empty() {
        return Err("an answer has neither text nor calls".to_owned());
    }
    Ok(Message::Assistant(blocks))
}

fn parts(content: Value) -> Result<Vec<ResultBlock>, String> {
    let content = texts_or_list(content, |text| Content::Text { text })?;
    content.into_iter().map(part).collect()
}

fn part(content: Content) -> Result<ResultBlock, String> {
    match content {
        Content::Text { text } => Ok(ResultBlock::Text { text }),
        Content::ImageUrl { image_url: Url { url, detail } } => {
            if let Some(other) = detail.filter(|it| !["auto", "low", "high"].contains(&it.as_str())) {
                return Err(format!("`detail` of an image is `{other}`"));
            }
            let (media_type, data) = picture(&url)?;
            Ok(ResultBlock::Image { media_type: picture_type(media_type)?, data })
        }
    }
}

fn only_text(part: ResultBlock) -> Result<String, String> {
    match part {
        ResultBlock::Text { text } => words(text),
        ResultBlock::Image { .. } => Err("an image appears where only text is allowed".to_owned()),
    }
}
