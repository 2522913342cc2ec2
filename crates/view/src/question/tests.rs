//! Questions as data: which are open, the possible answers, and what selections result in.

use std::sync::Arc;

use forelook_protocol::{
    AbsPath, DecisionStep, Destination, Entry, FrontEndId, Mode, ModeState, PermissionUpdate, PersonOption,
    PersonQuestion, PlanAnswer, PlanComment, PlanLength, PlanReview as Asked, QuestionAnswer, QuestionOpened,
    Reason, Reviewer, Status,
};
use serde_json::json;

use super::*;

fn id(number: u8) -> RequestId {
    serde_json::from_value(json!(format!("00000000-0000-7000-8000-0000000000{number:02}"))).unwrap()
}

fn question(number: u8, ask: HostAsk) -> HostRequest {
    HostRequest { id: id(number), call: None, agent: None, ask }
}

fn path() -> AbsPath {
    AbsPath::new("/plans/a.md").unwrap()
}

fn review() -> HostAsk {
    HostAsk::Review(Box::new(Asked {
        path: path(),
        plan: Some("# A\n\n1. Read\n".into()),
        hash: "h".into(),
        length: PlanLength { characters: 13, lines: 3, rejected_percent: 20 },
        changes: None,
        before: Mode::Default,
        modes: vec![Mode::Default, Mode::AcceptEdits],
        unavailable: Vec::new(),
        problem: None,
        from: None,
        rehearsal: None,
    }))
}

fn permission(rule: Option<&str>) -> HostAsk {
    let reason = Reason {
        suggested_rules: rule.into_iter().map(Into::into).collect(),
        ..Reason::new(DecisionStep::Fallback, "x")
    };
    HostAsk::Permission { tool: "Bash".into(), input: json!({"command": "ls"}), reason, change: None }
}

fn choose(multi_select: bool) -> PersonQuestion {
    let option =
        |label: &str| PersonOption { label: label.into(), description: String::new(), preview: None };
    let options = ["A", "A, but later", "B"].map(option).into();
    PersonQuestion { question: "Which?".into(), header: "Which".into(), options, multi_select }
}

fn snapshot(requests: Vec<HostRequest>) -> SessionSnapshot {
    let status = Status {
        session: serde_json::from_value(json!("00000000-0000-7000-8000-000000000000")).unwrap(),
        folder: AbsPath::new("/p").unwrap(),
        mode: Mode::Plan,
        model: "m".into(),
        window: None,
        tools: Vec::new(),
        spent: Default::default(),
        todos: Vec::new(),
        plan: None,
        agents: Vec::new(),
        unavailable_modes: Default::default(),
    };
    SessionSnapshot {
        front_end: FrontEndId(1),
        status,
        last: None,
        turn: None,
        queue: Vec::new(),
        shells: Vec::new(),
        requests,
    }
}

fn recorded(body: EntryBody) -> Event {
    let entry = Entry {
        id: serde_json::from_value(json!("00000000-0000-7000-8000-000000000099")).unwrap(),
        parent: None,
        time: serde_json::from_value(json!("2026-03-01T12:00:00Z")).unwrap(),
        agent: None,
        body,
    };
    Event::Recorded(Arc::new(entry))
}

fn opened(number: u8, ask: HostAsk) -> Event {
    recorded(EntryBody::QuestionOpened(QuestionOpened { question: question(number, ask) }))
}

fn by(id: u32, name: &str) -> AnsweredBy {
    AnsweredBy::FrontEnd { id: FrontEndId(id), name: name.into() }
}

#[test]
fn questions_open_and_close_in_order() {
    let hook = HostAsk::Hook { callback: "c".into(), input: json!({}) };
    let mut questions = Questions::new(&snapshot(vec![question(1, permission(None)), question(9, hook)]));
    assert_eq!(
        questions.apply(&opened(2, HostAsk::EnterPlan { path: path() })),
        Some(QuestionChange::Opened(id(2)))
    );
    assert_eq!(
        questions.apply(&opened(1, permission(None))),
        Some(QuestionChange::Opened(id(1))),
        "it is open already"
    );
    let ids = |questions: &Questions| questions.open().iter().map(|it| it.id).collect::<Vec<_>>();
    assert_eq!(ids(&questions), [id(1), id(2)]);
    let replied = QuestionClosed { question: id(1), answer: HostAnswer::yes(), by: by(2, "web page") };
    let Some(QuestionChange::Closed(closed)) = questions.apply(&recorded(EntryBody::QuestionClosed(replied)))
    else {
        panic!()
    };
    assert_eq!(closed.question.as_ref().map(|it| it.id), Some(id(1)));
    assert_eq!(closed.words().as_deref(), Some("Answered in web page: yes"));
    assert_eq!(ids(&questions), [id(2)]);
    for by in [by(1, "terminal"), AnsweredBy::Session, AnsweredBy::Policy] {
        let replied = QuestionClosed { question: id(7), answer: HostAnswer::yes(), by };
        let closed = questions.replied(&replied);
        assert_eq!((closed.question.clone(), closed.words()), (None, None));
    }
}

#[test]
fn an_answer_from_elsewhere_makes_ours_late() {
    let questions = Questions::new(&snapshot(Vec::new()));
    let refused = |by| CommandError::NotOpen {
        request: id(1),
        now: RequestState::Closed { by, answer: Box::new(HostAnswer::yes()) },
    };
    assert!(questions.lost_race(&refused(by(2, "web page"))));
    assert!(!questions.lost_race(&refused(by(1, "terminal"))));
    assert!(!questions.lost_race(&CommandError::Closed));
}

#[test]
fn a_review_knows_what_was_said_before() {
    let mut questions = Questions::new(&snapshot(vec![question(1, review()), question(2, permission(None))]));
    assert!(questions.review(id(2), None).is_none());
    let comments = vec![PlanComment { first: 3, last: 3, quote: "1. Read".into(), text: "what?".into() }];
    let reviewed = PlanReviewed {
        question: Some(id(1)),
        call: None,
        by: Reviewer::Person,
        answer: PlanAnswer::KeepPlanning { feedback: None, comments },
        path: path(),
        shown: "h".into(),
        proposed: None,
        plan: Some("# A\n\n1. Read\n".into()),
        mode_state: ModeState::default(),
        why: None,
        through: by(2, "web page"),
    };
    let Some(QuestionChange::Closed(closed)) = questions.apply(&recorded(EntryBody::PlanReviewed(reviewed)))
    else {
        panic!()
    };
    assert_eq!(closed.words().as_deref(), Some("Answered in web page: plan sent back"));
    questions.apply(&opened(3, review()));
    let again = questions.review(id(3), None).unwrap();
    assert_eq!(again.comments().len(), 1);
    // A review that closes without an answer continues in the next one.
    let mut open = again;
    open.comment(1, 1, "shorter").unwrap();
    questions.replied(&QuestionClosed::by_session(id(3), HostAnswer::Outdated));
    questions.history_mut().keep_open(open);
    questions.apply(&opened(4, review()));
    assert_eq!(questions.review(id(4), None).unwrap().comments().len(), 2);
}

#[test]
fn what_is_on_offer_and_what_it_answers() {
    let rule = |destination| PermissionUpdate::allow(&["Bash(ls)".into()], destination).unwrap();
    let with = |destination| HostAnswer::Allow { updates: vec![rule(destination)], input: None };
    let no = |words: Option<&str>| HostAnswer::Deny { message: words.map(str::to_owned) };
    let [session, saved] = [Destination::Session, Destination::LocalSettings];
    for (ask, words, expected) in [
        (permission(Some("Bash(ls)")), "", vec![HostAnswer::yes(), with(session), with(saved), no(None)]),
        (permission(Some("Bash(ls")), "", vec![HostAnswer::yes(), no(None)]),
        (permission(None), " use make\n", vec![HostAnswer::yes(), no(Some("use make"))]),
        (HostAsk::EnterPlan { path: path() }, " ", vec![HostAnswer::yes(), no(None)]),
        (HostAsk::Running { shells: Vec::new() }, "", vec![HostAnswer::yes(), no(None)]),
        (review(), "", Vec::new()),
        (HostAsk::Choose { questions: vec![choose(false)] }, "", Vec::new()),
        (HostAsk::ReadFile { path: path() }, "", Vec::new()),
    ] {
        let answers: Vec<HostAnswer> =
            answer_options(&ask).iter().map(|option| option.answer(words)).collect();
        assert_eq!(answers, expected, "{ask:?}");
    }
    assert_eq!(suggestions(&permission(Some("Bash(ls)"))), [rule(session), rule(saved)]);
    let mode = |mode| PermissionUpdate::SetMode { mode, destination: session };
    assert_eq!(suggestions(&review()), [mode(Mode::Default), mode(Mode::AcceptEdits)]);
}

#[test]
fn a_no_to_anything() {
    let keep = |words: Option<&str>| {
        let feedback = words.map(str::to_owned);
        HostAnswer::Plan(PlanAnswer::KeepPlanning { feedback, comments: Vec::new() })
    };
    let deny = |words: Option<&str>| HostAnswer::Deny { message: words.map(str::to_owned) };
    for (ask, words, expected) in [
        (permission(None), Some("why"), deny(Some("why"))),
        (permission(None), Some("  "), deny(None)),
        (HostAsk::EnterPlan { path: path() }, None, deny(None)),
        (HostAsk::Running { shells: Vec::new() }, None, deny(None)),
        (review(), Some("why"), keep(Some("why"))),
        (HostAsk::Choose { questions: Vec::new() }, Some("why"), HostAnswer::Dismissed),
        (HostAsk::ReadFile { path: path() }, None, HostAnswer::Failed { message: String::new() }),
    ] {
        assert_eq!(denial(&ask, words), expected, "{ask:?}");
    }
}

fn options(labels: &[&str]) -> QuestionAnswer {
    QuestionAnswer::Options(labels.iter().map(|&it| it.to_owned()).collect())
}

#[test]
fn what_is_pointed_at_ticked_or_said_is_a_choice() {
    let words = |text: &str| QuestionAnswer::FreeText(text.into());
    for (several, at, ticked, said, expected) in [
        (false, None, [false; 3], "", QuestionAnswer::Skipped),
        (false, Some(2), [false; 3], "", options(&["B"])),
        (false, Some(2), [true, false, false], "", options(&["B"])),
        (false, Some(3), [false; 3], " neither\n", words("neither")),
        (false, Some(3), [false; 3], " ", QuestionAnswer::Skipped),
        (true, Some(0), [false; 3], "", QuestionAnswer::Skipped),
        (true, Some(1), [true, false, true], "", options(&["A", "B"])),
        (true, Some(3), [true, false, true], "and more", words("A, B, and more")),
        (true, Some(3), [false; 3], "only this", words("only this")),
    ] {
        let picked = Selection { at, ticked: &ticked, words: said };
        assert_eq!(picked.choice(&choose(several)), expected, "{picked:?}");
    }
}

#[test]
fn numbers_choose_once_each() {
    for (several, numbers, expected) in [
        (false, vec![3], Ok(options(&["B"]))),
        (true, vec![3, 1, 3], Ok(options(&["B", "A"]))),
        (false, vec![1, 2], Err(SelectionError::OnlyOne)),
        (false, vec![0], Err(SelectionError::NoSuchOption(3))),
        (true, vec![1, 4], Err(SelectionError::NoSuchOption(3))),
    ] {
        assert_eq!(choice_by_number(&choose(several), &numbers), expected, "{numbers:?}");
    }
}

#[test]
fn names_choose_and_anything_else_is_words() {
    for (several, text, expected) in [
        (false, "A, but later", options(&["A, but later"])),
        (true, "A, but later, B", options(&["A, but later", "B"])),
        (true, "B, A, B", options(&["B", "A"])),
        (false, "A, B", QuestionAnswer::FreeText("A, B".into())),
        (true, "A, C", QuestionAnswer::FreeText("A, C".into())),
        (true, " ", QuestionAnswer::Skipped),
    ] {
        assert_eq!(choice_by_label(&choose(several), text), expected, "{text}");
    }
}

#[test]
fn several_questions_make_one_answer() {
    let mut answers = QuestionSequence::new(&[choose(false), choose(true)]);
    assert_eq!(answers.add(QuestionAnswer::Skipped), None);
    answers.reset();
    assert_eq!(answers.add(options(&["A"])), None);
    assert!(answers.current().unwrap().multi_select);
    let choices = vec![options(&["A"]), QuestionAnswer::Skipped];
    let answer = answers.add(QuestionAnswer::Skipped).unwrap();
    assert_eq!(answer, HostAnswer::Chosen { choices });
    assert_eq!(command(id(1), answer.clone()), Command::Answer { request: id(1), answer });
}
