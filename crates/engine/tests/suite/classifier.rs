//! Somebody who judges what rules leave open: believed, unless something changed while they thought.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use forelook_engine::{
    Author, Classifier, ClassifierRequest, ClassifierVerdict, Config, SessionStart, SessionState,
};
use forelook_permissions::DenialCounts;
use forelook_protocol::{
    Action, Behavior, CallStatus, Command, Decision, DecisionStep, Destination, EndReason, EntryBody,
    HostAnswer, HostAsk, Mode, Origin, PermissionUpdate, RuleValue,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::common::{Front, Home, SESSION, life, results};

const SCRIPT: &str = r#"
[[answer]]
text = "I try."
call = [{ tool = "Bash", input = { command = "touch ran" } }]
[[answer]]
name = "end"
text = "Done."
next = [{ prompt = "again", goto = "again" }, { goto = "end" }]
[[answer]]
name = "again"
call = [{ tool = "Bash", input = { command = "touch more" } }]
next = [{ goto = "end" }]
"#;

/// Says what it was told to say, in order, each time when it is let.
struct Told {
    rulings: Mutex<VecDeque<ClassifierVerdict>>,
    cases: Mutex<Vec<ClassifierRequest>>,
    /// One permit for each case that came.
    asked: Semaphore,
    /// One permit for each case that may be answered.
    let_go: Semaphore,
}

impl Told {
    /// One that answers at once.
    fn quick(rulings: impl IntoIterator<Item = ClassifierVerdict>) -> Arc<Self> {
        let told = Self::slow(rulings);
        told.let_go.add_permits(100);
        told
    }

    /// One that thinks until it is let go.
    fn slow(rulings: impl IntoIterator<Item = ClassifierVerdict>) -> Arc<Self> {
        Arc::new(Self {
            rulings: Mutex::new(rulings.into_iter().collect()),
            cases: Mutex::default(),
            asked: Semaphore::new(0),
            let_go: Semaphore::new(0),
        })
    }

    /// Comes back once it thinks about something.
    async fn thinks(&self) {
        self.asked.acquire().await.unwrap().forget();
    }

    fn cases(&self) -> Vec<ClassifierRequest> {
        self.cases.lock().unwrap().clone()
    }
}

impl Classifier for Told {
    fn classify(
        &self,
        case: ClassifierRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, ClassifierVerdict> {
        let next = async move {
            self.cases.lock().unwrap().push(case);
            self.asked.add_permits(1);
            tokio::select! {
                permit = self.let_go.acquire() => permit.unwrap().forget(),
                () = cancel.cancelled() => {}
            }
            self.rulings.lock().unwrap().pop_front().unwrap()
        };
        next.boxed()
    }
}

/// A session in mode `auto` that this one judges.
async fn begin(home: &Home, classifier: &Arc<Told>) -> Front {
    let config = home.config(SessionStart::New(Some(SESSION)), SCRIPT);
    let classifier = Some(Arc::clone(classifier) as Arc<dyn Classifier>);
    Front::open(Config { mode: Some(Mode::Auto), classifier, ..config }).await
}

/// What was decided, in order.
fn decisions(home: &Home) -> Vec<Decision> {
    let decided = home.entries().into_iter().filter_map(|entry| match entry.body {
        EntryBody::PermissionDecided(decided) => Some(decided.decision),
        _ => None,
    });
    decided.collect()
}

fn denials(home: &Home) -> DenialCounts {
    let mut state = SessionState::new(&home.store().header(SESSION).unwrap());
    home.entries().iter().for_each(|entry| state.apply(entry));
    state.denials
}

fn deny_touch() -> Command {
    let value =
        RuleValue { tool_name: "Bash".into(), rule_content: Some("touch:*".into()), examples: Vec::new() };
    Command::UpdatePermissions(PermissionUpdate::AddRules {
        rules: vec![value],
        behavior: Behavior::Deny,
        destination: Destination::Session,
    })
}

#[test]
fn what_it_allows_runs_without_a_question() {
    life(async {
        let home = Home::new();
        let classifier = Told::quick([ClassifierVerdict::Allow("it was asked for".into())]);
        let mut front = begin(&home, &classifier).await;
        front.say("Do it").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(home.text("ran").is_some());
        assert!(!home.entries().iter().any(|entry| matches!(entry.body, EntryBody::QuestionOpened(_))));
        let [Decision::Allow(reason)] = &decisions(&home)[..] else { panic!("{:?}", decisions(&home)) };
        assert_eq!((reason.step, reason.text.as_str()), (DecisionStep::Classifier, "it was asked for"));
        front.close().await;
    });
}

#[test]
fn what_it_denies_is_refused_with_its_words_and_counted() {
    life(async {
        let home = Home::new();
        let no = || ClassifierVerdict::Deny("nobody asked for this".into());
        let classifier = Told::quick([no(), no(), ClassifierVerdict::Allow("now they did".into())]);
        let mut front = begin(&home, &classifier).await;
        front.say("Do it").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(home.text("ran"), None);
        let [(status, text)] = &results(&home)[..] else { panic!("one call, one result") };
        assert_eq!(*status, CallStatus::Denied);
        assert!(text.contains("nobody asked for this"), "{text}");
        assert_eq!(denials(&home), DenialCounts { consecutive: 1, total: 1 });
        front.say("again").await;
        front.turn_end().await;
        assert_eq!(denials(&home), DenialCounts { consecutive: 2, total: 2 });
        front.say("again").await;
        front.turn_end().await;
        assert!(home.text("more").is_some());
        assert_eq!(denials(&home), DenialCounts { consecutive: 0, total: 2 }, "what it allows ends the row");
        front.close().await;
    });
}

/// Its question is a person's to answer. The record says that a person did, and not that the judge allowed it after all.
#[test]
fn where_it_is_not_sure_a_person_is_asked() {
    life(async {
        for yes in [true, false] {
            let home = Home::new();
            let classifier = Told::quick([ClassifierVerdict::Ask("this could be too much".into())]);
            let mut front = begin(&home, &classifier).await;
            front.say("Do it").await;
            let question = front.question().await;
            let HostAsk::Permission { reason, .. } = &question.ask else { panic!("{question:?}") };
            assert_eq!(reason.text, "this could be too much");
            let answer = if yes { HostAnswer::yes() } else { HostAnswer::Deny { message: None } };
            front.answer(&question, answer).await.unwrap();
            assert_eq!(front.turn_end().await, EndReason::Done);
            assert_eq!(home.text("ran").is_some(), yes);
            let decisions = decisions(&home);
            assert!(matches!(&decisions[..], [Decision::Ask(_)]), "{decisions:#?}");
            assert_eq!(denials(&home), DenialCounts::default());
            front.close().await;
        }
    });
}

#[test]
fn without_one_a_person_is_asked() {
    life(async {
        let home = Home::new();
        let config = home.config(SessionStart::New(Some(SESSION)), SCRIPT);
        let mut front = Front::open(Config { mode: Some(Mode::Auto), ..config }).await;
        front.say("Do it").await;
        let question = front.question().await;
        front.answer(&question, HostAnswer::yes()).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(home.text("ran").is_some());
        let decisions = decisions(&home);
        assert!(matches!(&decisions[..], [Decision::Ask(_)]), "nobody judged: {decisions:#?}");
        front.close().await;
    });
}

#[test]
fn what_it_allowed_is_void_if_planning_began_meanwhile() {
    life(async {
        let home = Home::new();
        let classifier = Told::slow([ClassifierVerdict::Allow("it was asked for".into())]);
        let mut front = begin(&home, &classifier).await;
        front.say("Do it").await;
        classifier.thinks().await;
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        classifier.let_go.add_permits(1);
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(home.text("ran"), None, "plan mode was walked round");
        let [Decision::Deny(reason)] = &decisions(&home)[..] else { panic!("{:?}", decisions(&home)) };
        assert_eq!(reason.step, DecisionStep::PlanGate);
        assert_eq!(results(&home)[0].0, CallStatus::Denied);
        assert_eq!(denials(&home), DenialCounts::default(), "it denied nothing");
        front.close().await;
    });
}

#[test]
fn a_rule_that_comes_while_it_thinks_wins_and_another_has_it_asked_again() {
    life(async {
        let home = Home::new();
        let allow = || ClassifierVerdict::Allow("it was asked for".into());
        let classifier = Told::slow([allow(), ClassifierVerdict::Deny("not any more".into()), allow()]);
        let mut front = begin(&home, &classifier).await;
        front.say("Do it").await;
        classifier.thinks().await;
        // Something that has nothing to do with it; but what it judged was another state of things.
        let other = PermissionUpdate::allow(&["Bash(make)".into()], Destination::Session).unwrap();
        front.send(Command::UpdatePermissions(other)).await.unwrap();
        classifier.let_go.add_permits(1);
        classifier.thinks().await;
        classifier.let_go.add_permits(1);
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(classifier.cases().len(), 2);
        assert!(results(&home)[0].1.contains("not any more"), "{:?}", results(&home));

        front.say("again").await;
        classifier.thinks().await;
        front.send(deny_touch()).await.unwrap();
        classifier.let_go.add_permits(1);
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!((home.text("ran"), home.text("more")), (None, None));
        assert_eq!(classifier.cases().len(), 3, "the rule needs no judge");
        front.close().await;
    });
}

#[test]
fn an_interrupt_while_it_thinks_runs_nothing() {
    life(async {
        let home = Home::new();
        let classifier = Told::slow([ClassifierVerdict::Allow("too late".into())]);
        let mut front = begin(&home, &classifier).await;
        front.say("Do it").await;
        classifier.thinks().await;
        front.send(Command::Interrupt).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Interrupted);
        assert_eq!(home.text("ran"), None);
        assert_eq!(results(&home)[0].0, CallStatus::Interrupted);
        front.close().await;
    });
}

/// It is shown who said what: words of a person's authorize, words of a tool or of a program do not.
#[test]
fn it_is_shown_the_call_and_who_said_what_before() {
    life(async {
        let home = Home::new();
        let classifier =
            Told::quick([ClassifierVerdict::Deny("no".into()), ClassifierVerdict::Deny("no".into())]);
        let mut front = begin(&home, &classifier).await;
        front.say("Do it").await;
        front.turn_end().await;
        front.say_as("again", Origin::Host).await.unwrap();
        front.turn_end().await;
        let cases = classifier.cases();
        let [first, second] = &cases[..] else { panic!("two calls, two cases") };
        assert_eq!((first.call.name.as_str(), &first.call.input["command"]), ("Bash", &"touch ran".into()));
        assert!(matches!(first.action, Action::Shell { .. }), "{:?}", first.action);
        assert_eq!(first.reason.step, DecisionStep::Classifier);
        let authors = |case: &ClassifierRequest| {
            case.conversation.iter().map(|it| it.author.clone()).collect::<Vec<_>>()
        };
        assert_eq!(authors(first), [Author::Prompt(Origin::Person), Author::Model]);
        let expected = [
            Author::Prompt(Origin::Person),
            Author::Model,
            Author::Results,
            Author::Model,
            Author::Prompt(Origin::Host),
            Author::Model,
        ];
        assert_eq!(authors(second), expected);
        front.close().await;
    });
}
