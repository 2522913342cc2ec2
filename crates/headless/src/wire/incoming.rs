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
        /// To be repeated in the answer.
        id: String,
        /// What it wants.
        request: Control,
    },
    /// The host answers a request of ours.
    Response {
        /// Which request; empty if it does not say.
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
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum HostLine {
    User { message: UserMessage },
    ControlRequest { request_id: String, request: ControlRequestBody },
    ControlResponse { response: ControlResponseBody },
}

/// Lenient: a response that is not what it should be must still reach the question that it answers.
#[derive(Deserialize)]
struct ControlResponseBody {
    #[serde(default)]
    subtype: String,
    #[serde(default)]
    request_id: String,
    #[serde(default)]
    response: Value,
    #[serde(default)]
    error: Value,
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

#[derive(Deserialize)]
struct ControlRequestBody {
    subtype: String,
    #[serde(default)]
    mode: String,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    hooks: Value,
    #[serde(default)]
    agents: Value,
}

/// Reads one line.
pub(crate) fn parse(line: &str) -> Result<Incoming, HostLineError> {
    let value = read(line).map_err(HostLineError::Json)?;
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !matches!(kind.as_str(), "user" | "control_request" | "control_response") {
        return Ok(Incoming::Other(kind));
    }
    let origin = origin(&value);
    Ok(match serde_json::from_value(value).map_err(HostLineError::Shape)? {
        HostLine::User { message } => Incoming::User {
            content: match message.content {
                Content::Text(text) => vec![UserBlock::text(text)],
                Content::Blocks(blocks) => blocks.into_iter().map(block).collect::<Result<_, _>>()?,
            },
            origin,
        },
        HostLine::ControlRequest { request_id, request } => {
            Incoming::Control { id: request_id, request: control(request) }
        }
        HostLine::ControlResponse { response } => {
            let answer = match response.subtype.as_str() {
                "success" => Ok(response.response),
                "error" => Err(words(response.error)),
                other => Err(format!("`{other}` is not a kind of response")),
            };
            Incoming::Response { id: response.request_id, response: answer }
        }
    })
}

/// Whether a line that cannot be read was meant as a prompt: whoever sent it waits for its result. Of a line that is not
/// even JSON, a cut one for example, the type is all that is looked for.
pub(crate) fn is_prompt(line: &str) -> bool {
    match read(line) {
        Ok(value) => value["type"] == "user",
        Err(_) => line.match_indices("\"type\"").any(|(at, key)| {
            let value = line[at + key.len()..].trim_start().strip_prefix(':');
            value.is_some_and(|value| value.trim_start().starts_with("\"user\""))
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

fn control(request: ControlRequestBody) -> Control {
    match request.subtype.as_str() {
        "initialize" => Control::Initialize {
            hooks: request.hooks,
            agents: Some(request.agents)
                .filter(|agents| !agents.is_null() && agents.as_object().is_none_or(|it| !it.is_empty())),
        },
        "interrupt" => Control::Interrupt,
        "set_permission_mode" => Control::SetMode(request.mode),
        "set_model" => Control::SetModel(request.model),
        "list_models" => Control::ListModels,
        _ => Control::Unknown(request.subtype),
    }
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
