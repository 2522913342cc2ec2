//! Lines of hosts, good and bad.

use super::*;
use serde_json::json;

fn person(content: Vec<UserBlock>) -> Incoming {
    Incoming::User { content, origin: Origin::Person }
}

#[test]
fn lines_that_hosts_send() {
    for (line, expected) in [
        (
            r#"{"type":"user","session_id":"","message":{"role":"user","content":"hi"},"parent_tool_use_id":null}"#,
            person(vec![UserBlock::text("hi")]),
        ),
        (
            r#"{"type":"user","message":{"content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]}}"#,
            person(vec![
                UserBlock::text("a"),
                UserBlock::Image { media_type: "image/png".into(), data: "AA==".into() },
            ]),
        ),
        (
            r#"{"type":"control_request","request_id":"r1","request":{"subtype":"initialize","hooks":null}}"#,
            Incoming::Control {
                id: "r1".into(),
                request: Ok(Control::Initialize { hooks: json!(null), agents: None }),
            },
        ),
        (
            r#"{"type":"control_request","request_id":"r1","request":{"subtype":"initialize","hooks":{"Stop":[]},"agents":{"rev":{"prompt":"p"}}}}"#,
            Incoming::Control {
                id: "r1".into(),
                request: Ok(Control::Initialize {
                    hooks: json!({"Stop": []}),
                    agents: Some(json!({"rev": {"prompt": "p"}})),
                }),
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
            r#"{"type":"control_response","response":{"subtype":"maybe","request_id":"q"}}"#,
            Incoming::Response { id: "q".into(), response: Err("`maybe` is not a kind of response".into()) },
        ),
        (
            r#"{"type":"control_response","response":{"subtype":5,"request_id":"q","response":{}}}"#,
            Incoming::Response { id: "q".into(), response: Err("`5` is not a kind of response".into()) },
        ),
        (
            r#"{"type":"control_request","request_id":"r1","request":{"subtype":"set_model","model":null}}"#,
            Incoming::Control { id: "r1".into(), request: Ok(Control::SetModel(None)) },
        ),
        (
            r#"{"type":"control_request","request_id":"r1","request":{"subtype":"list_models"}}"#,
            Incoming::Control { id: "r1".into(), request: Ok(Control::ListModels) },
        ),
        (
            r#"{"type":"control_request","request_id":7,"request":{"subtype":"interrupt","mode":null}}"#,
            Incoming::Control { id: json!(7), request: Ok(Control::Interrupt) },
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
        (r#"{"type":"user","message":{}}"#, "It is no message of its type: missing field `content`"),
        (r#"{"type":"user"}"#, "It is no message of its type: missing field `message`"),
        (r#"{"type":"control_request","request":{"subtype":"interrupt"}}"#, "no `request_id`"),
        (r#"{"type":"control_response"}"#, "no `request_id`"),
        (r#"{"type":"control_response","response":{"subtype":"success","request_id":5}}"#, "no `request_id`"),
    ] {
        let error = parse(line).unwrap_err().to_string();
        assert!(error.contains(part), "{line} said {error}");
    }
}

#[test]
fn only_what_a_person_said_is_theirs() {
    for (said, expected) in [
        (json!({}), Origin::Person),
        (json!({"isSynthetic": false, "origin": null}), Origin::Person),
        (json!({"isSynthetic": null}), Origin::Person),
        (json!({"origin": {"kind": "human"}}), Origin::Person),
        (json!({"origin": {"type": "person"}}), Origin::Person),
        (json!({"isSynthetic": true}), Origin::Host),
        (json!({"is_synthetic": true}), Origin::Host),
        (json!({"isSynthetic": true, "origin": {"kind": "human"}}), Origin::Host),
        (json!({"origin": {"kind": "task-notification"}}), Origin::Host),
        (json!({"origin": {"type": "channel", "server": "x"}}), Origin::Host),
        (json!({"origin": {}}), Origin::Host),
    ] {
        let mut line = json!({"type": "user", "message": {"content": "hi"}});
        line.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
        let Incoming::User { origin, .. } = parse(&line.to_string()).unwrap() else { panic!("{line}") };
        assert_eq!(origin, expected, "{line}");
    }
}

/// Programs that cut a text between the halves of a character send the half that is left.
#[test]
fn half_a_character_costs_no_prompt() {
    for (words, expected) in [
        (r"a\ud800b", "a\u{fffd}b"),
        (r"\uD83D", "\u{fffd}"),
        (r"\udc00\ud83d", "\u{fffd}\u{fffd}"),
        (r"\ud83d\ud83d\ude00", "\u{fffd}\u{1f600}"),
        (r"\ud83d\ude00 \ud83dA", "\u{1f600} \u{fffd}A"),
        (r"\\ud800 \ud800\n", "\\ud800 \u{fffd}\n"),
        (r"\\\ud800 ä\ud83d\u00e4", "\\\u{fffd} ä\u{fffd}ä"),
    ] {
        let line = format!(r#"{{"type":"user","message":{{"content":"{words}"}}}}"#);
        assert_eq!(parse(&line).unwrap(), person(vec![UserBlock::text(expected)]), "{line}");
    }
    assert!(parse(r#"{"type":"user","message":{"content":"\ud800\u12"}}"#).is_err());
    assert!(parse(r#"{"type":"user","message":{"content":"\ud8"#).is_err());
}

/// Whoever sent a prompt waits for its result, and we wait for answers, whatever became of the line on its way.
#[test]
fn what_broken_lines_were_meant_as() {
    let (prompt, response) = (Some(MeantAs::Prompt), Some(MeantAs::Response));
    for (line, expected) in [
        (r#"{"type":"user","message":{"content":"cut"#, prompt),
        (r#"{"type": "user", "message": {"content": "cut"#, prompt),
        (r#"{"message":{"content":"x"},"type" : "user","#, prompt),
        (r#"{"type":"user"}"#, prompt),
        (r#"{"type":"user","message":{"content":"\ud800"},"x":}"#, prompt),
        (r#"{"type":"control_response"}"#, response),
        (r#"{"type":"control_response","response":{"x":{"type":"user"}"#, response),
        (r#"{"type":"user","message":{"content":"\"type\":\"control_response\""#, prompt),
        (r#"{"type":"control_request","request_id":"1"#, None),
        (r#"{"type":"assistant","message":{"role":"user"}}"#, None),
        (r#"{"type":"assistant","message":{"type":"user"}}"#, None),
        (r#"{"type":"userx"#, None),
        (r#"{"type":"user"#, None),
        ("{not json", None),
        ("", None),
    ] {
        assert_eq!(meant_as(line), expected, "{line}");
    }
}

/// The host waits for an answer to each request that it can name.
#[test]
fn a_request_that_cannot_be_read_keeps_its_id() {
    for (id, request, part) in [
        (json!("q1"), json!({"subtype": "set_permission_mode", "mode": null}), "`mode`"),
        (json!("q1"), json!({"subtype": "set_model", "model": 5}), "`model`"),
        (json!("q1"), json!({"subtype": 5}), "`subtype`"),
        (json!("q1"), json!(null), "`subtype`"),
        (json!(7), json!([]), "`subtype`"),
    ] {
        let line = json!({"type": "control_request", "request_id": id, "request": request});
        let Ok(Incoming::Control { id: echoed, request: Err(why) }) = parse(&line.to_string()) else {
            panic!("{line}")
        };
        assert!(echoed == id && why.contains(part), "{line} said {why}");
    }
}
