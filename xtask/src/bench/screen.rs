//! The terminal program: `crates/testkit/examples/screen_speed` runs it in a terminal and does the measuring.

use super::{Figures, Options, Row};
use crate::run::{XtaskResult, target};

/// What other agents take, for the page. They cannot be had everywhere, so these figures are not measured again.
pub(super) const PEERS: &str = "
## Other agents

Compare these with the rows about the screen. They were measured once, on another day; `cargo xtask bench` does not
measure other agents.

| what | codex | Claude Code |
|---|---|---|
| start to the prompt shown | 33 ms | 642 ms |
| start to the first key press shown | 57 ms | 876 ms |
| memory | 576 MiB in three processes | 217 MiB |
| an answer of 200 kB drawn | 2.6 s | 1.2 s |
| the same, CPU time | 5.1 s | 2.3 s |
";

/// Starts, keys, answers and what is held meanwhile.
pub(super) fn rows(options: &Options) -> XtaskResult<Vec<Row>> {
    let program = target().join("release/forelook").display().to_string();
    let words: Vec<&str> = std::iter::once(program.as_str()).chain(options.words().iter().copied()).collect();
    let figures = Figures::of("forelook-testkit", "screen_speed", &words)?;
    let mut rows = start(&figures)?;
    rows.extend(rest(&figures)?);
    rows.extend(answers(&figures)?);
    rows.extend(long(&figures)?);
    Ok(rows)
}

/// Until somebody can write.
fn start(figures: &Figures) -> XtaskResult<Vec<Row>> {
    let get = |key| figures.get(key);
    let (starts, keys) = (get("starts")?, get("keys")?);
    Ok(vec![
        figures.row(
            "start to the prompt shown",
            "prompt_ms",
            (10.0, "ms"),
            format!("median of {starts} in a terminal of 80x24, slowest {:.1} ms", get("prompt_slowest_ms")?),
        )?,
        figures.row(
            "start to the first key press shown",
            "first_key_ms",
            (15.0, "ms"),
            format!(
                "pressed immediately; median of {starts}, slowest {:.1} ms",
                get("first_key_slowest_ms")?
            ),
        )?,
        figures.row("key press to screen", "echo_p50_ms", (5.0, "ms"), format!("median of {keys}"))?,
        figures.row("the same, p99", "echo_p99_ms", (5.0, "ms"), format!("of {keys}"))?,
    ])
}

/// What it takes while nothing happens.
fn rest(figures: &Figures) -> XtaskResult<Vec<Row>> {
    let get = |key| figures.get(key);
    Ok(vec![
        figures.row(
            "memory of the terminal interface",
            "memory_mib",
            (25.0, "MiB"),
            format!(
                "after the first frame, in {} process; {:.1} MiB without shared pages",
                get("processes")?,
                get("memory_pss_mib")?
            ),
        )?,
        figures.row(
            "CPU time while idle",
            "idle_ticks",
            (0.0, "ticks"),
            format!(
                "a tick is 10 ms; measured for {} s; {} context switches",
                get("idle_seconds")?,
                get("idle_switches")?
            ),
        )?,
    ])
}

/// Answers as they come.
fn answers(figures: &Figures) -> XtaskResult<Vec<Row>> {
    let get = |key| figures.get(key);
    Ok(vec![
        figures.row(
            "an answer of 200 kB in 4,000 deltas: request to fully drawn",
            "page_ms",
            (300.0, "ms"),
            format!("Markdown with every element; {:.0} kB drawn", get("page_drawn_bytes")? / 1000.0),
        )?,
        figures.row("the same, CPU time", "page_cpu_ms", (300.0, "ms"), "of the whole process".to_owned())?,
        figures.row(
            "the same, memory",
            "page_memory_mib",
            (25.0, "MiB"),
            format!("when drawn; {:.1} MiB after an answer of 5 MB", get("large_memory_mib")?),
        )?,
        figures.row(
            "an answer of 5 MB in 100,000 deltas vs. 0.5 MB in 10,000, CPU time",
            "tenfold_cpu",
            (12.0, "×"),
            format!(
                "{:.0} ms vs. {:.0} ms; drawn after {:.0} ms",
                get("large_cpu_ms")?,
                get("small_cpu_ms")?,
                get("large_ms")?
            ),
        )?,
        figures.row(
            "key press to screen while 5 MB stream in, p99",
            "busy_p99_ms",
            (16.0, "ms"),
            format!(
                "one key every 50 ms, {} in total; median {:.1} ms",
                get("busy_keys")?,
                get("busy_p50_ms")?
            ),
        )?,
    ])
}

/// Sessions from before.
fn long(figures: &Figures) -> XtaskResult<Vec<Row>> {
    let get = |key| figures.get(key);
    Ok(vec![
        figures.row(
            "key press to screen in a session of 5,000 messages vs. one of 50",
            "long_echo",
            (1.2, "×"),
            format!("{:.2} ms vs. {:.2} ms, medians", get("long_p50_ms")?, get("short_p50_ms")?),
        )?,
        figures.row(
            "the same, p99",
            "long_p99_ms",
            (5.0, "ms"),
            format!("{:.2} ms with 50 messages", get("short_p99_ms")?),
        )?,
        figures.row(
            "resuming a session of 5,000 messages: start to the prompt shown",
            "long_prompt_ms",
            (100.0, "ms"),
            format!("median; {:.1} ms with 50 messages", get("short_prompt_ms")?),
        )?,
    ])
}
