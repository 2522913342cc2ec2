//! A failure as a server says it: a status, headers and JSON, in the words of each dialect.

use forelook_protocol::{FailureKind, ProviderFailure};
use forelook_providers::WireFormat;
use serde_json::{Value, json};

/// What a server answers in place of a stream.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) json: Value,
}

/// The failure in this dialect.
pub(super) fn of(wire_format: WireFormat, failure: &ProviderFailure) -> Refusal {
    let mut refusal = match wire_format {
        WireFormat::Anthropic => anthropic(failure),
        WireFormat::Responses | WireFormat::Chat => openai(failure),
    };
    refusal.headers.extend(failure.retry_after_ms.map(|wait| ("retry-after-ms", wait.to_string())));
    refusal
}

fn anthropic(failure: &ProviderFailure) -> Refusal {
    let (status, kind) = match failure.kind {
        FailureKind::Authentication => (401, "authentication_error"),
        FailureKind::RateLimited => (429, "rate_limit_error"),
        FailureKind::Overloaded => (529, "overloaded_error"),
        FailureKind::Server | FailureKind::Connection | FailureKind::Silence | FailureKind::Garbled => {
            (500, "api_error")
        }
        FailureKind::BadRequest | FailureKind::ContextOverflow | FailureKind::ScriptEnded => {
            (400, "invalid_request_error")
        }
    };
    let message = match failure.kind {
        FailureKind::ContextOverflow => "prompt is too long: 250000 tokens > 200000 maximum",
        _ => &failure.message,
    };
    let error = json!({"type": kind, "message": message});
    let json = json!({"type": "error", "error": error, "request_id": "req_testkit"});
    Refusal { status, headers: vec![("request-id", "req_testkit".to_owned())], json }
}

fn openai(failure: &ProviderFailure) -> Refusal {
    let (status, kind, code) = match failure.kind {
        FailureKind::Authentication => (401, "invalid_request_error", Some("invalid_api_key")),
        FailureKind::RateLimited => (429, "requests", Some("rate_limit_exceeded")),
        FailureKind::Overloaded => (503, "server_error", Some("server_is_overloaded")),
        FailureKind::Server | FailureKind::Connection | FailureKind::Silence | FailureKind::Garbled => {
            (500, "server_error", Some("server_error"))
        }
        FailureKind::ContextOverflow => (400, "invalid_request_error", Some("context_length_exceeded")),
        FailureKind::BadRequest | FailureKind::ScriptEnded => (400, "invalid_request_error", None),
    };
    let json = json!({"error": {"message": failure.message, "type": kind, "param": null, "code": code}});
    Refusal { status, headers: vec![("x-request-id", "req_testkit".to_owned())], json }
}
