//! A call that is bound to fail has its error before anybody is asked, and a refusal tells nothing that must not be known.

use std::sync::{Arc, Mutex};

use forelook_engine::{Classifier, ClassifierRequest, ClassifierVerdict, Config, SessionStart};
use forelook_hooks::{DEFAULT_TIMEOUT, Hook, HookEvent, HookHandler, Hooks, Matcher};
use forelook_protocol::{
    Action, CallStatus, Command, EndReason, EntryBody, HostAnswer, HostAsk, McpHint, Mode,
};
use forelook_tools::ChildEnv;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::common::{Front, Home, SESSION, life};
use crate::tools::{Made, done, with};

/// Each of these is bound to fail.
const BOUND: &str = r#"
[[answer]]
call = [
  { tool = "Edit", input = { file_path = "unread", old_string = "a", new_string = "b" } },
  { tool = "Write", input = { file_path = "unread", content = "b" } },
  { tool = "Edit", input = { file_path = "gone", old_string = "a", new_string = "b" } },
  { tool = "NotebookEdit", input = { notebook_path = "unread.ipynb", cell_id = "a", new_source = "b" } },
]
[[answer]]
text = "Done."
"#;

/// The results of calls, in order.
fn results(home: &Home) -> Vec<(CallStatus, String)> {
    let finished = home.entries().into_iter().filter_map(|entry| match entry.body {
        EntryBody::ToolFinished(finished) => Some((finished.status, finished.result.text())),
        _ => None,
    });
    finished.collect()
}

fn asked(home: &Home) -> usize {
    home.entries().iter().filter(|entry| matches!(entry.body, EntryBody::QuestionOpened(_))).count()
}

#[test]
fn nobody_is_asked_about_it() {
    life(async {
        let home = Home::new();
        home.file("unread", "a");
        home.file("unread.ipynb", "{}");
        let heard = home.project.join("heard");
        let hook = Hook {
            event: HookEvent::PermissionRequest,
            matcher: Matcher::all(),
            handler: HookHandler::Command(format!("touch '{heard}'")),
            timeout: DEFAULT_TIMEOUT,
            fail_closed: false,
            origin: "test:1".into(),
        };
        let env = ChildEnv::from_process_without_secrets(std::env::vars_os());
        let hooks = Arc::new(Hooks::new(vec![hook], env, home.project.clone()));
        let config = home.config(SessionStart::New(Some(SESSION)), BOUND);
        let mut front = Front::open(Config { mode: Some(Mode::Default), hooks, ..config }).await;
        front.say("Do it").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        front.close().await;
        let results = results(&home);
        let said = ["was not read", "was not read", "There is no file", "was not read"];
        for ((status, text), said) in results.iter().zip(said) {
            assert!(*status == CallStatus::Invalid && text.contains(said), "{status:?} {text}");
        }
        assert_eq!((results.len(), asked(&home), heard.as_path().exists()), (4, 0, false));
    });
}

/// The file may be on a disk that hangs.
#[test]
fn a_look_ahead_that_does_not_end_is_interrupted() {
    const LOOKS: &str = "[[answer]]\ncall = [{ tool = 'Look', input = {} }]\n[[answer]]\ntext = 'Done.'";
    life(async {
        let home = Home::new();
        let begun = Arc::new(Notify::new());
        let action = || Action::Mcp { server: "a".into(), tool: "Look".into(), hint: McpHint::Unknown };
        let begins = Arc::clone(&begun);
        let looks = move || {
            begins.notify_one();
            std::future::pending()
        };
        let look = Made::new("Look", |_, cx| async move { done(&cx, "looked") });
        let tools = with([look.action(action).looking_ahead(looks)]).into();
        let config = home.config(SessionStart::New(Some(SESSION)), LOOKS);
        let mut front = Front::open(Config { mode: Some(Mode::Default), tools, ..config }).await;
        front.say("Do it").await;
        begun.notified().await;
        front.send(Command::Interrupt).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Interrupted);
        front.close().await;
        let results = results(&home);
        assert!(matches!(&results[..], [(CallStatus::Interrupted, _)]), "{results:?}");
        assert_eq!(asked(&home), 0);
    });
}

/// Counts what it is asked about, and lets everything through.
#[derive(Default)]
struct Counting(Mutex<usize>);

impl Classifier for Counting {
    fn classify(&self, _: ClassifierRequest, _: CancellationToken) -> BoxFuture<'_, ClassifierVerdict> {
        *self.0.lock().unwrap() += 1;
        async { ClassifierVerdict::Allow("fine".into()) }.boxed()
    }
}

#[test]
fn nor_is_the_classifier() {
    life(async {
        let home = Home::new();
        // A protected file: what is written there is the classifier's to judge.
        home.file(".envrc", "a");
        let script = BOUND.replace("unread\"", ".envrc\"").replace("unread.ipynb", ".vscode/x.ipynb");
        let classifier = Arc::new(Counting::default());
        let config = home.config(SessionStart::New(Some(SESSION)), &script);
        let judge = Some(Arc::clone(&classifier) as Arc<dyn Classifier>);
        let mut front = Front::open(Config { mode: Some(Mode::Auto), classifier: judge, ..config }).await;
        front.say("Do it").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        front.close().await;
        assert_eq!(*classifier.0.lock().unwrap(), 0);
        assert_eq!(home.text(".envrc").as_deref(), Some("a"));
    });
}

/// What a rule denies is denied, and no look at the file says more.
#[test]
fn a_deny_rule_speaks_first() {
    for (rule, mode) in [("deny Edit(./unread)", Mode::Default), ("deny Read(./unread)", Mode::DontAsk)] {
        life(async {
            let home = Home::new();
            home.file("unread", "a");
            let config = home.config(SessionStart::New(Some(SESSION)), BOUND);
            let permissions = home.permissions(&[rule]);
            let mut front = Front::open(Config { mode: Some(mode), permissions, ..config }).await;
            front.say("Do it").await;
            assert_eq!(front.turn_end().await, EndReason::Done);
            front.close().await;
            for (status, text) in &results(&home)[..2] {
                assert!(*status == CallStatus::Denied && text.contains(&rule[5..]), "{text}");
            }
        });
    }
}

#[test]
fn what_is_asked_about_shows_what_would_change() {
    life(async {
        let home = Home::new();
        home.file("file", "one\ntwo\n");
        let script = r#"
[[answer]]
call = [{ tool = "Read", input = { file_path = "file" } }]
[[answer]]
call = [{ tool = "Edit", input = { file_path = "file", old_string = "two", new_string = "2" } }]
[[answer]]
call = [{ tool = "Write", input = { file_path = "file", content = "new\n" } }]
[[answer]]
text = "Done."
"#;
        let config = home.config(SessionStart::New(Some(SESSION)), script);
        let mut front = Front::open(Config { mode: Some(Mode::Default), ..config }).await;
        front.say("Do it").await;
        for expected in ["@@ -1,2 +1,2 @@\n one\n-two\n+2\n", "@@ -1,2 +1 @@\n-one\n-2\n+new\n"] {
            let question = front.question().await;
            let HostAsk::Permission { change, .. } = &question.ask else { panic!("{question:?}") };
            assert_eq!(change.as_ref().unwrap().diff, expected);
            front.answer(&question, HostAnswer::yes()).await.unwrap();
        }
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(home.text("file").as_deref(), Some("new\n"));
        front.close().await;
    });
}
