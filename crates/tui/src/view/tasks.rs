//! Background shells and subagents: a list, what one of them wrote, and a way to end it.

mod output;

use forelook_protocol::{
    Command, CommandError, Entry, EntryBody, Query, Reply, SessionEffect, Task, TaskId, TaskState,
};
use forelook_wording::{NO_TASKS, display_width, task_cells, task_state};
use ratatui_core::layout::Size;
use ratatui_core::text::{Line, Span};

use super::{Page, ViewOutcome};
use crate::app::{UiEffect, UiTask};
use crate::markdown::RenderContext;
use crate::term::{Code, Key};
use crate::text::{Indent, fitted, sanitize, wrap};
use output::OutputPane;

/// The list, or one of it.
#[derive(Debug)]
pub(crate) struct TasksView {
    tasks: Vec<Task>,
    /// The one that is looked at. By its name: others come and go.
    at: Option<TaskId>,
    /// What it wrote, while that is shown.
    output: Option<OutputPane>,
    /// Whether it is asked if this one should end.
    ending: bool,
    /// When the session is asked again how things stand.
    due: u64,
    /// Why the session does not say any more how things stand.
    refused: Option<String>,
}

/// How often it is asked, while something runs.
const LOOK_MS: u64 = 1_000;

fn ask(query: Query) -> ViewOutcome {
    ViewOutcome::Stay(vec![UiEffect::Spawn(UiTask::Ask(query))])
}

/// Said of one that is not in the list any more.
fn ended(task: &TaskId) -> String {
    format!("`{task}` has ended")
}

fn is_running(task: &Task) -> bool {
    task.state == TaskState::Running
}

impl TasksView {
    pub(crate) fn new(tasks: &[Task]) -> Self {
        Self { tasks: tasks.to_vec(), at: None, output: None, ending: false, due: 0, refused: None }
    }

    fn place(&self) -> Option<usize> {
        self.tasks.iter().position(|task| Some(&task.id) == self.at.as_ref())
    }

    fn task(&self) -> Option<&Task> {
        self.place().and_then(|at| self.tasks.get(at))
    }

    /// When what is shown is old; never, if nothing runs or nobody answers.
    pub(crate) fn next_wakeup(&self) -> Option<u64> {
        (self.refused.is_none() && self.tasks.iter().any(is_running)).then_some(self.due)
    }

    /// It is now this time; what is to be asked, if what is shown is old.
    pub(crate) fn at(&mut self, now: u64) -> Vec<UiEffect> {
        if self.next_wakeup().is_none_or(|due| due > now) {
            return Vec::new();
        }
        self.due = now + LOOK_MS;
        let pane = self.output.as_ref().filter(|pane| pane.refused().is_none());
        let output = pane.and(self.at.clone()).map(Query::TaskOutput);
        let queries = [Query::Tasks].into_iter().chain(output);
        queries.map(|query| UiEffect::Spawn(UiTask::Ask(query))).collect()
    }

    /// The session says how things stand.
    pub(crate) fn reply(&mut self, reply: &Reply) {
        match reply {
            Reply::Tasks(tasks) => {
                self.tasks.clone_from(tasks);
                self.refused = None;
                self.ending &= self.task().is_some_and(is_running);
                if let (None, Some(task), Some(pane)) = (self.place(), &self.at, &mut self.output) {
                    pane.refuse(ended(task));
                }
            }
            Reply::TaskOutput { task, output } if Some(task) == self.at.as_ref() => {
                if let Some(pane) = &mut self.output {
                    pane.set(output);
                }
            }
            _ => {}
        }
    }

    /// The session did not answer. That is shown here, once, however often it was asked; whether it was asked from here.
    pub(crate) fn refused(&mut self, query: &Query, why: &CommandError) -> bool {
        match (query, why) {
            (Query::Tasks, why) => self.refused = Some(why.to_string()),
            (Query::TaskOutput(task), why) if Some(task) == self.at.as_ref() => {
                let why = match why {
                    // Nobody asked for it just now: it ended while it was looked at.
                    CommandError::NoTask(task) => ended(task),
                    why => why.to_string(),
                };
                if let Some(pane) = &mut self.output {
                    pane.refuse(why);
                }
            }
            // Of one that is not looked at any more.
            (Query::TaskOutput(_), _) => {}
            _ => return false,
        }
        true
    }

    /// Something was recorded: the list may be another one.
    pub(crate) fn recorded(&self, entry: &Entry) -> Vec<UiEffect> {
        let started = |effect: &SessionEffect| matches!(effect, SessionEffect::ShellStarted(_));
        let changes = match &entry.body {
            EntryBody::ShellEnded(_) | EntryBody::AgentStarted(_) | EntryBody::AgentEnded(_) => true,
            EntryBody::ToolFinished(finished) => finished.effects.iter().any(started),
            _ => false,
        };
        changes.then(|| UiEffect::Spawn(UiTask::Ask(Query::Tasks))).into_iter().collect()
    }

    pub(crate) fn key(&mut self, key: Key) -> ViewOutcome {
        if std::mem::take(&mut self.ending) {
            return match (key.letter(), &self.at) {
                (Some('y'), Some(task)) => {
                    ViewOutcome::Stay(vec![UiEffect::Send(Command::EndTask(task.clone()))])
                }
                _ => ViewOutcome::Stay(Vec::new()),
            };
        }
        if key.letter() == Some('x') {
            self.ending = self.task().is_some_and(is_running);
            return ViewOutcome::Stay(Vec::new());
        }
        match &mut self.output {
            Some(pane) => match (key.code, key.letter()) {
                (Code::Esc, _) | (_, Some('q')) => {
                    self.output = None;
                    ask(Query::Tasks)
                }
                _ => {
                    pane.key(key);
                    ViewOutcome::Stay(Vec::new())
                }
            },
            None => self.list_key(key),
        }
    }

    fn list_key(&mut self, key: Key) -> ViewOutcome {
        let last = self.tasks.len().saturating_sub(1);
        let at = self.place();
        let to = match (key.code, key.letter()) {
            (Code::Esc, _) | (_, Some('q')) => return ViewOutcome::Close(Vec::new()),
            (Code::Enter, _) if at.is_some() => {
                self.output = Some(OutputPane::default());
                return self.look();
            }
            (Code::Up, _) | (_, Some('k')) => at.and_then(|at| at.checked_sub(1)).unwrap_or(last),
            (Code::Down | Code::Tab, _) | (_, Some('j')) => {
                at.map_or(0, |at| if at >= last { 0 } else { at + 1 })
            }
            (Code::Home, _) => 0,
            (Code::End, _) => last,
            _ => return ViewOutcome::Stay(Vec::new()),
        };
        self.at = self.tasks.get(to).map(|task| task.id.clone());
        ViewOutcome::Stay(Vec::new())
    }

    /// Asks what the task has written by now.
    fn look(&self) -> ViewOutcome {
        self.at.clone().map_or(ViewOutcome::Stay(Vec::new()), |task| ask(Query::TaskOutput(task)))
    }

    pub(crate) fn page(&mut self, size: Size, ctx: RenderContext) -> Page {
        let (title, text) = match (&self.output, self.task(), &self.at) {
            (Some(_), Some(task), _) => (format!(" {} · {}", task.id, task_state(task)), task.about.clone()),
            // An agent that has ended is not in the list.
            (Some(_), None, Some(task)) => (format!(" {task} · ended"), String::new()),
            _ => (" Background shells and agents".to_owned(), String::new()),
        };
        let title = fitted(&sanitize(&title), ctx.width);
        let mut rows = vec![Line::styled(title, ctx.theme.heading)];
        if self.output.is_some() {
            let about = sanitize(&text).replace('\n', " ");
            rows.push(Line::styled(
                format!(" {}", fitted(&about, ctx.width.saturating_sub(2))),
                ctx.theme.quiet,
            ));
        }
        rows.push(Line::default());
        let below = self.below(ctx);
        let room = usize::from(size.height).saturating_sub(rows.len() + below.len() + 1).max(1);
        let end = rows.len() + room;
        match &mut self.output {
            Some(pane) => rows.extend(pane.rows(room, ctx)),
            None => rows.extend(self.list(room, ctx)),
        }
        rows.resize(end, Line::default());
        rows.push(Line::default());
        rows.extend(below);
        Page { rows, cursor: None }
    }

    fn list(&self, room: usize, ctx: RenderContext) -> Vec<Line<'static>> {
        if self.tasks.is_empty() {
            return vec![Line::styled(fitted(&format!("   {NO_TASKS}"), ctx.width), ctx.theme.quiet)];
        }
        let cells: Vec<[String; 3]> = self
            .tasks
            .iter()
            .map(|task| task_cells(task).map(|cell| sanitize(&cell).replace('\n', " ")))
            .collect();
        let widest =
            |column: usize| cells.iter().map(|cells| display_width(&cells[column])).max().unwrap_or_default();
        // How one ended may be a sentence; below the list it is whole.
        let widths = [widest(0), widest(1).min(ctx.width / 3)];
        let at = self.place();
        let top = at.map_or(0, |at| (at + 1).saturating_sub(room));
        let row = |(here, cells): (usize, &[String; 3])| {
            let mut text = String::new();
            for (cell, width) in cells.iter().zip(widths) {
                let cell = fitted(cell, width);
                text.push_str(&cell);
                text.extend(std::iter::repeat_n(' ', width.saturating_sub(display_width(&cell)) + 2));
            }
            text.push_str(&cells[2]);
            let text = fitted(&text, ctx.width.saturating_sub(4));
            let running = self.tasks.get(here).is_some_and(is_running);
            let style = match (at == Some(here), running) {
                (true, _) => ctx.theme.heading,
                (false, true) => ratatui_core::style::Style::new(),
                (false, false) => ctx.theme.quiet,
            };
            let mark = if at == Some(here) { " ❯ " } else { "   " };
            Line::from(vec![Span::raw(mark), Span::styled(text, style)])
        };
        cells.iter().enumerate().skip(top).take(room).map(row).collect()
    }

    /// All of the one that is looked at, and what keys do.
    fn below(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let mut rows = Vec::new();
        let indented = |line: Line<'static>| wrap(&line, ctx.width, &Indent::all(" "));
        if let (None, Some(task)) = (&self.output, self.task()) {
            let about = format!("{}: {}", task_state(task), task.about);
            let about = Line::styled(sanitize(&about).replace('\n', " "), ctx.theme.quiet);
            rows.extend(indented(about).into_iter().take(3));
        }
        if self.ending
            && let Some(task) = self.task()
        {
            let question = format!("End `{}`? y: yes, any other key: no", sanitize(&task.id.to_string()));
            rows.extend(indented(Line::styled(question, ctx.theme.warning)));
            return rows;
        }
        let refused = self.output.as_ref().and_then(OutputPane::refused).or(self.refused.as_deref());
        for line in refused.into_iter().flat_map(str::lines) {
            rows.extend(indented(Line::styled(sanitize(line).into_owned(), ctx.theme.warning)));
        }
        let end = if self.task().is_some_and(is_running) { "x end it, " } else { "" };
        let keys = match (&self.output, self.task()) {
            (Some(_), _) => format!("↑↓ scroll, {end}Esc back"),
            (None, Some(_)) => format!("↑↓ move, Enter output, {end}Esc close"),
            (None, None) => "↑↓ move, Esc close".to_owned(),
        };
        rows.extend(indented(Line::styled(keys, ctx.theme.quiet)));
        rows
    }
}

#[cfg(test)]
mod tests;
