//! Events on their way to front ends.
//!
//! Every front end has an outbox. Pushing never waits, so a front end that stands still cannot hold up the
//! session (waiting was rejected: a front end that awaits a command's reply before it reads on would lock
//! both). What can pile up is bounded: recorded entries are shared with the state that holds them anyway,
//! pieces of one text are merged, up to [`MAX_MERGED`], once the outbox is longer than [`MERGE_ABOVE`], and of how
//! far a call is only the newest is kept.

mod backlog;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use forelook_protocol::{AnswerEvent, Event, FrontEndId, LiveEvent};
use tokio::sync::Notify;

use backlog::Backlog;

/// From this length on, neighbouring pieces are merged. Low enough that a slow terminal catches up in one
/// draw, high enough that a fast one sees every piece as it came.
const MERGE_ABOVE: usize = 64;

/// No piece becomes longer than this by merging, in bytes. A front end looks at its keys between two pieces: one of
/// several hundred kilobytes would keep it from that for as long as it takes to draw them.
const MAX_MERGED: usize = 8 * 1024;

#[derive(Default)]
struct Outbox {
    queue: Mutex<VecDeque<Event>>,
    ready: Notify,
    /// Pieces of answers are not wanted.
    skips_pieces: AtomicBool,
}

/// Sends every event to every front end.
#[derive(Clone, Default)]
pub(crate) struct EventHub {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    outboxes: Vec<(FrontEndId, Weak<Outbox>)>,
    /// What is on its way, for a front end that attaches later.
    backlog: Backlog,
}

impl EventHub {
    /// A new front end: it hears what is on its way, and everything from now on, until it is dropped.
    pub(crate) fn attach(&self, id: FrontEndId) -> EventStream {
        let mut shared = lock(&self.shared);
        let outbox = Arc::new(Outbox::default());
        lock(&outbox.queue).extend(shared.backlog.events());
        shared.outboxes.push((id, Arc::downgrade(&outbox)));
        EventStream { outbox }
    }

    pub(crate) fn publish(&self, event: Event) {
        self.publish_to(event, |_| true);
    }

    /// Sends an event to some front ends only.
    pub(crate) fn publish_to(&self, event: Event, to: impl Fn(FrontEndId) -> bool) {
        let piece = is_piece(&event);
        let mut shared = lock(&self.shared);
        shared.backlog.add(&event);
        shared.outboxes.retain(|(id, outbox)| match outbox.upgrade() {
            Some(outbox) => {
                if to(*id) && !(piece && outbox.skips_pieces.load(Ordering::Relaxed)) {
                    outbox.push(event.clone());
                }
                true
            }
            None => false,
        });
    }

    pub(crate) fn live(&self, live: LiveEvent) {
        self.publish(Event::Live(live));
    }
}

impl Outbox {
    fn push(&self, event: Event) {
        let mut queue = lock(&self.queue);
        if let Event::Live(live @ LiveEvent::Progress { .. }) = &event {
            queue.retain(|before| !superseded(before, live));
        }
        let rest = if queue.len() >= MERGE_ABOVE { merge(queue.back_mut(), event) } else { Some(event) };
        queue.extend(rest);
        drop(queue);
        self.ready.notify_one();
    }
}

/// Whether an event tells how far the same call was before.
fn superseded(before: &Event, now: &LiveEvent) -> bool {
    match (before, now) {
        (
            Event::Live(LiveEvent::Progress { agent, call, .. }),
            LiveEvent::Progress { agent: its, call: same, .. },
        ) => agent == its && call == same,
        _ => false,
    }
}

fn is_piece(event: &Event) -> bool {
    let Event::Live(LiveEvent::Answer { event, .. }) = event else { return false };
    !matches!(event, AnswerEvent::Retrying(_))
}

/// Adds `event` to `last` if both are pieces of one text; hands it back if not.
fn merge(last: Option<&mut Event>, event: Event) -> Option<Event> {
    let (Some(Event::Live(last)), Event::Live(new)) = (last, &event) else { return Some(event) };
    if has_room(last) && append(last, new) { None } else { Some(event) }
}

fn has_room(last: &LiveEvent) -> bool {
    match last {
        LiveEvent::Output { text, .. }
        | LiveEvent::Answer {
            event:
                AnswerEvent::Text { text } | AnswerEvent::Thinking { text } | AnswerEvent::Input { json: text },
            ..
        } => text.len() < MAX_MERGED,
        _ => true,
    }
}

/// Adds `new` to `last` if both are pieces of one text.
fn append(last: &mut LiveEvent, new: &LiveEvent) -> bool {
    match (last, new) {
        (LiveEvent::Output { call, text }, LiveEvent::Output { call: same, text: more }) if call == same => {
            text.push_str(more)
        }
        (
            LiveEvent::Answer { agent, event: AnswerEvent::Text { text } },
            LiveEvent::Answer { agent: same, event: AnswerEvent::Text { text: more } },
        )
        | (
            LiveEvent::Answer { agent, event: AnswerEvent::Thinking { text } },
            LiveEvent::Answer { agent: same, event: AnswerEvent::Thinking { text: more } },
        )
        | (
            LiveEvent::Answer { agent, event: AnswerEvent::Input { json: text } },
            LiveEvent::Answer { agent: same, event: AnswerEvent::Input { json: more } },
        ) if agent == same => {
            text.push_str(more);
        }
        _ => return false,
    }
    true
}

/// The events of a session, for one front end.
pub(crate) struct EventStream {
    outbox: Arc<Outbox>,
}

impl EventStream {
    /// Pieces of answers need not be told from now on.
    pub(crate) fn skip_deltas(&mut self) {
        self.outbox.skips_pieces.store(true, Ordering::Relaxed);
    }

    /// The next event. Never ends by itself: the last one is [`LiveEvent::Closed`].
    pub(crate) async fn next(&mut self) -> Event {
        loop {
            if let Some(event) = lock(&self.outbox.queue).pop_front() {
                return event;
            }
            self.outbox.ready.notified().await;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use forelook_protocol::{CallId, FailureKind, ProviderFailure, Retry};

    fn text(text: &str) -> LiveEvent {
        LiveEvent::Answer { agent: None, event: AnswerEvent::Text { text: text.into() } }
    }

    #[tokio::test]
    async fn a_slow_front_end_gets_every_byte_in_few_pieces() {
        let hub = EventHub::default();
        let mut events = hub.attach(FrontEndId(1));
        for n in 0..10_000 {
            hub.live(text(&format!("{n},")));
        }
        hub.live(LiveEvent::Closed);
        let (mut all, mut count) = (String::new(), 0);
        loop {
            match events.next().await {
                Event::Live(LiveEvent::Answer { event: AnswerEvent::Text { text }, .. }) => {
                    assert!(text.len() < MAX_MERGED + 8, "{}", text.len());
                    all.push_str(&text);
                }
                Event::Live(LiveEvent::Closed) => break,
                other => panic!("{other:?}"),
            }
            count += 1;
        }
        assert_eq!(all, (0..10_000).map(|n| format!("{n},")).collect::<String>());
        assert!(count <= MERGE_ABOVE + all.len() / MAX_MERGED, "{count}");
    }

    #[test]
    fn only_pieces_of_one_text_are_merged() {
        let output =
            |call: &str| Event::Live(LiveEvent::Output { call: CallId(call.into()), text: "x".into() });
        assert!(merge(Some(&mut output("a")), output("a")).is_none());
        assert!(merge(Some(&mut output("a")), output("b")).is_some());
        assert!(merge(Some(&mut Event::Live(text("a"))), output("b")).is_some());
        assert!(merge(None, output("b")).is_some());
    }

    #[tokio::test]
    async fn whoever_wants_no_pieces_still_hears_that_they_are_void() {
        let hub = EventHub::default();
        let (mut whole, mut all) = (hub.attach(FrontEndId(1)), hub.attach(FrontEndId(2)));
        whole.skip_deltas();
        let failure = ProviderFailure::new(FailureKind::Server, "no");
        let again = Retry { failure, attempt: 2, max_attempts: 10, wait_ms: 0, fallback: None };
        let again = LiveEvent::Answer { agent: None, event: AnswerEvent::Retrying(again) };
        for live in [text("a"), again.clone(), text("b"), LiveEvent::Closed] {
            hub.live(live);
        }
        let heard = async |events: &mut EventStream| {
            let mut heard = Vec::new();
            while heard.last() != Some(&LiveEvent::Closed) {
                let Event::Live(live) = events.next().await else { panic!() };
                heard.push(live);
            }
            heard
        };
        assert_eq!(heard(&mut whole).await, [again.clone(), LiveEvent::Closed]);
        assert_eq!(heard(&mut all).await, [text("a"), again, text("b"), LiveEvent::Closed]);
    }

    #[tokio::test]
    async fn of_how_far_a_call_is_only_the_newest_waits() {
        let hub = EventHub::default();
        let mut events = hub.attach(FrontEndId(1));
        let at = |agent: Option<&str>, call: &str, elapsed_ms| LiveEvent::Progress {
            agent: agent.map(|id| forelook_protocol::AgentId(id.into())),
            call: CallId(call.into()),
            elapsed_ms,
            note: None,
        };
        for elapsed in 1..1000 {
            hub.live(at(None, "a", elapsed));
            hub.live(at(None, "b", elapsed));
            hub.live(at(Some("x"), "a", elapsed));
        }
        hub.live(text("between"));
        hub.live(at(None, "a", 1000));
        for expected in [at(None, "b", 999), at(Some("x"), "a", 999), text("between"), at(None, "a", 1000)] {
            let Event::Live(live) = events.next().await else { panic!() };
            assert_eq!(live, expected);
        }
        assert!(lock(&events.outbox.queue).is_empty());
    }

    #[test]
    fn a_front_end_that_left_is_forgotten() {
        let hub = EventHub::default();
        drop(hub.attach(FrontEndId(1)));
        hub.live(LiveEvent::Closed);
        assert!(lock(&hub.shared).outboxes.is_empty());
    }
}
