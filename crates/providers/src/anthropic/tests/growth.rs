//! A conversation grows, request after request: each one must begin with the bytes of the one before, and find what the
//! server remembers of it.

use std::sync::Arc;

use forelook_protocol::{AnswerBlock, Message, UserBlock};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{body, call, request, result, said, user};
use crate::{CacheTtl, Capability, ModelFacts, Request, WireCached};

const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;
/// How far back from a mark the server looks.
const REACH: usize = 20;

/// One request: what was said since the last one, and what comes of it.
#[derive(Debug, Clone)]
struct Step {
    before: Vec<Message>,
    answer: Option<Answer>,
}

#[derive(Debug, Clone)]
struct Answer {
    blocks: Vec<AnswerBlock>,
    calls: usize,
    /// Whether a reminder stands right behind the results.
    reminded: bool,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (prop::collection::vec(prompt(), 0..4), prop::option::weighted(0.85, answer()));
    prop::collection::vec(step.prop_map(|(before, answer)| Step { before, answer }), 1..14)
}

fn prompt() -> impl Strategy<Value = Message> {
    let block = prop_oneof![
        4 => "[a-z\"\\\\{}\\]]{0,8}".prop_map(UserBlock::text),
        1 => Just(UserBlock::Image { media_type: "image/png".to_owned(), data: "AAAA".to_owned() }),
    ];
    prop::collection::vec(block, 1..5).prop_map(Message::User)
}

fn answer() -> impl Strategy<Value = Answer> {
    let thinking = |signature: &str| AnswerBlock::Thinking {
        thinking: "hm".to_owned(),
        signature: signature.to_owned(),
    };
    let sealed = |by: &str| AnswerBlock::Opaque {
        wire_format: by.to_owned(),
        item: json!({"type": "redacted_thinking", "data": "x"}),
    };
    let block = prop_oneof![
        "[a-z}\\]]{0,6}".prop_map(|text| said(&text)),
        Just(thinking("signed")),
        Just(thinking("")),
        Just(sealed("anthropic")),
        Just(sealed("responses")),
    ];
    let calls = prop_oneof![Just(0usize), 1..4usize, 0..60usize];
    (prop::collection::vec(block, 0..4), calls, any::<bool>()).prop_map(|(blocks, calls, reminded)| Answer {
        blocks,
        calls,
        reminded,
    })
}

/// Takes the answer into the conversation, as the engine does.
fn take(request: &mut Request, answer: Answer, at: usize) {
    let mut push = |message| Arc::make_mut(&mut request.messages).push(Arc::new(WireCached::new(message)));
    let ids: Vec<String> = (0..answer.calls).map(|n| format!("call.{at}-{n}")).collect();
    let mut blocks = answer.blocks;
    blocks.extend(ids.iter().map(|id| call(id, json!({"file_path": "/x"}))));
    if !blocks.is_empty() {
        push(Message::Assistant(blocks));
    }
    if !ids.is_empty() {
        push(Message::User(ids.iter().map(|id| result(id, "fine")).collect()));
    }
    if answer.reminded {
        push(user("<system-reminder>\nGo on\n</system-reminder>"));
    }
}

/// The numbers of the marked blocks among all blocks of the conversation, and how many blocks there are.
fn breakpoints(body: &str) -> (Vec<usize>, usize) {
    let body: Value = serde_json::from_str(body).unwrap();
    let blocks: Vec<&Value> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|message| message["content"].as_array().unwrap())
        .collect();
    let marked = |block: &Value| block.get("cache_control").is_some();
    assert!(
        blocks.iter().all(|block| !marked(block) || !block["type"].as_str().unwrap().contains("thinking"))
    );
    let positions = (0..blocks.len()).filter(|at| marked(blocks[*at])).collect();
    (positions, blocks.len())
}

/// The rules by which the server takes a conversation, beyond the types that it publishes.
fn accepted(body: &str) {
    let body: Value = serde_json::from_str(body).unwrap();
    let mut open: Vec<&Value> = Vec::new();
    for message in body["messages"].as_array().unwrap() {
        let content = message["content"].as_array().unwrap();
        let kind = |block: &Value| block["type"].as_str().unwrap().to_owned();
        assert!(!content.is_empty(), "an empty message: {body}");
        let blank =
            |block: &&Value| kind(block) == "text" && block["text"].as_str().unwrap().trim().is_empty();
        assert!(!content.iter().any(|block| blank(&block)), "an empty text: {message}");
        if message["role"] == "assistant" {
            assert!(!kind(content.last().unwrap()).contains("thinking"), "it ends with thinking: {message}");
            assert!(open.is_empty(), "a call without a result: {body}");
            open = content.iter().filter(|block| kind(block) == "tool_use").map(|it| &it["id"]).collect();
        } else {
            let answered: Vec<&Value> = content
                .iter()
                .take_while(|it| kind(it) == "tool_result")
                .map(|it| &it["tool_use_id"])
                .collect();
            assert_eq!(answered, std::mem::take(&mut open), "calls and results: {body}");
        }
    }
}

fn check(steps: Vec<Step>, facts: &ModelFacts, with_system: bool) {
    let system = if with_system { vec!["Be good.".to_owned()] } else { Vec::new() };
    let mut request =
        Request { system: Arc::new(WireCached::new(system)), cache_ttl: CacheTtl::Short, ..request(vec![]) };
    let mut previous_body: Option<(String, Option<usize>)> = None;
    for (at, step) in steps.into_iter().enumerate() {
        Arc::make_mut(&mut request.messages)
            .extend(step.before.into_iter().map(|message| Arc::new(WireCached::new(message))));
        let body = body(&request, facts);
        accepted(&body);
        let (breakpoints, blocks) = breakpoints(&body);
        assert!(body.matches(MARK).count() <= 4, "{body}");
        assert_eq!(body.matches(MARK).count(), breakpoints.len() + usize::from(with_system));

        let user_last = request.messages.last().is_some_and(|it| matches!(***it, Message::User(_)));
        let plain = body.replace(MARK, "");
        if let Some((before, end)) = previous_body {
            let before = before.strip_suffix("]}").unwrap();
            assert!(plain.starts_with(before), "{plain}\ndoes not go on from\n{before}");
            if let Some(end) = end {
                let found = breakpoints.iter().any(|mark| (end..=end + REACH).contains(mark));
                assert!(found, "the mark at {end} of {blocks} is not found from {breakpoints:?}: {body}");
            }
        }
        if user_last && breakpoints.last() != Some(&blocks.saturating_sub(1)) {
            // Only a last message of which nothing is sent may leave an unmarked end.
            assert!(!plain.contains(r#""role":"user""#) || ends_blank(&request), "{body}");
        }
        previous_body = Some((plain, breakpoints.last().copied()));
        if let Some(answer) = step.answer {
            take(&mut request, answer, at);
        }
    }
}

fn ends_blank(request: &Request) -> bool {
    let blank = |block: &UserBlock| matches!(block, UserBlock::Text { text } if text.trim().is_empty());
    request
        .messages
        .last()
        .is_some_and(|it| matches!(&***it, Message::User(blocks) if blocks.iter().all(blank)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn every_request_goes_on_from_the_one_before(steps in steps(), blind in any::<bool>(), system in any::<bool>()) {
        let images = if blind { Capability::Absent } else { Capability::Assumed };
        check(steps, &ModelFacts { images, ..ModelFacts::default() }, system);
    }
}

#[test]
fn sixty_parallel_calls_lose_nothing() {
    let many = || Answer { blocks: vec![said("All of them")], calls: 60, reminded: true };
    let first = Step { before: vec![user("Read all")], answer: Some(many()) };
    let later = Step { before: Vec::new(), answer: Some(many()) };
    check(vec![first, later.clone(), later.clone(), later], &ModelFacts::default(), true);
}

#[test]
fn a_long_prompt_after_an_answer_that_never_came() {
    let many = Answer { blocks: vec![said("All of them")], calls: 60, reminded: false };
    let first = Step { before: vec![user("Read all")], answer: Some(many) };
    let unanswered = Step { before: Vec::new(), answer: None };
    let pages = (0..50).map(|page| UserBlock::text(format!("Page {page}"))).collect();
    let long = Step { before: vec![Message::User(pages)], answer: None };
    check(vec![first, unanswered, long], &ModelFacts::default(), true);
}
