//! How long a decision takes: a line of ten parts against a thousand rules.

mod common;

use std::hint::black_box;

use common::{LINE, action, facts, path, policy};
use criterion::{Criterion, criterion_group, criterion_main};
use forelook_permissions::decide;
use forelook_protocol::{Action, FileRef};

fn decisions(criterion: &mut Criterion) {
    let (policy, action) = (policy(), action());
    let facts = facts(&policy, &action);
    criterion.bench_function("decide: ten parts, a thousand rules", |bench| {
        bench.iter(|| decide(black_box(&policy), "Bash", black_box(&action), &facts));
    });
    criterion.bench_function("of that, the analysis of the line", |bench| {
        bench.iter(|| forelook_shell::analyse(black_box(LINE)));
    });
    let read = Action::Read { file: FileRef::plain(path("/p/src/a.rs")) };
    criterion.bench_function("decide: a read, a thousand rules", |bench| {
        bench.iter(|| decide(black_box(&policy), "Read", black_box(&read), &facts));
    });
}

criterion_group!(benches, decisions);
criterion_main!(benches);
