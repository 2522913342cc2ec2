//! What the kernel's fence costs, against no fence and against the programs that people use for one.

use super::{Figures, Options, Row};
use crate::run::XtaskResult;

/// Programs inside a fence, and the fence itself.
pub(super) fn rows(options: &Options) -> XtaskResult<Vec<Row>> {
    let mut rows = spawns(options)?;
    rows.extend(rehearsals(options)?);
    Ok(rows)
}

fn spawns(options: &Options) -> XtaskResult<Vec<Row>> {
    let figures = Figures::of("forelook-sandbox", "spawn_speed", options.words())?;
    let (rounds, raised) = (options.runs(20, 300), options.runs(5, 50));
    let get = |name| figures.get(name);
    let (plain, fenced) = (get("plain_ms")?, get("fenced_ms")?);
    let (bwrap, unshare) = (get("bwrap_ms")?, get("unshare_ms")?);
    Ok(vec![
        figures.row(
            "`true` in the read-only fence, overhead over no fence",
            "fenced_more_ms",
            (2.5, "ms"),
            format!(
                "{fenced:.2} ms vs. {plain:.2} ms from a process with 100 MiB, medians of {rounds}, alternating"
            ),
        )?,
        figures.row(
            "the same vs. `bwrap --ro-bind / / --unshare-all true`",
            "bwrap_ratio",
            (0.7, "×"),
            format!("{fenced:.2} ms vs. {bwrap:.2} ms; `unshare -Urmn true` takes {unshare:.2} ms"),
        )?,
        figures.row(
            "setting up that fence, once per session",
            "raise_ms",
            (30.0, "ms"),
            format!("from a process with 100 MiB, median of {raised}"),
        )?,
        figures.row(
            "the first program in it, including setting it up",
            "first_ms",
            (35.0, "ms"),
            format!("from a process with 100 MiB, median of {raised}"),
        )?,
    ])
}

fn rehearsals(options: &Options) -> XtaskResult<Vec<Row>> {
    let figures = Figures::of("forelook-fences", "rehearsal_ready", options.words())?;
    let rounds = options.runs(5, 30);
    let (many, some) = (figures.get("ready_100000_ms")?, figures.get("ready_10000_ms")?);
    let few = figures.get("ready_1000_ms")?;
    let (change, plain) = (figures.get("first_change_ms")?, figures.get("first_change_1000_ms")?);
    Ok(vec![
        figures.row(
            "a rehearsal of `true` in a tree of 100,000 files while planning, from request to end",
            "ready_100000_ms",
            (20.0, "ms"),
            format!("median of {rounds}; nothing is copied; the read-only fence of planning stands already"),
        )?,
        figures.row(
            "the first read-only fence in a tree of 100,000 files, including the search for secrets",
            "search_first_100000_ms",
            (60.0, "ms"),
            format!("median of {rounds}, while the model is waited for; a rehearsal {some:.2} ms in a tree of 10,000 files, {few:.2} ms in one of 1,000, {many:.2} ms in this one"),
        )?,
        figures.row(
            "finding that no secret appeared in it",
            "search_again_100000_ms",
            (10.0, "ms"),
            format!("median of {rounds}; one look at the times of each of 1,000 folders"),
        )?,
        figures.row(
            "changing the first file in a rehearsal, overhead over `true`",
            "first_change_ms",
            (5.0, "ms"),
            format!("{change:.2} ms; {plain:.2} ms in a tree of 1,000 files"),
        )?,
    ])
}
