//! How long decisions and the analysis of shell lines take, as JSON for `cargo xtask bench`.
//!
//! In processor time: on a busy machine the clock on the wall measures the others. Criterion (`benches/decide.rs`) tells
//! the mean of the same decision well and its tail not at all; the goals speak of the tail.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

#[path = "../benches/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::time::Duration;

use common::{action, facts, policy};
use forelook_permissions::decide;

/// Lines as agents write them to look around.
const TYPICAL: &[&str] = &[
    "ls -la src",
    "cd crates && git log --oneline -20",
    "git diff HEAD~1 --stat",
    "grep -rn 'fn main' --include=*.rs .",
    "sed -n '10,40p' src/main.rs",
    "find . -name '*.rs' -not -path './target/*' | head -50",
    "cat package.json | jq '.scripts'",
    "for f in *.rs; do wc -l \"$f\"; done",
    "test -f Cargo.toml && echo yes || echo no",
    "awk -F: '{print $1}' /etc/passwd | sort -u",
];

fn main() {
    let (policy, action) = (policy(), action());
    let facts = facts(&policy, &action);
    let decisions =
        quietest(|| sorted(20_000, |_| drop(black_box(decide(&policy, "Bash", black_box(&action), &facts)))));
    let lines = quietest(|| {
        sorted(20_000, |at| {
            let line = TYPICAL.get(at % TYPICAL.len()).copied().unwrap_or_default();
            drop(black_box(forelook_shell::analyse(black_box(line))));
        })
    });
    let worst: Duration = pathological()
        .iter()
        .map(|line| sorted(5, |_| drop(forelook_shell::analyse(line)))[2])
        .max()
        .unwrap_or_default();
    println!(
        "{{\"decide_median_us\":{:.1},\"decide_p99_us\":{:.1},\"line_median_us\":{:.1},\"line_p99_us\":{:.1},\"worst_ms\":{:.2}}}",
        micros(at(&decisions, 50)),
        micros(at(&decisions, 99)),
        micros(at(&lines, 50)),
        micros(at(&lines, 99)),
        micros(worst) / 1000.0,
    );
}

/// Lines made to be slow, all that are not refused for their length.
fn pathological() -> Vec<String> {
    let most = forelook_shell::MAX_LINE;
    vec![
        "(".repeat(most),
        "$(".repeat(most / 2),
        "a;".repeat(most / 2),
        "{ ".repeat(most / 2),
        format!("echo {}", "\"$(a ".repeat(most / 6)),
        format!("echo {}", "a".repeat(most - 5)),
        "ls | ".repeat(most / 5 - 1) + "ls",
        "a ".repeat(most / 2),
        "A=1 ".repeat(most / 4),
        "$x".repeat(most / 2),
        "[a]".repeat(most / 3),
        "x".repeat(5_000_000),
    ]
}

fn sorted(times: usize, mut run: impl FnMut(usize)) -> Vec<Duration> {
    let mut took: Vec<Duration> = (0..times)
        .map(|at| {
            let began = spent();
            run(at);
            spent().saturating_sub(began)
        })
        .collect();
    took.sort_unstable();
    took
}

/// The run of five with the shortest tail: what others do on the machine only ever adds.
fn quietest(run: impl Fn() -> Vec<Duration>) -> Vec<Duration> {
    (0..5).map(|_| run()).min_by_key(|run| at(run, 99)).unwrap_or_default()
}

/// Processor time that this thread has used.
fn spent() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(u64::try_from(time.tv_sec).unwrap_or_default(), nanos)
}

fn at(sorted: &[Duration], percent: usize) -> Duration {
    sorted.get(sorted.len() * percent / 100).copied().unwrap_or_default()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
