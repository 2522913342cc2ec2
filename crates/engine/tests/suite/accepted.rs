//! Whatever a model answers, and wherever its answer breaks off: no later request is one that a server refuses.

use forelook_engine::{Config, Responder, SessionStart};
use forelook_protocol::{CallStatus, EndReason};
use forelook_testkit::wire;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::Value;

use crate::common::{Front, Home, SESSION, life, results};
use crate::over_wire::over_wire;

/// An answer in a script, of any shape.
fn answer() -> impl Strategy<Value = String> {
    let thinking = prop::option::of(prop::sample::select(vec![" ", "Some thoughts."]));
    let text = prop::option::of(prop::sample::select(vec!["", " ", "\\n\\n", "Some words."]));
    let call = prop::sample::select(vec![
        r#"{ tool = "Read", input = { file_path = "none" } }"#,
        r#"{ tool = "Read", raw = "{\"file_path\": \"no" }"#,
        r#"{ tool = "Read", raw = "" }"#,
        r#"{ tool = "Read", raw = "[1]" }"#,
        r#"{ tool = "NoSuchTool" }"#,
        r#"{ tool = "Bash", input = { command = "true" } }"#,
        r#"{ tool = "multi_tool_use.parallel", id = "functions.multi_tool_use.parallel:0" }"#,
        r#"{ tool = "a b!", id = "" }"#,
        r#"{ tool = "", id = "x y" }"#,
        r#"{ tool = "Read", id = "an-id-that-is-longer-than-one-may-be-with-any-service-and-then-some-more" }"#,
        r#"{ tool = "a-name-that-is-longer-than-one-may-be-with-any-service-and-then-some-more" }"#,
    ]);
    let stop = prop::option::weighted(
        0.4,
        prop::sample::select(vec!["end_turn", "tool_use", "max_tokens", "refusal", "paused"]),
    );
    // After so many events the connection is cut, so often in a row.
    let cut = prop::option::weighted(0.3, (0..12usize, 1..4usize));
    (thinking, text, prop::collection::vec(call, 0..3), stop, cut).prop_map(
        |(thinking, text, calls, stop, cut)| {
            let mut answer = "[[answer]]\n".to_owned();
            let mut add = |key: &str, value: String| answer.push_str(&format!("{key} = {value}\n"));
            thinking.into_iter().for_each(|thinking| add("thinking", format!("\"{thinking}\"")));
            text.into_iter().for_each(|text| add("text", format!("\"{text}\"")));
            stop.into_iter().for_each(|stop| add("stop", format!("\"{stop}\"")));
            if let Some((after, times)) = cut {
                let fail = "kind = \"connection\", message = \"cut\", retry_after_ms = 1";
                add("fail", format!("{{ {fail}, after = {after}, times = {times} }}"));
            }
            if !calls.is_empty() {
                add("call", format!("[{}]", calls.join(", ")));
            }
            answer
        },
    )
}

const END: &str = "[[answer]]\nname = \"end\"\ntext = \"Done.\"\nnext = [{ goto = \"end\" }]\n";

/// Plays some turns; before some of them the session is closed and loaded again, and may go on with another service: with
/// the next of these, again and again.
fn check(wire_formats: &[wire::WireFormat], script: &str, turns: &[bool]) {
    let server = wire::ScriptedServer::start(wire::ServerOptions {
        script: Some(script.to_owned()),
        keep: true,
        ..wire::ServerOptions::default()
    });
    life(async {
        let home = Home::new();
        let mut wire_formats = wire_formats.iter().cycle();
        let mut open = async |start| {
            let config = home.config(start, script);
            let models = over_wire(&server, *wire_formats.next().unwrap());
            Front::open(Config { models, responder: Responder::Nobody, ..config }).await
        };
        let mut front = open(SessionStart::New(Some(SESSION))).await;
        for (at, reload) in turns.iter().enumerate() {
            if *reload {
                front.close().await;
                front = open(SessionStart::Resume(SESSION)).await;
            }
            front.say(&format!("turn {at}")).await;
            front.turn_end().await;
        }
        front.close().await;
        // Whatever was recorded loads.
        home.entries();
    });
    assert_eq!(server.problems(), [""; 0], "{script}");
    for request in server.requests() {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        has_no_blank_text(&body["messages"], script);
        has_no_blank_text(&body["input"], script);
    }
}

/// No block of words is empty, wherever it stands.
fn has_no_blank_text(value: &Value, script: &str) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| has_no_blank_text(item, script)),
        Value::Object(fields) => {
            let is_text = |kind: &Value| kind.as_str().is_some_and(|kind| kind.ends_with("text"));
            let words = match fields.get("type") {
                Some(kind) if is_text(kind) => fields.get("text"),
                // A message, or a result: its words may stand in it without a block.
                _ => fields.get("content").or_else(|| fields.get("output")),
            };
            // Beside calls, one format has a place for words that must be there.
            let may_be_blank = fields.contains_key("tool_calls");
            if let Some(Value::String(words)) = words.filter(|_| !may_be_blank) {
                assert!(!words.trim().is_empty(), "blank words in {value}\n{script}");
            }
            fields.values().for_each(|value| has_no_blank_text(value, script));
        }
        _ => {}
    }
}

#[test]
fn whatever_was_answered_the_next_request_is_accepted() {
    let script = prop::collection::vec(answer(), 1..5).prop_map(|answers| answers.concat() + END);
    let turns = prop::collection::vec(any::<bool>(), 2..5);
    let wire_formats = prop::sample::subsequence(wire::WIRE_FORMATS.to_vec(), 1..=3).prop_shuffle();
    let config = ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(config)
        .run(&(wire_formats, script, turns), |(wire_formats, script, turns)| {
            check(&wire_formats, &script, &turns);
            Ok(())
        })
        .unwrap();
}

/// What was seen: an answer of thinking alone, and one that was cut while it thought.
#[test]
fn thinking_alone_is_not_replayed() {
    for wire_format in wire::WIRE_FORMATS {
        for stop in ["", "stop = \"max_tokens\"\n"] {
            let script = format!("[[answer]]\nthinking = \"hm\"\n{stop}{END}");
            check(&[wire_format], &script, &[false, true, false]);
        }
    }
}

/// More calls than one message may have.
#[test]
fn many_calls_in_one_answer_are_accepted() {
    let call = r#"{ tool = "Read", input = { file_path = "none" } }"#;
    let script = format!("[[answer]]\ncall = [{}]\n{END}", vec![call; 140].join(", "));
    for wire_format in wire::WIRE_FORMATS {
        check(&[wire_format], &script, &[false, true, false]);
    }
}

/// JSON text, so many levels deep.
fn nested(levels: usize) -> String {
    format!(r#"{{"command":"true","x":{}{}}}"#, "[".repeat(levels - 1), "]".repeat(levels - 1))
}

/// An input that can be read may make an entry that cannot: it is refused before it is one.
#[test]
fn an_input_of_any_depth_is_recorded_so_that_it_loads() {
    for levels in [2, 63, 64, 65, 100, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 200] {
        let raw = serde_json::to_string(&nested(levels)).unwrap();
        let script =
            format!("[[answer]]\ntext = \"Now.\"\ncall = [{{ tool = \"Bash\", raw = {raw} }}]\n{END}");
        life(async {
            let home = Home::new();
            let mut front = home.begin(&script).await;
            front.say("Do it").await;
            front.turn_end().await;
            let told = results(&home);
            let [(status, text)] = &told[..] else { panic!("{told:?}") };
            assert_eq!(text.contains("more than 64 levels deep"), levels > 64, "{levels}: {text}");
            assert_ne!(*status, CallStatus::Ran, "no tool takes that: {text}");
            front.close().await;
            let before = home.last_request();
            let mut front = Front::open(home.config(SessionStart::Resume(SESSION), &script)).await;
            front.say("Go on").await;
            front.turn_end().await;
            assert!(home.last_request().starts_with(&before), "{levels}");
            front.close().await;
        });
    }
}

/// The same of a call inside of a call, whose input may be a text.
#[test]
fn an_input_within_the_generic_call_is_recorded_so_that_it_loads() {
    for levels in [60, 64, 65, 120, 126] {
        let inner = nested(levels);
        for input in [serde_json::json!(inner).to_string(), inner] {
            let raw = serde_json::to_string(&format!(r#"{{"name":"Bash","input":{input}}}"#)).unwrap();
            let call = format!("call = [{{ tool = \"CallTool\", raw = {raw} }}]");
            let script = format!("defers_tools = true\n[[answer]]\n{call}\n{END}");
            life(async {
                let home = Home::new();
                let mut front = Front::open(home.deferring(SessionStart::New(Some(SESSION)), &script)).await;
                front.say("Do it").await;
                front.turn_end().await;
                front.close().await;
                assert_eq!(results(&home).len(), 1, "{levels}: {input}");
            });
        }
    }
}

/// A count may be as large as a number can be; a session that has recorded one goes on.
#[test]
fn a_huge_count_of_tokens_costs_no_session() {
    let tokens = i64::MAX;
    let usage = format!(
        "usage = {{ input_tokens = {tokens}, output_tokens = {tokens}, cache_read_input_tokens = {tokens} }}\n"
    );
    let call = "call = [{ tool = \"Bash\", input = { command = \"true\" } }]\n";
    let script = format!("[[answer]]\n{usage}{call}[[answer]]\n{usage}text = \"Once more.\"\n{END}");
    for wire_format in wire::WIRE_FORMATS {
        check(&[wire_format], &script, &[false, false, true]);
    }
    life(async {
        let home = Home::new();
        let mut front = home.begin(&script).await;
        for _ in 0..2 {
            front.say("Do it").await;
            assert_eq!(front.turn_end().await, EndReason::Done);
        }
        front.close().await;
        let mut front = Front::open(home.config(SessionStart::Resume(SESSION), &script)).await;
        front.say("Go on").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        front.close().await;
    });
}
