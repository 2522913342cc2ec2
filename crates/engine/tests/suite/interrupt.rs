//! An interrupt at any instant leaves a conversation that a provider accepts, and nothing that still runs.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use forelook_engine::{Config, SessionStart};
use forelook_protocol::{CallStatus, Command, EndReason, Entry, EntryBody, Event, HostAnswer, LiveEvent};
use futures::{FutureExt, StreamExt};

use crate::common::{Front, GO_ON, Home, SESSION, kinds, life, words};
use crate::tools::{Made, done, with};

/// Every kind of wait that a turn has: words that arrive slowly, calls side by side, a child process, a write,
/// a person, and a child that would stay for half a minute. Each step leaves a trace of its own.
const SCRIPT: &str = r#"
chunk = 16
start = [{ prompt = "go on", goto = "after" }]

[[answer]]
thinking = "Where to look."
text = "I look at both files."
pace_ms = 1
call = [
    { tool = "Read", input = { file_path = "PROJECT/a.txt" } },
    { tool = "Read", input = { file_path = "PROJECT/b.txt" } },
    { tool = "Bash", input = { command = "echo 1 > trace1; sleep 0.01" } },
    { tool = "Write", input = { file_path = "PROJECT/trace2", content = "2" } },
]
next = [{ prompt = "go on", goto = "after" }]

[[answer]]
text = "Now I ask."
pace_ms = 1
call = [
    { tool = "AskUserQuestion", input = { questions = [{ question = "Which?", header = "Which", options = [{ label = "A" }, { label = "B" }] }] } },
    { tool = "Bash", input = { command = "echo 3 > trace3" } },
]
next = [{ prompt = "go on", goto = "after" }]

[[answer]]
call = [
    { tool = "Bash", input = { command = "echo 4 > trace4; sleep 31 & sleep 32" } },
    { tool = "Write", input = { file_path = "PROJECT/trace5", content = "5" } },
]
next = [{ prompt = "go on", goto = "after" }]

[[answer]]
name = "after"
text = "Fine."
"#;

/// The calls that leave a trace, and which.
const TRACES: [(&str, &str); 5] = [
    ("call_1_3", "trace1"),
    ("call_1_4", "trace2"),
    ("call_2_2", "trace3"),
    ("call_3_1", "trace4"),
    ("call_3_2", "trace5"),
];

/// When to interrupt.
#[derive(Debug, Clone, Copy)]
enum Instant {
    /// As soon as this many entries were heard of.
    Entries(u64),
    /// As soon as this many events of any kind were heard: between the pieces of an answer, too.
    Events(u64),
    /// After this time, whatever happens then: in the middle of things.
    After(Duration),
}

#[derive(Debug, Clone, Copy)]
struct Case {
    instant: Instant,
    /// Whether the person answers the question, so that the turn goes on behind it.
    answers: bool,
}

/// What was seen of a case before its interrupt.
struct Reached {
    /// The last entry that was heard of.
    kind: String,
    /// Whether a child process was running.
    child: bool,
}

/// Instants from a fixed seed (xorshift), so that a failure can be had again.
fn cases() -> Vec<Case> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let case = |number: u64| {
        let instant = match number % 3 {
            0 => Instant::Entries(1 + random(28)),
            1 => Instant::Events(random(110)),
            _ => Instant::After(Duration::from_micros(random(250_000))),
        };
        Case { instant, answers: random(4) > 0 }
    };
    (0..180).map(case).collect()
}

#[test]
fn an_interrupt_at_any_instant_leaves_a_valid_conversation_and_nothing_running() {
    let reached = life(async {
        // Several at once: most of the time is waiting, and a busy machine makes other instants.
        futures::stream::iter(cases()).map(play).buffer_unordered(8).collect::<Vec<_>>().await
    });
    // The instants must fall everywhere, or the test proves less than its name says.
    let kinds: HashSet<&str> = reached.iter().map(|it| it.kind.as_str()).collect();
    for kind in [
        "prompt_accepted",
        "model_answered",
        "permission_decided",
        "tool_started",
        "tool_finished",
        "question_opened",
        "question_closed",
    ] {
        assert!(kinds.contains(kind), "no interrupt fell behind an entry of kind `{kind}`: {kinds:?}");
    }
    assert!(reached.iter().any(|it| it.child), "no interrupt met a child process");
}

async fn play(case: Case) -> Reached {
    let home = Home::new();
    home.file("a.txt", "one\n");
    home.file("b.txt", "two\n");
    let mut front = home.begin(&SCRIPT.replace("PROJECT", &home.project.to_string())).await;
    front.say("Do it").await;
    wait_for(&mut front, case).await;
    let kind = front.heard.last().map(|entry| entry.body.kind().to_owned()).unwrap_or_default();
    let reached = Reached { kind, child: !children(&home).is_empty() };
    front.send(Command::Interrupt).await.unwrap();
    // The session may be writing right now, and half a line is none.
    let before = home.store().read(SESSION).unwrap().entries;
    assert_eq!(end(&mut front).await, EndReason::Interrupted, "{case:?}");
    assert_eq!(children(&home), Vec::<String>::new(), "{case:?}");
    nothing_ran_after(&home, &before, case);
    assert_eq!(front.go_on().await, EndReason::Done, "{case:?}");
    let request = home.last_request();
    assert_eq!(words(request.last().unwrap()), GO_ON, "{case:?}");
    front.close().await;
    the_record_is_true(&home, &home.entries(), case);
    reached
}

/// Waits for the instant, and answers the question if it comes before.
async fn wait_for(front: &mut Front, case: Case) {
    let (mut entries, mut events) = (u64::MAX, u64::MAX);
    let time = match case.instant {
        Instant::Entries(number) => {
            entries = number;
            None
        }
        Instant::Events(number) => {
            events = number;
            None
        }
        Instant::After(time) => Some(time),
    };
    let listen = async {
        while entries > 0 && events > 0 {
            events -= 1;
            let Event::Recorded(entry) = front.event().await else { continue };
            entries -= 1;
            match &entry.body {
                EntryBody::QuestionOpened(opened) if case.answers && entries > 0 && events > 0 => {
                    front.answer(&opened.question, HostAnswer::Dismissed).await.unwrap();
                }
                EntryBody::QuestionOpened(_) => break,
                EntryBody::ToolStarted(started) if started.call.0 == "call_3_1" => break,
                _ => {}
            }
        }
    };
    match time {
        None => listen.await,
        // Where nothing more comes by itself, the time must pass nevertheless.
        Some(time) => {
            let _ = tokio::time::timeout(time, listen.then(|()| std::future::pending::<()>())).await;
        }
    }
}

/// The end of the turn, which may have been heard already.
async fn end(front: &mut Front) -> EndReason {
    let heard = front.heard.iter().find_map(|entry| match &entry.body {
        EntryBody::TurnEnded(ended) => Some(ended.reason.clone()),
        _ => None,
    });
    match heard {
        Some(reason) => reason,
        None => front.turn_end().await,
    }
}

/// The command lines of all processes that work in the project.
fn children(home: &Home) -> Vec<String> {
    let line = |process: std::path::PathBuf| {
        // An error: gone in the meantime, or no process.
        let folder = std::fs::read_link(process.join("cwd")).ok()?;
        let line = || {
            String::from_utf8_lossy(&std::fs::read(process.join("cmdline")).unwrap_or_default()).into_owned()
        };
        folder.starts_with(&home.project).then(line)
    };
    std::fs::read_dir("/proc").unwrap().filter_map(|process| line(process.unwrap().path())).collect()
}

/// A call that had not begun when the interrupt was taken has left no trace.
fn nothing_ran_after(home: &Home, before: &[Entry], case: Case) {
    for (call, trace) in TRACES {
        let begun = before
            .iter()
            .any(|entry| matches!(&entry.body, EntryBody::ToolStarted(started) if started.call.0 == call));
        assert!(begun || home.text(trace).is_none(), "{case:?}: {call} ran after the interrupt");
    }
}

/// Every question was closed once, and a call of which it is said that nothing was done did nothing.
fn the_record_is_true(home: &Home, entries: &[Entry], case: Case) {
    let count = |kind: &str| kinds(entries).into_iter().filter(|it| *it == kind).count();
    assert_eq!(count("question_opened"), count("question_closed"), "{case:?}");
    for entry in entries {
        let EntryBody::ToolFinished(finished) = &entry.body else { continue };
        let trace = TRACES.iter().find(|(call, _)| *call == finished.result.call.0);
        let Some((call, trace)) = trace else { continue };
        let idle = finished.result.text().contains("Nothing was done");
        assert!(!idle || home.text(trace).is_none(), "{case:?}: {call} ran");
        let whole = finished.status == CallStatus::Ran && !finished.result.is_error;
        assert!(!whole || home.text(trace).is_some(), "{case:?}: {call} did not run");
    }
}

/// The instant between "it may run" and "it runs": the engine itself holds the law here, for tools that do not
/// look at `cancel` before they act. One thread, and a front end that is a task like the others: it is woken by
/// an entry before the turn is, so its interrupt comes before whatever the turn wants next.
#[test]
fn no_tool_is_begun_after_an_interrupt() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for entries in 1..14 {
        let late = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&late);
        let act = Made::new("Act", move |_, cx| {
            count.fetch_add(u32::from(cx.cancel.is_cancelled()), Ordering::Relaxed);
            async move { done(&cx, "done") }
        });
        runtime.block_on(async { tokio::spawn(interrupted_after(entries, act)).await.unwrap() });
        assert_eq!(late.load(Ordering::Relaxed), 0, "after {entries} entries");
    }
}

async fn interrupted_after(entries: usize, act: Made) {
    const CALLS: &str =
        "[[answer]]\ntext = 'x'\ncall = [{ tool = 'Act' }, { tool = 'Act' }]\n[[answer]]\ntext = 'y'";
    let home = Home::new();
    let config = home.config(SessionStart::New(Some(SESSION)), CALLS);
    let mut front = Front::open(Config { tools: with([act]).into(), ..config }).await;
    front.say("Do it").await;
    while front.heard.len() < entries
        && !front.heard.iter().any(|it| matches!(it.body, EntryBody::TurnEnded(_)))
    {
        front.event().await;
    }
    front.send(Command::Interrupt).await.unwrap();
    end(&mut front).await;
    front.close().await;
}

#[test]
fn an_interrupt_keeps_words_and_drops_calls_that_were_not_complete() {
    const HALF: &str = r#"
        chunk = 5
        [[answer]]
        text = "Hello"
        pace_ms = 1
        call = [{ tool = "Bash", input = { command = "echo one two three four five six" } }]
        next = [{ prompt = "go on", goto = "after" }]
        [[answer]]
        name = "after"
        text = "Fine."
    "#;
    life(async {
        let home = Home::new();
        let mut front = home.begin(HALF).await;
        front.say("Say it").await;
        while !is_call(&front.event().await) {}
        front.send(Command::Interrupt).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Interrupted);
        assert_eq!(front.go_on().await, EndReason::Done);
        let request = home.last_request();
        assert_eq!(request.iter().map(words).collect::<Vec<_>>(), ["Say it", "Hello", GO_ON]);
        front.close().await;
    });
}

fn is_call(event: &Event) -> bool {
    use forelook_protocol::AnswerEvent::CallStarted;
    matches!(event, Event::Live(LiveEvent::Answer { event: CallStarted { .. }, .. }))
}

#[test]
fn an_interrupt_with_no_turn_running_does_not_touch_the_next() {
    life(async {
        let home = Home::new();
        let mut front = home.begin("[[answer]]\ntext = 'Fine.'").await;
        front.send(Command::Interrupt).await.unwrap();
        assert_eq!(front.go_on().await, EndReason::Done);
        front.close().await;
    });
}
