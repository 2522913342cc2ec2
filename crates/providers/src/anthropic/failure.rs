//! What a server means by an error, in our words and its own.

use forelook_protocol::{FailureKind, ProviderFailure};
use serde_json::Value;

/// How much of what a server sent is shown.
const SHOWN: usize = 400;

/// How servers say that a request has more tokens than the model can read: Anthropic's own two ways first, then those
/// of servers that are only compatible.
const TOO_LONG: [&str; 6] = [
    "prompt is too long",
    "exceed context limit",
    "maximum context length",
    "available context size",
    "context window",
    "exceed_context_size",
];

/// An answer that is no stream. Nothing where it says nothing.
pub(super) fn refusal(status: u16, text: &str) -> Option<ProviderFailure> {
    Complaint::read(text).map(|complaint| complaint.failure(by_status(status)))
}

/// An error where the next piece of an answer should have been.
pub(super) fn within_stream(data: &str) -> ProviderFailure {
    match Complaint::read(data) {
        Some(complaint) => complaint.failure(FailureKind::Server),
        None => garbled("an error that cannot be read", data),
    }
}

/// The connection ended, and the answer had not.
pub(super) fn cut() -> ProviderFailure {
    ProviderFailure::new(
        FailureKind::Connection,
        "The connection was closed before the model's answer was complete",
    )
    .hint("Send the prompt again; nothing of the answer was carried out")
}

/// Something that no such server sends.
pub(super) fn garbled(what: &str, data: &str) -> ProviderFailure {
    ProviderFailure::new(
        FailureKind::Garbled,
        format!("The model's server sent {what}: `{}`", quoted(data, 120)),
    )
    .hint("Send the prompt again; if it stays, check that the server's address is one for Anthropic Messages")
}

/// What a server says is wrong.
struct Complaint {
    kind: String,
    message: String,
}

impl Complaint {
    /// Reads Anthropic's form and its plainer relatives: `{"error": "…"}`, `{"message": "…"}`, `{"detail": "…"}`.
    fn read(text: &str) -> Option<Self> {
        let body: Value = serde_json::from_str(text).ok()?;
        let error = body.get("error").unwrap_or(&body);
        let text_at = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let message = error
            .as_str()
            .map(str::to_owned)
            .or_else(|| text_at(error, "message"))
            .or_else(|| text_at(&body, "message"))
            .or_else(|| text_at(&body, "detail"));
        let kind = body.get("error").and_then(|error| text_at(error, "type"));
        (kind.is_some() || message.is_some())
            .then(|| Self { kind: kind.unwrap_or_default(), message: message.unwrap_or_default() })
    }

    fn failure(&self, otherwise: FailureKind) -> ProviderFailure {
        let kind = self.failure_kind(otherwise);
        let what = self.what(kind);
        let said = quoted(&self.message, SHOWN);
        let message = if said.is_empty() { what.to_owned() } else { format!("{what}: {said}") };
        ProviderFailure { hint: self.hint(kind).map(str::to_owned), ..ProviderFailure::new(kind, message) }
    }

    fn failure_kind(&self, otherwise: FailureKind) -> FailureKind {
        let kind = match self.kind.as_str() {
            "authentication_error" | "permission_error" => FailureKind::Authentication,
            "rate_limit_error" => FailureKind::RateLimited,
            "overloaded_error" => FailureKind::Overloaded,
            "api_error" | "timeout_error" | "conflict_error" => FailureKind::Server,
            "invalid_request_error" | "not_found_error" | "billing_error" => FailureKind::BadRequest,
            // It is about bytes, not tokens; what helps is the same.
            "request_too_large" => FailureKind::ContextOverflow,
            _ => otherwise,
        };
        let too_long = TOO_LONG.iter().any(|words| self.says(words) || self.kind.contains(words));
        if kind == FailureKind::BadRequest && too_long { FailureKind::ContextOverflow } else { kind }
    }

    fn what(&self, kind: FailureKind) -> &'static str {
        match kind {
            FailureKind::Authentication if self.kind == "permission_error" => "The key does not allow this",
            FailureKind::Authentication => "The model's server refused the key",
            FailureKind::RateLimited => "The model's server takes no more requests of this key for now",
            FailureKind::Overloaded => "The model's server is overloaded",
            FailureKind::Server => "The model's server failed",
            FailureKind::ContextOverflow if self.kind == "request_too_large" => {
                "The request is larger than the model's server takes"
            }
            FailureKind::ContextOverflow => "The conversation is longer than the model can read",
            _ if self.kind == "not_found_error" => "The model's server does not have what was asked for",
            _ if self.is_about_money() => "The model's server wants to be paid first",
            _ => "The model's server refused the request",
        }
    }

    fn hint(&self, kind: FailureKind) -> Option<&'static str> {
        match kind {
            FailureKind::Authentication if self.kind == "permission_error" => {
                Some("Ask the key's owner for access, or choose another model with `--model`")
            }
            // Whoever sent the key knows where it came from, and says that.
            FailureKind::Authentication => None,
            FailureKind::ContextOverflow => {
                Some("Begin a new session, or continue this one with a model that can read more")
            }
            _ if self.kind == "not_found_error" && self.says("model") => {
                Some("Check the model's name: `forelook models` lists those that can be chosen")
            }
            _ if self.kind == "not_found_error" => Some("Check the server's address"),
            _ if self.is_about_money() => Some(
                "Add credit or raise the limit of the account that the key belongs to, or use another key",
            ),
            _ => None,
        }
    }

    fn is_about_money(&self) -> bool {
        self.kind == "billing_error"
            || ["credit balance", "spend limit", "usage limit"].iter().any(|it| self.says(it))
    }

    fn says(&self, words: &str) -> bool {
        self.message.to_ascii_lowercase().contains(words)
    }
}

fn by_status(status: u16) -> FailureKind {
    match status {
        401 | 403 => FailureKind::Authentication,
        413 => FailureKind::ContextOverflow,
        429 => FailureKind::RateLimited,
        503 | 529 => FailureKind::Overloaded,
        408 | 409 | 500.. => FailureKind::Server,
        _ => FailureKind::BadRequest,
    }
}

/// A text of the server's on one line and of bounded length, without what could move a terminal's cursor.
fn quoted(text: &str, most: usize) -> String {
    let plain: String = text
        .chars()
        // Far more than is shown is never looked at: an event may have megabytes.
        .take(most * 4)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
