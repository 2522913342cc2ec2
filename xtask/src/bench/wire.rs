//! Models behind a server: `crates/testkit/examples/wire_speed.rs` is the server and does the measuring.

use super::{Figures, Options, Row};
use crate::run::{XtaskResult, target};

/// Starts, calls and streams over a loopback connection.
pub(super) fn rows(options: &Options) -> XtaskResult<Vec<Row>> {
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
            "median of 100; the complete request",
        )?,
        row(
            "start to first request over HTTPS",
            "first_https_ms",
            30.0,
            "ms",
            "median of 100; including the handshake",
        )?,
        row("a complete `-p` run of one turn over HTTP", "run_ms", 30.0, "ms", "median of 100")?,
        row("peak memory of such a run", "peak_mib", 20.0, "MiB", "maximum of 100")?,
        row(
            "a call that Reads a small file: last byte of the response to the complete next request",
            "call_median_ms",
            1.0,
            "ms",
            "median of 1,000 calls in one turn",
        )?,
        row("the same, p95", "call_p95_ms", 3.0, "ms", "of 1,000 calls in one turn")?,
        row(
            "the same, calls 900–1,000 vs. calls 10–50",
            "call_flat",
            1.3,
            "×",
            &format!(
                "median of 5 runs; {:.1} × for a client that only sends the same bytes",
                figures.get("floor_flat")?
            ),
        )?,
        row(
            "the same, minus that client's time",
            "call_flat_own",
            1.3,
            "×",
            "median of 5 runs; Forelook's own share",
        )?,
        row(
            "memory growth after 1,000 calls, not counting the conversation itself",
            "call_growth_mib",
            10.0,
            "MiB",
            &format!("the last request was {megabytes:.2} MiB"),
        )?,
        row(
            "an answer of 1 MB in 20,000 deltas: first byte to exit",
            "deltas_ms",
            80.0,
            "ms",
            "median of 9",
        )?,
        row("the same, CPU time of the whole run", "deltas_cpu_ms", 80.0, "ms", "median of 9")?,
        row(
            "an answer ten times as long vs. that one",
            "deltas_tenfold",
            11.0,
            "×",
            "10 MB in 200,000 deltas; medians of 9",
        )?,
        row(
            "one event of 4 MiB vs. one of 1 MiB",
            "event_fourfold",
            5.0,
            "×",
            "first byte to exit, medians of 9",
        )?,
    ])
}
