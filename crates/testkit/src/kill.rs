//! Kills the program at random instants and looks at what is left.

use std::io::Read;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::lab::Lab;

/// What a killed run had shown by then.
pub struct KillOutcome {
    /// Whole lines of standard output, as JSON.
    pub shown: Vec<Value>,
    /// Whether it was killed, or had ended before.
    pub in_time: bool,
}

/// Runs the program and kills it after `delay`.
pub fn run_and_kill(lab: &Lab, args: &[&str], delay: Duration) -> KillOutcome {
    let mut child = lab.command(args).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).unwrap();
        bytes
    });
    std::thread::sleep(delay);
    let in_time = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    let bytes = reader.join().unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let shown = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    KillOutcome { shown, in_time }
}

/// How long an undisturbed run takes.
pub fn time(lab: &Lab, args: &[&str]) -> Duration {
    let began = Instant::now();
    let ran = lab.run(args);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    began.elapsed()
}

/// Everything that was shown stands in the journal.
pub fn assert_recorded(shown: &[Value], journal: &[Value]) {
    let has = |id: &Value| journal.iter().any(|entry| entry["id"] == *id);
    for line in shown {
        if matches!(line["type"].as_str(), Some("assistant" | "user")) {
            assert!(has(&line["uuid"]), "shown and not recorded: {line}");
        }
    }
}

/// Random numbers that a failed run can be repeated with.
pub struct SeededRng(u64);

impl SeededRng {
    /// Begins with a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        // xorshift64*: good enough to spread kills, and no dependency.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % limit.max(1)
    }
}
