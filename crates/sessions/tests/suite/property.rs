//! For any entries: what was written is what is loaded, and a cut loses only the line it hits.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use crate::make::{entry, header, house, line, lines, mode, session};
use forelook_protocol::{
    AbsPath, AgentId, AnswerBlock, CallId, CallStatus, Entry, EntryBody, EntryId, ModelAnswered,
    ModelChanged, PromptAccepted, SessionEffect, StopReason, ToolCall, ToolFinished, ToolResult, Usage,
    UserBlock,
};
use forelook_sessions::SessionProblem;
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use uuid::Uuid;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| prop::collection::vec(inner, 0..4).prop_map(Value::from))
}

fn answer(text: String, id: String, input: Value, tokens: u64) -> EntryBody {
    let blocks = vec![
        AnswerBlock::Thinking { thinking: text.clone(), signature: id.clone() },
        AnswerBlock::Text { text },
        AnswerBlock::ToolUse(ToolCall { id: CallId(id.clone()), name: id.clone(), input }),
    ];
    let usage = Usage { input_tokens: tokens, ..Usage::default() };
    EntryBody::ModelAnswered(ModelAnswered {
        message: id.clone(),
        model: id,
        blocks,
        wrapped: Vec::new(),
        stop: StopReason::ToolUse,
        usage,
        cost: None,
        took_ms: tokens,
    })
}

fn body() -> impl Strategy<Value = EntryBody> {
    prop_oneof![
        any::<String>()
            .prop_map(|text| EntryBody::PromptAccepted(PromptAccepted::person(vec![UserBlock::text(text)]))),
        any::<String>().prop_map(|model| EntryBody::ModelChanged(ModelChanged { model })),
        Just(mode(0).body),
        (any::<String>(), any::<String>(), value(), any::<u64>())
            .prop_map(|(text, id, input, tokens)| answer(text, id, input, tokens)),
        (any::<String>(), prop::collection::vec(1u8..=255, 0..20)).prop_map(|(text, name)| {
            let folder = AbsPath::new("/").unwrap().join(OsString::from_vec(name));
            let result = ToolResult::error(CallId(text.clone()), text);
            let effects = vec![SessionEffect::SetFolder { folder }];
            EntryBody::ToolFinished(ToolFinished { result, status: CallStatus::Ran, effects, output: None })
        }),
        ("later_[a-z]{1,5}", value()).prop_map(|(kind, value)| {
            let data = RawValue::from_string(json!({"x": value}).to_string()).unwrap();
            EntryBody::Unknown { kind, data: data.into() }
        }),
    ]
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let one = (body(), any::<Option<u128>>(), any::<Option<String>>());
    prop::collection::vec(one, 0..10).prop_map(|all| {
        let number =
            |(at, (body, parent, agent)): (usize, (EntryBody, Option<u128>, Option<String>))| Entry {
                parent: parent.map(|id| EntryId(Uuid::from_u128(id))),
                agent: agent.map(AgentId),
                ..entry(at as u128 + 1, body)
            };
        all.into_iter().enumerate().map(number).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_was_written_is_loaded(given in entries()) {
        let house = house();
        house.session(1, &given);
        let opened = house.store.open(session(1)).unwrap();
        prop_assert_eq!(lines(&opened.entries[1..]), lines(&given));
    }

    #[test]
    fn a_cut_loses_only_the_line_it_hits(given in entries(), cut in any::<prop::sample::Index>()) {
        let house = house();
        let path = house.session(1, &given);
        let whole = std::fs::read(&path).unwrap();
        let first = line(&header(&house.folder, 1)).len() + 1;
        let cut = first + cut.index(whole.len() - first + 1);
        std::fs::write(&path, &whole[..cut]).unwrap();
        let newlines = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
        // A line that lost nothing but its newline is whole as well.
        let only_newline = whole.get(cut) == Some(&b'\n') && whole[cut - 1] != b'\n';
        let kept = newlines + usize::from(only_newline);

        let mut opened = house.store.open(session(1)).unwrap();
        prop_assert_eq!(lines(&opened.entries[1..]), lines(&given[..kept - 1]));
        opened.journal.append(&mode(1000)).unwrap();
        drop(opened);
        let again = house.store.open(session(1)).unwrap();
        prop_assert_eq!(again.entries.len(), kept + 1);
        let torn = again.problems.iter().any(|problem| matches!(problem, SessionProblem::TornLine { .. }));
        prop_assert!(!torn);
    }

    #[test]
    fn any_bytes_end_well(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let house = house();
        let first = line(&header(&house.folder, 1)) + "\n";
        house.raw(1, &[first.as_bytes(), &bytes].concat());
        house.store.open(session(1)).unwrap();
        house.raw(2, &bytes);
        prop_assert!(house.store.open(session(2)).is_err());
        prop_assert_eq!(house.store.list(None).unwrap().sessions.len(), 1);
    }
}
