//! What is under way: the answer that streams, the calls and shells that run, the agents at work, the todos, and the
//! prompts that wait.

mod agents;
mod answer;
mod ended;
mod items;
mod running;
mod shells;
#[cfg(test)]
mod tests;
mod todos;

use std::sync::Arc;

use forelook_protocol::{AgentId, Delivery, Entry, Event, SessionSnapshot, UserBlock};
use forelook_view::{ActiveCall, SessionView, SubagentView, user_text};
use forelook_wording::{counted, format_duration};
use ratatui_core::text::Line;

use crate::cells::{Cell, marked};
use crate::markdown::RenderContext;
use crate::text::{fitted, sanitize};

/// The session as it is seen, with what of it is drawn already.
#[derive(Debug, Default)]
pub(crate) struct LiveArea {
    /// What is under way.
    pub(crate) view: SessionView,
    /// The block of words that is open. Boxed: a stream is large.
    words: Option<Box<answer::AnswerBlockStream>>,
    /// Cells that are finished and not drawn yet.
    pub(crate) finished: Vec<Cell>,
    /// Prompts of the person's as the session has them, and as they were written: pastes stay folded.
    written: Vec<(String, String)>,
}

/// What rows are made for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameMoment {
    pub(crate) now: u64,
    /// The state of the wheel.
    pub(crate) spin: &'static str,
    /// Rows that there is room for.
    pub(crate) room: usize,
    /// Whether the person is asked something, so that it is they who are waited for.
    pub(crate) asking: bool,
}

impl LiveArea {
    pub(crate) fn new(snapshot: &SessionSnapshot) -> Self {
        Self { view: SessionView::new(snapshot), ..Self::default() }
    }

    /// A prompt was sent that was written in other words than these.
    pub(crate) fn sent(&mut self, content: &[UserBlock], written: &str) {
        let words = user_text(content);
        if words != written {
            self.written.push((words, written.to_owned()));
        }
    }

    /// A prompt as it was written, or as it is.
    fn as_written(&mut self, words: String) -> String {
        let at = self.written.iter().position(|(sent, _)| *sent == words);
        at.map_or(words, |at| self.written.swap_remove(at).1)
    }

    /// Something happened.
    pub(crate) fn event(&mut self, event: &Event, ctx: RenderContext, now: u64) {
        self.view.apply(event, now);
        self.take_items(ctx);
    }

    /// The journal until now: what is only counted, and what is shown again.
    pub(crate) fn replay(
        &mut self,
        (before, shown): (&[Arc<Entry>], &[Arc<Entry>]),
        snapshot: &SessionSnapshot,
        ctx: RenderContext,
        now: u64,
    ) {
        self.view.skip(before.iter().map(|entry| &**entry));
        self.view.replay(shown.iter().map(|entry| &**entry), snapshot, now);
        self.take_items(ctx);
    }

    /// Agents at work, in a few words each.
    pub(crate) fn agents_at_work(&self) -> Vec<String> {
        self.view.agents().at_work().map(agents::words).collect()
    }

    /// Who an agent is, in a few words.
    pub(crate) fn agent_words(&self, id: &AgentId) -> String {
        self.view.agents().get(id).map_or_else(|| id.to_string(), agents::words)
    }

    /// Whether something moves by itself, also while the person is asked.
    pub(crate) fn is_animated(&self, asking: bool) -> bool {
        match asking {
            true => self.view.calls().main().any(|it| it.since.is_some()),
            false => self.view.is_running(),
        }
    }

    /// The rows of what is under way.
    pub(crate) fn rows(&self, ctx: RenderContext, moment: FrameMoment) -> Vec<Line<'static>> {
        let FrameMoment { now, spin, room, asking } = moment;
        let (view, (tail, begins)) = (&self.view, self.tail(ctx));
        let mut rows = Vec::new();
        if begins && !tail.is_empty() {
            rows.push(Line::default());
        }
        rows.extend(marked(&tail, begins));
        let agents: Vec<&SubagentView> = view.agents().at_work().collect();
        let is_agent = |running: &ActiveCall| agents.iter().any(|agent| agent.started.call == *running.id());
        let is_shown = |it: &&ActiveCall| running::is_shown(it, now) && !is_agent(it);
        let calls: Vec<&ActiveCall> = view.calls().main().filter(is_shown).collect();
        rows.extend(running::rows(&calls, ctx, (room / 2).max(3), now, spin));
        rows.extend(agents::rows(&agents, ctx, (room / 2).max(3), now, spin));
        rows.extend(self.state(ctx, now, spin, asking));
        rows.extend(todos::rows(view.todos(), ctx, (room / 3).min(10)));
        rows.extend(shells::row(view.shells().all(), ctx, view.mode()));
        rows.extend(self.queue(ctx, room));
        rows
    }

    /// What the model does, for how long, and how to stop it.
    fn state(&self, ctx: RenderContext, now: u64, spin: &'static str, asking: bool) -> Vec<Line<'static>> {
        let Some(since) = self.view.turns().since() else { return Vec::new() };
        let theme = ctx.theme;
        let mut rows = vec![Line::default()];
        if let Some((retry, void)) = self.view.answer().retry() {
            let again = format!("! {}", items::retry_words(retry, void));
            rows.push(Line::styled(fitted(&again, ctx.width), theme.warning));
        }
        if asking && !self.is_animated(true) {
            rows.push(Line::styled("○ Waiting for your answer", theme.quiet));
            return rows;
        }
        let (doing, since) = answer::doing(&self.view, since);
        let what = format!("{spin} {doing} {}", format_duration(now.saturating_sub(since)));
        // The hint goes first where there is little room, then the figures.
        let tokens = self.tokens().map_or_else(String::new, |it| format!(" · {it}"));
        let forms = [format!("{what}{tokens} · Esc to stop"), format!("{what}{tokens}"), what];
        let fits = |it: &String| forelook_wording::display_width(it) <= ctx.width;
        let row = forms.into_iter().find(fits).unwrap_or_default();
        rows.push(Line::styled(row, theme.quiet));
        rows
    }

    /// Tokens written in this turn; what is still coming can only be guessed.
    fn tokens(&self) -> Option<String> {
        let coming = u64::try_from(self.view.answer().tokens()).unwrap_or(0);
        match (self.view.turns().written() + coming, coming) {
            (0, _) => None,
            (all, 0) => Some(counted(all, "token", "tokens")),
            (all, _) => Some(format!("~{}", counted(all, "token", "tokens"))),
        }
    }

    fn queue(&self, ctx: RenderContext, room: usize) -> Vec<Line<'static>> {
        let row = |text: String| Line::styled(fitted(&text, ctx.width), ctx.theme.quiet);
        let most = (room / 6).clamp(2, 3);
        let mut rows: Vec<Line<'static>> = Vec::new();
        let queued = self.view.turns().queued();
        for waiting in queued.iter().take(most) {
            let words = user_text(&waiting.prompt.content);
            let first = sanitize(words.lines().next().unwrap_or_default()).into_owned();
            let when = match waiting.prompt.delivery {
                Delivery::Steer => "next step",
                Delivery::NextTurn => "after this turn",
            };
            rows.push(row(format!("  {when}: {first}")));
        }
        let hidden = queued.len().saturating_sub(most);
        if hidden > 0 {
            rows.push(row(format!("  … and {hidden} more queued")));
        }
        rows
    }
}
