//! How long a line takes: typical ones, the longest that is looked at, and the worst that we know.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use forelook_shell::analyse;

const TYPICAL: &[(&str, &str)] = &[
    ("ls", "ls -la src"),
    ("git", "cd foo && git log --oneline -5"),
    ("find", "find . -name '*.rs' -not -path './target/*' | head -50 | xargs wc -l"),
    ("grep", "grep -rn \"foo\" --include=*.ts src | sort | uniq -c | sort -rn | head"),
    ("loop", "for f in $(git ls-files '*.rs'); do wc -l \"$f\"; done"),
    ("awk", "awk -F: '{print $1}' f | sort -u"),
    ("change", "cat f | sed 's/a/b/' > g && rm f"),
];

fn typical(c: &mut Criterion) {
    for (name, line) in TYPICAL {
        c.bench_function(&format!("typical/{name}"), |b| b.iter(|| analyse(black_box(line))));
    }
}

fn long(c: &mut Criterion) {
    let lines = [
        ("16kB of one word", format!("echo {}", "x".repeat(16_000))),
        ("16kB of commands", "ls -la src; ".repeat(1_300)),
        ("over 16kB", "ls; ".repeat(5_000)),
        ("5 MB", "a".repeat(5_000_000)),
    ];
    for (name, line) in lines {
        c.bench_function(&format!("long/{name}"), |b| b.iter(|| analyse(black_box(&line))));
    }
}

fn pathological(c: &mut Criterion) {
    let lines = [
        ("subshells", format!("{}ls{}", "(".repeat(7_000), ")".repeat(7_000))),
        ("substitutions", format!("{}ls{}", "echo $(".repeat(2_000), ")".repeat(2_000))),
        ("expansions", format!("{}ls{}", "${x:-".repeat(2_500), "}".repeat(2_500))),
        ("tests", "[[ ".repeat(5_000)),
        ("pipes", "a|".repeat(8_000)),
        ("assignments", "x=$y y=$x;".repeat(1_600)),
        ("quotes", "'".repeat(16_001)),
        ("braces", "{a,b}".repeat(3_000)),
    ];
    for (name, line) in lines {
        c.bench_function(&format!("pathological/{name}"), |b| b.iter(|| analyse(black_box(&line))));
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).warm_up_time(std::time::Duration::from_millis(300)).measurement_time(std::time::Duration::from_secs(1));
    targets = typical, long, pathological
}
criterion_main!(benches);
