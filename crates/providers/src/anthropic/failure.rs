//! What a server means by an error.

use forelook_protocol::ProviderFailure;
use serde_json::Value;

use crate::failure::{self, Cause, is_too_long, is_unpaid};

/// An answer that is no stream. Nothing where it says nothing.
pub(super) fn failure_of(status: u16, text: &str) -> Option<ProviderFailure> {
    ApiError::read(text).map(|error| error.failure(Cause::of_status(status)))
}

/// An error where the next piece of an answer should have been.
pub(super) fn stream_failure(data: &str) -> ProviderFailure {
    match ApiError::read(data) {
        Some(error) => error.failure(Cause::Failed),
        None => garbled("an unreadable error", data),
    }
}

/// Something that no such server sends.
pub(super) fn garbled(what: &str, data: &str) -> ProviderFailure {
    failure::garbled("Anthropic Messages", what, data)
}

/// What a server says is wrong.
struct ApiError {
    kind: String,
    message: String,
}

impl ApiError {
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

    /// What it is; `otherwise` where its type is not known.
    fn cause(&self, otherwise: Cause) -> Cause {
        let cause = match self.kind.as_str() {
            "authentication_error" => Cause::Key,
            "permission_error" => Cause::NotAllowed,
            "rate_limit_error" => Cause::TooMany,
            "overloaded_error" => Cause::Overloaded,
            "api_error" | "timeout_error" | "conflict_error" => Cause::Failed,
            "request_too_large" => Cause::TooLarge,
            "billing_error" => Cause::Unpaid,
            "not_found_error" if self.message.to_ascii_lowercase().contains("model") => Cause::NoSuchModel,
            "not_found_error" => Cause::NotFound,
            "invalid_request_error" => Cause::Refused,
            _ => otherwise,
        };
        let words = format!("{} {}", self.kind, self.message.to_ascii_lowercase());
        match cause {
            Cause::Refused if is_too_long(&words) => Cause::TooLong,
            Cause::Refused if is_unpaid(&words) => Cause::Unpaid,
            cause => cause,
        }
    }

    fn failure(&self, otherwise: Cause) -> ProviderFailure {
        self.cause(otherwise).failure(&self.message)
    }
}
