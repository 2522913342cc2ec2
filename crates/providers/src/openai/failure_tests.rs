//! What servers say when they refuse, in their many forms.

use forelook_protocol::FailureKind::{
    Authentication, BadRequest, ContextOverflow, Overloaded, RateLimited, Server,
};

use super::*;

fn check(status: Option<u16>, text: &str, cause: Cause, message: &str) -> ProviderFailure {
    let failure = read_failure(status, text).unwrap_or_else(|| panic!("says nothing: {text}"));
    let expected = cause.failure(message);
    assert_eq!((failure.kind, &failure.message), (expected.kind, &expected.message), "{text}");
    failure
}

#[test]
fn every_shape_is_read() {
    let shapes = [
        r#"{"error":{"message":"No.","type":"invalid_request_error","param":null,"code":null}}"#,
        r#"{"error":"No."}"#,
        r#"{"detail":"No."}"#,
        r#"{"message":"No."}"#,
        r#"{"object":"error","message":"No.","type":"BadRequestError","param":null,"code":400}"#,
        r#"[{"error":{"code":400,"message":"No.","status":"INVALID_ARGUMENT"}}]"#,
        r#"{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"No.\"}}","provider_name":"X"}}}"#,
    ];
    for text in shapes {
        check(Some(400), text, Cause::Refused, "No");
    }
    let fastapi = r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Not permitted","input":1}]},"type":"invalid_request_error"}"#;
    check(Some(422), fastapi, Cause::Refused, "body.seed: Not permitted");
    let code_only = r#"{"error":{"message":"","code":"rate_limit_exceeded"}}"#;
    check(Some(429), code_only, Cause::TooMany, "rate_limit_exceeded");
    for nothing in ["", "{}", "[]", "null", "<html>", r#"{"error":null}"#, r#"{"error":{}}"#] {
        assert_eq!(read_failure(Some(500), nothing), None, "{nothing}");
    }
}

#[test]
fn a_conversation_that_is_too_long_is_known_in_every_tongue() {
    let texts = [
        r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}"#,
        r#"{"error":{"code":400,"message":"request (9001 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error"}}"#,
        r#"{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error"}}"#,
        r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","code":400}"#,
        r#"{"error":"prompt is too long: 200001 tokens > 200000 maximum"}"#,
        r#"{"error":"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}"#,
        r#"{"error":{"message":"Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 40000.","type":"tokens","code":"rate_limit_exceeded"}}"#,
    ];
    for text in texts {
        assert_eq!(read_failure(Some(429), text).unwrap().kind, ContextOverflow, "{text}");
    }
}

#[test]
fn what_helps_is_said() {
    let pull = check(
        Some(404),
        r#"{"error":{"message":"model 'qwen3:8b' not found, try pulling it first","type":"api_error"}}"#,
        Cause::NoSuchModel,
        "model 'qwen3:8b' not found, try pulling it first",
    );
    assert!(pull.hint.unwrap().contains("`ollama pull qwen3:8b`"));
    let quota = r#"{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}"#;
    assert!(
        check(Some(429), quota, Cause::Unpaid, "You exceeded your current quota")
            .hint
            .unwrap()
            .contains("Add credit")
    );
    let tools = r#"{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools"}}"#;
    assert!(read_failure(Some(400), tools).unwrap().hint.unwrap().contains("tools"));
    let unknown = r#"{"error":{"message":"The model `gpt-9` does not exist or you do not have access to it.","code":"model_not_found"}}"#;
    assert!(read_failure(Some(404), unknown).unwrap().hint.unwrap().contains("`forelook models`"));
}

#[test]
fn the_kind_decides_whether_to_try_again() {
    let cases = [
        (Some(401), r#"{"error":{"message":"x","code":"invalid_api_key"}}"#, Authentication),
        (Some(401), r#"{"detail":"x"}"#, Authentication),
        (Some(429), r#"{"message":"x"}"#, RateLimited),
        (Some(500), r#"{"error":"x"}"#, Server),
        (Some(503), r#"{"error":{"message":"x","type":"service_unavailable"}}"#, Overloaded),
        (Some(400), r#"{"error":"x"}"#, BadRequest),
        (Some(409), r#"{"error":"x"}"#, Server),
        (None, r#"{"error":{"code":502,"message":"x"}}"#, Server),
        (None, r#"{"error":{"code":429,"message":"x"}}"#, RateLimited),
        (None, r#"{"error":{"code":"server_error","message":"x"}}"#, Server),
        (None, r#"{"error":{"code":"invalid_prompt","message":"x"}}"#, BadRequest),
        (None, r#"{"error":"x"}"#, Server),
        (
            None,
            r#"{"error":{"code":"tool_use_failed","type":"invalid_request_error","message":"x"}}"#,
            Server,
        ),
        (None, r#"{"error":{"code":402,"message":"Insufficient credits"}}"#, BadRequest),
    ];
    for (status, text, kind) in cases {
        assert_eq!(read_failure(status, text).unwrap().kind, kind, "{status:?} {text}");
    }
    assert_eq!(read_failure(None, r#"{"error":{"code":502,"message":"x"}}"#).unwrap().status, Some(502));
}

#[test]
fn a_time_to_wait_is_read_from_the_words() {
    let after = |words: &str| {
        let text =
            serde_json::json!({"error": {"code": "rate_limit_exceeded", "message": words}}).to_string();
        read_failure(None, &text).unwrap().retry_after_ms
    };
    assert_eq!(after("Limit reached. Please try again in 1.3s. Visit us"), Some(1300));
    assert_eq!(after("Please try again in 250ms."), Some(250));
    assert_eq!(after("Please try again in 6m0s."), Some(360_000));
    assert_eq!(after("Please try again in 1h2m3.5s"), Some(3_723_500));
    assert_eq!(after("Please try again in a while"), None);
    assert_eq!(after("Please try again in 35 seconds."), Some(35_000));
    assert_eq!(after("Please wait"), None);
}

#[test]
fn a_page_of_words_is_cut() {
    let text = serde_json::json!({"error": "ä".repeat(5000)}).to_string();
    assert!(read_failure(Some(400), &text).unwrap().message.chars().count() < 700);
}
