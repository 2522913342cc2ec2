//! How long the other side takes: from the last byte of an answer to the last byte of the next request.

use std::sync::Mutex;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

#[derive(Debug, Default)]
pub(super) struct Figures(Mutex<Times>);

#[derive(Debug, Default)]
struct Times {
    /// When the last byte of the newest answer went out.
    ended: Option<Instant>,
    exchanges: Vec<Exchange>,
}

#[derive(Debug)]
struct Exchange {
    received: u128,
    began: u128,
    ended: u128,
    bytes: usize,
    gap: Option<u64>,
}

impl Figures {
    /// A request is complete. Gives its number.
    pub(super) fn received(&self, bytes: usize) -> usize {
        let now = Instant::now();
        let mut times = self.0.lock().unwrap();
        let gap = times.ended.map(|ended| now.duration_since(ended).as_nanos() as u64);
        times.exchanges.push(Exchange { received: unix(), began: 0, ended: 0, bytes, gap });
        times.exchanges.len() - 1
    }

    /// The first byte of its answer goes out.
    pub(super) fn began(&self, number: usize) {
        if let Some(exchange) = self.0.lock().unwrap().exchanges.get_mut(number) {
            exchange.began = unix();
        }
    }

    /// The last byte of its answer has been handed on.
    pub(super) fn ended(&self, number: usize) {
        let mut times = self.0.lock().unwrap();
        if let Some(exchange) = times.exchanges.get_mut(number) {
            exchange.ended = unix();
        }
        times.ended = Some(Instant::now());
    }

    /// Forgets everything.
    pub(super) fn reset(&self) {
        *self.0.lock().unwrap() = Times::default();
    }

    /// All of it, and what matters of it.
    pub(super) fn summary(&self) -> Value {
        let times = self.0.lock().unwrap();
        let gaps: Vec<u64> = times.exchanges.iter().filter_map(|it| it.gap).collect();
        let of = |gaps: &[u64]| json!({"median_us": percentile(gaps, 50), "p95_us": percentile(gaps, 95)});
        let between = |from: usize, to: usize| gaps.get(from..to.min(gaps.len())).map(of);
        let exchange = |it: &Exchange| {
            json!({
                "received_unix_ns": it.received as u64, "began_unix_ns": it.began as u64,
                "ended_unix_ns": it.ended as u64, "bytes": it.bytes, "gap_us": it.gap.map(micros),
            })
        };
        json!({
            "requests": times.exchanges.len(),
            "gaps": of(&gaps),
            "gaps_10_50": between(9, 50),
            "gaps_900_1000": between(899, 1000),
            "exchanges": times.exchanges.iter().map(exchange).collect::<Vec<_>>(),
        })
    }
}

fn percentile(gaps: &[u64], of_hundred: usize) -> Option<f64> {
    let mut sorted = gaps.to_vec();
    sorted.sort_unstable();
    sorted.get((sorted.len() * of_hundred / 100).min(sorted.len().checked_sub(1)?)).copied().map(micros)
}

fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1000.0
}

fn unix() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_between_two_exchanges() {
        let figures = Figures::default();
        let first = figures.received(1);
        figures.began(first);
        figures.ended(first);
        figures.received(2);
        let summary = figures.summary();
        assert_eq!(summary["requests"], 2);
        assert_eq!(summary["exchanges"][0]["gap_us"], Value::Null);
        assert!(summary["exchanges"][1]["gap_us"].is_number(), "{summary}");
        assert!(summary["gaps"]["median_us"].is_number(), "{summary}");
        assert_eq!(summary["gaps_900_1000"], Value::Null);
        figures.reset();
        assert_eq!(figures.summary()["requests"], 0);
    }

    #[test]
    fn percentiles_of_few() {
        assert_eq!(percentile(&[], 50), None);
        assert_eq!(percentile(&[3000], 95), Some(3.0));
        assert_eq!(percentile(&[4000, 1000, 3000, 2000], 50), Some(3.0));
    }
}
