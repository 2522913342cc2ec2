//! What is finished, as cells.

use forelook_protocol::{EditorState, Notice, NoticeLevel, Retry, Todo};
use forelook_view::{CallEnded, PromptText, ReportedAs, ViewItem};
use forelook_wording::{cleared_line, compacted_line, counted, plan_title, retry_message};
use ratatui_core::text::Line;

use super::{LiveArea, ended, todos};
use crate::cells::Cell;
use crate::markdown::RenderContext;

impl LiveArea {
    /// Everything that the view holds as finished.
    pub(super) fn take_items(&mut self, ctx: RenderContext) {
        for item in self.view.take_items() {
            match item {
                ViewItem::Text(words) => self.words(&words, ctx),
                ViewItem::Prompt(said) => {
                    let prompt = self.prompt(said);
                    self.finished.push(prompt);
                }
                item => self.finished.extend(cell(item, ctx)),
            }
        }
    }

    /// A plan that a conversation begins with was shown when it was approved.
    fn prompt(&mut self, said: PromptText) -> Cell {
        Cell::Prompt(match said.plan {
            Some(plan) => format!("Carry out the plan: {}", plan_title(&plan)),
            None => self.as_written(said.words),
        })
    }
}

/// The cell of an item. Of agents and of thinking only what is under way is shown; mode and model stand in the status
/// line.
fn cell(item: ViewItem, ctx: RenderContext) -> Option<Cell> {
    Some(match item {
        ViewItem::Attached(attached) => Cell::Attached(attached),
        ViewItem::Call(ended) => return call(*ended),
        ViewItem::Shell(ended) => Cell::Shell(ended),
        ViewItem::AnsweredElsewhere(closed) => {
            Cell::Notice(Notice { level: NoticeLevel::Info, text: closed.words()? })
        }
        ViewItem::Plan(reviewed) => Cell::Plan(reviewed),
        ViewItem::Applied(applied) => Cell::Applied(applied),
        ViewItem::Compacted(compacted) => info(compacted_line(&compacted)),
        ViewItem::ResultsCleared(results) => info(cleared_line(results)),
        ViewItem::Notice(notice) => Cell::Notice(notice),
        // That it was about to open stands above.
        ViewItem::Editor(editor) if editor.state == EditorState::Opened => return None,
        ViewItem::Editor(editor) => Cell::Editor(editor),
        ViewItem::Todos(todos) => new_todos(&todos, ctx),
        ViewItem::TodosDone(all) => {
            let all = counted(u64::try_from(all).unwrap_or(0), "todo", "todos");
            Cell::Rows(vec![Line::styled(format!("☑ All {all} done"), ctx.theme.good)])
        }
        // What went into the scrollback cannot be taken back: it must be said there.
        ViewItem::Retry { agent: None, retry, void: true } => {
            Cell::Notice(Notice { level: NoticeLevel::Warning, text: retry_words(&retry, true) })
        }
        ViewItem::TurnEnded { reason, .. } => Cell::Notice(ended::notice(&reason)?),
        ViewItem::Prompt(_)
        | ViewItem::Text(_)
        | ViewItem::Thinking(_)
        | ViewItem::AgentStarted { .. }
        | ViewItem::AgentEnded { .. }
        | ViewItem::Retry { .. }
        | ViewItem::Mode(_)
        | ViewItem::Model(_)
        | ViewItem::TurnStarted(_) => return None,
    })
}

fn info(text: String) -> Cell {
    Cell::Notice(Notice { level: NoticeLevel::Info, text })
}

/// That an answer is asked for again.
pub(super) fn retry_words(retry: &Retry, void: bool) -> String {
    retry_message(retry, void.then_some("discarding the partial answer"))
}

/// Agents' calls are seen while they run.
fn call(ended: CallEnded) -> Option<Cell> {
    let text = ended.text();
    let CallEnded { agent, call, outcome, reported_as, .. } = ended;
    let shown = agent.is_none() && reported_as == ReportedAs::Call;
    shown.then_some(Cell::Call { call, text, outcome })
}

fn new_todos(todos: &[Todo], ctx: RenderContext) -> Cell {
    let title = Line::styled("● Todos", ctx.theme.heading);
    Cell::Rows(std::iter::once(title).chain(todos::list(todos, ctx)).collect())
}
