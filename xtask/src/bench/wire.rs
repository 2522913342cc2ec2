//! Models behind a server: `crates/testkit/examples/wire_speed.rs` is the server and does the measuring.

use super::{Figures, Options, Row};
use crate::run::{Done, target};

/// Starts, calls and streams over a loopback connection.
pub(super) fn rows(options: &Options) -> Done<Vec<Row>> {
    let program = target().join("release/forelook").display().to_string();
    let words: Vec<&str> = std::iter::once(program.as_str()).chain(options.words().iter().copied()).collect();
    let figures = Figures::of("forelook-testkit", "wire_speed", &words)?;
    let row = |name, key, goal, unit, detail: &str| figures.row(name, key, (goal, unit), detail.to_owned());
    let megabytes = figures.get("call_bytes")? / 1_048_576.0;
    Ok(vec![
        row(
            "start to first request over HTTP",
            "first_http_ms",
            20.0,
            "ms",
            "median of 100; the whole request",
        )?,
        row(
            "start to first request over HTTPS",
            "first_https_ms",
            30.0,
            "ms",
            "median of 100; with the handshake",
        )?,
        row("a whole `-p` run of one turn over HTTP", "run_ms", 30.0, "ms", "median of 100")?,
        row("peak memory of such a run", "peak_mib", 20.0, "MiB", "greatest of 100")?,
        row(
            "last byte of an answer to the whole next request, Read of a small file",
            "call_median_ms",
            1.0,
            "ms",
            "median of 1,000 calls in one turn",
        )?,
        row("the same, p95", "call_p95_ms", 3.0, "ms", "of 1,000 calls in one turn")?,
        row(
            "calls 900–1,000 against calls 10–50",
            "call_flat",
            1.3,
            "×",
            &format!(
                "middle of 5 runs; a client that only sends as many bytes: {:.1}",
                figures.get("floor_flat")?
            ),
        )?,
        row(
            "the same, less what it takes that client to send them",
            "call_flat_own",
            1.3,
            "×",
            "middle of 5 runs; what the program itself does",
        )?,
        row(
            "memory that 1,000 calls leave, beyond the bytes of the conversation",
            "call_growth_mib",
            10.0,
            "MiB",
            &format!("the last request had {megabytes:.2} MiB"),
        )?,
        row("1 MB in 20,000 deltas: first byte to exit", "deltas_ms", 80.0, "ms", "median of 9")?,
        row("the same, processor time of the whole run", "deltas_cpu_ms", 80.0, "ms", "median of 9")?,
        row(
            "ten times as much against that",
            "deltas_tenfold",
            11.0,
            "×",
            "10 MB in 200,000 deltas, medians of 9",
        )?,
        row(
            "one event of 4 MiB against one of 1 MiB",
            "event_fourfold",
            5.0,
            "×",
            "first byte to exit, medians of 9",
        )?,
    ])
}
