//! Answers as they are drawn, while somebody types.

use std::time::{Duration, Instant};

use crate::process::Process;
use crate::terminal::keys;
use crate::{Echo, Place, milliseconds, ready};

/// Somebody who types fast.
const EVERY: Duration = Duration::from_millis(50);

/// Answers that were drawn: medians.
pub(crate) struct Drawn {
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
struct Once {
    wall: f64,
    cpu: f64,
    memory: f64,
    drawn: f64,
    keys: Vec<Duration>,
}

/// Answers of so many pieces, with a key every 50 ms.
pub(crate) fn stream(place: &Place, deltas: usize) -> Drawn {
    place.server.say(deltas);
    let runs: Vec<Once> = (0..place.runs.streams).map(|_| once(place)).collect();
    let median = |figure: fn(&Once) -> f64| {
        let mut figures: Vec<f64> = runs.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    };
    Drawn {
        wall: median(|it| it.wall),
        cpu: median(|it| it.cpu),
        memory: median(|it| it.memory),
        drawn: median(|it| it.drawn),
        echo: Echo::of(runs.iter().flat_map(|it| it.keys.iter().copied()).collect()),
    }
}

fn once(place: &Place) -> Once {
    let mut terminal = ready(place, &[]);
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
    Once {
        wall: milliseconds(terminal.ended.unwrap() - place.server.asked()),
        cpu: (after.ticks - before.ticks) as f64 * 10.0,
        memory: after.resident,
        drawn: terminal.read as f64,
        keys: times,
    }
}
