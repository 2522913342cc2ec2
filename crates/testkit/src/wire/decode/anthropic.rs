//! Anthropic Messages, read.

use forelook_protocol::{AnswerBlock, CallId, Message, ResultBlock, ToolResult, UserBlock};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    Decoded, Effort, NameLimits, RequestKind, Turn, call, picture_type, read, request, sealed, texts_or_list,
    tool, unmarked, words,
};

const LIMITS: NameLimits = NameLimits { name: 128, id: usize::MAX, any_id: false };

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are read only to be sure of their types")]
struct Body {
    model: String,
    max_tokens: Option<u64>,
    stream: Option<bool>,
    #[serde(default)]
    system: Value,
    #[serde(default)]
    tools: Vec<Tool>,
    messages: Vec<WireMessage>,
    thinking: Option<Thinking>,
    output_config: Option<OutputConfig>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Thinking {
    Adaptive {},
    Disabled {},
    Enabled { budget_tokens: u64 },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are read only to be sure of their types")]
struct OutputConfig {
    effort: Effort,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are read only to be sure of their types")]
struct Tool {
    name: String,
    description: String,
    input_schema: Value,
    cache_control: Option<Mark>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are read only to be sure of their types")]
enum Mark {
    Ephemeral { ttl: Option<Ttl> },
}

#[derive(Deserialize)]
enum Ttl {
    #[serde(rename = "5m")]
    Minutes,
    #[serde(rename = "1h")]
    Hour,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireMessage {
    role: Role,
    content: Value,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Role {
    User,
    Assistant,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are read only to be sure of their types")]
enum Block {
    Text {
        text: String,
        cache_control: Option<Mark>,
    },
    Image {
        source: Source,
        cache_control: Option<Mark>,
    },
    ToolUse {
        id: String,
        name: String,
        input: Map<String, Value>,
        cache_control: Option<Mark>,
    },
    ToolResult {
        tool_use_id: String,
        #[serde(default)]
        content: Value,
        #[serde(default)]
        is_error: bool,
        cache_control: Option<Mark>,
    },
    Thinking {
        thinking: String,
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Source {
    Base64 { media_type: String, data: String },
}

/// How many marks the server takes.
const MARKS: usize = 4;

pub(super) fn decode(kind: RequestKind, body: &[u8]) -> Result<Decoded, String> {
    let mut raw: Value = read(body)?;
    let body: Body = read(body)?;
    limits(kind, &body)?;
    last_words(&body)?;
    marks(&mut raw)?;
    let turns = raw["messages"].as_array().into_iter().flatten();
    let turns =
        turns.map(|wire| Turn { is_answer: wire["role"] == "assistant", wire: wire.clone() }).collect();

    let system = texts_or_list(body.system, |text| Block::Text { text, cache_control: None })?;
    let system = system.into_iter().map(only_text).collect::<Result<_, _>>()?;
    let tools = body.tools.into_iter().map(|it| tool(&LIMITS, it.name, it.description, it.input_schema));
    let tools = tools.collect::<Result<_, _>>()?;
    let messages = body.messages.into_iter().map(message).collect::<Result<_, _>>()?;
    Ok(Decoded {
        request: request(body.model, system, tools, messages),
        turns,
        wants_usage: true,
        wants_seals: true,
    })
}

/// An answer that is to be gone on with.
fn last_words(body: &Body) -> Result<(), String> {
    let last = body.messages.last().filter(|message| message.role == Role::Assistant);
    let text = last.and_then(|message| match message.content.as_array()?.last()? {
        block if block["type"] == "text" => block["text"].as_str(),
        _ => None,
    });
    match text {
        Some(text) if text.ends_with(char::is_whitespace) => {
            Err("final assistant content cannot end with trailing whitespace".to_owned())
        }
        _ => Ok(()),
    }
}

fn limits(kind: RequestKind, body: &Body) -> Result<(), String> {
    match (kind, body.max_tokens, body.stream) {
        (RequestKind::Answer, Some(1..), Some(true)) | (RequestKind::Count, None, None) => {}
        (RequestKind::Answer, None | Some(0), _) => return Err("`max_tokens` is missing".to_owned()),
        (RequestKind::Answer, ..) => return Err("this server only streams: `stream` must be true".to_owned()),
        (RequestKind::Count, ..) => return Err("`max_tokens` and `stream` have no place here".to_owned()),
    }
    match body.thinking {
        Some(Thinking::Enabled { budget_tokens: ..1024 }) => {
            Err("`budget_tokens` is less than 1024".to_owned())
        }
        Some(Thinking::Enabled { budget_tokens })
            if body.max_tokens.is_some_and(|most| budget_tokens >= most) =>
        {
            Err("`max_tokens` must be greater than `budget_tokens`".to_owned())
        }
        _ => Ok(()),
    }
}

/// Takes the marks out, and looks that there are not too many.
fn marks(raw: &mut Value) -> Result<(), String> {
    let count: usize =
        ["tools", "system", "messages"].iter().filter_map(|key| raw.get_mut(key).map(unmarked)).sum();
    if count > MARKS {
        Err(format!("{count} blocks have `cache_control`; at most {MARKS} may"))
    } else {
        Ok(())
    }
}

fn only_text(block: Block) -> Result<String, String> {
    match block {
        Block::Text { text, .. } => words(text),
        _ => Err("the system prompt has a block that is not text".to_owned()),
    }
}

fn message(wire: WireMessage) -> Result<Message, String> {
    let blocks = texts_or_list(wire.content, |text| Block::Text { text, cache_control: None })?;
    if blocks.is_empty() {
        return Err("a message has no content".to_owned());
    }
    if wire.role == Role::Assistant {
        if matches!(blocks.last(), Some(Block::Thinking { .. } | Block::RedactedThinking { .. })) {
            return Err("an assistant message ends with thinking".to_owned());
        }
        return Ok(Message::Assistant(blocks.into_iter().map(answered).collect::<Result<_, _>>()?));
    }
    let blocks: Vec<UserBlock> = blocks.into_iter().map(user_block).collect::<Result<_, _>>()?;
    let is_result = |block: &UserBlock| matches!(block, UserBlock::ToolResult(_));
    if !blocks.iter().is_sorted_by_key(|block| !is_result(block)) {
        return Err("results must come before everything else in their message".to_owned());
    }
    Ok(Message::User(blocks))
}

fn user_block(block: Block) -> Result<UserBlock, String> {
    Ok(match block {
        Block::Text { text, .. } => UserBlock::Text { text: words(text)? },
        Block::Image { source: Source::Base64 { media_type, data }, .. } => {
            UserBlock::Image { media_type: picture_type(media_type)?, data }
        }
        Block::ToolResult { tool_use_id, content, is_error, .. } => {
            let content = texts_or_list(content, |text| Block::Text { text, cache_control: None })?;
            let content = content.into_iter().map(part).collect::<Result<_, _>>()?;
            UserBlock::ToolResult(ToolResult { call: CallId(tool_use_id), content, is_error })
        }
        Block::ToolUse { .. } | Block::Thinking { .. } | Block::RedactedThinking { .. } => {
            return Err("a user message contains an assistant block".to_owned());
        }
    })
}

fn part(block: Block) -> Result<ResultBlock, String> {
    match block {
        Block::Text { text, .. } => Ok(ResultBlock::Text { text: words(text)? }),
        Block::Image { source: Source::Base64 { media_type, data }, .. } => {
            Ok(ResultBlock::Image { media_type: picture_type(media_type)?, data })
        }
        _ => Err("a result has a block that is neither text nor an image".to_owned()),
    }
}

fn answered(block: Block) -> Result<AnswerBlock, String> {
    Ok(match block {
        Block::Text { text, .. } => AnswerBlock::Text { text: words(text)? },
        Block::Thinking { thinking, signature } => {
            sealed(&thinking, &signature)?;
            AnswerBlock::Thinking { thinking, signature }
        }
        Block::RedactedThinking { data } => {
            let item = serde_json::json!({"type": "redacted_thinking", "data": data});
            AnswerBlock::Opaque { wire_format: "anthropic".to_owned(), item }
        }
        Block::ToolUse { id, name, input, .. } => call(&LIMITS, id, name, Value::Object(input))?,
        Block::Image { .. } | Block::ToolResult { .. } => {
            return Err("an assistant message contains a user block".to_owned());
        }
    })
}
