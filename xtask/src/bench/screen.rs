//! The terminal program: `crates/testkit/examples/screen_speed` runs it in a terminal and does the measuring.

use super::{Figures, Options, Row};
use crate::run::{Done, target};

/// What other agents take, for the page. They cannot be had everywhere, so these figures are not measured again.
pub(super) const PEERS: &str = "
## Other agents

To compare with the rows about the screen. They were taken once, on another day; this program does not measure others.

| what | codex | Claude Code |
|---|---|---|
| start to the prompt on the screen | 33 ms | 642 ms |
| start to the first key on the screen | 57 ms | 876 ms |
| memory | 576 MiB in three processes | 217 MiB |
| an answer of 200 kB drawn | 2.6 s | 1.2 s |
| the same, processor time | 5.1 s | 2.3 s |
";

/// Starts, keys, answers and what is held meanwhile.
pub(super) fn rows(options: &Options) -> Done<Vec<Row>> {
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
fn start(figures: &Figures) -> Done<Vec<Row>> {
    let get = |key| figures.get(key);
    let (starts, keys) = (get("starts")?, get("keys")?);
    Ok(vec![
        figures.row(
            "start to the prompt on the screen",
            "prompt_ms",
            (10.0, "ms"),
            format!("median of {starts} in a terminal of 80x24, slowest {:.1} ms", get("prompt_slowest_ms")?),
        )?,
        figures.row(
            "start to the first key on the screen",
            "first_key_ms",
            (15.0, "ms"),
            format!("pressed at once; median of {starts}, slowest {:.1} ms", get("first_key_slowest_ms")?),
        )?,
        figures.row("a key on the screen", "echo_p50_ms", (5.0, "ms"), format!("median of {keys}"))?,
        figures.row("the same, p99", "echo_p99_ms", (5.0, "ms"), format!("of {keys}"))?,
    ])
}

/// What it takes while nothing happens.
fn rest(figures: &Figures) -> Done<Vec<Row>> {
    let get = |key| figures.get(key);
    Ok(vec![
        figures.row(
            "memory of the terminal program",
            "memory_mib",
            (25.0, "MiB"),
            format!(
                "after the first frame, in {} process; {:.1} MiB without what others share",
                get("processes")?,
                get("memory_pss_mib")?
            ),
        )?,
        figures.row(
            "processor time while nothing happens",
            "idle_ticks",
            (0.0, "ticks"),
            format!("of 10 ms, in {} s; {} switches", get("idle_seconds")?, get("idle_switches")?),
        )?,
    ])
}

/// Answers as they come.
fn answers(figures: &Figures) -> Done<Vec<Row>> {
    let get = |key| figures.get(key);
    Ok(vec![
        figures.row(
            "200 kB in 4,000 deltas: request to the end on the screen",
            "page_ms",
            (300.0, "ms"),
            format!("Markdown with everything; {:.0} kB were drawn", get("page_drawn_bytes")? / 1000.0),
        )?,
        figures.row(
            "the same, processor time",
            "page_cpu_ms",
            (300.0, "ms"),
            "of the whole process".to_owned(),
        )?,
        figures.row(
            "the same, memory",
            "page_memory_mib",
            (25.0, "MiB"),
            format!("when it is drawn; after 5 MB {:.1} MiB", get("large_memory_mib")?),
        )?,
        figures.row(
            "5 MB in 100,000 deltas against 0.5 MB in 10,000, processor time",
            "tenfold_cpu",
            (12.0, "×"),
            format!(
                "{:.0} ms against {:.0} ms; on the screen after {:.0} ms",
                get("large_cpu_ms")?,
                get("small_cpu_ms")?,
                get("large_ms")?
            ),
        )?,
        figures.row(
            "a key on the screen meanwhile, p99",
            "busy_p99_ms",
            (16.0, "ms"),
            format!("a key every 50 ms, {} in all; median {:.1} ms", get("busy_keys")?, get("busy_p50_ms")?),
        )?,
    ])
}

/// Sessions from before.
fn long(figures: &Figures) -> Done<Vec<Row>> {
    let get = |key| figures.get(key);
    Ok(vec![
        figures.row(
            "a key on the screen in a session of 5,000 messages against one of 50",
            "long_echo",
            (1.2, "×"),
            format!("{:.2} ms against {:.2} ms, medians", get("long_p50_ms")?, get("short_p50_ms")?),
        )?,
        figures.row(
            "the same, p99",
            "long_p99_ms",
            (5.0, "ms"),
            format!("with 50 messages {:.2} ms", get("short_p99_ms")?),
        )?,
        figures.row(
            "start of a session of 5,000 messages to the prompt",
            "long_prompt_ms",
            (100.0, "ms"),
            format!("median; with 50 messages {:.1} ms", get("short_prompt_ms")?),
        )?,
    ])
}
