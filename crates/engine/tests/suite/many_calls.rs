//! An answer with more calls than run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use forelook_engine::{Config, SessionStart};
use forelook_protocol::{AbsPath, Action, CallStatus, EndReason, EntryBody, FileRef, ToolFinished};

use crate::common::{Front, Home, SESSION, life};
use crate::tools::{Made, done, with};

const RUN: usize = 128;

/// A tool that counts how often it ran.
fn counting(runs: &Arc<AtomicUsize>) -> Made {
    let runs = Arc::clone(runs);
    Made::new("Peek", move |_, cx| {
        runs.fetch_add(1, Ordering::SeqCst);
        async move { done(&cx, "seen") }
    })
}

/// An answer with so many calls, after each of which the model pauses if `pace` says so.
fn script(calls: usize, pace: &str) -> String {
    let calls = vec!["{ tool = 'Peek' }"; calls].join(", ");
    format!("{pace}\ncall = [{calls}]\n[[answer]]\ntext = 'Fine.'")
}

async fn play(home: &Home, script: &str, tool: Made) -> (EndReason, Vec<ToolFinished>) {
    let config = home.config(SessionStart::New(Some(SESSION)), script);
    let mut front = Front::open(Config { tools: with(vec![tool]).into(), ..config }).await;
    front.say("Do it").await;
    let end = front.turn_end().await;
    let finished = |body: &EntryBody| match body {
        EntryBody::ToolFinished(it) => Some(it.clone()),
        _ => None,
    };
    let finished = front.heard.iter().filter_map(|entry| finished(&entry.body)).collect();
    front.close().await;
    (end, finished)
}

#[test]
fn the_first_128_calls_run_and_each_of_the_rest_is_told() {
    for (calls, run) in [(RUN, RUN), (RUN + 1, RUN), (RUN + 40, RUN)] {
        life(async {
            let (home, runs) = (Home::new(), Arc::default());
            let (end, finished) = play(&home, &script(calls, "[[answer]]"), counting(&runs)).await;
            assert_eq!(end, EndReason::Done);
            assert_eq!(runs.load(Ordering::SeqCst), run);
            assert_eq!(finished.len(), calls);
            let (ran, left): (Vec<_>, Vec<_>) =
                finished.iter().partition(|it| it.status == CallStatus::Ran && !it.result.is_error);
            assert_eq!((ran.len(), left.len()), (run, calls - run));
            for it in left {
                assert!(it.result.is_error && it.status == CallStatus::Invalid);
                let text = it.result.text();
                assert!(text.contains(&format!("only the first {RUN} calls")), "{text}");
                assert!(text.contains("Send it again"), "{text}");
            }
            // The next request has a result for every call.
            home.last_request();
        });
    }
}

#[test]
fn no_more_are_begun_while_the_answer_still_streams() {
    let pace = "chunk = 4\n[[answer]]\npace_ms = 1";
    let somewhere = || Action::Read { file: FileRef::plain(AbsPath::new("/dev/null").unwrap()) };
    life(async {
        let (home, runs) = (Home::new(), Arc::default());
        let tool = counting(&runs).safe().action(somewhere);
        let (end, finished) = play(&home, &script(RUN + 20, pace), tool).await;
        assert_eq!((end, finished.len()), (EndReason::Done, RUN + 20));
        assert_eq!(runs.load(Ordering::SeqCst), RUN);
    });
}
