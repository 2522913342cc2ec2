//! Calls side by side, and calls that misbehave.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use forelook_engine::{Config, SessionStart};
use forelook_protocol::{Action, CallStatus, Command, EndReason, EntryBody, SessionEffect};
use forelook_tools::Toolbox;
use tokio::sync::{Barrier, Semaphore};

use crate::common::{Front, GO_ON, Home, SESSION, life, words};
use crate::tools::{Made, done, with};

const TWO: &str = r#"
[[answer]]
call = [{ tool = "Act", input = { name = "first" } }, { tool = "Act", input = { name = "second" } }]
next = [{ prompt = "go on", goto = "after" }]
[[answer]]
name = "after"
text = "Fine."
next = [{ goto = "after" }]
"#;

async fn begin(home: &Home, script: &str, tools: Toolbox) -> Front {
    let front =
        Front::open(Config { tools: tools.into(), ..home.config(SessionStart::New(Some(SESSION)), script) })
            .await;
    front.say("Do it").await;
    front
}

/// The next call to end, and how.
async fn finished(front: &mut Front) -> (String, CallStatus, String) {
    front
        .until(|body| match body {
            EntryBody::ToolFinished(it) => Some((it.result.call.to_string(), it.status, it.result.text())),
            _ => None,
        })
        .await
}

#[test]
fn safe_calls_overlap_and_their_results_stand_in_the_order_of_the_calls() {
    life(async {
        let home = Home::new();
        // Neither passes the barrier unless both run; the first then waits until the second has ended.
        let (barrier, gate) = (Arc::new(Barrier::new(2)), Arc::new(Semaphore::new(0)));
        let opened = Arc::clone(&gate);
        let act = Made::new("Act", move |input, cx| {
            let (barrier, gate) = (Arc::clone(&barrier), Arc::clone(&gate));
            async move {
                barrier.wait().await;
                if input["name"] == "first" {
                    gate.acquire().await.unwrap().forget();
                }
                done(&cx, input["name"].as_str().unwrap())
            }
        });
        let mut front = begin(&home, TWO, with([act.safe()])).await;
        assert_eq!(finished(&mut front).await.0, "call_1_2");
        opened.add_permits(1);
        assert_eq!(finished(&mut front).await.0, "call_1_1");
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(words(home.last_request().last().unwrap()), "first\nsecond");
        front.close().await;
    });
}

#[test]
fn other_calls_run_one_after_another() {
    life(async {
        let home = Home::new();
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let seen = Arc::clone(&most);
        let act = Made::new("Act", move |_, cx| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                for _ in 0..50 {
                    tokio::task::yield_now().await;
                }
                running.fetch_sub(1, Ordering::SeqCst);
                done(&cx, "done")
            }
        });
        let mut front = begin(&home, TWO, with([act])).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(seen.load(Ordering::SeqCst), 1);
        front.close().await;
    });
}

#[test]
fn a_tool_that_panics_costs_only_its_own_result() {
    life(async {
        let home = Home::new();
        let act = Made::new("Act", |input, cx| async move {
            assert_ne!(input["name"], "first", "a panic on purpose");
            done(&cx, "second")
        });
        let mut front = begin(&home, TWO, with([act.safe()])).await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        let results = words(home.last_request().last().unwrap());
        assert!(
            results.starts_with("`Act` failed inside Forelook") && results.ends_with("\nsecond"),
            "{results}"
        );
        front.close().await;
    });
}

/// A panic where no tool's task catches it costs the turn, but never the session.
#[test]
fn a_turn_that_crashes_is_ended_and_its_calls_are_answered() {
    life(async {
        let home = Home::new();
        let act = Made::new("Act", |_, cx| async move { done(&cx, "done") });
        let act = act.action(|| -> Action { panic!("a panic on purpose") });
        let mut front = begin(&home, TWO, with([act])).await;
        let end = front.turn_end().await;
        assert!(matches!(end, EndReason::Internal { .. }), "{end:?}");
        assert_eq!(front.go_on().await, EndReason::Done);
        let request = home.last_request();
        assert_eq!(request.len(), 4, "{request:#?}");
        assert_eq!(words(&request[3]), GO_ON);
        front.close().await;
    });
}

/// The clock stands still and jumps to whatever is waited for, so the grace takes no time here.
#[tokio::test(start_paused = true)]
async fn a_tool_that_ignores_an_interrupt_is_left_behind_after_the_grace() {
    let home = Home::new();
    let dropped = Arc::new(Semaphore::new(0));
    let guard = Arc::clone(&dropped);
    let act = Made::new("Act", move |_, _| {
        let guard = Dropped(Arc::clone(&guard));
        async move {
            let _guard = guard;
            std::future::pending().await
        }
    });
    let mut front = begin(&home, TWO, with([act])).await;
    front.until(|body| matches!(body, EntryBody::ToolStarted(_)).then_some(())).await;
    let began = tokio::time::Instant::now();
    front.send(Command::Interrupt).await.unwrap();
    let (call, status, text) = finished(&mut front).await;
    assert_eq!((call.as_str(), status), ("call_1_1", CallStatus::Interrupted));
    assert!(text.contains("may have run"), "{text}");
    assert!((4..=10).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    assert_eq!(front.turn_end().await, EndReason::Interrupted);
    // It is not only forgotten but ended.
    dropped.acquire().await.unwrap().forget();
    assert_eq!(front.go_on().await, EndReason::Done);
    home.last_request();
    front.close().await;
}

struct Dropped(Arc<Semaphore>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

#[test]
fn what_follows_knows_what_each_of_them_did_whichever_ended_last() {
    const SCRIPT: &str = r#"
[[answer]]
[[answer.call]]
tool = "Act"
input = { name = "first" }
[[answer.call]]
tool = "Act"
input = { name = "second" }
[[answer.call]]
tool = "Bash"
input = { command = "pwd" }
[[answer]]
text = "Done."
"#;
    life(async {
        let home = Home::new();
        std::fs::create_dir(home.project.join("sub")).unwrap();
        let folder = home.project.join("sub");
        let (gate, wanted) = (Arc::new(Semaphore::new(0)), folder.clone());
        let opened = Arc::clone(&gate);
        // The first one changes the folder, and ends after the second has its result.
        let act = Made::new("Act", move |input, cx| {
            let (gate, folder) = (Arc::clone(&gate), wanted.clone());
            async move {
                let mut outcome = done(&cx, "acted");
                if input["name"] == "first" {
                    gate.acquire().await.unwrap().forget();
                    outcome.effects.push(SessionEffect::SetFolder { folder });
                }
                outcome
            }
        });
        let mut front = begin(&home, SCRIPT, with([act.safe()])).await;
        let (ended, ..) = finished(&mut front).await;
        opened.add_permits(1);
        finished(&mut front).await;
        let (_, _, text) = finished(&mut front).await;
        assert!(text.contains(folder.to_string().as_str()), "after `{ended}`: {text}");
    });
}
