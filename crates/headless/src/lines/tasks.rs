//! The list of `/tasks`, and what one of them wrote.

use forelook_protocol::Task;
use forelook_wording::{ColumnAlign, NO_TASKS, table, task_cells};

use crate::style::{Row, TextStyle};

/// All of them, and how to go on.
pub(super) fn list(tasks: &[Task]) -> Vec<Row> {
    if tasks.is_empty() {
        return vec![Row::dim(format!("  {NO_TASKS}"))];
    }
    let cells: Vec<[String; 3]> = tasks.iter().map(task_cells).collect();
    let lines = table(["ID", "State", "Command or task"], &cells, [ColumnAlign::Left; 3]);
    let style = |at: usize| if at == 0 { TextStyle::Dim } else { TextStyle::Plain };
    let mut rows: Vec<Row> =
        lines.into_iter().enumerate().map(|(at, line)| Row::exact("  ", style(at), line)).collect();
    rows.push(Row::dim("  /tasks ID shows its output, /tasks end ID ends it"));
    rows
}

/// The end of what it wrote.
pub(super) fn output(text: &str) -> Vec<Row> {
    match text.trim().is_empty() {
        true => vec![Row::dim("  No output yet")],
        false => text.lines().map(|line| Row::exact("  ", TextStyle::Plain, line)).collect(),
    }
}
