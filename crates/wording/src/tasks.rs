//! Background shells and subagents in lists.

use forelook_protocol::{Task, TaskState};

use crate::format_duration;

/// Where nothing runs.
pub const NO_TASKS: &str = "Nothing is running in the background";

/// The columns of a task: its ID, its state, and what it does.
pub fn task_cells(task: &Task) -> [String; 3] {
    [task.id.to_string(), task_state(task), task.about.clone()]
}

/// Whether a task is running and for how long, or how it ended.
pub fn task_state(task: &Task) -> String {
    match &task.state {
        TaskState::Running => format!("running {}", format_duration(task.ran_ms)),
        TaskState::Ended { how } => how.clone(),
    }
}
