//! Hooks that a host carries out itself: how it defines them, is called, and answers.

use forelook_protocol::{HookEvent, HostAnswer, HostHook, HostRequest, UnknownEvent};
use serde::Deserialize;
use serde_json::{Value, json};

/// What `hooks` of an `initialize` defines.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct HookDefinitions {
    /// One for each callback, in the order of the host.
    pub(crate) hooks: Vec<HostHook>,
    /// Events that this version does not have: hosts grow faster than we do.
    pub(crate) unknown: Vec<UnknownEvent>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HookMatcher {
    #[serde(default)]
    matcher: Option<String>,
    #[serde(default)]
    hook_callback_ids: Vec<String>,
    /// Seconds.
    #[serde(default)]
    timeout: Option<f64>,
    #[serde(default)]
    on_failure: Option<OnFailure>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum OnFailure {
    Continue,
    Block,
}

/// Reads `hooks`. One that is not understood is an error and never left out: the host relies on being asked.
pub(crate) fn read(hooks: Value) -> Result<HookDefinitions, String> {
    let mut defined = HookDefinitions::default();
    let events = match hooks {
        Value::Null => return Ok(defined),
        Value::Object(events) => events,
        _ => return Err("`hooks` must be an object that maps events to lists of matchers".to_owned()),
    };
    for (name, matchers) in events {
        let event = match name.parse::<HookEvent>() {
            Ok(event) => event,
            Err(unknown) => {
                defined.unknown.push(unknown);
                continue;
            }
        };
        let matchers: Option<Vec<HookMatcher>> = serde_json::from_value(matchers)
            .map_err(|error| format!("Cannot parse the hooks for `{name}`: {error}"))?;
        defined.hooks.extend(matchers.unwrap_or_default().into_iter().flat_map(|it| of(event, it)));
    }
    Ok(defined)
}

fn of(event: HookEvent, matcher: HookMatcher) -> impl Iterator<Item = HostHook> {
    let timeout_ms = matcher.timeout.and_then(milliseconds);
    let fail_closed = matcher.on_failure == Some(OnFailure::Block);
    let tools = matcher.matcher.unwrap_or_default();
    matcher.hook_callback_ids.into_iter().map(move |callback| HostHook {
        event,
        matcher: tools.clone(),
        callback,
        timeout_ms,
        fail_closed,
    })
}

/// Nothing for what is no time: the usual one counts then.
fn milliseconds(seconds: f64) -> Option<u64> {
    let time = std::time::Duration::try_from_secs_f64(seconds).ok()?;
    u64::try_from(time.as_millis()).ok().filter(|&time| time > 0)
}

/// The request that calls a hook.
pub(crate) fn request(request: &HostRequest, callback: &str, input: &Value) -> Value {
    json!({"type": "control_request", "request_id": request.id, "request": {
        "subtype": "hook_callback", "callback_id": callback, "input": input, "tool_use_id": request.call,
    }})
}

/// What a response means. A host that has nothing to say may leave it out.
pub(crate) fn answer(response: Result<Value, String>) -> HostAnswer {
    match response {
        Ok(Value::Null) => HostAnswer::Hook { output: json!({}) },
        Ok(output @ Value::Object(_)) => HostAnswer::Hook { output },
        Ok(other) => failed(format!("A hook must answer with an object, not `{other}`")),
        Err(message) => failed(message),
    }
}

fn failed(message: String) -> HostAnswer {
    HostAnswer::Failed { message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{question, uuid};
    use forelook_protocol::HostAsk;

    fn hook(event: HookEvent, matcher: &str, callback: &str) -> HostHook {
        let (matcher, callback) = (matcher.to_owned(), callback.to_owned());
        HostHook { event, matcher, callback, timeout_ms: None, fail_closed: false }
    }

    #[test]
    fn every_callback_becomes_a_hook() {
        let defined = read(json!({
            "PreToolUse": [
                {"matcher": "Write|Edit", "hookCallbackIds": ["hook_0", "hook_1"], "timeout": 1.5, "onFailure": "block"},
                {"matcher": null, "hookCallbackIds": ["hook_2"], "timeout": null, "onFailure": "continue"},
            ],
            "Stop": [{"hookCallbackIds": ["hook_3"], "timeout": -1}, {"matcher": "x"}],
            "Dreaming": [{"hookCallbackIds": ["hook_4"]}],
            "Notification": null,
        }));
        let guard = |callback| HostHook {
            timeout_ms: Some(1_500),
            fail_closed: true,
            ..hook(HookEvent::PreToolUse, "Write|Edit", callback)
        };
        let hooks = vec![
            guard("hook_0"),
            guard("hook_1"),
            hook(HookEvent::PreToolUse, "", "hook_2"),
            hook(HookEvent::Stop, "", "hook_3"),
        ];
        assert_eq!(defined, Ok(HookDefinitions { hooks, unknown: vec![UnknownEvent("Dreaming".into())] }));
        for nothing in [json!(null), json!({})] {
            assert_eq!(read(nothing), Ok(HookDefinitions::default()));
        }
    }

    #[test]
    fn a_hook_that_is_not_understood_is_not_lost_in_silence() {
        for (hooks, part) in [
            (json!([]), "must be an object"),
            (json!({"PreToolUse": {"matcher": "Write"}}), "`PreToolUse`"),
            (json!({"PreToolUse": [{"hookCallbackIds": "hook_0"}]}), "`PreToolUse`"),
            (json!({"PreToolUse": [{"hookCallbackIds": [], "onFailure": "shrug"}]}), "shrug"),
        ] {
            let error = read(hooks.clone()).unwrap_err();
            assert!(error.contains(part), "{hooks} said {error}");
        }
    }

    #[test]
    fn a_hook_as_hosts_see_it() {
        let (callback, input) = ("hook_0".to_owned(), json!({"hook_event_name": "PreToolUse"}));
        let asked = question(1, HostAsk::Hook { callback, input: input.clone() });
        assert_eq!(
            request(&asked, "hook_0", &input),
            json!({"type": "control_request", "request_id": uuid(1), "request": {
                "subtype": "hook_callback", "callback_id": "hook_0", "input": input, "tool_use_id": "call_1",
            }})
        );
    }

    #[test]
    fn responses_become_answers() {
        let said = json!({"decision": "block", "reason": "no"});
        for (response, expected) in [
            (Ok(said.clone()), HostAnswer::Hook { output: said }),
            (Ok(json!({})), HostAnswer::Hook { output: json!({}) }),
            (Ok(json!(null)), HostAnswer::Hook { output: json!({}) }),
            (Err("boom".to_owned()), HostAnswer::Failed { message: "boom".into() }),
        ] {
            assert_eq!(answer(response.clone()), expected, "{response:?}");
        }
        assert!(matches!(answer(Ok(json!("yes"))), HostAnswer::Failed { .. }));
    }
}
