//! The review of a plan: every answer, and every way in which there is none.

use forelook_engine::{Config, PlanPolicy, Responder, SessionStart, open};
use forelook_protocol::{
    AbsPath, AnsweredBy, Approval, CallStatus, Command, CommandAccepted, CommandError, EndReason, EntryBody,
    FrontEnd, HostAnswer, HostAsk, HostRequest, Mode, PlanAnswer, PlanCommand, PlanComment, PlanReview,
    PlanReviewed, RequestState, Reviewer,
};

use crate::common::{Front, Home, SESSION, life, words};

/// Asks for a review at once, and again after every result.
const EXITS: &str = r#"
[[answer]]
call = [{ tool = "ExitPlanMode" }]
[[answer]]
name = "end"
text = "Done."
next = [{ prompt = "again", goto = "again" }, { goto = "end" }]
[[answer]]
name = "again"
call = [{ tool = "ExitPlanMode" }]
next = [{ goto = "end" }]
"#;

const PLAN: &str = "# Plan\n\n1. Do it.\n2. Test it.\n";

/// A session that plans after this mode, with a review open.
struct Planning {
    home: Home,
    front: Front,
    question: HostRequest,
    review: PlanReview,
}

async fn planning(mode: Mode, plan: Option<&str>) -> Planning {
    planning_with(mode, plan, |config| config).await
}

async fn planning_with(mode: Mode, plan: Option<&str>, change: impl FnOnce(Config) -> Config) -> Planning {
    let home = Home::new();
    let config = Config { mode: Some(mode), ..home.config(SessionStart::New(Some(SESSION)), EXITS) };
    let mut front = Front::open(change(config)).await;
    front.send(Command::SetMode(Mode::Plan)).await.unwrap();
    if let Some(text) = plan {
        std::fs::write(plan_path(&home), text).unwrap();
    }
    front.say("Plan it").await;
    let question = front.question().await;
    let HostAsk::Review(review) = question.ask.clone() else { panic!("{question:?}") };
    Planning { home, front, question, review: *review }
}

fn plan_path(home: &Home) -> AbsPath {
    let path = home.entries().into_iter().rev().find_map(|entry| match entry.body {
        EntryBody::PlanNamed(named) => Some(named.path),
        _ => None,
    });
    path.unwrap()
}

fn reviews(home: &Home) -> Vec<PlanReviewed> {
    let reviewed = home.entries().into_iter().filter_map(|entry| match entry.body {
        EntryBody::PlanReviewed(reviewed) => Some(reviewed),
        _ => None,
    });
    reviewed.collect()
}

fn last_result(home: &Home) -> (CallStatus, String) {
    let finished = home.entries().into_iter().rev().find_map(|entry| match entry.body {
        EntryBody::ToolFinished(finished) => Some((finished.status, finished.result.text())),
        _ => None,
    });
    finished.unwrap()
}

fn approve(review: &PlanReview) -> Approval {
    Approval { hash: review.hash.clone(), ..Approval::default() }
}

impl Planning {
    async fn answer(&self, answer: PlanAnswer) -> Result<CommandAccepted, CommandError> {
        self.front.answer(&self.question, HostAnswer::Plan(answer)).await
    }

    async fn mode(&self) -> Mode {
        let forelook_protocol::Reply::Status(status) =
            self.front.query(forelook_protocol::Query::Status).await
        else {
            panic!("no status")
        };
        status.mode
    }
}

#[test]
fn an_approval_leads_where_it_says_or_back() {
    life(async {
        for before in [Mode::Default, Mode::AcceptEdits, Mode::DontAsk, Mode::BypassPermissions, Mode::Auto] {
            for chosen in [None, Some(Mode::Default), Some(Mode::AcceptEdits), Some(Mode::BypassPermissions)]
            {
                let mut it = planning(before, Some(PLAN)).await;
                assert_eq!(it.review.before, before);
                assert_eq!(it.review.plan.as_deref(), Some(PLAN));
                let approval = Approval { mode: chosen, ..approve(&it.review) };
                it.answer(PlanAnswer::Approve(approval)).await.unwrap();
                assert_eq!(it.front.turn_end().await, EndReason::Done);
                assert_eq!(it.mode().await, chosen.unwrap_or(before));
                let [reviewed] = &reviews(&it.home)[..] else { panic!("one entry is the approval") };
                assert_eq!(reviewed.by, Reviewer::Person);
                assert_eq!(reviewed.shown, it.review.hash);
                assert_eq!(reviewed.mode_state.pre_plan_mode(), None);
                assert!(reviewed.mode_state.exit_reminder_due && reviewed.mode_state.has_left_plan_mode);
                let (status, text) = last_result(&it.home);
                assert_eq!(status, CallStatus::Ran);
                assert!(text.contains("TodoWrite") && text.contains("1. Do it."), "{text}");
                it.front.close().await;
            }
        }
    });
}

#[test]
fn an_empty_plan_is_approved_without_words_about_one() {
    life(async {
        for plan in [None, Some(""), Some("  \n")] {
            let mut it = planning(Mode::Default, plan).await;
            assert_eq!(it.review.plan, None);
            it.answer(PlanAnswer::Approve(approve(&it.review))).await.unwrap();
            it.front.turn_end().await;
            let (_, text) = last_result(&it.home);
            assert!(!text.contains("TodoWrite"), "{text}");
            assert_eq!(it.mode().await, Mode::Default);
            it.front.close().await;
        }
    });
}

#[test]
fn what_the_reviewer_edited_is_the_plan() {
    life(async {
        let mut it = planning(Mode::AcceptEdits, Some(PLAN)).await;
        let edited = "# Plan\n\n1. Do it better.\n";
        let note = Some("mind the tests".to_owned());
        let approval = Approval { edited: Some(edited.to_owned()), note, ..approve(&it.review) };
        it.answer(PlanAnswer::Approve(approval)).await.unwrap();
        it.front.turn_end().await;
        assert_eq!(std::fs::read_to_string(plan_path(&it.home)).unwrap(), edited);
        let (_, text) = last_result(&it.home);
        for part in ["edited", "Do it better.", "mind the tests"] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
        assert_eq!(reviews(&it.home)[0].shown, it.review.hash, "the hash is of what was shown");
        let output = it.home.entries().into_iter().rev().find_map(|entry| match entry.body {
            EntryBody::ToolFinished(finished) => finished.output,
            _ => None,
        });
        let output = output.unwrap();
        assert_eq!((&output["plan_was_edited"], &output["is_agent"]), (&true.into(), &false.into()));
        it.front.close().await;
    });
}

#[test]
fn a_failed_write_approves_nothing() {
    life(async {
        let mut it = planning(Mode::AcceptEdits, Some(PLAN)).await;
        let path = plan_path(&it.home);
        // Not even root writes through a link here, and what it leads to stays as it is.
        let elsewhere = it.home.project.join("elsewhere.md");
        std::fs::write(&elsewhere, PLAN).unwrap();
        std::fs::remove_file(&path).unwrap();
        let approval = Approval { edited: Some("# Other\n".to_owned()), ..approve(&it.review) };
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        let refused = it.answer(PlanAnswer::Approve(approval)).await;
        assert!(refused.is_err(), "{refused:?}");
        assert_eq!(reviews(&it.home), []);
        assert_eq!(it.mode().await, Mode::Plan);
        assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), PLAN);
        it.front.send(Command::Interrupt).await.unwrap();
        it.front.turn_end().await;
        it.front.close().await;
    });
}

#[test]
fn a_rejection_keeps_planning_and_carries_the_words() {
    life(async {
        let mut it = planning(Mode::AcceptEdits, Some(PLAN)).await;
        let comments =
            vec![PlanComment { first: 3, last: 3, quote: "1. Do it.".into(), text: "How?".into() }];
        let feedback = Some("Say more.".to_owned());
        it.answer(PlanAnswer::KeepPlanning { feedback, comments }).await.unwrap();
        assert_eq!(it.front.turn_end().await, EndReason::Done);
        assert_eq!(it.mode().await, Mode::Plan);
        let (status, text) = last_result(&it.home);
        assert_eq!(status, CallStatus::Denied);
        for part in ["Say more.", "1. Do it.", "How?"] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
        // The next review shows what changed since.
        std::fs::write(plan_path(&it.home), PLAN.replace("Do it.", "Do it slowly.")).unwrap();
        it.front.say("again").await;
        let HostAsk::Review(next) = it.front.question().await.ask else { panic!("no review") };
        assert!(next.changes.unwrap().contains("+1. Do it slowly."));
        it.front.send(Command::Interrupt).await.unwrap();
        it.front.turn_end().await;
        it.front.close().await;
    });
}

#[test]
fn parked_and_abandoned_plans_end_the_turn_in_the_mode_before() {
    const AND_THEN: &str = r#"
[[answer]]
[[answer.call]]
tool = "ExitPlanMode"
[[answer.call]]
tool = "Write"
input = { file_path = "sneaked.txt", content = "x" }
[[answer]]
text = "Done."
"#;
    life(async {
        for (answer, end) in
            [(PlanAnswer::Park, EndReason::Parked), (PlanAnswer::Abandon, EndReason::Abandoned)]
        {
            let home = Home::new();
            let config = home.config(SessionStart::New(Some(SESSION)), AND_THEN);
            let mut front = Front::open(Config { mode: Some(Mode::BypassPermissions), ..config }).await;
            front.send(Command::SetMode(Mode::Plan)).await.unwrap();
            std::fs::write(plan_path(&home), PLAN).unwrap();
            front.say("Plan it").await;
            let question = front.question().await;
            front.answer(&question, HostAnswer::Plan(answer)).await.unwrap();
            assert_eq!(front.turn_end().await, end);
            assert_eq!(reviews(&home)[0].mode_state.mode(), Mode::BypassPermissions);
            assert_eq!(home.text("sneaked.txt"), None, "what the model had ready besides is not done");
            assert_eq!(std::fs::read_to_string(plan_path(&home)).unwrap(), PLAN);
            front.close().await;
        }
    });
}

#[test]
fn a_fresh_context_begins_with_the_plan_alone() {
    life(async {
        let mut it = planning(Mode::AcceptEdits, Some(PLAN)).await;
        let approval = Approval { fresh_context: true, ..approve(&it.review) };
        it.answer(PlanAnswer::Approve(approval)).await.unwrap();
        it.front.turn_end().await;
        let request = it.home.requests().pop().unwrap();
        let messages = request["messages"].as_array().unwrap();
        let said: String = messages.iter().map(words).collect();
        assert!(said.contains("1. Do it.") && !said.contains("Plan it"), "{said}");
        // The next planning has a plan of its own.
        let before = plan_path(&it.home);
        it.front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        assert_ne!(plan_path(&it.home), before);
        it.front.close().await;
    });
}

#[test]
fn only_an_answer_to_what_is_shown_counts() {
    life(async {
        let mut it = planning(Mode::AcceptEdits, Some(PLAN)).await;
        let wrong = Approval { hash: "0".repeat(64), ..Approval::default() };
        let refused = it.answer(PlanAnswer::Approve(wrong)).await;
        assert_eq!(refused, Err(CommandError::DoesNotFit(it.question.id)));
        for answer in [
            HostAnswer::yes(),
            HostAnswer::Outdated,
            HostAnswer::Nobody,
            HostAnswer::Plan(PlanAnswer::HandOver),
        ] {
            let refused = it.front.answer(&it.question, answer).await;
            assert_eq!(refused, Err(CommandError::DoesNotFit(it.question.id)));
        }
        // Changed on disk while it was being read: shown again, and only the new text can be approved.
        std::fs::write(plan_path(&it.home), "# Changed\n").unwrap();
        let refused = it.answer(PlanAnswer::Approve(approve(&it.review))).await;
        let Err(CommandError::PlanChanged { now }) = refused else { panic!("{refused:?}") };
        assert_eq!(now.plan.as_deref(), Some("# Changed\n"));
        let again = it.front.question().await;
        let HostAsk::Review(review) = again.ask.clone() else { panic!("{again:?}") };
        assert_eq!(review, now, "it is put up as the refusal said");
        assert_eq!(reviews(&it.home), []);
        let late = it.answer(PlanAnswer::Approve(approve(&it.review))).await;
        let now = RequestState::Closed { by: AnsweredBy::Session, answer: Box::new(HostAnswer::Outdated) };
        assert_eq!(late, Err(CommandError::NotOpen { request: it.question.id, now }));
        it.front.answer(&again, HostAnswer::Plan(PlanAnswer::Approve(approve(&review)))).await.unwrap();
        it.front.turn_end().await;
        assert_eq!(reviews(&it.home).len(), 1);
        it.front.close().await;
    });
}

#[test]
fn a_review_ends_with_planning() {
    life(async {
        let mut it = planning(Mode::AcceptEdits, Some(PLAN)).await;
        it.front.send(Command::SetMode(Mode::Default)).await.unwrap();
        let late = it.answer(PlanAnswer::Approve(approve(&it.review))).await;
        let now = RequestState::Closed { by: AnsweredBy::Session, answer: Box::new(HostAnswer::Outdated) };
        assert_eq!(late, Err(CommandError::NotOpen { request: it.question.id, now }));
        it.front.turn_end().await;
        assert_eq!(reviews(&it.home), []);
        it.front.close().await;
    });
}

/// An editor that writes this and closes.
struct Writes(&'static str);

impl forelook_protocol::HostServices for Writes {
    fn editor(&self) -> Option<forelook_protocol::EditorInfo> {
        Some(forelook_protocol::EditorInfo { name: "ed".to_owned(), in_terminal: true })
    }

    fn open_in_editor(&self, path: AbsPath) -> forelook_protocol::BoxFuture<'_, Result<(), String>> {
        std::fs::write(&path, self.0).unwrap();
        Box::pin(async { Ok(()) })
    }
}

#[test]
fn a_plan_edited_during_its_review_is_put_up_again() {
    life(async {
        let services = std::sync::Arc::new(Writes("# Edited\n"));
        let mut it =
            planning_with(Mode::AcceptEdits, Some(PLAN), |config| Config { services, ..config }).await;
        it.front.send(Command::Plan(PlanCommand::Open)).await.unwrap();
        let again = it.front.question().await;
        let HostAsk::Review(review) = again.ask.clone() else { panic!("{again:?}") };
        assert_eq!(review.plan.as_deref(), Some("# Edited\n"));
        it.front.answer(&again, HostAnswer::Plan(PlanAnswer::Approve(approve(&review)))).await.unwrap();
        it.front.turn_end().await;
        assert_eq!(it.mode().await, Mode::AcceptEdits);
        it.front.close().await;
    });
}

#[test]
fn a_mode_changed_meanwhile_voids_the_review() {
    life(async {
        let mut it = planning(Mode::Default, Some(PLAN)).await;
        it.front.send(Command::SetMode(Mode::Default)).await.unwrap();
        let approval = Approval { mode: Some(Mode::BypassPermissions), ..approve(&it.review) };
        assert!(it.answer(PlanAnswer::Approve(approval)).await.is_err());
        it.front.turn_end().await;
        assert_eq!(it.mode().await, Mode::Default);
        let (status, text) = last_result(&it.home);
        assert_eq!(status, CallStatus::Denied);
        assert!(text.contains("not on"), "{text}");
        it.front.close().await;
    });
}

#[test]
fn nothing_but_an_answer_approves() {
    life(async {
        // An interrupt, and a front end that is gone.
        for (command, part) in [(Command::Interrupt, "Interrupted"), (Command::Unattended, "not approved")] {
            let mut it = planning(Mode::BypassPermissions, Some(PLAN)).await;
            it.front.send(command).await.unwrap();
            it.front.turn_end().await;
            assert_eq!(it.mode().await, Mode::Plan);
            assert_eq!(reviews(&it.home), []);
            let (_, text) = last_result(&it.home);
            assert!(text.contains(part), "{text}");
            it.front.close().await;
        }
    });
    // A program that was killed: the review is asked for again.
    let home = life(async { planning(Mode::AcceptEdits, Some(PLAN)).await.home });
    life(async {
        let mut front =
            Front::open(Config { mode: None, ..home.config(SessionStart::Resume(SESSION), EXITS) }).await;
        let question = front.question().await;
        assert!(matches!(question.ask, HostAsk::Review(_)));
        assert_eq!(reviews(&home), []);
        front.close().await;
    });
}

#[test]
fn a_killed_program_says_afterwards_what_was_approved() {
    life(async {
        let mut it = planning(Mode::AcceptEdits, Some(PLAN)).await;
        it.answer(PlanAnswer::Approve(approve(&it.review))).await.unwrap();
        it.front.turn_end().await;
        it.front.close().await;
        // Cut behind the approval, as a kill could have done.
        let journal = it.home.journal();
        let text = std::fs::read_to_string(&journal).unwrap();
        let upto = text.lines().position(|line| line.contains("\"kind\":\"plan_reviewed\"")).unwrap();
        let cut: String = text.lines().take(upto + 1).map(|line| format!("{line}\n")).collect();
        std::fs::write(&journal, cut).unwrap();
        let mut front = it.home.resume(EXITS, Responder::Nobody).await;
        front.turn_end().await;
        let (status, text) = last_result(&it.home);
        assert_eq!(status, CallStatus::Ran);
        assert!(text.contains("1. Do it."), "{text}");
        assert_eq!(reviews(&it.home).len(), 1, "approved once");
        front.close().await;
    });
}

/// The program died right behind an approval, in both ways to go on from one. Whoever resumes it with other words has the
/// model read them before it does anything.
#[test]
fn new_words_come_before_what_was_left_undone() {
    for fresh in [false, true] {
        life(async {
            let mut it = planning(Mode::AcceptEdits, Some(PLAN)).await;
            let approval = Approval { fresh_context: fresh, ..approve(&it.review) };
            it.answer(PlanAnswer::Approve(approval)).await.unwrap();
            it.front.turn_end().await;
            it.front.close().await;
            let journal = it.home.journal();
            let text = std::fs::read_to_string(&journal).unwrap();
            let upto = text.lines().position(|line| line.contains("\"kind\":\"plan_reviewed\"")).unwrap();
            let cut: String = text.lines().take(upto + 1).map(|line| format!("{line}\n")).collect();
            std::fs::write(&journal, cut).unwrap();
            let before = it.home.requests().len();
            let config = Config {
                responder: Responder::Nobody,
                reviewer: Responder::Nobody,
                ..it.home.config(SessionStart::Resume(SESSION), EXITS)
            };
            let client = open(config).await.unwrap();
            let mut front = Front::attach(&client, FrontEnd::watching("print").with_prompt(true)).await;
            assert_eq!(front.snapshot.turn.is_some(), !fresh, "nothing has begun");
            front.send(Command::Unattended).await.unwrap();
            front.say("STOP: implement nothing").await;
            front.turn_end().await;
            let requests = it.home.requests();
            let first = requests.get(before).map(|request| request["messages"].to_string());
            assert!(first.is_some_and(|it| it.contains("STOP: implement nothing")), "fresh: {fresh}");
            front.close().await;
        });
    }
}

#[test]
fn a_policy_answers_where_nobody_is() {
    life(async {
        for (policy, end, mode) in [
            (PlanPolicy::Approve, EndReason::Done, Mode::AcceptEdits),
            (
                PlanPolicy::Exit,
                EndReason::Planned { path: AbsPath::new("/").unwrap(), hash: String::new() },
                Mode::Plan,
            ),
        ] {
            let home = Home::new();
            let config = home.config(SessionStart::New(Some(SESSION)), EXITS);
            let config = Config {
                mode: Some(Mode::AcceptEdits),
                responder: Responder::Nobody,
                reviewer: Responder::Policy(policy),
                ..config
            };
            let mut front = Front::open(config).await;
            front.send(Command::SetMode(Mode::Plan)).await.unwrap();
            std::fs::write(plan_path(&home), PLAN).unwrap();
            front.say("Plan it").await;
            let reason = front.turn_end().await;
            let [reviewed] = &reviews(&home)[..] else { panic!("not reviewed") };
            assert_eq!(reviewed.by, Reviewer::Policy);
            match (end, reason) {
                (EndReason::Planned { .. }, EndReason::Planned { path, hash }) => {
                    assert_eq!((path, &hash), (plan_path(&home), &reviewed.shown));
                }
                (end, reason) => assert_eq!(end, reason),
            }
            assert_eq!(reviewed.mode_state.mode(), mode);
            front.close().await;
        }
    });
}
