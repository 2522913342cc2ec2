//! What is finished, as cells.

use forelook_protocol::{Notice, NoticeLevel, Retry, Todo};
use forelook_view::{CallEnded, Item, PromptSaid, ToldAs};
use forelook_wording::{again, counted, title};
use ratatui_core::text::Line;

use super::{Scene, ended, todos};
use crate::cells::Cell;
use crate::markdown::Look;

impl Scene {
    /// Everything that the view holds as finished.
    pub(super) fn take_items(&mut self, look: Look) {
        for item in self.view.take_items() {
            match item {
                Item::Words(words) => self.words(&words, look),
                item => self.finished.extend(cell(item, look)),
            }
        }
    }
}

/// The cell of an item. Of agents and of thinking only what is under way is shown; mode and model stand in the status
/// line.
fn cell(item: Item, look: Look) -> Option<Cell> {
    Some(match item {
        Item::Prompt(said) => prompt(said),
        Item::Call(ended) => return call(*ended),
        Item::Shell(ended) => Cell::Shell(ended),
        Item::AnsweredElsewhere(closed) => {
            Cell::Notice(Notice { level: NoticeLevel::Info, text: closed.words()? })
        }
        Item::Plan(reviewed) => Cell::Plan(reviewed),
        Item::Applied(applied) => Cell::Applied(applied),
        Item::Notice(notice) => Cell::Notice(notice),
        Item::Editor(editor) => Cell::Editor(editor),
        Item::Todos(todos) => new_todos(&todos, look),
        Item::TodosDone(all) => {
            let all = counted(u64::try_from(all).unwrap_or(0), "todo", "todos");
            Cell::Rows(vec![Line::styled(format!("☑ All {all} done"), look.theme.good)])
        }
        // What went into the scrollback cannot be taken back: it must be said there.
        Item::Retry { agent: None, retry, void: true } => {
            Cell::Notice(Notice { level: NoticeLevel::Warning, text: retry_words(&retry, true) })
        }
        Item::TurnEnded { reason, .. } => Cell::Notice(ended::notice(&reason)?),
        Item::Words(_)
        | Item::Thinking(_)
        | Item::AgentStarted { .. }
        | Item::AgentEnded { .. }
        | Item::Retry { .. }
        | Item::Mode(_)
        | Item::Model(_)
        | Item::TurnStarted(_) => return None,
    })
}

/// That an answer is asked for again.
pub(super) fn retry_words(retry: &Retry, void: bool) -> String {
    again(retry, void.then_some("what came of this answer is void"))
}

/// A plan that a conversation begins with was shown when it was approved.
fn prompt(said: PromptSaid) -> Cell {
    Cell::Prompt(match said.plan {
        Some(plan) => format!("Carry out the plan: {}", title(&plan)),
        None => said.words,
    })
}

/// Agents' calls are seen while they run.
fn call(ended: CallEnded) -> Option<Cell> {
    let CallEnded { agent, call, result, outcome, told, .. } = ended;
    let shown = agent.is_none() && told == ToldAs::Call;
    shown.then_some(Cell::Call { call, result, outcome })
}

fn new_todos(todos: &[Todo], look: Look) -> Cell {
    let title = Line::styled("● Todos", look.theme.heading);
    Cell::Rows(std::iter::once(title).chain(todos::list(todos, look)).collect())
}
