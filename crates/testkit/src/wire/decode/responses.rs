//! OpenAI Responses, read.

use forelook_protocol::{AnswerBlock, CallId, Message, ResultBlock, ToolResult, UserBlock};
use serde::Deserialize;
use serde_json::Value;

use super::super::seal::AFTER_REASONING;
use super::{
    Decoded, Effort, NameLimits, Turn, call, picture, picture_type, push_answer, push_user, read, request,
    sealed, texts_or_list, tool, words,
};

const LIMITS: NameLimits = NameLimits { name: 64, id: 64, any_id: true };

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are read only to be sure of their types")]
struct Body {
    model: String,
    stream: bool,
    store: bool,
    #[serde(default)]
    instructions: Option<String>,
    input: Value,
    #[serde(default)]
    tools: Vec<Tool>,
    #[serde(default)]
    include: Vec<String>,
    reasoning: Option<Reasoning>,
    max_output_tokens: Option<u64>,
    parallel_tool_calls: Option<bool>,
    prompt_cache_key: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read only to be sure of their types")]
struct Reasoning {
    effort: Option<Effort>,
    summary: Option<Summaries>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Summaries {
    Auto,
    Concise,
    Detailed,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are read only to be sure of their types")]
enum Tool {
    Function { name: String, description: String, parameters: Value, strict: bool },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are read only to be sure of their types")]
enum Item {
    Message {
        role: Role,
        content: Value,
        id: Option<String>,
        status: Option<Status>,
        phase: Option<Phase>,
    },
    FunctionCall {
        call_id: String,
        name: String,
        arguments: String,
        id: Option<String>,
        status: Option<Status>,
    },
    FunctionCallOutput {
        call_id: String,
        output: Value,
        id: Option<String>,
        status: Option<Status>,
    },
    Reasoning {
        id: String,
        summary: Vec<Summary>,
        encrypted_content: Option<String>,
        status: Option<Status>,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    User,
    Assistant,
    System,
    Developer,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    InProgress,
    Completed,
    Incomplete,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Phase {
    Commentary,
    FinalAnswer,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Summary {
    SummaryText { text: String },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are read only to be sure of their types")]
enum Content {
    InputText { text: String },
    InputImage { image_url: String, detail: Option<String> },
    OutputText { text: String, annotations: Vec<Value> },
}

pub(super) fn decode(body: &[u8]) -> Result<Decoded, String> {
    let body: Body = read(body)?;
    if !body.stream {
        return Err("this server only streams: `stream` must be true".to_owned());
    }
    if body.store {
        return Err("`store` must be false: the server must not keep anything".to_owned());
    }
    let mut items: Vec<Value> = Vec::new();
    match body.input {
        Value::String(text) => items.push(serde_json::json!({"role": "user", "content": text})),
        list => items.extend(serde_json::from_value::<Vec<Value>>(list).map_err(|error| error.to_string())?),
    }
    let mut system: Vec<String> = body.instructions.into_iter().collect();
    let (mut messages, mut turns) = (Vec::new(), Vec::new());
    let mut reasoned = Vec::new();
    for wire in items {
        follows_its_reasoning(&wire, &mut reasoned)?;
        let item = item(wire.clone())?;
        let is_answer = matches!(
            item,
            Item::FunctionCall { .. } | Item::Reasoning { .. } | Item::Message { role: Role::Assistant, .. }
        );
        take(item, &wire, &mut system, &mut messages)?;
        turns.push(Turn { is_answer, wire });
    }
    let tools = body.tools.into_iter().map(|Tool::Function { name, description, parameters, strict: _ }| {
        tool(&LIMITS, name, description, parameters)
    });
    let tools = tools.collect::<Result<_, _>>()?;
    let wants_seals = body.include.iter().any(|it| it == "reasoning.encrypted_content");
    let request = request(body.model, system, tools, messages);
    Ok(Decoded { request, turns, wants_usage: true, wants_seals })
}

/// An item whose id says that reasoning came before it needs that reasoning.
fn follows_its_reasoning(wire: &Value, reasoned: &mut Vec<String>) -> Result<(), String> {
    let id = wire["id"].as_str().unwrap_or_default();
    let response = |id: &str| Some(id.split_once('_')?.1.rsplit_once('_')?.0.to_owned());
    if wire["type"] == "reasoning" {
        reasoned.extend(response(id));
    }
    match id.strip_suffix(AFTER_REASONING).and_then(response) {
        Some(response) if !reasoned.contains(&response) => {
            Err(format!("the item `{id}` was provided without its required `reasoning` item"))
        }
        _ => Ok(()),
    }
}

/// A message may leave out that it is one.
fn item(mut wire: Value) -> Result<Item, String> {
    if let Some(fields) =
        wire.as_object_mut().filter(|it| it.contains_key("role") && !it.contains_key("type"))
    {
        fields.insert("type".to_owned(), "message".into());
    }
    let shown = wire.to_string();
    serde_json::from_value(wire).map_err(|error| format!("an item cannot be read: {error}: {shown:.200}"))
}

fn take(
    item: Item,
    wire: &Value,
    system: &mut Vec<String>,
    messages: &mut Vec<Message>,
) -> Result<(), String> {
    match item {
        Item::Message { role, content, .. } => {
            for content in texts_or_list(content, |text| Content::InputText { text })? {
                match role {
                    Role::User => push_user(messages, user_block(content)?),
                    Role::Assistant => push_answer(messages, AnswerBlock::Text { text: answered(content)? }),
                    Role::System | Role::Developer => system.push(only_text(content)?),
                }
            }
        }
        Item::FunctionCall { call_id, name, arguments, .. } => {
            let input = serde_json::from_str(&arguments)
                .map_err(|error| format!("the arguments of `{call_id}` are not JSON: {error}"))?;
            push_answer(messages, call(&LIMITS, call_id, name, input)?);
        }
        Item::FunctionCallOutput { call_id, output, .. } => {
            let content = texts_or_list(output, |text| Content::InputText { text })?;
            let content = content.into_iter().map(part).collect::<Result<Vec<_>, _>>()?;
            // This wire does not say whether the call failed.
            let result = ToolResult { call: CallId(call_id), content, is_error: false };
            push_user(messages, UserBlock::ToolResult(result));
        }
        Item::Reasoning { summary, encrypted_content, .. } => {
            let texts: Vec<String> = summary.into_iter().map(|Summary::SummaryText { text }| text).collect();
            let seal =
                encrypted_content.ok_or("a reasoning item came back without its `encrypted_content`")?;
            sealed(&texts.join("\n\n"), &seal)?;
            push_answer(
                messages,
                AnswerBlock::Opaque { wire_format: "responses".to_owned(), item: wire.clone() },
            );
        }
    }
    Ok(())
}

fn user_block(content: Content) -> Result<UserBlock, String> {
    Ok(match part(content)? {
        ResultBlock::Text { text } => UserBlock::Text { text: words(text)? },
        ResultBlock::Image { media_type, data } => UserBlock::Image { media_type, data },
    })
}

fn part(content: Content) -> Result<ResultBlock, String> {
    match content {
        Content::InputText { text } => Ok(ResultBlock::Text { text }),
        Content::InputImage { image_url, detail } => {
            if let Some(other) = detail.filter(|it| !["auto", "low", "high"].contains(&it.as_str())) {
                return Err(format!("`detail` of an image is `{other}`"));
            }
            let (media_type, data) = picture(&image_url)?;
            Ok(ResultBlock::Image { media_type: picture_type(media_type)?, data })
        }
        Content::OutputText { .. } => Err("the input contains the model's own output text".to_owned()),
    }
}

fn answered(content: Content) -> Result<String, String> {
    match content {
        // A plain text in a message of the model's has become this one.
        Content::OutputText { text, .. } | Content::InputText { text } => words(text),
        Content::InputImage { .. } => Err("an assistant message contains an image".to_owned()),
    }
}

fn only_text(content: Content) -> Result<String, String> {
    match content {
        Content::InputText { text } => words(text),
        _ => Err("the system prompt has something that is not text".to_owned()),
    }
}
