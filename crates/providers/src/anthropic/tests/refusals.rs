//! What is made of errors that come instead of a stream.

use forelook_protocol::FailureKind::{
    Authentication, BadRequest, ContextOverflow, Overloaded, RateLimited, Server,
};
use forelook_protocol::{FailureKind, ProviderFailure};

use crate::anthropic::Anthropic;
use crate::dialect::Dialect;

fn refused(status: u16, kind: &str, message: &str) -> ProviderFailure {
    let text = format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}}}}"#);
    Anthropic.failure_of(status, &text).unwrap()
}

#[test]
fn every_error_has_a_kind() {
    let check = |status, kind, message, expected: FailureKind| {
        let failure = refused(status, kind, message);
        assert_eq!(failure.kind, expected, "{status} {kind} {message}");
        assert!(failure.message.ends_with(message), "{}", failure.message);
    };
    check(401, "authentication_error", "invalid x-api-key", Authentication);
    check(403, "permission_error", "not for you", Authentication);
    check(400, "invalid_request_error", "messages.0: wrong", BadRequest);
    check(404, "not_found_error", "model: claude-x", BadRequest);
    check(402, "billing_error", "unpaid", BadRequest);
    check(413, "request_too_large", "Request exceeds the maximum size", ContextOverflow);
    check(
        400,
        "invalid_request_error",
        "prompt is too long: 210000 tokens > 200000 maximum",
        ContextOverflow,
    );
    check(
        400,
        "invalid_request_error",
        "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
        ContextOverflow,
    );
    check(400, "exceed_context_size_error", "too big", ContextOverflow);
    check(429, "rate_limit_error", "too many input tokens per minute", RateLimited);
    check(500, "api_error", "oops", Server);
    check(504, "timeout_error", "late", Server);
    check(529, "overloaded_error", "Overloaded", Overloaded);
    // An unknown kind leaves it to the status.
    check(409, "new_error", "x", Server);
    check(503, "new_error", "x", Overloaded);
    check(422, "new_error", "x", BadRequest);
}

#[test]
fn what_to_do_is_said_where_it_is_known() {
    let check = |failure: ProviderFailure, words: &str| {
        let hint = failure.hint.unwrap_or_default();
        assert!(hint.contains(words), "`{hint}` for `{}`", failure.message);
    };
    check(refused(404, "not_found_error", "model: claude-x"), "`forelook models`");
    check(refused(403, "permission_error", "not for you"), "`--model`");
    let unpaid = "Your credit balance is too low to access the Anthropic API";
    check(refused(400, "invalid_request_error", unpaid), "Add credit");
    check(refused(402, "billing_error", "unpaid"), "Add credit");
    assert_eq!(refused(400, "invalid_request_error", "messages.0: wrong").hint, None);
    // Where the key came from is said by whoever sent it, if nothing stands in its way.
    assert_eq!(refused(401, "authentication_error", "invalid x-api-key").hint, None);
    // And the address by whoever asked there.
    assert_eq!(refused(404, "not_found_error", "Not found").hint, None);
}

#[test]
fn bodies_of_other_servers_count_by_their_status() {
    let check = |status, text: &str, expected: Option<(FailureKind, &str)>| {
        let failure = Anthropic.failure_of(status, text);
        let failure = failure.as_ref().map(|failure| (failure.kind, failure.message.as_str()));
        assert_eq!(failure, expected, "{text}");
    };
    let refused = "The model server rejected the request: no such thing";
    check(400, r#"{"error":"no such thing"}"#, Some((BadRequest, refused)));
    check(400, r#"{"message":"no\n  such\tthing"}"#, Some((BadRequest, refused)));
    check(400, r#"{"detail":"no such thing"}"#, Some((BadRequest, refused)));
    check(500, r#"{"error":{"message":"x","code":7}}"#, Some((Server, "The model server failed: x")));
    check(
        401,
        r#"{"error":{"type":"authentication_error"}}"#,
        Some((Authentication, "The model server rejected the key")),
    );
    check(500, "{}", None);
    check(500, "[]", None);
    check(500, "null", None);
    check(500, "<html>", None);
    check(500, "", None);
}
