//! What a call costs: a turn and its session are two tasks, and each word between them is a wait.

use std::sync::{Arc, LazyLock, Mutex};

use forelook_protocol::EndReason;
use tracing::{Dispatch, Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use crate::common::{Home, results};

/// What a turn cost.
#[derive(Debug, Clone, Default)]
struct Cost {
    /// How often the turn asked its session for something.
    round_trips: usize,
    /// For each time an input was parsed, how often that had been before.
    parsed_after: Vec<usize>,
}

#[derive(Clone, Default)]
struct Counter(Arc<Mutex<Cost>>);

impl<S: Subscriber> Layer<S> for Counter {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut cost = self.0.lock().unwrap();
        match event.metadata().target() {
            "forelook::engine::round_trip" => cost.round_trips += 1,
            "forelook::tools::parse" => {
                let before = cost.round_trips;
                cost.parsed_after.push(before);
            }
            _ => {}
        }
    }
}

/// A second listener, which hears nothing. While there is only one, `tracing` asks the thread that comes to an event first
/// whether anybody listens to it at all, and believes its no for every other thread; that may be another test's.
static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(tracing_subscriber::registry()));

/// Plays a turn on this thread alone, where nobody else's events are heard.
fn play(script: &str, calls: usize) -> Cost {
    LazyLock::force(&SECOND);
    let counter = Counter::default();
    let subscriber = tracing_subscriber::registry().with(counter.clone());
    let _guard = tracing::subscriber::set_default(subscriber);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let home = Home::new();
        home.file("a.txt", "one\n");
        let mut front = home.begin(&script.replace("PROJECT", &home.project.to_string())).await;
        front.say("Do it").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        let read = results(&home);
        assert_eq!(read.len(), calls);
        assert!(read.iter().all(|(_, text)| text.contains("one")), "{read:?}");
        front.close().await;
    });
    counter.0.lock().unwrap().clone()
}

const AT_ONCE: &str = "chunk = 1000\n";
/// In small pieces with time between them: the file is read while the answer still streams.
const PACED: &str = "chunk = 4\n";

/// So many answers that read a file, and one of words.
fn script(pace: &str, reads: usize) -> String {
    let pace_ms = if pace == PACED { 5 } else { 0 };
    let read = format!(
        "[[answer]]\npace_ms = {pace_ms}\ncall = [{{ tool = 'Read', input = {{ file_path = 'PROJECT/a.txt' }} }}]\n"
    );
    format!("{pace}{}[[answer]]\npace_ms = {pace_ms}\ntext = 'Done.'\n", read.repeat(reads))
}

#[test]
fn a_read_costs_few_round_trips_and_its_input_is_parsed_once() {
    let mut parsed_after = Vec::new();
    for pace in [AT_ONCE, PACED] {
        let (without, with) = (play(&script(pace, 0), 0), play(&script(pace, 1), 1));
        assert!(without.round_trips > 0, "the counter counts");
        assert!(without.parsed_after.is_empty());
        let call = with.round_trips - without.round_trips;
        assert!(call <= 4, "{call} for one call: {pace}{without:?} {with:?}");
        let [at] = with.parsed_after[..] else { panic!("parsed once: {pace}{with:?}") };
        parsed_after.push(at);
    }
    // Prefetched before the answer went to the session; otherwise right after.
    let [at_once, paced] = parsed_after[..] else { panic!("{parsed_after:?}") };
    assert_eq!(paced + 1, at_once);
}

/// What a call costs does not grow with the conversation.
#[test]
fn each_further_read_costs_the_same() {
    for pace in [AT_ONCE, PACED] {
        let (one, three) = (play(&script(pace, 1), 1), play(&script(pace, 3), 3));
        assert!(three.round_trips - one.round_trips <= 8, "{pace}{one:?} {three:?}");
        assert_eq!(three.parsed_after.len(), 3);
    }
}
