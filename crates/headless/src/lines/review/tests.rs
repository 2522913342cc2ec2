//! Lines as answers to a review, and the review on paper.

use super::*;
use crate::ink::bare;
use crate::testing::review;
use forelook_protocol::{Approval, HostAnswer, PlanAnswer};

fn done(answer: PlanAnswer) -> Step {
    Step::Done(HostAnswer::Plan(answer))
}

fn answer(line: &str) -> Step {
    Reviewing::new(&review(), None).answer(line)
}

fn yes(mode: Option<Mode>, fresh: bool, note: Option<&str>) -> Step {
    done(PlanAnswer::Approve(Approval {
        hash: review().hash,
        mode,
        note: note.map(str::to_owned),
        fresh_context: fresh,
        edited: None,
        apply: None,
    }))
}

fn words(text: &str) -> Step {
    done(PlanAnswer::KeepPlanning { feedback: Some(text.to_owned()), comments: Vec::new() })
}

#[test]
fn lines_become_answers() {
    for (line, expected) in [
        ("y", yes(None, false, None)),
        ("YES", yes(None, false, None)),
        ("d", yes(Some(Mode::Default), false, None)),
        ("a", yes(Some(Mode::AcceptEdits), false, None)),
        ("y f", yes(None, true, None)),
        ("f a", yes(Some(Mode::AcceptEdits), true, None)),
        ("y: mind: the tests", yes(None, false, Some("mind: the tests"))),
        ("a f: go", yes(Some(Mode::AcceptEdits), true, Some("go"))),
        ("y:", yes(None, false, None)),
        ("p", done(PlanAnswer::Park)),
        ("x", done(PlanAnswer::Abandon)),
        ("e", Step::Edit),
        ("n", done(PlanAnswer::KeepPlanning { feedback: None, comments: Vec::new() })),
        ("use another name", words("use another name")),
        ("y and then also the docs", words("y and then also the docs")),
        ("y a", words("y a")),
        ("f f y", words("f f y")),
        ("Not yet: first the tests", words("Not yet: first the tests")),
    ] {
        assert_eq!(answer(line), expected, "{line:?}");
    }
}

#[test]
fn a_comment_is_not_lost_in_a_yes() {
    let mut reviewing = Reviewing::new(&review(), None);
    reviewing.answer("#2-3 why?");
    assert_eq!(reviewing.answer("y"), yes(None, false, Some("On `1. Read the arguments`: why?")));
    assert_eq!(answer("?"), Step::Again);
}

#[test]
fn what_is_unclear_approves_nothing_and_sends_nothing() {
    for line in [
        "", "ok", "LGTM", "auto", "b", "b: now", "f", "q", "#", "#9 x", "#0 x", "#2-1 x", "#1", "#x y", "t",
        "y t",
    ] {
        assert!(matches!(answer(line), Step::Unclear(_)), "{line:?} gave {:?}", answer(line));
    }
}

#[test]
fn comments_are_gathered_and_go_with_the_next_words() {
    let mut reviewing = Reviewing::new(&review(), None);
    assert!(matches!(reviewing.answer("#1 shorter"), Step::Noted(_)));
    assert!(matches!(reviewing.answer("#2-3 why?"), Step::Noted(_)));
    assert!(bare(&reviewing.rows(true)).contains("keep planning, with 2 comments"));
    let Step::Done(HostAnswer::Plan(PlanAnswer::KeepPlanning { feedback, comments })) = reviewing.answer("n")
    else {
        panic!("not sent")
    };
    assert_eq!(feedback, None);
    let quotes: Vec<&str> = comments.iter().map(|comment| comment.quote.as_str()).collect();
    assert_eq!(quotes, ["# Add a flag", "\n1. Read the arguments"]);
    assert_eq!((comments[1].first, comments[1].last, comments[1].text.as_str()), (2, 3, "why?"));
}

fn tried() -> Reviewing {
    let rehearsal = Some(Box::new(crate::testing::rehearsal()));
    Reviewing::new(&Asked { rehearsal, changes: None, ..review() }, None)
}

#[test]
fn a_yes_begins_with_what_was_tried_only_if_it_says_so() {
    let applied = |answer: Step| match answer {
        Step::Done(HostAnswer::Plan(PlanAnswer::Approve(approval))) => approval.apply,
        other => panic!("{other:?}"),
    };
    for (line, expected) in [
        ("y", None),
        ("y f", None),
        ("y: t", None),
        ("y t", Some("r1".to_owned())),
        ("t a f: go", Some("r1".to_owned())),
    ] {
        assert_eq!(applied(tried().answer(line)), expected, "{line:?}");
    }
    assert!(matches!(tried().answer("t t"), Step::Done(HostAnswer::Plan(PlanAnswer::KeepPlanning { .. }))));
    let Step::Look(rows) = tried().answer("t") else { panic!("nothing to look at") };
    assert!(bare(&rows).contains("M src/main.rs  +1 −1"), "{}", bare(&rows));
}

#[test]
fn what_was_tried_is_named_before_the_yes() {
    let all = bare(&tried().rows(false));
    assert!(all.contains("(y t): 3 files, +13 −4, are changed for real"), "{all}");
    assert!(bare(&tried().rows(true)).contains("y t begins with it: 3 files, +13 −4"));
    assert!(!bare(&Reviewing::new(&review(), None).rows(false)).contains("tried"));
}

#[test]
fn a_review_on_paper() {
    insta::assert_snapshot!(bare(&Reviewing::new(&review(), None).rows(false)));
}

#[test]
fn an_empty_plan_is_said_to_be_empty() {
    let empty = Asked { plan: None, changes: None, modes: Mode::ALL.into(), ..review() };
    insta::assert_snapshot!(bare(&Reviewing::new(&empty, Some("Plan #1")).rows(false)));
}
