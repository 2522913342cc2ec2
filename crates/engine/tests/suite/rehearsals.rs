//! What was rehearsed while planning: shown beside the plan, made real with a yes that says so, or thrown away.

use std::io::Write as _;
use std::sync::Mutex;

use forelook_engine::{Config, SessionStart, open};
use forelook_protocol::{
    AnsweredBy, Approval, Command, CommandError, EndReason, Entry, EntryBody, EntryId, FrontEnd, HostAnswer,
    HostAsk, HostRequest, Mode, ModeState, PlanAnswer, PlanCommand, PlanQuery, PlanReply, PlanReview,
    PlanReviewed, Query, Reviewer,
};

use crate::common::{Front, Home, SESSION, kinds, life, results};

/// What is tried.
const LINE: &str = "echo new > changed.txt; echo x > added.txt; rm removed.txt; cat changed.txt";

/// Tries a change, and puts the plan up; then tries to edit what it has not read.
const TRIES: &str = r#"
[[answer]]
call = [{ tool = "Bash", input = { command = "echo new > changed.txt; echo x > added.txt; rm removed.txt; cat changed.txt", rehearse = true } }]
[[answer]]
call = [{ tool = "Bash", input = { command = "cat changed.txt" } }]
[[answer]]
call = [{ tool = "ExitPlanMode" }]
[[answer]]
call = [{ tool = "Edit", input = { file_path = "changed.txt", old_string = "new", new_string = "newer" } }]
[[answer]]
name = "end"
text = "Done."
next = [{ goto = "end" }]
"#;

fn home() -> Home {
    let home = Home::new();
    home.file("changed.txt", "old\n");
    home.file("removed.txt", "there\n");
    home.file("try.sh", LINE);
    home
}

fn config(home: &Home, start: SessionStart, rules: &[&str]) -> Config {
    // Where a rule forbids a file, a line that is seen to write it is not even tried.
    let script = if rules.is_empty() { TRIES.to_owned() } else { TRIES.replace(LINE, "sh ./try.sh") };
    let config = home.config(start, &script);
    Config { mode: None, permissions: home.permissions(rules), ..config }
}

/// A session up to the review of its plan.
async fn reviewing(home: &Home, rules: &[&str]) -> (Front, HostRequest, Box<PlanReview>) {
    let mut front = Front::open(config(home, SessionStart::New(Some(SESSION)), rules)).await;
    front.send(Command::SetMode(Mode::BypassPermissions)).await.unwrap();
    front.send(Command::SetMode(Mode::Plan)).await.unwrap();
    front.say("Try it").await;
    let question = front.question().await;
    let HostAsk::Review(review) = &question.ask else { panic!("{question:?}") };
    let review = review.clone();
    (front, question, review)
}

fn approve(review: &PlanReview, apply: Option<String>) -> HostAnswer {
    let hash = review.hash.clone();
    HostAnswer::Plan(PlanAnswer::Approve(Approval { hash, apply, ..Approval::default() }))
}

fn untouched(home: &Home) -> bool {
    home.text("changed.txt").as_deref() == Some("old\n")
        && home.text("added.txt").is_none()
        && home.text("removed.txt").is_some()
}

fn done(home: &Home) -> bool {
    home.text("changed.txt").as_deref() == Some("new\n")
        && home.text("added.txt").as_deref() == Some("x\n")
        && home.text("removed.txt").is_none()
}

#[test]
fn it_is_shown_beside_the_plan_and_applied_exactly_with_a_yes_that_says_so() {
    life(async {
        let home = home();
        let (mut front, question, review) = reviewing(&home, &[]).await;
        assert!(untouched(&home), "nothing real changes while planning");
        let rehearsal = review.rehearsal.clone().expect("what was tried");
        assert_eq!(rehearsal.files.len(), 3, "{rehearsal:?}");
        let said: Vec<_> = results(&home).into_iter().map(|(_, text)| text).collect();
        assert!(said[0].contains("new") && said[1].contains("old"), "the layer and the files: {said:?}");
        assert_eq!(front.look(PlanQuery::Rehearsal).await, PlanReply::Rehearsal(Some(rehearsal.clone())));
        // Another than what was shown is no answer.
        let other = front.answer(&question, approve(&review, Some("0".repeat(64)))).await;
        assert_eq!(other, Err(CommandError::DoesNotFit(question.id)));
        assert!(untouched(&home));
        front.answer(&question, approve(&review, Some(rehearsal.hash.clone()))).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(done(&home), "{:?}", home.text("changed.txt"));
        let entries = home.entries();
        let kinds = kinds(&entries);
        let at = |kind: &str| kinds.iter().position(|it| *it == kind).unwrap();
        assert_eq!(at("rehearsal_applied"), at("plan_reviewed") + 1, "{kinds:?}");
        let said: Vec<_> = results(&home).into_iter().map(|(_, text)| text).collect();
        assert!(said[2].contains("was applied") && said[2].contains("added.txt"), "{}", said[2]);
        assert!(said[3].contains("ead it first") || said[3].contains("Read it again"), "{}", said[3]);
        // Planning again begins with nothing tried.
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        assert_eq!(front.look(PlanQuery::Rehearsal).await, PlanReply::Rehearsal(None));
        front.close().await;
    });
}

/// What builds leave behind may be a lot. Meanwhile the session hears everything else.
#[test]
fn a_review_that_the_person_opens_keeps_nobody_waiting_until_it_is_read() {
    const MANY: &str = "mkdir many; i=0; while [ $i -lt 3000 ]; do : > many/$i; i=$((i+1)); done";
    life(async {
        let home = home();
        home.file("try.sh", MANY);
        let (mut front, _, _) = reviewing(&home, &["deny Edit(none.txt)"]).await;
        front.send(Command::Interrupt).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Interrupted);
        let named = home.entries().into_iter().find_map(|entry| match entry.body {
            EntryBody::PlanNamed(named) => Some(named.path),
            _ => None,
        });
        std::fs::write(named.unwrap(), "# Plan\n").unwrap();
        let order = Mutex::new(Vec::new());
        let review = || async {
            front.send(Command::Plan(PlanCommand::Review)).await.unwrap();
            order.lock().unwrap().push("review");
        };
        let status = async {
            front.query(Query::Status).await;
            order.lock().unwrap().push("status");
        };
        // Asked for twice, it is there once.
        tokio::join!(review(), review(), status);
        assert_eq!(*order.lock().unwrap(), ["status", "review", "review"]);
        let own = front.question().await;
        assert_eq!(own.call, None);
        let HostAsk::Review(shown) = &own.ask else { panic!("{own:?}") };
        assert!(shown.rehearsal.is_some());
        // Whoever stops while it is read sees no review.
        front.send(Command::Interrupt).await.unwrap();
        let opens = front.send(Command::Plan(PlanCommand::Review));
        let (opens, stopped) = tokio::join!(opens, front.send(Command::Interrupt));
        assert!(matches!(opens, Err(CommandError::Plan(_))), "{opens:?}");
        stopped.unwrap();
        let heard = front.close().await;
        let is_review = |body: &EntryBody| matches!(body, EntryBody::QuestionOpened(it) if matches!(it.question.ask, HostAsk::Review(_)));
        assert_eq!(heard.iter().filter(|entry| is_review(&entry.body)).count(), 2);
    });
}

#[test]
fn whoever_leaves_otherwise_throws_it_away() {
    life(async {
        for answer in [None, Some(PlanAnswer::Park), Some(PlanAnswer::Approve(Approval::default()))] {
            let home = home();
            let (mut front, question, review) = reviewing(&home, &[]).await;
            match answer {
                None => _ = front.send(Command::SetMode(Mode::Default)).await.unwrap(),
                Some(PlanAnswer::Approve(_)) => {
                    front.answer(&question, approve(&review, None)).await.unwrap();
                    assert_eq!(front.turn_end().await, EndReason::Done);
                    assert!(results(&home)[2].1.contains("was discarded"), "{:?}", results(&home));
                }
                Some(answer) => _ = front.answer(&question, HostAnswer::Plan(answer)).await.unwrap(),
            }
            front.send(Command::SetMode(Mode::Plan)).await.unwrap();
            assert_eq!(front.look(PlanQuery::Rehearsal).await, PlanReply::Rehearsal(None));
            assert!(untouched(&home));
            front.close().await;
        }
    });
}

#[test]
fn a_rule_that_forbids_a_file_holds_and_the_rest_is_done() {
    life(async {
        let home = home();
        let (mut front, question, review) = reviewing(&home, &["deny Edit(added.txt)"]).await;
        let hash = review.rehearsal.as_ref().unwrap().hash.clone();
        front.answer(&question, approve(&review, Some(hash))).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(home.text("changed.txt").as_deref(), Some("new\n"));
        assert_eq!(home.text("added.txt"), None);
        let said = &results(&home)[2].1;
        assert!(said.contains("Not changed") && said.contains("added.txt"), "{said}");
        front.close().await;
    });
}

/// A session whose program was killed right after the user approved a rehearsal, before anything was applied.
fn killed_after_the_yes() -> Home {
    let home = home();
    let (question, review) = life(async {
        let (_, question, review) = reviewing(&home, &[]).await;
        (question, review)
    });
    let hash = review.rehearsal.as_ref().unwrap().hash.clone();
    let HostAnswer::Plan(answer) = approve(&review, Some(hash)) else { unreachable!() };
    let last = home.entries().pop().unwrap();
    let reviewed = PlanReviewed {
        question: Some(question.id),
        call: question.call,
        by: Reviewer::Person,
        through: AnsweredBy::Session,
        answer,
        path: review.path.clone(),
        shown: review.hash.clone(),
        proposed: None,
        plan: None,
        mode_state: ModeState::new(Mode::BypassPermissions),
        why: None,
    };
    let id = EntryId(uuid::Uuid::from_u128(77));
    let entry = Entry {
        id,
        parent: Some(last.id),
        time: last.time,
        agent: None,
        body: EntryBody::PlanReviewed(reviewed),
    };
    let mut journal = std::fs::OpenOptions::new().append(true).open(home.journal()).unwrap();
    writeln!(journal, "{}", serde_json::to_string(&entry).unwrap()).unwrap();
    assert!(untouched(&home));
    home
}

/// Whoever resumes with other words finds nothing applied, and the model hears why.
#[test]
fn new_words_come_before_what_was_to_be_applied() {
    let home = killed_after_the_yes();
    life(async {
        let client = open(config(&home, SessionStart::Resume(SESSION), &[])).await.unwrap();
        let mut front = Front::attach(&client, FrontEnd::attended("test").with_prompt(true)).await;
        front.say("STOP: implement nothing").await;
        front.turn_end().await;
        front.close().await;
    });
    assert!(untouched(&home));
    let told = results(&home);
    assert!(told[2].1.contains("new message comes first"), "{told:?}");
    // It is settled: whoever resumes later without a word finds it so.
    life(async {
        let front = Front::open(config(&home, SessionStart::Resume(SESSION), &[])).await;
        front.close().await;
    });
    assert!(untouched(&home));
}

#[test]
fn whoever_is_killed_after_the_yes_finds_it_done_when_the_session_is_loaded() {
    let home = killed_after_the_yes();
    life(async {
        let mut front = Front::open(config(&home, SessionStart::Resume(SESSION), &[])).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(done(&home));
        assert!(results(&home)[2].1.contains("was applied"), "{:?}", results(&home));
        let applied =
            home.entries().iter().filter(|it| matches!(it.body, EntryBody::RehearsalApplied(_))).count();
        assert_eq!(applied, 1);
        front.close().await;
    });
    // Once is enough: what the person does afterwards stays.
    home.file("changed.txt", "mine\n");
    life(async {
        let front = Front::open(config(&home, SessionStart::Resume(SESSION), &[])).await;
        front.close().await;
    });
    assert_eq!(home.text("changed.txt").as_deref(), Some("mine\n"));
}
