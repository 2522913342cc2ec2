//! What servers say when they give no answer.

use forelook_protocol::ProviderFailure;
use serde_json::Value;

use crate::failure::{self, Cause, is_too_long, is_unpaid};

/// A piece of an answer that cannot be read.
pub(crate) fn garbled(error: &serde_json::Error, data: &str) -> ProviderFailure {
    failure::garbled("OpenAI's API", &format!("unreadable data ({error})"), data)
}

/// What the server means by this JSON text, in whichever of the many shapes that there are. `status` is the one of the
/// answer, where this was all of it. Nothing, if the text says nothing.
pub(crate) fn read_failure(status: Option<u16>, text: &str) -> Option<ProviderFailure> {
    let value: Value = serde_json::from_str(text).ok()?;
    let error = ApiError::read(&value)?;
    let status = status.or(error.status);
    let (cause, hint) = error.meaning(status);
    let failure = cause.failure(error.shown());
    let retry_after_ms = failure.kind.is_transient().then(|| wait(&error.message)).flatten();
    Some(ProviderFailure { hint: hint.or(failure.hint), status, retry_after_ms, ..failure })
}

/// What the server means by an error inside of a stream.
pub(crate) fn stream_failure(text: &str) -> ProviderFailure {
    read_failure(None, text).unwrap_or_else(|| Cause::Failed.failure("no reason given"))
}

/// A server's error.
struct ApiError {
    message: String,
    /// Its code and type, in small letters.
    codes: String,
    /// A status inside of it: gateways pass on what the server behind them said.
    status: Option<u16>,
}

impl ApiError {
    fn read(value: &Value) -> Option<Self> {
        // Gemini puts its error into a list.
        let value = value.get(0).unwrap_or(value);
        let inner = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let message = match inner {
            Value::String(text) => text.clone(),
            _ => ["message", "detail", "msg", "error_description"]
                .iter()
                .find_map(|key| inner.get(key).or(value.get(key)))
                .map(message_text)
                .unwrap_or_default(),
        };
        let message =
            upstream_message(inner).filter(|_| message == "Provider returned error").unwrap_or(message);
        let mark = |key| inner.get(key).and_then(Value::as_str).unwrap_or_default();
        // Gemini's mark; outside of an error it is the state of something else.
        let state = if value.get("error").is_some() && inner != value { mark("status") } else { "" };
        let codes = [mark("code"), mark("type"), state].join(" ").to_lowercase();
        let status = inner.get("code").and_then(number).filter(|code| (400..600).contains(code));
        let empty = message.trim().is_empty() && codes.trim().is_empty() && status.is_none();
        (!empty).then_some(Self { message, codes, status })
    }

    fn shown(&self) -> &str {
        let message = self.message.trim();
        if message.is_empty() { self.codes.trim() } else { message }
    }

    /// What it is, and what to do about it where more than usual is known. The words count before the status: the same
    /// 400 may be a mistake or a conversation that is too long, and the same 429 may pass or not.
    fn meaning(&self, status: Option<u16>) -> (Cause, Option<String>) {
        let message_text = format!("{} {}", self.codes, self.message.to_lowercase());
        let has = |needles: &[&str]| needles.iter().any(|needle| message_text.contains(needle));
        if is_too_long(&message_text) {
            return (Cause::TooLong, None);
        }
        if is_unpaid(&message_text) {
            return (Cause::Unpaid, None);
        }
        if let Some(known_mistake) = self.known_mistake(&message_text) {
            return known_mistake;
        }
        let cause = if has(&["invalid_api_key", "authentication", "unauthenticated", "no_api_key"]) {
            Cause::Key
        } else if has(&["rate_limit", "rate limit", "too many requests", "resource_exhausted"]) {
            Cause::TooMany
        } else if has(&["overloaded", "slow_down", "insufficient_system_resource", "at capacity"]) {
            Cause::Overloaded
        } else if has(&["tool_use_failed"]) {
            // Groq: the model wrote a call that is none. The next attempt is another throw of the dice.
            Cause::Failed
        } else {
            match status {
                Some(status) => Cause::of_status(status),
                None if self.codes.contains("invalid") || self.codes.contains("policy") => Cause::Refused,
                None => Cause::Failed,
            }
        };
        (cause, None)
    }

    /// What to do about a mistake that is known.
    fn known_mistake(&self, message_text: &str) -> Option<(Cause, Option<String>)> {
        let has = |needle: &str| message_text.contains(needle);
        let refused = |hint: &str| Some((Cause::Refused, Some(hint.to_owned())));
        if has("not found") && has("model") && (has("model '") || has("model \"") || has("try pulling")) {
            let name = quoted(&self.message).unwrap_or("<model>");
            let hint =
                format!("If the server is Ollama, run `ollama pull {name}`; otherwise choose another model");
            return Some((Cause::NoSuchModel, Some(hint)));
        }
        if has("model_not_found") || (has("model") && has("does not exist")) {
            return Some((Cause::NoSuchModel, None));
        }
        if has("does not support tools") || has("tool use is not supported") {
            return refused("Choose a model that supports tools; Forelook cannot work without them");
        }
        if has("tool-call-parser") || has("--jinja") {
            return refused("Start the server with tool calls enabled");
        }
        if has("must be verified") {
            return refused(
                "Verify the organization with the provider, or choose a model that does not require it",
            );
        }
        if has("encrypted_content") || has("encrypted content") {
            return refused(
                "The thinking in this conversation belongs to another account or model: switch back to it, or start a new \
                 session",
            );
        }
        None
    }
}

/// The words of a message, which some servers make an object or a list.
fn message_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(message_text).collect::<Vec<_>>().join("; "),
        Value::Object(fields) => {
            let place: Vec<String> = fields
                .get("loc")
                .and_then(Value::as_array)
                .map(|path| path.iter().map(message_text).collect())
                .unwrap_or_default();
            let text = ["msg", "message", "detail"].iter().find_map(|key| fields.get(*key));
            let text = text.map_or_else(|| value.to_string(), message_text);
            if place.is_empty() { text } else { format!("{}: {text}", place.join(".")) }
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// What the server behind a gateway said (OpenRouter).
fn upstream_message(error: &Value) -> Option<String> {
    let raw = error.get("metadata")?.get("raw")?;
    let text = raw.as_str().map_or_else(|| raw.to_string(), str::to_owned);
    let inner =
        serde_json::from_str(&text).ok().and_then(|value| ApiError::read(&value)).map(|error| error.message);
    Some(inner.filter(|message| !message.is_empty()).unwrap_or(text))
}

fn number(value: &Value) -> Option<u16> {
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64().and_then(|number| number.try_into().ok()),
    }
}

/// The first word in quotes.
fn quoted(text: &str) -> Option<&str> {
    let start = text.find(['\'', '"', '`'])?;
    let quote = text[start..].chars().next()?;
    let rest = &text[start + 1..];
    rest.find(quote).map(|end| &rest[..end])
}

/// "Please try again in 1m2.5s": OpenAI says so in words where there is no header to say it in.
fn wait(message: &str) -> Option<u64> {
    let (_, mut rest) = message.split_once("try again in ")?;
    let mut total = 0.0;
    while let Some(end) = rest.find(|c: char| !c.is_ascii_digit() && c != '.') {
        let Ok(number) = rest[..end].parse::<f64>() else { break };
        let after = rest[end..].trim_start();
        let units = [("ms", 1.0), ("h", 3_600_000.0), ("m", 60_000.0), ("s", 1000.0)];
        let (name, each) = units.into_iter().find(|(name, _)| after.starts_with(name))?;
        total += number * each;
        rest = &after[name.len()..];
    }
    (total > 0.0).then_some(total.ceil() as u64)
}

#[cfg(test)]
#[path = "failure_tests.rs"]
mod tests;
