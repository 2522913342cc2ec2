//! Decisions and plan mode, measured inside the program.

use super::{Figures, Row};
use crate::run::XtaskResult;

/// What is decided and written down around every call, and when planning begins and ends.
pub(super) fn rows() -> XtaskResult<Vec<Row>> {
    let mut rows = Vec::from(decisions()?);
    rows.extend(planning()?);
    Ok(rows)
}

/// Entering plan mode, leaving it, and a reminder, without what the disk takes.
fn planning() -> XtaskResult<[Row; 4]> {
    let figures = Figures::of("forelook-engine", "plan_speed", &[])?;
    let figure = |name| figures.get(name);
    let row = |name, key, detail: String| -> XtaskResult<Row> {
        Ok(Row { name, key, value: figure(key)?, goal: 100.0, unit: "µs", detail })
    };
    let forced = figure("forced_us")?;
    let apart = |count| format!("median of {count}; minus the journal's sync to disk ({forced} µs here)");
    Ok([
        row("entering plan mode the first time, including the plan's name", "first_enter_us", apart(60))?,
        row("entering plan mode again", "enter_us", apart(180))?,
        row("leaving plan mode", "leave_us", apart(240))?,
        row(
            "sending the full plan mode reminder",
            "reminder_us",
            "a turn with it minus a turn without it, medians of 240".to_owned(),
        )?,
    ])
}

/// Decisions and shell analysis, in processor time.
fn decisions() -> XtaskResult<[Row; 3]> {
    let figures = Figures::of("forelook-permissions", "decide_speed", &[])?;
    let figure = |name| figures.get(name);
    Ok([
        Row {
            name: "permission decision for a command with ten parts, 1,000 rules, p99",
            key: "decide_p99_us",
            value: figure("decide_p99_us")?,
            goal: 200.0,
            unit: "µs",
            detail: format!(
                "20,000 decisions, best of five runs; median {} µs; includes the analysis of the command",
                figure("decide_median_us")?
            ),
        },
        Row {
            name: "analysis of a typical shell command, median",
            key: "line_median_us",
            value: figure("line_median_us")?,
            goal: 100.0,
            unit: "µs",
            detail: format!("ten kinds of commands, 20,000 times; p99 {} µs", figure("line_p99_us")?),
        },
        Row {
            name: "analysis of the worst shell command, built to be slow",
            key: "worst_line_ms",
            value: figure("worst_ms")?,
            goal: 20.0,
            unit: "ms",
            detail: "up to 16 kB of nesting and lists, and a 5 MB line; median of 5 each".to_owned(),
        },
    ])
}
