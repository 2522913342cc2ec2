//! Streams as servers send them, whole, broken and odd.

use forelook_protocol::{AnswerEvent, FailureKind, StopReason, Usage};
use serde_json::{Value, json};

use crate::anthropic::Anthropic;
use crate::dialect::Dialect;
use crate::tokens::MAX_TOKENS;

const LONG: &str = include_str!("../../../tests/anthropic/long.sse");
const START: &str = r#"{"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":3,"output_tokens":1}}}"#;
const STOP: &str = r#"{"type":"message_stop"}"#;

/// The events of a stream: name and data.
fn events(stream: &str) -> Vec<(&str, &str)> {
    stream
        .split("\n\n")
        .filter_map(|block| {
            let (name, data) = block.split_once('\n')?;
            Some((name.strip_prefix("event: ")?, data.strip_prefix("data: ")?))
        })
        .collect()
}

fn read<'a>(events: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<AnswerEvent> {
    let (mut parser, mut out) = (Anthropic.parser(), Vec::new());
    events.into_iter().for_each(|(name, data)| parser.event(name, data, &mut out));
    parser.closed(&mut out);
    out
}

/// Reads events that have no name, as some gateways send them.
fn unnamed(data: &[&str]) -> Vec<AnswerEvent> {
    read(data.iter().map(|data| ("", *data)))
}

fn lines(events: &[AnswerEvent]) -> Vec<String> {
    events.iter().map(|event| serde_json::to_string(event).unwrap()).collect()
}

fn failure(events: &[AnswerEvent]) -> (FailureKind, &str) {
    match events.last() {
        Some(AnswerEvent::Failed(failure)) => (failure.kind, &failure.message),
        other => panic!("no failure but {other:?}"),
    }
}

#[test]
fn an_answer_with_everything_in_it() {
    let out = read(events(LONG));
    let expected = [
        r#"{"type":"started","id":"msg_01","model":"claude-opus-5"}"#,
        r#"{"type":"thinking_started"}"#,
        r#"{"type":"thinking","text":"Look at \"both\" "}"#,
        r#"{"type":"thinking","text":"files"}"#,
        r#"{"type":"signature","signature":"EqQB+/=="}"#,
        r#"{"type":"block_ended"}"#,
        r#"{"type":"opaque","wire_format":"anthropic","item":{"type":"redacted_thinking","data":"hidden=="}}"#,
        r#"{"type":"text_started"}"#,
        r#"{"type":"text","text":"Café 😀\n"}"#,
        r#"{"type":"block_ended"}"#,
        r#"{"type":"opaque","wire_format":"anthropic","item":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"rust"}}}"#,
        r#"{"type":"call_started","id":"toolu_1","name":"Read"}"#,
        r#"{"type":"input","json":"{\"file_path\": \"/a"}"#,
        r#"{"type":"input","json":".rs\"}"}"#,
        r#"{"type":"block_ended"}"#,
        r#"{"type":"call_started","id":"toolu_2","name":"TodoWrite"}"#,
        r#"{"type":"block_ended"}"#,
        r#"{"type":"done","stop":"tool_use","usage":{"input_tokens":12,"output_tokens":89,"cache_read_input_tokens":4000,"cache_creation_input_tokens":300}}"#,
    ];
    assert_eq!(lines(&out), expected);
}

#[test]
fn names_of_events_may_be_missing_or_odd() {
    let whole = read(events(LONG));
    assert_eq!(read(events(LONG).into_iter().map(|(_, data)| ("", data))), whole);
    assert_eq!(read(events(LONG).into_iter().map(|(_, data)| ("message", data))), whole);
}

#[test]
fn a_stream_that_ends_anywhere_is_whole_or_broken_off() {
    let all = events(LONG);
    let whole = read(all.clone());
    for cut in 0..all.len() {
        let out = read(all[..cut].iter().copied());
        assert_eq!(failure(&out).0, FailureKind::Connection, "after {cut} events");
        assert_eq!(out[..out.len() - 1], whole[..out.len() - 1]);
    }
}

#[test]
fn nothing_counts_after_the_end() {
    let delta = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#;
    let out = unnamed(&[START, delta, STOP, START, "[DONE]", r#"{"type":"error","error":{}}"#]);
    assert_eq!(out.len(), 2);
    assert!(matches!(out[1], AnswerEvent::Done { .. }));
}

#[test]
fn every_reason_to_stop() {
    let check = |reason: &str, expected| {
        let delta = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":{reason}}},"usage":null}}"#);
        let out = unnamed(&[START, &delta, STOP]);
        let usage = Usage { input_tokens: 3, output_tokens: 1, ..Usage::default() };
        assert_eq!(out.last(), Some(&AnswerEvent::Done { stop: expected, usage }), "{reason}");
    };
    check(r#""end_turn""#, StopReason::EndTurn);
    check(r#""stop_sequence""#, StopReason::EndTurn);
    check(r#""tool_use""#, StopReason::ToolUse);
    check(r#""max_tokens""#, StopReason::MaxTokens);
    check(r#""pause_turn""#, StopReason::Paused);
    check(r#""refusal""#, StopReason::Refusal);
    check(r#""model_context_window_exceeded""#, StopReason::WindowFull);
    check(r#""tired""#, StopReason::EndTurn);
}

#[test]
fn later_counts_take_the_place_of_earlier_ones() {
    let first = r#"{"type":"message_delta","delta":{},"usage":{"output_tokens":10,"input_tokens":50,"cache_read_input_tokens":7}}"#;
    let second = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":20,"cache_read_input_tokens":null}}"#;
    let out = unnamed(&[START, first, second, STOP]);
    let usage = Usage { input_tokens: 50, output_tokens: 20, cache_read_input_tokens: 7, ..Usage::default() };
    assert_eq!(out.last(), Some(&AnswerEvent::Done { stop: StopReason::EndTurn, usage }));
}

/// Sums and prices are made of counts, and an odd one costs no answer.
#[test]
fn a_count_is_never_more_than_an_answer_can_have() {
    for (said, expected) in [
        ("18446744073709551615", MAX_TOKENS),
        ("9223372036854775807", MAX_TOKENS),
        ("1e300", MAX_TOKENS),
        ("20", 20),
        ("-4", 1),
        (r#""many""#, 1),
        ("[7]", 1),
    ] {
        let delta = format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":"end_turn"}},"usage":{{"output_tokens":{said}}}}}"#
        );
        let usage = Usage { input_tokens: 3, output_tokens: expected, ..Usage::default() };
        let done = AnswerEvent::Done { stop: StopReason::EndTurn, usage };
        assert_eq!(unnamed(&[START, &delta, STOP]).last(), Some(&done), "{said}");
    }
}

#[test]
fn errors_inside_a_stream() {
    let check = |error: &str, expected: FailureKind, words: &str| {
        let out = read([("message_start", START), ("error", error)]);
        let (kind, message) = failure(&out);
        assert_eq!(kind, expected, "{error}");
        assert!(message.contains(words), "{message}");
    };
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    check(overloaded, FailureKind::Overloaded, "is overloaded: Overloaded");
    let limited =
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"},"request_id":"r"}"#;
    check(limited, FailureKind::RateLimited, "slow down");
    let failed = r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#;
    check(failed, FailureKind::Server, "Internal server error");
    let late = r#"{"type":"error","error":{"type":"timeout_error","message":"late"}}"#;
    check(late, FailureKind::Server, "late");
    let long =
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 2 > 1"}}"#;
    check(long, FailureKind::ContextOverflow, "2 > 1");
    check(r#"{"error":"boom"}"#, FailureKind::Server, "boom");
    check("<html>", FailureKind::Garbled, "`<html>`");
    assert_eq!(failure(&unnamed(&[r#"{"error":{"message":"boom"}}"#])).0, FailureKind::Server);
}

fn start(index: u64, block: &str) -> String {
    format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#)
}

fn piece(index: u64, delta: &str) -> String {
    format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#)
}

fn stop(index: u64) -> String {
    format!(r#"{{"type":"content_block_stop","index":{index}}}"#)
}

const CALL: &str = r#"{"type":"tool_use","id":"a","name":"Read","input":{}}"#;
const JSON: &str = r#"{"type":"input_json_delta","partial_json":"{\"x\""}"#;

#[test]
fn what_no_server_should_send_is_said_clearly() {
    let words = r#"{"type":"text_delta","text":"x"}"#;
    let check = |data: &[&str]| {
        let out = unnamed(&[&[START], data, &[STOP]].concat());
        assert_eq!(failure(&out).0, FailureKind::Garbled, "{data:?}");
        assert!(out.iter().filter(|event| matches!(event, AnswerEvent::Failed(_))).count() == 1);
    };
    check(&["not json"]);
    check(&[r#"{"type":"content_block_start","index":0"#]);
    check(&[START]);
    check(&[&piece(0, JSON)]);
    check(&[&start(0, CALL), &piece(1, JSON)]);
    check(&[&start(0, CALL), &start(1, CALL)]);
    check(&[&start(0, CALL), &stop(1)]);
    check(&[&start(0, CALL)]);
    check(&[&start(0, CALL), &piece(0, words)]);
    check(&[&start(0, CALL), &piece(0, r#"{"type":"input_json_delta"}"#)]);
    check(&[&start(1, CALL), &stop(1), &start(0, CALL), &stop(0)]);
    check(&[&start(0, r#"{"type":"tool_use","id":"a","input":{}}"#)]);
    check(&[&start(0, r#"{"type":"tool_use","name":"Read","input":{}}"#)]);
    check(&[&start(0, r#"{"text":"no type"}"#)]);
    assert_eq!(failure(&unnamed(&[&start(0, CALL)])).0, FailureKind::Garbled);
}

#[test]
fn a_quote_of_garbage_is_short_and_harmless() {
    let out = unnamed(&[&format!("\u{1b}[2J{}", "x".repeat(1 << 20))]);
    let (kind, message) = failure(&out);
    assert_eq!(kind, FailureKind::Garbled);
    assert!(message.chars().count() < 300 && !message.contains('\u{1b}'), "{message}");
}

#[test]
fn unknown_events_blocks_and_pieces_do_no_harm() {
    let block = r#"{"type":"new_thing","text":"a","deep":{"b":[1]}}"#;
    let data = [
        START,
        r#"{"type":"new_event","x":1}"#,
        &start(0, block),
        &piece(0, r#"{"type":"text_delta","text":"b"}"#),
        &piece(0, r#"{"type":"new_delta","text":"c"}"#),
        &stop(0),
        &start(1, r#"{"type":"text","text":"at once"}"#),
        &piece(1, r#"{"type":"new_delta","x":1}"#),
        &stop(1),
        STOP,
    ];
    let out = unnamed(&data);
    let item: Value = serde_json::from_str(r#"{"type":"new_thing","text":"ab","deep":{"b":[1]}}"#).unwrap();
    assert_eq!(out[1], AnswerEvent::Opaque { wire_format: "anthropic".to_owned(), item });
    assert_eq!(out[3], AnswerEvent::Text { text: "at once".to_owned() });
    assert!(matches!(out.last(), Some(AnswerEvent::Done { stop: StopReason::EndTurn, .. })));
}

#[test]
fn an_input_may_come_whole_with_its_call() {
    let whole = r#"{"type":"tool_use","id":"a","name":"Read","input":{"x": 1}}"#;
    let out = unnamed(&[START, &start(0, whole), &stop(0), STOP]);
    assert_eq!(out[2], AnswerEvent::Input { json: r#"{"x": 1}"#.to_owned() });
    assert!(matches!(out.last(), Some(AnswerEvent::Done { stop: StopReason::ToolUse, .. })));

    // Pieces count for more: the input must not come twice.
    let out = unnamed(&[START, &start(0, whole), &piece(0, JSON), &stop(0), STOP]);
    let inputs = out.iter().filter(|event| matches!(event, AnswerEvent::Input { .. }));
    assert_eq!(inputs.count(), 1);
}

/// The end of a response without a word on why it ended. Half a call, or nothing at all, broke off.
#[test]
fn an_end_without_a_reason() {
    let call = |json: &str| {
        let delta = json!({"type": "input_json_delta", "partial_json": json}).to_string();
        vec![start(0, r#"{"type":"tool_use","id":"a","name":"Read","input":{}}"#), piece(0, &delta), stop(0)]
    };
    let text = |text: &str| {
        let delta = json!({"type": "text_delta", "text": text}).to_string();
        vec![start(0, r#"{"type":"text","text":""}"#), piece(0, &delta), stop(0)]
    };
    let thinking = vec![start(0, r#"{"type":"thinking","thinking":"hm"}"#), stop(0)];
    for (blocks, expected) in [
        (call(r#"{"file_path":"/x"}"#), Some(StopReason::ToolUse)),
        (call(r#"{"file_path":"/x"#), None),
        (text("Hello"), Some(StopReason::EndTurn)),
        (text(""), None),
        (thinking, None),
        (Vec::new(), None),
    ] {
        let mut all = vec![START.to_owned()];
        all.extend(blocks.clone());
        all.push(STOP.to_owned());
        let out = unnamed(&all.iter().map(String::as_str).collect::<Vec<_>>());
        match (out.last(), expected) {
            (Some(AnswerEvent::Done { stop, .. }), Some(expected)) => {
                assert_eq!(*stop, expected, "{blocks:?}")
            }
            (Some(AnswerEvent::Failed(failure)), None) => assert_eq!(failure.kind, FailureKind::Connection),
            other => panic!("{blocks:?}: {other:?}"),
        }
    }
}
