//! Models, as hosts know them: which can be chosen, what each was used for, and that one is asked again.

use std::collections::BTreeMap;

use forelook_protocol::{Cost, ModelInfo, ModelUsage, Retry, SessionId, TotalCost};
use serde_json::{Map, Value, json};

use super::outgoing::Parent;
use forelook_wording::{UNKNOWN, find_model, price, window};

/// The models that a host can choose from.
pub(crate) fn choices(models: &[ModelInfo]) -> Value {
    let choice = |model: &ModelInfo| json!({"value": model.name, "displayName": model.title, "description": description(model)});
    models.iter().map(choice).collect()
}

/// What is known of a model, in a line; what it lacks comes first.
fn description(model: &ModelInfo) -> String {
    let missing = model.missing.as_ref().map(|what| format!("Not available: {what}"));
    let window = model.window.map(|tokens| format!("{} tokens of context", window(tokens)));
    let price = model.price.as_ref().map(|it| format!("price per million tokens: {}", price(it)));
    let all: Vec<String> = [missing, window, price].into_iter().flatten().collect();
    all.join("; ")
}

/// What the whole session has cost.
pub(crate) fn total(spent: &BTreeMap<String, ModelUsage>) -> f64 {
    let mut total = Cost::default();
    for each in spent.values() {
        total += each.cost.known();
    }
    total.dollars()
}

/// What each model was used for. What is not known of one is a zero, since hosts expect numbers; a word beside says that
/// a cost is not known, or not all of it.
pub(crate) fn usage(spent: &BTreeMap<String, ModelUsage>, models: &[ModelInfo]) -> Value {
    let one = |(model, spent): (&String, &ModelUsage)| {
        let known = find_model(model, models);
        let mut used = json!({
            "inputTokens": spent.usage.input_tokens,
            "outputTokens": spent.usage.output_tokens,
            "cacheReadInputTokens": spent.usage.cache_read_input_tokens,
            "cacheCreationInputTokens": spent.usage.cache_creation_input_tokens,
            "webSearchRequests": 0,
            "costUSD": spent.cost.known().dollars(),
            "contextWindow": known.and_then(|it| it.window).unwrap_or_default(),
        });
        if let TotalCost::AtLeast(_) = spent.cost {
            used["cost"] = UNKNOWN.into();
        }
        (model.clone(), used)
    };
    Value::Object(spent.iter().map(one).collect::<Map<String, Value>>())
}

/// An answer is asked for again. Hosts count retries, we count attempts: the first retry is the second attempt.
pub(crate) fn api_retry(uuid: impl ToString, session: SessionId, parent: Parent<'_>, retry: &Retry) -> Value {
    json!({
        "type": "system", "subtype": "api_retry", "uuid": uuid.to_string(), "session_id": session,
        "parent_tool_use_id": parent,
        "attempt": retry.attempt.saturating_sub(1), "max_retries": retry.max_attempts.saturating_sub(1),
        "retry_delay_ms": retry.wait_ms,
        "error_status": retry.failure.status, "error": retry.failure.message, "model": retry.fallback,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::model;
    use forelook_protocol::Usage;

    #[test]
    fn models_to_choose_from() {
        let mut far = model("b/far", None);
        (far.window, far.missing) = (None, Some("`B_KEY` is not set".into()));
        let models = [model("a/one", Some((1_250, 10_000))), model("a/own", Some((0, 0))), far];
        insta::assert_snapshot!(choices(&models), @r#"[{"value":"a/one","displayName":"ONE","description":"200k tokens of context; price per million tokens: $1.25 in, $10 out"},{"value":"a/own","displayName":"OWN","description":"200k tokens of context; price per million tokens: free"},{"value":"b/far","displayName":"FAR","description":"Not available: `B_KEY` is not set"}]"#);
    }

    #[test]
    fn what_was_used_model_by_model() {
        let usage_of = |input_tokens, cache_read_input_tokens| Usage {
            input_tokens,
            cache_read_input_tokens,
            output_tokens: 2,
            cache_creation_input_tokens: 3,
        };
        let spent = BTreeMap::from([
            (
                "one".to_owned(),
                ModelUsage { usage: usage_of(10, 900), cost: TotalCost::Exact(Cost(12_500_000)) },
            ),
            ("other".to_owned(), ModelUsage { usage: usage_of(20, 0), cost: TotalCost::AtLeast(Cost(0)) }),
        ]);
        insta::assert_snapshot!(usage(&spent, &[model("a/one", None)]), @r#"{"one":{"inputTokens":10,"outputTokens":2,"cacheReadInputTokens":900,"cacheCreationInputTokens":3,"webSearchRequests":0,"costUSD":0.0125,"contextWindow":200000},"other":{"inputTokens":20,"outputTokens":2,"cacheReadInputTokens":0,"cacheCreationInputTokens":3,"webSearchRequests":0,"costUSD":0.0,"contextWindow":0,"cost":"unknown"}}"#);
        assert_eq!(total(&spent), 0.0125);
    }
}
