//! Tables, and that the order of hooks does not change the verdict.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn attributed(decision: Option<HookDecision>, input: Option<Value>) -> AttributedOutcome {
    AttributedOutcome {
        origin: "s:1".into(),
        outcome: HookOutcome { decision, updated_input: input, ..HookOutcome::default() },
    }
}

fn deny(why: &str) -> Option<HookDecision> {
    Some(HookDecision::Deny(why.into()))
}
fn ask(why: &str) -> Option<HookDecision> {
    Some(HookDecision::Ask(why.into()))
}
fn allow(why: &str) -> Option<HookDecision> {
    Some(HookDecision::Allow(why.into()))
}

#[test]
fn the_strictest_wins_with_all_its_reasons() {
    for (words, expected) in [
        (vec![], None),
        (vec![None, None], None),
        (vec![None, allow("a")], allow("a")),
        (vec![allow("a"), allow("b"), allow("a")], allow("a\nb")),
        (vec![allow("a"), ask("b")], ask("b")),
        (vec![ask("b"), deny("c"), allow("a"), deny("d")], deny("c\nd")),
        (vec![deny("c"), None], deny("c")),
    ] {
        let merged = merge(words.iter().cloned().map(|word| attributed(word, None)).collect());
        assert_eq!(merged, HookOutcome { decision: expected, ..HookOutcome::default() }, "{words:?}");
    }
}

#[test]
fn a_changed_input_is_taken_if_all_agree_and_nobody_denies() {
    let (one, same, two) = (json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}), json!({"a": 3}));
    for (words, expected) in [
        (vec![(None, Some(&one))], Some(&one)),
        (vec![(allow("x"), Some(&one)), (ask("y"), None)], Some(&one)),
        (vec![(None, Some(&one)), (None, Some(&same))], Some(&one)),
        (vec![(None, Some(&one)), (deny("x"), None)], None),
        (vec![(deny("x"), Some(&one))], None),
        (vec![(None, None)], None),
    ] {
        let merged =
            merge(words.iter().cloned().map(|(word, input)| attributed(word, input.cloned())).collect());
        assert_eq!(merged.updated_input.as_ref(), expected, "{words:?}");
        assert!(merged.problems.is_empty());
    }
    for (first, says_ask) in [(allow("x"), true), (None, true), (deny("x"), false)] {
        let merged =
            merge(vec![attributed(first, Some(one.clone())), attributed(allow("z"), Some(two.clone()))]);
        assert_eq!(merged.updated_input, None);
        assert_eq!(merged.problems.len(), 1, "{merged:?}");
        assert_eq!(matches!(merged.decision, Some(HookDecision::Ask(_))), says_ask, "{merged:?}");
    }
}

#[test]
fn the_rest_is_kept_in_order() {
    let one = |text: &str| AttributedOutcome {
        origin: text.into(),
        outcome: HookOutcome {
            context: vec![text.into()],
            messages: vec![text.into()],
            problems: vec![text.into()],
            stop: Some(text.into()),
            ..HookOutcome::default()
        },
    };
    let both = vec!["a".to_owned(), "b".to_owned()];
    let expected = HookOutcome {
        context: both.clone(),
        messages: both.clone(),
        problems: both,
        stop: Some("a\nb".into()),
        ..HookOutcome::default()
    };
    assert_eq!(merge(vec![one("a"), one("b")]), expected);
}

fn any_attributed() -> impl Strategy<Value = AttributedOutcome> {
    let word = prop_oneof![
        Just(None),
        "[a-c]".prop_map(|why| deny(&why)),
        "[a-c]".prop_map(|why| ask(&why)),
        "[a-c]".prop_map(|why| allow(&why)),
    ];
    let input = proptest::option::weighted(0.3, (0..2i32).prop_map(|n| json!({ "n": n })));
    let stop = proptest::option::weighted(0.2, "[a-c]");
    (word, input, stop).prop_map(|(decision, updated_input, stop)| AttributedOutcome {
        origin: "s:1".into(),
        outcome: HookOutcome { decision, updated_input, stop, ..HookOutcome::default() },
    })
}

/// What must not depend on the order: all but the order of the reasons.
fn essence(outcome: &HookOutcome) -> (u8, Vec<&str>, Option<&Value>, Vec<&str>, usize) {
    let (rank, why) = match &outcome.decision {
        None => (0, ""),
        Some(HookDecision::Allow(why)) => (1, why.as_str()),
        Some(HookDecision::Ask(why)) => (2, why.as_str()),
        Some(HookDecision::Deny(why)) => (3, why.as_str()),
    };
    let mut whys: Vec<&str> = why.lines().collect();
    let mut stops: Vec<&str> = outcome.stop.as_deref().unwrap_or_default().lines().collect();
    whys.sort_unstable();
    stops.sort_unstable();
    (rank, whys, outcome.updated_input.as_ref(), stops, outcome.problems.len())
}

proptest! {
    #[test]
    fn the_order_of_hooks_does_not_change_the_verdict(
        (all, shuffled) in prop::collection::vec(any_attributed(), 0..7)
            .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle()))
    ) {
        let (one, other) = (merge(all), merge(shuffled));
        prop_assert_eq!(essence(&one), essence(&other));
    }

    #[test]
    fn one_hook_more_never_loosens(all in prop::collection::vec(any_attributed(), 0..6), more in any_attributed()) {
        let before = merge(all.clone());
        let after = merge(all.into_iter().chain([more]).collect());
        let strictness = |outcome: &HookOutcome| essence(outcome).0;
        prop_assert!(strictness(&after) >= strictness(&before));
        prop_assert!(after.stop.is_some() >= before.stop.is_some());
    }
}
