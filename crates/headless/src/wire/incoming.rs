//! Lines that a host sends: messages of the person, and control requests.

use forelook_protocol::UserBlock;
use serde::Deserialize;
use serde_json::Value;

/// One line.
#[derive(Debug, PartialEq)]
pub(crate) enum Incoming {
    /// The person says something.
    User(Vec<UserBlock>),
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
        /// Whether the host wants to be called as a hook.
        hooks: bool,
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
pub(crate) enum BadLine {
    #[error("It is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("A block of type `{0}` cannot be sent by a person; `text` and `image` can")]
    Block(String),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    User { message: UserMessage },
    ControlRequest { request_id: String, request: Request },
    ControlResponse { response: Response },
}

/// Lenient: a response that is not what it should be must still reach the question that it answers.
#[derive(Deserialize)]
struct Response {
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
struct Request {
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
pub(crate) fn parse(line: &str) -> Result<Incoming, BadLine> {
    let value: Value = serde_json::from_str(line)?;
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !matches!(kind.as_str(), "user" | "control_request" | "control_response") {
        return Ok(Incoming::Other(kind));
    }
    Ok(match serde_json::from_value(value)? {
        Line::User { message } => Incoming::User(match message.content {
            Content::Text(text) => vec![UserBlock::text(text)],
            Content::Blocks(blocks) => blocks.into_iter().map(block).collect::<Result<_, _>>()?,
        }),
        Line::ControlRequest { request_id, request } => {
            Incoming::Control { id: request_id, request: control(request) }
        }
        Line::ControlResponse { response } => {
            let answer = match response.subtype.as_str() {
                "success" => Ok(response.response),
                "error" => Err(words(response.error)),
                other => Err(format!("`{other}` is no kind of response")),
            };
            Incoming::Response { id: response.request_id, response: answer }
        }
    })
}

fn words(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => "no reason was given".to_owned(),
        other => other.to_string(),
    }
}

fn control(request: Request) -> Control {
    match request.subtype.as_str() {
        "initialize" => Control::Initialize {
            hooks: request.hooks.as_object().is_some_and(|hooks| !hooks.is_empty()),
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

fn block(value: Value) -> Result<UserBlock, BadLine> {
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
        return Err(BadLine::Block(kind));
    }
    Ok(match serde_json::from_value(value)? {
        Block::Text { text } => UserBlock::Text { text },
        Block::Image { source } => UserBlock::Image { media_type: source.media_type, data: source.data },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_that_hosts_send() {
        for (line, expected) in [
            (
                r#"{"type":"user","session_id":"","message":{"role":"user","content":"hi"},"parent_tool_use_id":null}"#,
                Incoming::User(vec![UserBlock::text("hi")]),
            ),
            (
                r#"{"type":"user","message":{"content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]}}"#,
                Incoming::User(vec![
                    UserBlock::text("a"),
                    UserBlock::Image { media_type: "image/png".into(), data: "AA==".into() },
                ]),
            ),
            (
                r#"{"type":"control_request","request_id":"r1","request":{"subtype":"initialize","hooks":null}}"#,
                Incoming::Control {
                    id: "r1".into(),
                    request: Control::Initialize { hooks: false, agents: None },
                },
            ),
            (
                r#"{"type":"control_request","request_id":"r1","request":{"subtype":"initialize","hooks":{"Stop":[]},"agents":{"rev":{"prompt":"p"}}}}"#,
                Incoming::Control {
                    id: "r1".into(),
                    request: Control::Initialize {
                        hooks: true,
                        agents: Some(json!({"rev": {"prompt": "p"}})),
                    },
                },
            ),
            (
                r#"{"type":"control_response","response":{"subtype":"success","request_id":"q","response":{"behavior":"deny"}}}"#,
                Incoming::Response { id: "q".into(), response: Ok(json!({"behavior": "deny"})) },
            ),
            (
                r#"{"type":"control_response","response":{"subtype":"error","request_id":"q","error":"boom"}}"#,
                Incoming::Response { id: "q".into(), response: Err("boom".into()) },
            ),
            (
                r#"{"type":"control_response","response":{"subtype":"maybe"}}"#,
                Incoming::Response {
                    id: String::new(),
                    response: Err("`maybe` is no kind of response".into()),
                },
            ),
            (
                r#"{"type":"control_request","request_id":"r1","request":{"subtype":"set_model","model":null}}"#,
                Incoming::Control { id: "r1".into(), request: Control::SetModel(None) },
            ),
            (
                r#"{"type":"control_request","request_id":"r1","request":{"subtype":"list_models"}}"#,
                Incoming::Control { id: "r1".into(), request: Control::ListModels },
            ),
            (r#"{"type":"dream"}"#, Incoming::Other("dream".into())),
            (r#"{}"#, Incoming::Other(String::new())),
        ] {
            assert_eq!(parse(line).unwrap(), expected, "{line}");
        }
    }

    #[test]
    fn broken_lines_say_what_is_broken() {
        for (line, part) in [
            ("{", "not JSON"),
            (r#"{"type":"user","message":{"content":[{"type":"tool_use"}]}}"#, "`tool_use`"),
            (r#"{"type":"user","message":{}}"#, "content"),
        ] {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(part), "{line} said {error}");
        }
    }
}
