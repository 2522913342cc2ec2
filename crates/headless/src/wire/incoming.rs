//! Lines that a host sends: messages of the person, and control requests.

use std::borrow::Cow;

use forelook_protocol::{Origin, UserBlock, without_lone_surrogates};
use serde::Deserialize;
use serde_json::Value;

/// One line.
#[derive(Debug, PartialEq)]
pub(crate) enum Incoming {
    /// The person says something, or the host in their place.
    User {
        /// What.
        content: Vec<UserBlock>,
        /// Who.
        origin: Origin,
    },
    /// The host wants something.
    Control {
        /// To be repeated in the answer, as it came.
        id: Value,
        /// What it wants, or why that cannot be read: it waits for an answer all the same.
        request: Result<Control, String>,
    },
    /// The host answers a request of ours.
    Response {
        /// Which request.
        id: String,
        /// The answer, or what went wrong on its side.
        response: Result<Value, String>,
    },
    /// A kind that we do not know: hosts grow faster than we do, so it is passed over.
    Other(String),
}

/// What a host may want.
#[derive(Debug, PartialEq)]
pub(crate) enum Control {
    /// The greeting.
    Initialize {
        /// Hooks that it carries out, as it wrote them.
        hooks: Value,
        /// Agents that it defines.
        agents: Option<Value>,
    },
    /// Stop the turn.
    Interrupt,
    /// Another mode.
    SetMode(String),
    /// Another model; nothing means the one from the start.
    SetModel(Option<String>),
    /// Which models there are.
    ListModels,
    /// Something that we do not know.
    Unknown(String),
}

/// A line that is not what it should be.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HostLineError {
    #[error("It is not JSON: {0}")]
    Json(serde_json::Error),
    #[error("It is no message of its type: {0}")]
    Shape(serde_json::Error),
    #[error("A block of type `{0}` is not allowed in a prompt; use `text` or `image`")]
    Block(String),
    #[error("It has no `request_id` that can be used")]
    RequestId,
}

/// What a line that cannot be read was meant as, where somebody waits for what follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MeantAs {
    /// A prompt: its sender waits for its result.
    Prompt,
    /// An answer to a request of ours: we wait for it.
    Response,
}

impl MeantAs {
    fn of(kind: &str) -> Option<Self> {
        match kind {
            "user" => Some(MeantAs::Prompt),
            "control_response" => Some(MeantAs::Response),
            _ => None,
        }
    }
}

#[derive(Deserialize)]
struct UserLine {
    message: UserMessage,
}

#[derive(Deserialize)]
struct UserMessage {
    content: Content,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Blocks(Vec<Value>),
}

/// Reads one line: first whose it is and what it answers, then the rest. So what is wrong with the rest can be told to
/// whoever waits.
pub(crate) fn parse(line: &str) -> Result<Incoming, HostLineError> {
    let mut value = read(line).map_err(HostLineError::Json)?;
    let kind = value["type"].as_str().unwrap_or_default().to_owned();
    match kind.as_str() {
        "user" => user(value),
        "control_request" => match value["request_id"].take() {
            Value::Null => Err(HostLineError::RequestId),
            id => Ok(Incoming::Control { id, request: control(&value["request"]) }),
        },
        "control_response" => response(&value["response"]),
        _ => Ok(Incoming::Other(kind)),
    }
}

/// What a line that cannot be read was meant as. Of a line that is not even JSON, a cut one for example, the type is all
/// that is looked for.
pub(crate) fn meant_as(line: &str) -> Option<MeantAs> {
    match read(line) {
        Ok(value) => value["type"].as_str().and_then(MeantAs::of),
        Err(_) => line.match_indices("\"type\"").find_map(|(at, key)| {
            let value = line[at + key.len()..].trim_start().strip_prefix(':')?.trim_start();
            MeantAs::of(value.strip_prefix('"')?.split_once('"')?.0)
        }),
    }
}

/// Reads JSON as programs write it. Python and JavaScript cut texts between the two halves of a character and write the
/// half that is left (`\ud83d`), which is no text to a strict reader.
fn read(line: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(line).or_else(|error| match without_lone_surrogates(line) {
        Cow::Owned(mended) => serde_json::from_str(&mended),
        Cow::Borrowed(_) => Err(error),
    })
}

/// Whose a message is. What says that it is from elsewhere cannot be anybody's consent.
fn origin(line: &Value) -> Origin {
    let synthetic = ["isSynthetic", "is_synthetic"].iter().any(|key| line[*key] == true);
    let kind = match &line["origin"] {
        Value::Null => Some("person"),
        Value::Object(fields) => fields.get("kind").or_else(|| fields.get("type")).and_then(Value::as_str),
        other => other.as_str(),
    };
    match kind {
        Some("human" | "person") if !synthetic => Origin::Person,
        _ => Origin::Host,
    }
}

fn words(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => "no reason was given".to_owned(),
        other => other.to_string(),
    }
}

fn user(value: Value) -> Result<Incoming, HostLineError> {
    let origin = origin(&value);
    let UserLine { message } = serde_json::from_value(value).map_err(HostLineError::Shape)?;
    let content = match message.content {
        Content::Text(text) => vec![UserBlock::text(text)],
        Content::Blocks(blocks) => blocks.into_iter().map(block).collect::<Result<_, _>>()?,
    };
    Ok(Incoming::User { content, origin })
}

/// A response that is not what it should be must still reach the question that it answers.
fn response(body: &Value) -> Result<Incoming, HostLineError> {
    let id = body["request_id"].as_str().ok_or(HostLineError::RequestId)?.to_owned();
    let response = match &body["subtype"] {
        Value::String(kind) if kind == "success" => Ok(body["response"].clone()),
        Value::String(kind) if kind == "error" => Err(words(body["error"].clone())),
        other => Err(format!("`{}` is not a kind of response", other.as_str().unwrap_or(&other.to_string()))),
    };
    Ok(Incoming::Response { id, response })
}

fn control(request: &Value) -> Result<Control, String> {
    let text = |field: &str| {
        request[field].as_str().map(str::to_owned).ok_or_else(|| {
            format!("The control request cannot be carried out: its `{field}` is missing or not a string")
        })
    };
    let subtype = text("subtype")?;
    Ok(match subtype.as_str() {
        "initialize" => Control::Initialize {
            hooks: request["hooks"].clone(),
            agents: Some(request["agents"].clone())
                .filter(|agents| !agents.is_null() && agents.as_object().is_none_or(|it| !it.is_empty())),
        },
        "interrupt" => Control::Interrupt,
        "set_permission_mode" => Control::SetMode(text("mode")?),
        "set_model" if request["model"].is_null() => Control::SetModel(None),
        "set_model" => Control::SetModel(Some(text("model")?)),
        "list_models" => Control::ListModels,
        _ => Control::Unknown(subtype),
    })
}

fn block(value: Value) -> Result<UserBlock, HostLineError> {
    #[derive(Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    enum Block {
        Text { text: String },
        Image { source: ImageSource },
    }
    #[derive(Deserialize)]
    struct ImageSource {
        media_type: String,
        data: String,
    }
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !matches!(kind.as_str(), "text" | "image") {
        return Err(HostLineError::Block(kind));
    }
    Ok(match serde_json::from_value(value).map_err(HostLineError::Shape)? {
        Block::Text { text } => UserBlock::Text { text },
        Block::Image { source } => UserBlock::Image { media_type: source.media_type, data: source.data },
    })
}

#[cfg(test)]
mod tests;
