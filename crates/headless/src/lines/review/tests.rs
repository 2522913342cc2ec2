//! Lines as answers to a review, and the review on paper.

use super::*;
use crate::style::bare;
use crate::testing::review;
use forelook_protocol::{Approval, HostAnswer, PlanAnswer};
use forelook_view::review::{PreviousReview, ReviewEnd};

fn done(answer: PlanAnswer) -> AnswerStep {
    AnswerStep::Done(HostAnswer::Plan(answer))
}

fn answer(line: &str) -> AnswerStep {
    LineReview::new(&review(), None).answer(line)
}

fn yes(mode: Option<Mode>, fresh: bool, note: Option<&str>) -> AnswerStep {
    done(PlanAnswer::Approve(Approval {
        hash: review().hash,
        mode,
        note: note.map(str::to_owned),
        fresh_context: fresh,
        edited: None,
        apply: None,
        apply_protected: false,
    }))
}

fn words(text: &str) -> AnswerStep {
    done(PlanAnswer::KeepPlanning { feedback: Some(text.to_owned()), comments: Vec::new() })
}

#[test]
fn lines_become_answers() {
    for (line, expected) in [
        ("y", yes(None, false, None)),
        ("YES", yes(None, false, None)),
        ("o", yes(Some(Mode::Default), false, None)),
        ("a", yes(Some(Mode::AcceptEdits), false, None)),
        ("y f", yes(None, true, None)),
        ("f a", yes(Some(Mode::AcceptEdits), true, None)),
        ("y: mind: the tests", yes(None, false, Some("mind: the tests"))),
        ("a f: go", yes(Some(Mode::AcceptEdits), true, Some("go"))),
        ("y:", yes(None, false, None)),
        ("p", done(PlanAnswer::Park)),
        ("x", done(PlanAnswer::Abandon)),
        ("e", AnswerStep::Edit),
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
    let mut line_review = LineReview::new(&review(), None);
    line_review.answer("#2-3 why?");
    assert_eq!(line_review.answer("y"), yes(None, false, Some("On `1. Read the arguments`: why?")));
    assert_eq!(answer("?"), AnswerStep::Again);
}

#[test]
fn what_is_unclear_approves_nothing_and_sends_nothing() {
    for line in [
        "", "ok", "LGTM", "u", "b", "b: now", "f", "q", "s", "#", "#9 x", "#0 x", "#2-1 x", "#1", "#x y",
        "t", "y t",
    ] {
        assert!(matches!(answer(line), AnswerStep::Unclear(_)), "{line:?} gave {:?}", answer(line));
    }
}

#[test]
fn comments_are_gathered_and_go_with_the_next_words() {
    let mut line_review = LineReview::new(&review(), None);
    assert!(matches!(line_review.answer("#1 shorter"), AnswerStep::Noted(_)));
    assert!(matches!(line_review.answer("#2-3 why?"), AnswerStep::Noted(_)));
    assert!(bare(&line_review.rows(true)).contains("keep planning, with 2 comments"));
    let AnswerStep::Done(HostAnswer::Plan(PlanAnswer::KeepPlanning { feedback, comments })) =
        line_review.answer("n")
    else {
        panic!("not sent")
    };
    assert_eq!(feedback, None);
    let quotes: Vec<&str> = comments.iter().map(|comment| comment.quote.as_str()).collect();
    assert_eq!(quotes, ["# Add a flag", "\n1. Read the arguments"]);
    assert_eq!((comments[1].first, comments[1].last, comments[1].text.as_str()), (2, 3, "why?"));
}

fn tried() -> LineReview {
    let rehearsal = Some(Box::new(crate::testing::rehearsal()));
    LineReview::new(&ReviewRequest { rehearsal, changes: None, ..review() }, None)
}

#[test]
fn a_yes_begins_with_what_was_tried_only_if_it_says_so() {
    let applied = |answer: AnswerStep| match answer {
        AnswerStep::Done(HostAnswer::Plan(PlanAnswer::Approve(approval))) => approval.apply,
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
    assert!(matches!(
        tried().answer("t t"),
        AnswerStep::Done(HostAnswer::Plan(PlanAnswer::KeepPlanning { .. }))
    ));
    let AnswerStep::Look(rows) = tried().answer("t") else { panic!("nothing to look at") };
    assert!(bare(&rows).contains("M src/main.rs  +1 −1"), "{}", bare(&rows));
}

#[test]
fn what_was_tried_is_named_before_the_yes() {
    let all = bare(&tried().rows(false));
    assert!(all.contains("(y t): 3 files, +13 −4"), "{all}");
    assert!(bare(&tried().rows(true)).contains("y t applies it: 3 files, +13 −4"));
    assert!(!bare(&LineReview::new(&review(), None).rows(false)).contains("rehearsal"));
}

#[test]
fn a_review_on_paper() {
    insta::assert_snapshot!(bare(&LineReview::new(&review(), None).rows(false)));
}

#[test]
fn an_empty_plan_is_said_to_be_empty() {
    let empty = ReviewRequest { plan: None, changes: None, modes: Mode::ALL.into(), ..review() };
    insta::assert_snapshot!(bare(&LineReview::new(&empty, Some("Plan #1")).rows(false)));
}

#[test]
fn comments_from_before_are_shown_with_what_became_of_them() {
    let mut first = LineReview::new(&review(), None);
    let lines: Vec<String> = first.review.text().lines().map(str::to_owned).collect();
    first.answer("#1 shorter");
    first.answer("#3 why?");
    let PreviousReview { plan, comments, draft, .. } = first.review.into_previous();
    let before = PreviousReview { plan, comments, draft, end: ReviewEnd::Sent };
    let mut revised = lines;
    revised[0] = "# Another title".to_owned();
    let plan = Some(revised.join("\n"));
    let again = LineReview::after(&ReviewRequest { plan, ..review() }, None, Some(&before));
    let shown = bare(&again.rows(false));
    assert!(shown.contains("line 1, addressed: shorter"), "{shown}");
    assert!(shown.contains("line 3, still open: why?"), "{shown}");
    assert!(!shown.contains("Dropped") && shown.contains("keep planning, with 1 comment"), "{shown}");
}
