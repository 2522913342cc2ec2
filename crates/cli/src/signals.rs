//! Signals that ask the program to stop. They win within about a second, whatever the program is busy with.

use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use forelook_protocol::StopSignal;
use rustix::process::Signal as Raw;
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep, timeout};

/// Wishes that wait to be heard: to end the turn, and to end the program. Whoever has not heard two of them hears nothing.
const QUEUED_SIGNALS: usize = 2;

/// What a shell reports for a program that an interrupt ended.
const INTERRUPTED: i32 = 130;

/// How often the program's thread is asked whether it still works.
const PING_INTERVAL: Duration = Duration::from_millis(200);

/// So many intervals without an answer mean that it is stuck. Each is waited for on its own, so that one in which the whole
/// program was stopped (SIGSTOP, a closed laptop) counts once and not as all of them.
const UNANSWERED_INTERVALS: u32 = 5;

/// How long the thread is watched after a signal. A run that is stopped ends well within this. It is bounded for the
/// conversation in plain lines, which goes on after Ctrl+C, perhaps for hours; the next signal watches again.
const WATCHED: Duration = Duration::from_secs(60);

/// Signals that end a program which does not hear them. SIGABRT may also come from the program itself, and then ends it all
/// the same.
const ENDING: [Raw; 8] =
    [Raw::TERM, Raw::HUP, Raw::QUIT, Raw::ABORT, Raw::USR1, Raw::USR2, Raw::ALARM, Raw::XCPU];

/// Who hears the signals now. One for the process, as signals are: a second session on the screen takes over the first
/// one's place, and what comes between the two is not lost.
static LISTENER: Mutex<Listener> = Mutex::new(Listener { started: false, front_end: None, unheard: None });

struct Listener {
    /// Whether the thread that hears signals was started.
    started: bool,
    front_end: Option<FrontEndSignals>,
    /// A signal that came when no front end was there to hear it.
    unheard: Option<StopSignal>,
}

/// The way to a front end, and the runtime that it lives in.
#[derive(Clone)]
struct FrontEndSignals {
    sender: mpsc::Sender<StopSignal>,
    runtime: Handle,
}

/// Hears SIGINT, SIGTERM and SIGHUP: each is one wish to stop. So are the other signals that would end the program and that
/// somebody may send it: what its commands left behind must be put in order.
///
/// On a thread of its own. The program's one thread may be stuck in a write that nobody reads, or get stuck in the last words
/// that it writes because of the signal. So from the first signal on it must answer pings, and a third unheard wish does not
/// even wait for that. Otherwise the process ends here, which the journal survives at any instant. The alternative, output
/// that never blocks, would have to be built for each front end, and does nothing against other ways to get stuck.
pub(crate) fn stop_signals() -> mpsc::Receiver<StopSignal> {
    let (sender, stops) = mpsc::channel(QUEUED_SIGNALS);
    let Ok(runtime) = Handle::try_current() else { return stops };
    let mut listener = listener();
    if let Some(unheard) = listener.unheard.take() {
        let _ = sender.try_send(unheard);
    }
    listener.front_end = Some(FrontEndSignals { sender, runtime });
    if !std::mem::replace(&mut listener.started, true) {
        // Not waited for: a signal that comes before it listens ends the program, which has done nothing yet.
        std::thread::spawn(hear_signals);
    }
    stops
}

fn listener() -> MutexGuard<'static, Listener> {
    LISTENER.lock().unwrap_or_else(PoisonError::into_inner)
}

fn hear_signals() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    if let Ok(runtime) = runtime {
        runtime.block_on(async {
            let ends = ENDING.iter().map(|kind| signal(SignalKind::from_raw(kind.as_raw())));
            let ends: Vec<Signal> = ends.filter_map(Result::ok).collect();
            if let Ok(interrupt) = signal(SignalKind::interrupt()) {
                hear(interrupt, ends).await;
            }
        });
    }
}

async fn hear(mut interrupt: Signal, mut ends: Vec<Signal>) {
    loop {
        let end = poll_fn(|context| {
            // All of them: each must know whom to wake.
            let came = ends
                .iter_mut()
                .map(|end| end.poll_recv(context).is_ready())
                .fold(false, |any, one| any | one);
            if came { Poll::Ready(()) } else { Poll::Pending }
        });
        let stop = tokio::select! {
            _ = interrupt.recv() => StopSignal::Interrupt,
            () = end => StopSignal::End,
        };
        let front_end = listener().front_end.clone();
        let delivered = front_end.as_ref().map(|front_end| front_end.sender.try_send(stop));
        match (delivered, front_end) {
            (Some(Ok(())), Some(front_end)) => drop(tokio::spawn(watch(front_end.runtime))),
            (Some(Err(TrySendError::Full(_))), _) => exit(),
            // The front end is gone: the program is ending, or goes on to its next session.
            _ => match listener().unheard.replace(stop) {
                Some(_) => exit(),
                None => drop(tokio::spawn(end_unless_heard())),
            },
        }
    }
}

/// Ends the program when its thread does not answer any more.
async fn watch(runtime: Handle) {
    let until = Instant::now() + WATCHED;
    while Instant::now() < until {
        let (answer, mut answered) = oneshot::channel();
        runtime.spawn(async move { answer.send(()) });
        let mut is_answered = false;
        for _ in 0..UNANSWERED_INTERVALS {
            match timeout(PING_INTERVAL, &mut answered).await {
                Ok(Ok(())) => {
                    is_answered = true;
                    break;
                }
                // The runtime is gone, and the program with it in a moment.
                Ok(Err(_)) => return end_without_runtime().await,
                Err(_) => {}
            }
        }
        if !is_answered {
            exit();
        }
        sleep(PING_INTERVAL).await;
    }
}

/// Ends the program if nobody has heard the signal by then. What it still does then, such as hooks for its end, has had its
/// chance.
async fn end_unless_heard() {
    pause().await;
    if listener().unheard.is_some() {
        exit();
    }
}

/// Ends the program if it is still there without a front end: it may be stuck in its last message.
async fn end_without_runtime() {
    pause().await;
    if listener().front_end.as_ref().is_none_or(|front_end| front_end.sender.is_closed()) {
        exit();
    }
}

async fn pause() {
    for _ in 0..UNANSWERED_INTERVALS {
        sleep(PING_INTERVAL).await;
    }
}

fn exit() -> ! {
    std::process::exit(INTERRUPTED)
}
