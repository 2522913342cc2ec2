//! Answers as they are drawn, while somebody types.

use std::time::{Duration, Instant};

use crate::process::Process;
use crate::terminal::keys;
use crate::{BenchDir, Echo, milliseconds, ready};

/// Somebody who types fast.
const EVERY: Duration = Duration::from_millis(50);

/// Answers that were drawn: medians.
pub(crate) struct StreamFigures {
    /// From the request to the end on the screen, in milliseconds.
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
    pub(crate) memory: f64,
    /// Bytes.
    pub(crate) drawn: f64,
    /// Of the keys of all runs.
    pub(crate) echo: Echo,
}

/// One answer that was drawn.
struct StreamSample {
    wall: f64,
    cpu: f64,
    memory: f64,
    drawn: f64,
    keys: Vec<Duration>,
}

/// Answers of so many pieces, with a key every 50 ms.
pub(crate) fn stream(bench_dir: &BenchDir, deltas: usize) -> StreamFigures {
    bench_dir.server.say(deltas);
    let runs: Vec<StreamSample> = (0..bench_dir.runs.streams).map(|_| once(bench_dir)).collect();
    let median = |figure: fn(&StreamSample) -> f64| {
        let mut figures: Vec<f64> = runs.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    };
    StreamFigures {
        wall: median(|it| it.wall),
        cpu: median(|it| it.cpu),
        memory: median(|it| it.memory),
        drawn: median(|it| it.drawn),
        echo: Echo::of(runs.iter().flat_map(|it| it.keys.iter().copied()).collect()),
    }
}

fn once(bench_dir: &BenchDir) -> StreamSample {
    let mut terminal = ready(bench_dir, &[]);
    let before = Process::look(terminal.id);
    terminal.write("go\r");
    let mut times = Vec::new();
    let mut pressed: Option<(Instant, String)> = None;
    let mut next = Instant::now() + EVERY;
    while terminal.ended.is_none() {
        // Whether something came or not: the time may have come to press a key.
        let _ = terminal.more(next);
        if let Some((at, key)) = &pressed {
            if let Some(seen) = terminal.found(key.as_bytes()) {
                times.push(seen - *at);
                pressed = None;
            }
        } else if Instant::now() >= next {
            let key = keys(times.len());
            pressed = Some((terminal.press(&key), key));
            next = Instant::now() + EVERY;
        }
        assert!(terminal.began.elapsed() < Duration::from_secs(60), "the answer was not drawn");
    }
    let after = Process::look(terminal.id);
    StreamSample {
        wall: milliseconds(terminal.ended.unwrap() - bench_dir.server.asked()),
        cpu: (after.ticks - before.ticks) as f64 * 10.0,
        memory: after.resident,
        drawn: terminal.read as f64,
        keys: times,
    }
}
