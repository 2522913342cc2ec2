//! Reviews as data: the choices, the state of comments, and the answers.

use forelook_protocol::{
    Approval, CommentState, Entry, EntryBody, EntryId, FileChange, HostAsk, HostRequest, Mode, ModeState,
    PlanAnswer, PlanComment, PlanLength, PlanReviewed, RehearsedFile, Reviewer,
};
use proptest::prelude::*;

use super::*;

const PLAN: &str = "# Title\n\n1. Read\n2. Write\n3. Test\n";

fn request(plan: Option<&str>) -> ReviewRequest {
    ReviewRequest {
        path: AbsPath::new("/plans/a.md").unwrap(),
        plan: plan.map(str::to_owned),
        hash: "h".into(),
        length: PlanLength { characters: 40, lines: 5, rejected_percent: 20 },
        changes: None,
        before: Mode::Default,
        modes: vec![Mode::Default, Mode::AcceptEdits, Mode::Auto],
        unavailable: Vec::new(),
        problem: None,
        from: None,
        rehearsal: None,
    }
}

fn rehearsal() -> Rehearsal {
    let path = AbsPath::new("/p/a.rs").unwrap();
    let file = RehearsedFile { path, change: FileChange::Changed, added: 1, removed: 1, protected: false };
    let diff = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-a\n+b\n".into();
    Rehearsal { files: vec![file], ignored: 0, diff, hash: "r1".into() }
}

fn review() -> ReviewState {
    ReviewState::new(
        &ReviewRequest { rehearsal: Some(Box::new(rehearsal())), ..request(Some(PLAN)) },
        None,
        None,
    )
}

fn approval() -> Approval {
    Approval { hash: "h".into(), ..Approval::default() }
}

fn keep(feedback: Option<&str>, comments: Vec<PlanComment>) -> PlanAnswer {
    PlanAnswer::KeepPlanning { feedback: feedback.map(str::to_owned), comments }
}

fn said(first: usize, last: usize, quote: &str, text: &str) -> PlanComment {
    PlanComment { first, last, quote: quote.into(), text: text.into() }
}

#[test]
fn what_is_on_offer() {
    let [yes, edits, auto] =
        [None, Some(Mode::AcceptEdits), Some(Mode::Auto)].map(|mode| review().approval_mode(mode));
    assert_eq!(
        review().choices(),
        [
            PlanChoice::Approve(yes),
            PlanChoice::Approve(edits),
            PlanChoice::Approve(auto),
            PlanChoice::KeepPlanning,
            PlanChoice::Park,
            PlanChoice::Abandon,
        ]
    );
    let words: Vec<String> = review().approval_modes().into_iter().map(ApprovalMode::words).collect();
    assert_eq!(words, ["ask before each edit (as before)", "accept edits", "use auto mode"]);
    let all = ReviewRequest { modes: Mode::ALL.into(), before: Mode::Auto, ..request(None) };
    let modes: Vec<Option<Mode>> = ReviewState::new(&all, None, None)
        .approval_modes()
        .iter()
        .map(|approval_mode| approval_mode.mode)
        .collect();
    assert_eq!(modes, [None, Some(Mode::Default), Some(Mode::AcceptEdits), Some(Mode::BypassPermissions)]);
}

#[test]
fn nothing_is_asked_in_a_way_that_is_open() {
    for (mode, before, open) in [
        (None, Mode::Default, false),
        (None, Mode::BypassPermissions, true),
        (Some(Mode::BypassPermissions), Mode::Default, true),
        (Some(Mode::AcceptEdits), Mode::BypassPermissions, false),
    ] {
        assert_eq!(ApprovalMode { mode, before }.bypasses_permissions(), open, "{mode:?} {before:?}");
    }
}

#[test]
fn choices_become_answers() {
    let note = |text: &str| Some(text.to_owned());
    let [fresh, tried] = [
        AnswerDetails { context: ContextChoice::Fresh, ..AnswerDetails::default() },
        AnswerDetails { rehearsal: RehearsalChoice::Apply, ..AnswerDetails::words("go") },
    ];
    let yes = |mode| PlanChoice::Approve(review().approval_mode(mode));
    for (choice, details, expected) in [
        (yes(None), AnswerDetails::default(), PlanAnswer::Approve(approval())),
        (
            yes(Some(Mode::AcceptEdits)),
            AnswerDetails::default(),
            PlanAnswer::Approve(Approval { mode: Some(Mode::AcceptEdits), ..approval() }),
        ),
        (
            yes(None),
            AnswerDetails::words(" mind the tests\n"),
            PlanAnswer::Approve(Approval { note: note("mind the tests"), ..approval() }),
        ),
        (yes(None), AnswerDetails::words(" "), PlanAnswer::Approve(approval())),
        (yes(None), fresh, PlanAnswer::Approve(Approval { fresh_context: true, ..approval() })),
        (
            yes(None),
            tried.clone(),
            PlanAnswer::Approve(Approval { note: note("go"), apply: note("r1"), ..approval() }),
        ),
        (PlanChoice::KeepPlanning, AnswerDetails::default(), keep(None, Vec::new())),
        (PlanChoice::KeepPlanning, AnswerDetails::words("shorter "), keep(Some("shorter"), Vec::new())),
        (PlanChoice::Park, tried.clone(), PlanAnswer::Park),
        (PlanChoice::Abandon, tried, PlanAnswer::Abandon),
    ] {
        assert_eq!(review().answer(choice, &details), expected, "{choice:?} {details:?}");
    }
}

#[test]
fn comments_go_along_with_either_answer() {
    let mut review = review();
    review.comment(3, 4, " why? ").unwrap();
    review.comment(1, 1, "shorter").unwrap();
    let comments = vec![said(1, 1, "# Title", "shorter"), said(3, 4, "1. Read\n2. Write", "why?")];
    assert_eq!(review.answer(PlanChoice::KeepPlanning, &AnswerDetails::default()), keep(None, comments));
    let yes = PlanChoice::Approve(review.approval_mode(None));
    let note = Some("ok\nOn `# Title`: shorter\nOn `1. Read`: why?".to_owned());
    let approved = PlanAnswer::Approve(Approval { note, ..approval() });
    assert_eq!(review.answer(yes, &AnswerDetails::words("ok")), approved);
    review.reword(0, " ");
    review.remove(0);
    assert!(review.comments().is_empty());
}

#[test]
fn only_lines_that_are_there_can_be_commented_on() {
    for (first, last) in [(0, 0), (0, 2), (6, 6), (3, 2), (2, 6), (usize::MAX, usize::MAX)] {
        assert_eq!(review().comment(first, last, "x"), Err(CommentError::NoSuchLines(5)), "{first}-{last}");
    }
    assert_eq!(review().comment(1, 1, " \n"), Err(CommentError::Empty));
    let mut nothing = ReviewState::new(&request(None), None, None);
    assert_eq!(nothing.comment(1, 1, "x"), Err(CommentError::NoSuchLines(0)));
}

#[test]
fn a_text_that_the_reviewer_changed_is_what_is_approved() {
    let mut review = review();
    review.comment(4, 4, "why?").unwrap();
    let longer = PLAN.replace("# Title", "# Title\n\nMore");
    review.changed(&longer);
    assert_eq!(review.comments().get(0).unwrap().comment.first, 6);
    let yes = PlanChoice::Approve(review.approval_mode(None));
    let note = Some("On `2. Write`: why?".to_owned());
    let approved = Approval { edited: Some(longer), note, ..approval() };
    assert_eq!(review.answer(yes, &AnswerDetails::default()), PlanAnswer::Approve(approved));
    // The model has the text that was shown.
    let sent = keep(None, vec![said(4, 4, "2. Write", "why?")]);
    assert_eq!(review.answer(PlanChoice::KeepPlanning, &AnswerDetails::default()), sent);
    review.changed(PLAN);
    assert!(
        matches!(review.answer(yes, &AnswerDetails::default()), PlanAnswer::Approve(it) if it.edited.is_none())
    );
}

#[test]
fn a_review_that_was_left_open_goes_on_in_the_next() {
    let mut history = ReviewHistory::default();
    let mut first = review();
    first.comment(3, 3, "why?").unwrap();
    first.draft = "half a sent".into();
    history.keep_open(first);
    let longer = format!("New\n\n{PLAN}");
    let path = request(None).path;
    let second = ReviewState::new(&request(Some(&longer)), Some("Explore"), history.of(&path));
    assert_eq!((second.since(), second.draft.as_str()), (ChangesSince::Shown, "half a sent"));
    assert!(second.changes().contains("+New\n"), "{}", second.changes());
    let expected = keep(None, vec![said(5, 5, "1. Read", "why?")]);
    assert_eq!(second.answer(PlanChoice::KeepPlanning, &AnswerDetails::default()), expected);
    let same = ReviewState::new(&request(Some(PLAN)), None, history.of(&path));
    assert_eq!((same.since(), same.changes()), (ChangesSince::Never, ""));
}

#[test]
fn editing_keeps_the_changes_since_the_last_review() {
    let shown = ReviewRequest { changes: Some("-old\n+new\n".into()), ..request(Some(PLAN)) };
    let mut history = ReviewHistory::default();
    history.keep_open(ReviewState::new(&shown, None, None));
    let edited = format!("{PLAN}4. Ship\n");
    let again = ReviewRequest { changes: Some("-old\n+new\n+4. Ship\n".into()), ..request(Some(&edited)) };
    let review = ReviewState::new(&again, None, history.of(&again.path));
    assert_eq!((review.since(), review.changed_while_open()), (ChangesSince::LastReview, true));
    assert_eq!(review.changes(), "-old\n+new\n+4. Ship\n");
}

fn entry(body: EntryBody) -> Entry {
    let id: EntryId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    Entry { id, parent: None, time: jiff::Timestamp::UNIX_EPOCH, agent: None, body }
}

/// What a killed program leaves is its journal: the next one shows every comment and word again.
#[test]
fn what_was_not_sent_is_in_the_journal() {
    let mut open = review();
    open.comment(3, 3, "why?").unwrap();
    let half = Unfinished::Comment { first: 5, last: 5, text: "how ex" };
    let words = open.to_record(Unfinished::Words("half a sent"));
    let comment = open.to_record(half);
    assert_eq!((words.words.as_str(), words.comments.len(), comment.comments.len()), ("half a sent", 1, 2));
    let question = HostRequest {
        id: "01890a5d-ac96-774b-bcce-b302099a8058".parse().unwrap(),
        call: None,
        agent: None,
        ask: HostAsk::Review(Box::new(request(Some(PLAN)))),
    };
    let mut history = ReviewHistory::default();
    let opened = forelook_protocol::QuestionOpened { question: question.clone() };
    history.read(&entry(EntryBody::QuestionOpened(opened)));
    for draft in [comment, words] {
        let drafted = forelook_protocol::ReviewDrafted { question: question.id, draft };
        history.read(&entry(EntryBody::ReviewDrafted(drafted)));
    }
    let longer = format!("New\n\n{PLAN}");
    let next = ReviewState::new(&request(Some(&longer)), None, history.of(&question_path()));
    assert_eq!(next.draft, "half a sent");
    let expected = keep(None, vec![said(5, 5, "1. Read", "why?")]);
    assert_eq!(next.answer(PlanChoice::KeepPlanning, &AnswerDetails::default()), expected);
    assert!(next.comments().iter().all(|it| it.state == CommentState::New), "none was sent");
}

fn question_path() -> AbsPath {
    request(None).path
}

#[test]
fn a_mode_that_cannot_be_had_is_not_on_offer() {
    let lost = UnavailableMode { mode: Mode::BypassPermissions, why: "a policy forbids it".into() };
    let shown = ReviewRequest {
        before: Mode::BypassPermissions,
        modes: vec![Mode::Default, Mode::AcceptEdits],
        unavailable: vec![lost.clone()],
        ..request(Some(PLAN))
    };
    let review = ReviewState::new(&shown, None, None);
    let modes: Vec<Option<Mode>> = review.approval_modes().into_iter().map(|it| it.mode).collect();
    assert_eq!(modes, [Some(Mode::Default), Some(Mode::AcceptEdits)]);
    assert_eq!(review.lost_mode(), Some(&lost));
}

fn answered(answer: PlanAnswer) -> PlanReviewed {
    PlanReviewed {
        question: None,
        call: None,
        by: Reviewer::Person,
        through: Default::default(),
        answer,
        path: request(None).path,
        proposed: None,
        shown: "h".into(),
        plan: Some(PLAN.to_owned()),
        mode_state: ModeState::default(),
        why: None,
    }
}

#[test]
fn what_was_said_is_kept_for_each_plan_until_it_is_done_with() {
    let mut history = ReviewHistory::default();
    let comments = vec![said(3, 3, "1. Read", "what?"), said(5, 5, "3. Test", "how?")];
    history.answered(&answered(keep(None, comments)));
    let new = PLAN.replace("1. Read", "1. Read it all");
    let path = request(None).path;
    let next = ReviewState::new(&request(Some(&new)), None, history.of(&path));
    let states: Vec<CommentState> = next.comments().iter().map(|it| it.state).collect();
    assert_eq!(states, [CommentState::Addressed, CommentState::StillOpen]);
    history.answered(&answered(PlanAnswer::Park));
    assert!(history.of(&path).is_some(), "it is still to be said");
    for end in [PlanAnswer::Approve(approval()), PlanAnswer::Abandon, PlanAnswer::HandOver] {
        let mut history = history.clone();
        history.answered(&answered(end));
        assert_eq!(history.of(&path), None);
    }
}

#[test]
fn what_was_tried_is_there_if_it_changes_a_file() {
    let review = review();
    let tried = review.rehearsed_changes().unwrap();
    assert_eq!(tried.size(), "1 file, +1 −1");
    assert_eq!(tried.files().0, "/p");
    assert_eq!(tried.changes()[0], DiffSection::Name("a.rs"));
    let only_builds = Rehearsal { ignored: 40, ..Rehearsal::default() };
    let none = ReviewRequest { rehearsal: Some(Box::new(only_builds)), ..request(Some(PLAN)) };
    assert!(ReviewState::new(&none, None, None).rehearsed_changes().is_none());
}

proptest! {
    /// Whatever lines are commented on, in any order, every comment is in the answer.
    #[test]
    fn every_comment_is_in_the_answer(
        made in prop::collection::vec((1usize..7, 0usize..4, "[a-z]{1,12}"), 0..6),
        approves: bool,
    ) {
        let mut review = review();
        let kept: Vec<&str> = made
            .iter()
            .filter(|(first, more, text)| review.comment(*first, first + more, text).is_ok())
            .map(|(.., text)| text.as_str())
            .collect();
        let choice = if approves { review.choices()[0] } else { PlanChoice::KeepPlanning };
        let said = match review.answer(choice, &AnswerDetails::default()) {
            PlanAnswer::Approve(approval) => approval.note.unwrap_or_default(),
            PlanAnswer::KeepPlanning { comments, .. } => comments.into_iter().map(|it| it.text + "\n").collect(),
            other => panic!("{other:?}"),
        };
        for text in kept {
            prop_assert!(said.contains(text), "{text} is not in {said:?}");
        }
    }
}
