//! What is under way: the answer that streams, the calls and shells that run, the agents at work, the todos, and the
//! prompts that wait.

mod agents;
mod answer;
mod ended;
mod record;
mod running;
mod shells;
#[cfg(test)]
mod tests;
mod todos;

use std::collections::VecDeque;

pub(crate) use record::words_of;

use forelook_protocol::{AgentId, AnswerEvent, CallId, HostRequest, Live, Mode, Notice, NoticeLevel, Todo};
use forelook_wording::{again, counted, lasting, thousands};
use ratatui_core::text::Line;

use crate::cells::{Cell, marked};
use crate::markdown::Look;
use crate::text::{fitted, harmless};
use agents::Agent;
use answer::Answer;
use running::Running;
use shells::Shells;

/// What is under way.
#[derive(Debug, Default)]
pub(crate) struct Scene {
    answer: Answer,
    /// Calls that have no result yet, in their order, and lines of the person's own.
    calls: VecDeque<Running>,
    agents: Vec<Agent>,
    shells: Shells,
    todos: Vec<Todo>,
    /// Prompts that wait for the running turn.
    queued: VecDeque<String>,
    /// When the running turn began, in milliseconds of the front end's clock.
    turn_since: Option<u64>,
    /// Tokens that the model has written in this turn, as its provider counted them.
    written: u64,
    /// Cells that are finished and not drawn yet.
    pub(crate) finished: Vec<Cell>,
    /// Calls that are told as something else: a review.
    told: Vec<CallId>,
}

/// What rows are made for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) now: u64,
    /// The state of the wheel.
    pub(crate) spin: &'static str,
    /// Rows that there is room for.
    pub(crate) room: usize,
    /// Whether the person is asked something, so that it is they who are waited for.
    pub(crate) asking: bool,
    pub(crate) mode: Mode,
}

impl Scene {
    pub(crate) fn new(todos: Vec<Todo>) -> Self {
        Self { todos, ..Self::default() }
    }

    /// A glimpse of something.
    pub(crate) fn live(&mut self, live: &Live, look: Look, now: u64) {
        match live {
            Live::Answer { agent: None, event: AnswerEvent::Again(retry) } => {
                // What went into the scrollback cannot be taken back: it must be said there.
                let seen = self.answer.void();
                let text = again(retry, seen.then_some("what came of this answer is void"));
                if seen {
                    let notice = Notice { level: NoticeLevel::Warning, text: text.clone() };
                    self.finished.push(Cell::Notice(notice));
                }
                self.answer.again = Some(text);
            }
            Live::Answer { agent: None, event } => {
                let inner = Look { width: look.width.saturating_sub(2), ..look };
                self.finished.extend(self.answer.piece(event, inner, now));
            }
            Live::Output { call, text } => {
                if let Some(running) = self.running(call) {
                    running.take_output(text);
                }
            }
            Live::Progress { agent: None, call, note, .. } => {
                if let Some(running) = self.running(call) {
                    running.note.clone_from(note);
                }
            }
            Live::Notice(notice) => self.finished.push(Cell::Notice(notice.clone())),
            Live::PlanEditor(editor) => self.finished.push(Cell::Editor(Box::new(editor.clone()))),
            Live::Unrecorded { reason, .. } => self.turn_ended(reason, look),
            // The terminal declares nothing but what people answer, which is in the journal.
            Live::Request(_) | Live::RequestClosed { .. } => {}
            Live::Answer { .. } | Live::Progress { .. } | Live::Closed => {}
        }
    }

    fn running(&mut self, call: &CallId) -> Option<&mut Running> {
        self.calls.iter_mut().find(|it| it.what.id() == call)
    }

    /// How things stand, whatever was read before: these prompts wait, and a turn runs or is due, or nothing runs. Then
    /// what had not ended when the program was stopped never will.
    pub(crate) fn stands(&mut self, queued: VecDeque<String>, running: bool, now: u64) {
        self.queued = queued;
        self.turn_since = running.then(|| self.turn_since.unwrap_or(now));
        if !running {
            self.calls.clear();
            self.agents.clear();
        }
    }

    /// This is asked.
    pub(crate) fn asked(&mut self, request: &HostRequest) {
        self.shells.asked(request);
    }

    /// Agents at work, in a few words each.
    pub(crate) fn agents_at_work(&self) -> Vec<String> {
        self.agents.iter().map(Agent::words).collect()
    }

    /// Who an agent is, in a few words.
    pub(crate) fn agent_words(&self, id: &AgentId) -> String {
        self.agents.iter().find(|agent| agent.id == *id).map_or_else(|| id.to_string(), Agent::words)
    }

    /// Whether there is something that can be stopped.
    pub(crate) fn is_running(&self) -> bool {
        self.turn_since.is_some() || self.calls.iter().any(Running::is_own)
    }

    /// Whether something moves by itself, also while the person is asked.
    pub(crate) fn moves(&self, asking: bool) -> bool {
        match asking {
            true => self.calls.iter().any(|it| it.since.is_some()),
            false => self.is_running(),
        }
    }

    /// How many todos are done, and how many there are; nothing if there is nothing left to do.
    pub(crate) fn todo_count(&self) -> Option<(usize, usize)> {
        Some(todos::count(&self.todos)).filter(|(done, all)| done < all)
    }

    pub(crate) fn queued_count(&self) -> usize {
        self.queued.len()
    }

    /// The rows of what is under way.
    pub(crate) fn rows(&self, look: Look, moment: Moment) -> Vec<Line<'static>> {
        let Moment { now, spin, room, asking, mode } = moment;
        let (tail, begins) = self.answer.tail(Look { width: look.width.saturating_sub(2), ..look });
        let mut rows = Vec::new();
        if begins && !tail.is_empty() {
            rows.push(Line::default());
        }
        rows.extend(marked(&tail, begins));
        let calls: Vec<&Running> =
            self.calls.iter().filter(|it| it.is_shown(now) && !self.is_agent(it)).collect();
        rows.extend(running::rows(&calls, look, (room / 2).max(3), now, spin));
        rows.extend(agents::rows(&self.agents, look, (room / 2).max(3), now, spin));
        rows.extend(self.state(look, now, spin, asking));
        rows.extend(todos::rows(&self.todos, look, (room / 3).min(10)));
        rows.extend(self.shells.row(look, mode));
        rows.extend(self.queue(look, room));
        rows
    }

    fn is_agent(&self, running: &Running) -> bool {
        self.agents.iter().any(|agent| agent.call == *running.what.id())
    }

    /// What the model does, for how long, and how to stop it.
    fn state(&self, look: Look, now: u64, spin: &'static str, asking: bool) -> Vec<Line<'static>> {
        let Some(since) = self.turn_since else { return Vec::new() };
        let theme = look.theme;
        let mut rows = vec![Line::default()];
        if let Some(again) = &self.answer.again {
            rows.push(Line::styled(fitted(&format!("! {again}"), look.width), theme.warning));
        }
        if asking && !self.moves(true) {
            rows.push(Line::styled("○ Waiting for your answer", theme.quiet));
            return rows;
        }
        let (doing, since) = self.answer.doing(since);
        let what = format!("{spin} {doing} {}", lasting(now.saturating_sub(since)));
        // The hint goes first where there is little room, then the figures.
        let tokens = self.tokens().map_or_else(String::new, |it| format!(" · {it}"));
        let forms = [format!("{what}{tokens} · Esc stops it"), format!("{what}{tokens}"), what];
        let fits = |it: &String| forelook_wording::measure(it) <= look.width;
        let row = forms.into_iter().find(fits).unwrap_or_default();
        rows.push(Line::styled(row, theme.quiet));
        rows
    }

    /// Tokens written in this turn; what is still coming can only be guessed.
    fn tokens(&self) -> Option<String> {
        let coming = u64::try_from(self.answer.tokens()).unwrap_or(0);
        match (self.written + coming, coming) {
            (0, _) => None,
            (all, 0) => Some(counted(all, "token", "tokens")),
            (all, _) => Some(format!("~{} tokens", thousands(all))),
        }
    }

    fn queue(&self, look: Look, room: usize) -> Vec<Line<'static>> {
        let row = |text: String| Line::styled(fitted(&text, look.width), look.theme.quiet);
        let most = (room / 6).clamp(1, 3);
        let mut rows: Vec<Line<'static>> = Vec::new();
        for queued in self.queued.iter().take(most) {
            let first = harmless(queued.lines().next().unwrap_or_default()).into_owned();
            rows.push(row(format!("  waits: {first}")));
        }
        let hidden = self.queued.len().saturating_sub(most);
        if hidden > 0 {
            rows.push(row(format!("  … and {hidden} more wait")));
        }
        rows
    }
}
