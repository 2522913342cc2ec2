//! Reading while the answer still streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use forelook_engine::{Config, SessionStart};
use forelook_protocol::{AbsPath, Action, EndReason, EntryBody, FileRef};
use tokio::sync::Semaphore;

use crate::common::{Front, Home, SESSION, life};
use crate::tools::{Made, done, with};

fn somewhere() -> Action {
    Action::Read { file: FileRef::plain(AbsPath::new("/dev/null").unwrap()) }
}

/// A tool that reads, counts, and tells how many answers stood in the journal when it ran.
fn peek(home: &Home, runs: &Arc<AtomicUsize>, ran: &Arc<Semaphore>) -> Made {
    let (journal, runs, ran) = (home.journal(), Arc::clone(runs), Arc::clone(ran));
    let peek = Made::new("Peek", move |_, cx| {
        let answers =
            std::fs::read_to_string(&journal).unwrap().matches(r#""kind":"model_answered""#).count();
        runs.fetch_add(1, Ordering::SeqCst);
        ran.add_permits(1);
        async move { done(&cx, &format!("{answers} answers before")) }
    });
    peek.safe().action(somewhere)
}

/// The words after the calls take long enough that what can be begun early has been.
const SLOW: &str = "chunk = 1\n[[answer]]\npace_ms = 20\ncall = [{ tool = 'Peek' }, { tool = 'Peek' }]\n\
    [[answer]]\ntext = 'Fine.'";

fn results(front: &Front) -> Vec<String> {
    let text = |body: &EntryBody| match body {
        EntryBody::ToolFinished(it) => Some(it.result.text()),
        _ => None,
    };
    front.heard.iter().filter_map(|entry| text(&entry.body)).collect()
}

async fn play(home: &Home, script: &str, tools: Vec<Made>) -> (EndReason, Vec<String>) {
    let config = home.config(SessionStart::New(Some(SESSION)), script);
    let mut front = Front::open(Config { tools: with(tools).into(), ..config }).await;
    front.say("Do it").await;
    let end = front.turn_end().await;
    let results = results(&front);
    front.close().await;
    (end, results)
}

#[test]
fn a_call_that_reads_is_carried_out_before_the_answer_is_whole() {
    life(async {
        let (home, runs, ran) = (Home::new(), Arc::default(), Arc::new(Semaphore::new(0)));
        let (end, results) = play(&home, SLOW, vec![peek(&home, &runs, &ran)]).await;
        assert_eq!(end, EndReason::Done);
        // The first was begun while the second still arrived; each ran once.
        assert_eq!(results[0], "0 answers before");
        assert_eq!(runs.load(Ordering::SeqCst), 2);
        // The journal tells it as ever: the answer, the decision, the start, the end.
        let kinds: Vec<_> = home.entries().iter().map(|entry| entry.body.kind().to_owned()).collect();
        let place = |kind: &str| kinds.iter().position(|it| it == kind).unwrap();
        assert!(
            place("model_answered") < place("permission_decided")
                && place("permission_decided") < place("tool_started"),
            "{kinds:?}"
        );
    });
}

#[test]
fn what_was_read_for_an_answer_that_broke_off_is_read_again() {
    let script = SLOW.replace(
        "[[answer]]\npace_ms",
        "[[answer]]\nfail = { kind = 'connection', message = 'cut', after = 6, retry_after_ms = 1 }\npace_ms",
    );
    life(async {
        let (home, runs, ran) = (Home::new(), Arc::default(), Arc::new(Semaphore::new(0)));
        let (end, results) = play(&home, &script, vec![peek(&home, &runs, &ran)]).await;
        assert_eq!((end, results.len()), (EndReason::Done, 2));
        assert_eq!(runs.load(Ordering::SeqCst), 3, "once in vain");
    });
}

#[test]
fn nothing_is_begun_early_after_a_call_that_does_more_than_read() {
    let script = SLOW.replace("call = [{ tool = 'Peek' }", "call = [{ tool = 'Act' }");
    life(async {
        let (home, runs, ran) = (Home::new(), Arc::default(), Arc::new(Semaphore::new(0)));
        let act = Made::new("Act", |_, cx| async move { done(&cx, "acted") });
        let (end, results) = play(&home, &script, vec![act, peek(&home, &runs, &ran)]).await;
        assert_eq!(
            (end, results.as_slice()),
            (EndReason::Done, &["acted".into(), "1 answers before".into()][..])
        );
    });
}
