//! How long a program takes to begin and end, with a fence around it and without, from a process that has grown.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "it is a measurement, and prints it")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_sandbox::{Child, ChildEnv, Fence, Layers, Policy, Program};

const RUNS: usize = 300;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let begin = Instant::now();
    let fence = Arc::new(Fence::raise(&Policy::default(), Layers::ALL).unwrap());
    println!("raised in {:.2} ms", ms(begin.elapsed()));
    let heap: Vec<u8> = (0..100 << 20).map(|at| (at >> 12) as u8).collect();
    std::hint::black_box(&heap);
    let mut times = [Vec::new(), Vec::new()];
    for run in 0..2 * RUNS {
        let mut program = Program::new("/bin/true", ChildEnv::default(), "/");
        program.fence = (run % 2 == 1).then(|| Arc::clone(&fence));
        let begin = Instant::now();
        let mut child = Child::spawn(&program).unwrap();
        child.ended().await;
        times[run % 2].push(begin.elapsed());
    }
    for (what, times) in ["plain", "fenced"].iter().zip(&mut times) {
        times.sort_unstable();
        println!("{what} {:.2} ms (p90 {:.2})", ms(times[RUNS / 2]), ms(times[RUNS * 9 / 10]));
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
