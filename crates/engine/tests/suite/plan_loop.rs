//! The loop of a plan: reviewed again, answered where no call waits, and told truly to everybody.

use std::sync::Arc;

use forelook_engine::{Config, PlanPolicy, Responder, SessionStart, open};
use forelook_hooks::{Hook, HookEvent, Hooks};
use forelook_protocol::{
    AbsPath, AnsweredBy, Approval, CallStatus, Command, CommandError, CommentState, DraftComment, EndReason,
    EntryBody, FrontEnd, HostAnswer, HostAsk, HostRequest, Mode, PlanAnswer, PlanCommand, PlanComment,
    PlanQuery, PlanReply, PlanReview, PlanReviewed, Query, Reply, RequestState, ReviewDraft,
};
use forelook_tools::ChildEnv;

use crate::common::{Front, Home, SESSION, life, words};

/// Puts the plan up when it is told to, and else only speaks.
const LOOP: &str = r#"
[[answer]]
name = "says"
text = "Yes."
next = [{ prompt = "Plan it", goto = "exits" }, { goto = "says" }]
[[answer]]
name = "exits"
call = [{ tool = "ExitPlanMode" }]
next = [{ prompt = "Plan it", goto = "exits" }, { goto = "says" }]
"#;

const PLAN: &str = "# Plan\n\n1. Do it.\n2. Test it.\n";

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

async fn mode(front: &Front) -> Mode {
    let Reply::Status(status) = front.query(Query::Status).await else { panic!("no status") };
    status.mode
}

async fn begin(home: &Home, mode: Mode) -> Front {
    let config = home.config(SessionStart::New(Some(SESSION)), LOOP);
    Front::open(Config { mode: Some(mode), ..config }).await
}

fn review_of(question: &HostRequest) -> PlanReview {
    let HostAsk::Review(review) = &question.ask else { panic!("{question:?}") };
    (**review).clone()
}

fn yes(review: &PlanReview) -> Approval {
    Approval { hash: review.hash.clone(), ..Approval::default() }
}

async fn answer(front: &Front, question: &HostRequest, answer: PlanAnswer) -> Result<(), CommandError> {
    front.answer(question, HostAnswer::Plan(answer)).await.map(drop)
}

/// A session that planned after this mode and parked its plan.
async fn parked(home: &Home, before: Mode) -> Front {
    let mut front = begin(home, before).await;
    front.send(Command::SetMode(Mode::Plan)).await.unwrap();
    std::fs::write(plan_path(home), PLAN).unwrap();
    front.say("Hello").await;
    front.turn_end().await;
    front.say("Plan it").await;
    let question = front.question().await;
    answer(&front, &question, PlanAnswer::Park).await.unwrap();
    assert_eq!(front.turn_end().await, EndReason::Parked);
    front
}

async fn reopen(front: &mut Front) -> HostRequest {
    front.send(Command::Plan(PlanCommand::Review)).await.unwrap();
    let question = front.question().await;
    assert_eq!(question.call, None, "no call waits for it");
    question
}

#[test]
fn a_parked_plan_is_reviewed_again_in_every_mode_and_carried_out() {
    life(async {
        for before in [Mode::Default, Mode::AcceptEdits, Mode::BypassPermissions] {
            for fresh_context in [false, true] {
                let home = Home::new();
                let mut front = parked(&home, before).await;
                let question = reopen(&mut front).await;
                let review = review_of(&question);
                assert_eq!((review.plan.as_deref(), review.before), (Some(PLAN), before));
                let mode_wanted = Some(Mode::AcceptEdits);
                let approval = Approval { fresh_context, mode: mode_wanted, ..yes(&review) };
                answer(&front, &question, PlanAnswer::Approve(approval)).await.unwrap();
                assert_eq!(front.turn_end().await, EndReason::Done);
                assert_eq!(mode(&front).await, Mode::AcceptEdits);
                let said: Vec<String> = home.last_request().iter().map(words).collect();
                assert!(said.concat().contains("1. Do it."), "{said:?}");
                assert_eq!(said.concat().contains("Hello"), !fresh_context, "{said:?}");
                let last = reviews(&home).pop().unwrap();
                assert_eq!((last.call, last.question), (None, Some(question.id)));
                forelook_testkit::check::journal(home.journal().as_path());
                front.close().await;
            }
        }
    });
}

#[test]
fn sending_it_back_plans_on_with_the_words() {
    life(async {
        let home = Home::new();
        let mut front = parked(&home, Mode::AcceptEdits).await;
        let question = reopen(&mut front).await;
        let feedback = Some("Say more.".to_owned());
        answer(&front, &question, PlanAnswer::KeepPlanning { feedback, comments: Vec::new() }).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(mode(&front).await, Mode::Plan);
        let said: String = home.last_request().iter().map(words).collect();
        assert!(said.contains("Say more.") && said.contains("Plan mode is on"), "{said}");
        // While planning it is the current plan.
        let again = reopen(&mut front).await;
        answer(&front, &again, PlanAnswer::Approve(yes(&review_of(&again)))).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(mode(&front).await, Mode::AcceptEdits, "the mode before planning");
        front.close().await;
    });
}

#[test]
fn a_review_that_was_interrupted_comes_back() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Default).await;
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        std::fs::write(plan_path(&home), PLAN).unwrap();
        front.say("Hello").await;
        front.turn_end().await;
        front.say("Plan it").await;
        front.question().await;
        front.send(Command::Interrupt).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Interrupted);
        let question = reopen(&mut front).await;
        // Asked for twice, it is there once; and an interrupt puts it away.
        front.send(Command::Plan(PlanCommand::Review)).await.unwrap();
        front.send(Command::Interrupt).await.unwrap();
        let late = answer(&front, &question, PlanAnswer::Park).await;
        assert!(
            matches!(late, Err(CommandError::NotOpen { now: RequestState::Closed { .. }, .. })),
            "{late:?}"
        );
        assert_eq!(mode(&front).await, Mode::Plan);
        front.close().await;
    });
}

#[test]
fn a_plan_that_changes_meanwhile_is_shown_again() {
    life(async {
        let home = Home::new();
        let mut front = parked(&home, Mode::Default).await;
        let question = reopen(&mut front).await;
        let edited = PLAN.replace("Do it.", "Do it slowly.");
        std::fs::write(plan_path(&home), &edited).unwrap();
        let old = answer(&front, &question, PlanAnswer::Approve(yes(&review_of(&question)))).await;
        assert!(matches!(old, Err(CommandError::PlanChanged { .. })), "{old:?}");
        let question = front.question().await;
        let review = review_of(&question);
        assert_eq!(review.plan.as_deref(), Some(&*edited));
        assert!(review.changes.as_ref().is_some_and(|it| it.contains("+1. Do it slowly.")));
        answer(&front, &question, PlanAnswer::Approve(yes(&review))).await.unwrap();
        front.turn_end().await;
        assert_eq!(reviews(&home).len(), 2, "parked, and approved once");
        front.close().await;
    });
}

#[test]
fn a_plan_that_is_gone_is_not_approved_and_that_is_said() {
    life(async {
        for readable in [true, false] {
            let home = Home::new();
            let mut front = parked(&home, Mode::Default).await;
            let question = reopen(&mut front).await;
            std::fs::remove_file(plan_path(&home)).unwrap();
            if !readable {
                std::fs::create_dir(plan_path(&home)).unwrap();
            }
            let refused = answer(&front, &question, PlanAnswer::Approve(yes(&review_of(&question)))).await;
            let why = refused.unwrap_err().to_string();
            let part = if readable { "no plan in" } else { "cannot be read any more" };
            assert!(why.contains(part) && why.contains("was not approved"), "{why}");
            // There is nothing to put up again, so nobody waits for that.
            let late = answer(&front, &question, PlanAnswer::Park).await;
            let closed =
                RequestState::Closed { by: AnsweredBy::Session, answer: Box::new(HostAnswer::Dismissed) };
            assert_eq!(late, Err(CommandError::NotOpen { request: question.id, now: closed }));
            assert_eq!((reviews(&home).len(), mode(&front).await), (1, Mode::Default), "parked, before");
            front.close().await;
        }
    });
}

#[test]
fn an_edited_approval_loses_no_bytes_of_a_file_that_is_no_text() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Default).await;
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        let bytes = b"# Caf\xe9\n";
        std::fs::write(plan_path(&home), bytes).unwrap();
        front.say("Hello").await;
        front.turn_end().await;
        front.say("Plan it").await;
        let question = front.question().await;
        let review = review_of(&question);
        assert!(review.plan.is_none() && review.problem.is_some());
        let approval = Approval { edited: Some(PLAN.to_owned()), ..yes(&review) };
        answer(&front, &question, PlanAnswer::Approve(approval)).await.unwrap();
        front.turn_end().await;
        assert_eq!(std::fs::read_to_string(plan_path(&home)).unwrap(), PLAN);
        let history = plan_path(&home).as_path().with_extension("history");
        assert_eq!(std::fs::read(history.join("0001.md")).unwrap(), bytes);
        assert_eq!(std::fs::read_to_string(history.join("0002.md")).unwrap(), PLAN);
        front.close().await;
    });
}

#[test]
fn a_kill_between_the_answer_and_its_turn_loses_neither() {
    let home = Home::new();
    life(async {
        let mut front = parked(&home, Mode::Default).await;
        let question = reopen(&mut front).await;
        answer(&front, &question, PlanAnswer::Approve(yes(&review_of(&question)))).await.unwrap();
        front.turn_end().await;
    });
    cut_behind_review(&home);
    life(async {
        let mut front = home.resume(LOOP, Responder::Person).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        let said: String = home.last_request().iter().map(words).collect();
        assert!(said.contains("# Approved plan"), "{said}");
        front.close().await;
    });
}

/// Cuts the journal as if the program had died right behind the last answer to a review.
fn cut_behind_review(home: &Home) {
    let text = std::fs::read_to_string(home.journal()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().rposition(|line| line.contains("\"plan_reviewed\"")).unwrap();
    std::fs::write(home.journal(), format!("{}\n", lines[..=last].join("\n"))).unwrap();
}

/// Whoever resumes it with new words has the model read what the review said as well: these words, and no others.
#[test]
fn new_words_after_a_kill_come_with_what_the_review_said() {
    let comment = PlanComment { first: 3, last: 3, quote: "1. Do it.".into(), text: "How?".into() };
    let sent_back = PlanAnswer::KeepPlanning { feedback: Some("Say more.".into()), comments: vec![comment] };
    for (answered, expected, never) in [
        (Some(sent_back), &["Say more.", "How?", "Plan mode is on"][..], "# Approved plan"),
        (None, &["The user approved the plan", "# Approved plan", "1. Do it."], "wants changes"),
    ] {
        let home = Home::new();
        life(async {
            let mut front = parked(&home, Mode::Default).await;
            let question = reopen(&mut front).await;
            let approved = PlanAnswer::Approve(yes(&review_of(&question)));
            answer(&front, &question, answered.unwrap_or(approved)).await.unwrap();
            front.turn_end().await;
            front.close().await;
        });
        cut_behind_review(&home);
        life(async {
            let config = home.config(SessionStart::Resume(SESSION), LOOP);
            let client = open(Config { mode: None, ..config }).await.unwrap();
            let mut front = Front::attach(&client, FrontEnd::attended("test").with_prompt(true)).await;
            front.say("And hurry").await;
            assert_eq!(front.turn_end().await, EndReason::Done);
            let said: String = home.last_request().iter().map(words).collect();
            // It goes on in its conversation: only a start from the plan alone would leave that behind.
            assert!(said.contains("Hello") && said.contains("And hurry"), "{said}");
            assert!(expected.iter().all(|words| said.contains(words)), "{said}");
            assert!(!said.contains(never) && !said.contains("Carry out the plan below"), "{said}");
            front.close().await;
        });
    }
}

#[test]
fn there_must_be_a_plan_and_no_turn() {
    life(async {
        let home = Home::new();
        let front = begin(&home, Mode::Default).await;
        let review = || front.send(Command::Plan(PlanCommand::Review));
        let Err(CommandError::Plan(why)) = review().await else { panic!("there is none") };
        assert!(why.contains("There is no plan to review"), "{why}");
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        std::fs::create_dir(plan_path(&home)).unwrap();
        let Err(CommandError::Plan(why)) = review().await else { panic!("it cannot be read") };
        assert!(why.contains("cannot be read"), "{why}");
        front.close().await;
    });
}

#[test]
fn what_is_written_in_a_review_is_in_the_journal() {
    life(async {
        let home = Home::new();
        let mut front = parked(&home, Mode::Default).await;
        let question = reopen(&mut front).await;
        let comment = PlanComment { first: 3, last: 3, quote: "1. Do it.".into(), text: "How?".into() };
        let comments = vec![DraftComment { comment, state: CommentState::New }];
        let draft = ReviewDraft { comments, words: "half a".into() };
        let save = Command::SaveReviewDraft { request: question.id, draft: draft.clone() };
        front.send(save.clone()).await.unwrap();
        let recorded = home.entries().into_iter().rev().find_map(|entry| match entry.body {
            EntryBody::ReviewDrafted(drafted) => Some(drafted),
            _ => None,
        });
        let recorded = recorded.unwrap();
        assert_eq!((recorded.question, recorded.draft), (question.id, draft));
        answer(&front, &question, PlanAnswer::Park).await.unwrap();
        assert!(matches!(front.send(save).await, Err(CommandError::NotOpen { .. })));
        front.close().await;
    });
}

#[test]
fn a_mode_that_cannot_be_had_is_default_and_never_a_no() {
    life(async {
        for (before, wanted) in [
            (Mode::BypassPermissions, None),
            (Mode::AcceptEdits, Some(Mode::BypassPermissions)),
            (Mode::AcceptEdits, Some(Mode::Plan)),
        ] {
            let home = Home::new();
            let front = parked(&home, before).await;
            front.send(Command::SetMode(Mode::Plan)).await.unwrap();
            front.close().await;
            // Bypass is not available any more.
            let mut config = home.config(SessionStart::Resume(SESSION), LOOP);
            config.permissions.conditions.bypass = Err("a policy forbids it".into());
            let mut front = Front::open(Config { mode: None, ..config }).await;
            front.say("Plan it").await;
            let question = front.question().await;
            let review = review_of(&question);
            assert!(!review.modes.contains(&Mode::BypassPermissions));
            let [lost] = &review.unavailable[..] else { panic!("{:?}", review.unavailable) };
            assert_eq!((lost.mode, lost.why.as_str()), (Mode::BypassPermissions, "a policy forbids it"));
            let approval = Approval { mode: wanted, ..yes(&review) };
            answer(&front, &question, PlanAnswer::Approve(approval)).await.unwrap();
            assert_eq!(front.turn_end().await, EndReason::Done);
            let reviewed = reviews(&home).pop().unwrap();
            assert!(matches!(reviewed.answer, PlanAnswer::Approve(_)));
            assert_eq!(reviewed.mode_state.mode(), Mode::Default);
            assert!(reviewed.why.unwrap().contains("not available"), "the person hears of it");
            front.close().await;
        }
    });
}

#[test]
fn without_a_plan_a_run_for_a_plan_fails() {
    life(async {
        for policy in [PlanPolicy::Exit, PlanPolicy::Approve] {
            for (readable, part) in [(true, "without writing"), (false, "is a directory")] {
                let home = Home::new();
                let config = home.config(SessionStart::New(Some(SESSION)), LOOP);
                let (responder, reviewer) = (Responder::Nobody, Responder::Policy(policy));
                let config = Config { mode: Some(Mode::Plan), responder, reviewer, ..config };
                let mut front = Front::open(config).await;
                if !readable {
                    std::fs::create_dir(plan_path(&home)).unwrap();
                }
                front.say("Hello").await;
                front.turn_end().await;
                front.say("Plan it").await;
                let EndReason::NoPlan { message } = front.turn_end().await else { panic!("not an end") };
                assert!(message.contains(part) || !readable, "{message}");
                assert!(message.contains(&plan_path(&home).to_string()), "{message}");
                assert_eq!(mode(&front).await, Mode::Plan, "nothing was approved");
                front.close().await;
            }
        }
    });
}

#[test]
fn hooks_hear_what_became_of_a_plan_and_the_hash_of_that_plan() {
    life(async {
        let edited = "# Plan\n\n1. Do less.\n";
        for (given, verdict, plan) in [
            (PlanAnswer::Park, "parked", PLAN),
            (PlanAnswer::Abandon, "abandoned", PLAN),
            (
                PlanAnswer::KeepPlanning { feedback: Some("No".into()), comments: Vec::new() },
                "rejected",
                PLAN,
            ),
            (
                PlanAnswer::Approve(Approval { edited: Some(edited.into()), ..Approval::default() }),
                "approved",
                edited,
            ),
        ] {
            let home = Home::new();
            let heard = home.root.join("heard.json");
            let hook = Hook::new(HookEvent::PlanReviewed, format!("cat > '{heard}'"), "test");
            let env = ChildEnv::from_process_without_secrets(std::env::vars_os());
            let hooks = Arc::new(Hooks::new(vec![hook], env, home.project.clone()));
            let config = home.config(SessionStart::New(Some(SESSION)), LOOP);
            let mut front = Front::open(Config { mode: Some(Mode::Default), hooks, ..config }).await;
            front.send(Command::SetMode(Mode::Plan)).await.unwrap();
            std::fs::write(plan_path(&home), PLAN).unwrap();
            front.say("Hello").await;
            front.turn_end().await;
            front.say("Plan it").await;
            let question = front.question().await;
            let hash = review_of(&question).hash;
            let given = match given {
                PlanAnswer::Approve(approval) => PlanAnswer::Approve(Approval { hash, ..approval }),
                other => other,
            };
            answer(&front, &question, given).await.unwrap();
            front.turn_end().await;
            // Hooks that only hear are waited for at the end.
            front.close().await;
            let heard: serde_json::Value = serde_json::from_slice(&std::fs::read(heard).unwrap()).unwrap();
            assert_eq!((heard["verdict"].as_str(), heard["plan"].as_str()), (Some(verdict), Some(plan)));
            assert_eq!(heard["plan_hash"], forelook_plan::plan_hash(plan), "{verdict}");
        }
    });
}

#[test]
fn a_fork_hears_of_its_plan_file_with_its_first_request() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Plan).await;
        std::fs::write(plan_path(&home), PLAN).unwrap();
        front.say("Hello").await;
        front.turn_end().await;
        front.close().await;
        let fork = Config { mode: None, ..home.config(SessionStart::Fork(SESSION), LOOP) };
        let mut front = Front::open(fork).await;
        let Reply::Status(status) = front.query(Query::Status).await else { panic!("no status") };
        let own = status.plan.unwrap();
        assert_ne!(own, plan_path(&home));
        for turn in 0..2 {
            front.say("Hello again").await;
            front.turn_end().await;
            let request = home.requests().pop().unwrap();
            let said: Vec<String> = request["messages"].as_array().unwrap().iter().map(words).collect();
            let named = said.concat().matches(&own.to_string()).count();
            assert_eq!(named, 1, "once, with the first request (turn {turn}): {said:?}");
            assert!(said.concat().contains(&format!("There is a plan in `{own}`")), "{said:?}");
        }
        front.close().await;
    });
}

#[test]
fn a_plan_that_cannot_be_read_is_no_plan_and_says_why() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Plan).await;
        let path = plan_path(&home);
        std::fs::write(&path, b"# Plan \xff\n").unwrap();
        let PlanReply::Current { plan: None, problem: Some(why), .. } = front.look(PlanQuery::Current).await
        else {
            panic!("it is no text")
        };
        assert!(why.contains("not UTF-8 text"), "{why}");
        front.say("Hello").await;
        front.turn_end().await;
        let said: String = home.last_request().iter().map(words).collect();
        assert!(said.contains("cannot be read") && !said.contains("There is a plan in"), "{said}");
        front.close().await;
    });
}

#[test]
fn after_abandoning_a_new_plan_has_a_new_file() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home, Mode::Plan).await;
        let before = plan_path(&home);
        std::fs::write(&before, PLAN).unwrap();
        front.say("Hello").await;
        front.turn_end().await;
        front.say("Plan it").await;
        let question = front.question().await;
        answer(&front, &question, PlanAnswer::Abandon).await.unwrap();
        front.turn_end().await;
        let refused = front.send(Command::Plan(PlanCommand::Review)).await;
        assert!(matches!(refused, Err(CommandError::Plan(why)) if why.contains("abandoned")));
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        assert_ne!(plan_path(&home), before);
        assert_eq!(std::fs::read_to_string(before).unwrap(), PLAN);
        front.close().await;
    });
}

/// The main agent starts one that plans; it tries to change something, rehearses that, writes its plan, and is done.
const PLANS_ALONE: &str = r##"
[[start]]
prompt = "TASK"
goto = "agent"
[[answer]]
call = [{ tool = "Agent", input = { description = "Plan", prompt = "TASK one", subagent_type = "KIND", mode = "plan" } }]
[[answer]]
name = "end"
text = "Done."
next = [{ goto = "end" }]
[[answer]]
name = "agent"
call = [{ tool = "Bash", input = { command = "touch made" } }]
[[answer]]
call = [{ tool = "Bash", input = { command = "touch made && ls", rehearse = true } }]
[[answer]]
call = [{ tool = "ExitPlanMode" }]
[[answer]]
text = "I have a plan."
"##;

fn of_agents(home: &Home) -> Vec<(CallStatus, String)> {
    let entries = home.entries().into_iter().filter(|entry| entry.agent.is_some());
    let finished = entries.filter_map(|entry| match entry.body {
        EntryBody::ToolFinished(finished) => Some((finished.status, finished.result.text())),
        _ => None,
    });
    finished.collect()
}

/// What the model was sent in the agent's first request.
fn agent_was_told(home: &Home) -> String {
    let first = home.requests().into_iter().find(|it| words(&it["messages"][0]).contains("TASK one"));
    first.unwrap()["messages"].as_array().unwrap().iter().map(words).collect()
}

#[test]
fn an_agent_plans_alone_with_all_of_plan_mode() {
    life(async {
        let home = Home::new();
        let script = PLANS_ALONE.replace("KIND", "general-purpose");
        let config = home.config(SessionStart::New(Some(SESSION)), &script);
        let mut front = Front::open(Config { mode: Some(Mode::AcceptEdits), ..config }).await;
        front.say("Go").await;
        let started = front
            .until(|body| if let EntryBody::ToolFinished(it) = body { Some(it.clone()) } else { None })
            .await;
        assert_eq!(started.status, CallStatus::Denied, "its gate is closed: {started:?}");
        assert_eq!(front.turn_end().await, EndReason::Done);
        let calls = of_agents(&home);
        assert_eq!(home.text("made"), None);
        assert!(calls[1].0 == CallStatus::Ran && calls[1].1.contains("made"), "rehearsed: {calls:?}");
        assert!(calls[2].1.contains("ok") && !calls[2].1.contains("is approved"), "{calls:?}");
        let told = agent_was_told(&home);
        for part in ["Plan mode is on, and it applies to you too", "-agent-", "rehearse"] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert_eq!(front.look(PlanQuery::Rehearsal).await, PlanReply::Rehearsal(None), "gone with it");
        assert_eq!(mode(&front).await, Mode::AcceptEdits);
        front.close().await;
    });
}

#[test]
fn what_an_agent_rehearsed_outlives_the_plan_mode_of_its_session() {
    life(async {
        let home = Home::new();
        let script = PLANS_ALONE.replace("KIND", "general-purpose");
        let script = script.replace("\"touch made\"", "\"touch made\", rehearse = true");
        let wait = "until test -e go; do sleep 0.02; done";
        let script = script.replace(
            "[[answer]]\ncall = [{ tool = \"Bash\", input = { command = \"touch made && ls\"",
            &format!(
                "[[answer]]\ncall = [{{ tool = \"Bash\", input = {{ command = \"{wait}\" }} }}]\n[[answer]]\n\
                 call = [{{ tool = \"Bash\", input = {{ command = \"ls\""
            ),
        );
        let config = home.config(SessionStart::New(Some(SESSION)), &script);
        let mut front = Front::open(Config { mode: Some(Mode::AcceptEdits), ..config }).await;
        front.say("Go").await;
        front.until(|body| matches!(body, EntryBody::ToolFinished(_)).then_some(())).await;
        for mode in [Mode::Plan, Mode::Default] {
            front.send(Command::SetMode(mode)).await.unwrap();
        }
        let PlanReply::Rehearsal(Some(kept)) = front.look(PlanQuery::Rehearsal).await else {
            panic!("it was thrown away")
        };
        assert_eq!(kept.files.len(), 1);
        home.file("go", "");
        assert_eq!(front.turn_end().await, EndReason::Done);
        let calls = of_agents(&home);
        assert!(calls[2].0 == CallStatus::Ran && calls[2].1.contains("made"), "{calls:?}");
        assert_eq!(front.look(PlanQuery::Rehearsal).await, PlanReply::Rehearsal(None), "gone with it");
        front.close().await;
    });
}

#[test]
fn an_agents_plan_is_named_in_what_its_caller_hears() {
    life(async {
        let home = Home::new();
        // The agent's file has its id in its name, which the script cannot know: the agent waits until it is written.
        let script = PLANS_ALONE.replace("KIND", "general-purpose");
        let script = script.replace("\"touch made\"", "\"until test -e go; do sleep 0.02; done\"");
        let config = home.config(SessionStart::New(Some(SESSION)), &script);
        let mut front = Front::open(Config { mode: Some(Mode::Default), ..config }).await;
        front.say("Go").await;
        front.until(|body| matches!(body, EntryBody::AgentStarted(_)).then_some(())).await;
        let agent = front.heard.iter().rev().find_map(|entry| entry.agent.clone()).unwrap();
        let slug = plan_path(&home).as_path().file_stem().unwrap().to_string_lossy().into_owned();
        let own = home.plans().agent_path(&slug, &agent);
        std::fs::write(&own, PLAN).unwrap();
        home.file("go", "");
        assert_eq!(front.turn_end().await, EndReason::Done);
        let exit = of_agents(&home).pop().unwrap().1;
        assert!(exit.contains(&own.to_string()) && exit.contains("Nobody approved it"), "{exit}");
        let said: String = home.last_request().iter().map(words).collect();
        assert!(said.contains(&format!("Its plan is in `{own}`; it is not approved")), "{said}");
        front.close().await;
    });
}

#[test]
fn agents_that_only_read_are_told_of_no_plan_file() {
    life(async {
        for kind in ["Explore", "Plan"] {
            for mode in [Mode::Plan, Mode::Default] {
                let home = Home::new();
                let script = PLANS_ALONE.replace("KIND", kind);
                let config = home.config(SessionStart::New(Some(SESSION)), &script);
                let mut front = Front::open(Config { mode: Some(mode), ..config }).await;
                front.say("Go").await;
                front.turn_end().await;
                let told = agent_was_told(&home);
                assert!(told.contains("Plan mode is on"), "{told}");
                assert!(!told.contains("plan file") && !told.contains("-agent-"), "{kind}: {told}");
                let refused = &of_agents(&home)[0].1;
                assert!(!refused.contains("-agent-"), "{refused}");
                front.close().await;
            }
        }
    });
}
