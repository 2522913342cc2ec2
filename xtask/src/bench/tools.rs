//! The tools against the programs that people would use instead; each example measures both in turn.

use super::{Figures, Options, Row};
use crate::run::XtaskResult;

/// Searches, edits and commands.
pub(super) fn rows(options: &Options) -> XtaskResult<Vec<Row>> {
    let mut rows = search(options)?;
    rows.extend(edit(options)?);
    rows.extend(bash(options)?);
    Ok(rows)
}

fn search(options: &Options) -> XtaskResult<Vec<Row>> {
    let figures = Figures::of("forelook-tools", "search_speed", options.words())?;
    let files = options.runs(10, 50);
    let against = |ours, theirs| -> XtaskResult<String> {
        Ok(format!(
            "{:.1} ms vs. {:.1} ms, medians; {files},000 files",
            figures.get(ours)?,
            figures.get(theirs)?
        ))
    };
    Ok(vec![
        figures.row("Grep vs. `rg`", "grep_ratio", (1.15, "×"), against("grep_ms", "rg_ms")?)?,
        figures.row(
            "Glob vs. `rg --files`",
            "glob_ratio",
            (1.15, "×"),
            against("glob_ms", "rg_files_ms")?,
        )?,
        figures.row("Glob vs. `fd`", "fd_ratio", (1.15, "×"), against("glob_rs_ms", "fd_ms")?)?,
    ])
}

fn edit(options: &Options) -> XtaskResult<Vec<Row>> {
    let figures = Figures::of("forelook-tools", "edit_speed", options.words())?;
    let floor = figures.get("floor_ms")?;
    Ok(vec![figures.row(
        "Edit in a 20 MB file",
        "edit_20mb_ms",
        (50.0, "ms"),
        format!("median; writing and syncing such a file alone takes {floor:.1} ms here"),
    )?])
}

fn bash(options: &Options) -> XtaskResult<Vec<Row>> {
    let figures = Figures::of("forelook-tools", "bash_speed", options.words())?;
    let (plain, rounds) = (figures.get("plain_ms")?, options.runs(20, 200));
    let detail =
        |what: &str| format!("medians of {rounds}, {what}; `bash -c true` alone takes {plain:.2} ms");
    Ok(vec![
        figures.row(
            "the Bash tool with `true`, overhead over `bash -c true`",
            "bash_more_ms",
            (2.0, "ms"),
            detail("alternating"),
        )?,
        figures.row(
            "the same in a process with 100 MiB",
            "bash_more_100mib_ms",
            (2.0, "ms"),
            detail("alternating"),
        )?,
        figures.row(
            "the same in the fence for commands that only read, overhead over no fence",
            "bash_fenced_more_ms",
            (1.0, "ms"),
            detail("alternating"),
        )?,
    ])
}
