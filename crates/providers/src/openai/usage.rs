//! What an answer cost, in the spelling of either dialect.

use forelook_protocol::Usage;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::tokens::count;

// Both spellings as fields of their own and not as aliases: there are servers that send both.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tokens {
    #[serde(deserialize_with = "count")]
    input_tokens: Option<u64>,
    #[serde(deserialize_with = "count")]
    prompt_tokens: Option<u64>,
    #[serde(deserialize_with = "count")]
    output_tokens: Option<u64>,
    #[serde(deserialize_with = "count")]
    completion_tokens: Option<u64>,
    input_tokens_details: Option<Details>,
    prompt_tokens_details: Option<Details>,
    /// DeepSeek's word for what came from its cache.
    #[serde(deserialize_with = "count")]
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Details {
    #[serde(deserialize_with = "count")]
    cached_tokens: Option<u64>,
    #[serde(deserialize_with = "count")]
    cache_write_tokens: Option<u64>,
}

/// Reads a server's count of tokens. Nothing, if it is none: an odd count costs no answer.
pub(crate) fn read_usage(raw: &RawValue) -> Option<Usage> {
    let tokens: Tokens = serde_json::from_str(raw.get())
        .inspect_err(|error| tracing::warn!(%error, "an unreadable token count"))
        .ok()?;
    let details = tokens.input_tokens_details.or(tokens.prompt_tokens_details).unwrap_or_default();
    let all = tokens.input_tokens.or(tokens.prompt_tokens)?;
    // Both are parts of all that was read, and cannot be more than it.
    let cached = details.cached_tokens.or(tokens.prompt_cache_hit_tokens).unwrap_or(0).min(all);
    let written = details.cache_write_tokens.unwrap_or(0).min(all - cached);
    Some(Usage {
        input_tokens: all - cached - written,
        output_tokens: tokens.output_tokens.or(tokens.completion_tokens).unwrap_or(0),
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: written,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::MAX_TOKENS;

    #[test]
    fn every_spelling_is_read() {
        let check = |json: &str, expected: Option<[u64; 4]>| {
            let raw: Box<RawValue> = serde_json::from_str(json).unwrap();
            let read = read_usage(&raw).map(|it| {
                [
                    it.input_tokens,
                    it.output_tokens,
                    it.cache_read_input_tokens,
                    it.cache_creation_input_tokens,
                ]
            });
            assert_eq!(read, expected, "{json}");
        };
        check(r#"{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}"#, Some([10, 2, 0, 0]));
        check(
            r#"{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":7}}"#,
            Some([3, 2, 7, 0]),
        );
        check(
            r#"{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":null}"#,
            Some([10, 2, 0, 0]),
        );
        check(
            r#"{"prompt_tokens":10,"completion_tokens":2,"prompt_cache_hit_tokens":4,"prompt_cache_miss_tokens":6}"#,
            Some([6, 2, 4, 0]),
        );
        check(
            r#"{"input_tokens":100,"output_tokens":5,"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":30}}"#,
            Some([10, 5, 60, 30]),
        );
        check(
            r#"{"input_tokens":9,"prompt_tokens":9,"output_tokens":1,"completion_tokens":1}"#,
            Some([9, 1, 0, 0]),
        );
        check(r#"{"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":7}}"#, Some([0, 0, 3, 0]));
        check(r#"{"prompt_tokens":"many"}"#, None);
        check(r#"{"prompt_tokens":7,"completion_tokens":"many"}"#, Some([7, 0, 0, 0]));
        for huge in ["18446744073709551615", "9223372036854775807", "1e300", "18446744073709551616"] {
            let json = format!(
                r#"{{"prompt_tokens":{huge},"completion_tokens":{huge},"prompt_tokens_details":{{"cached_tokens":{huge}}}}}"#
            );
            check(&json, Some([0, MAX_TOKENS, MAX_TOKENS, 0]));
        }
        check("{}", None);
    }
}
