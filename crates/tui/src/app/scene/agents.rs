//! Subagents at work.

use forelook_protocol::{AgentId, AgentStarted, AnswerBlock, CallId};
use forelook_wording::{call_about, counted, lasting};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::markdown::Look;
use crate::text::{fitted, harmless};

/// A subagent.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) id: AgentId,
    /// The call that started it.
    pub(super) call: CallId,
    kind: String,
    description: String,
    since: u64,
    calls: u64,
    /// Its newest call.
    newest: Option<String>,
}

impl Agent {
    pub(super) fn new(id: &AgentId, started: &AgentStarted, now: u64) -> Self {
        Self {
            id: id.clone(),
            call: started.call.clone(),
            kind: harmless(&started.kind).into_owned(),
            description: harmless(&started.description).into_owned(),
            since: now,
            calls: 0,
            newest: None,
        }
    }

    /// Who it is, in a few words.
    pub(super) fn words(&self) -> String {
        format!("{}: {}", self.kind, self.description)
    }

    pub(super) fn answered(&mut self, blocks: &[AnswerBlock]) {
        for block in blocks {
            if let AnswerBlock::ToolUse(call) = block {
                self.calls += 1;
                self.newest = Some(format!("{}({})", call.name, call_about(&call.input)));
            }
        }
    }

    /// What it is, and below it what it does.
    fn rows(&self, look: Look, now: u64, spin: &'static str) -> [Line<'static>; 2] {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let time = lasting(now.saturating_sub(self.since));
        let figures = match self.calls {
            0 => format!("  {time}"),
            calls => format!("  {}, {time}", counted(calls, "call", "calls")),
        };
        let taken = 3 + Span::raw(self.kind.as_str()).width() + Span::raw(figures.as_str()).width();
        let head = Line::from(vec![
            Span::styled(format!("{spin} "), look.theme.plan),
            Span::styled(format!("{} ", self.kind), bold),
            Span::raw(fitted(&self.description, look.width.saturating_sub(taken).max(8))),
            Span::styled(figures, look.theme.quiet),
        ]);
        let newest = self.newest.as_deref().unwrap_or("begins");
        let doing = format!("  ⎿ {}", fitted(&harmless(newest), look.width.saturating_sub(4)));
        [head, Line::styled(doing, look.theme.quiet)]
    }
}

/// The rows of all of them, in at most `room` rows: first what they do goes, then all but the first few.
pub(super) fn rows(
    agents: &[Agent],
    look: Look,
    room: usize,
    now: u64,
    spin: &'static str,
) -> Vec<Line<'static>> {
    if agents.is_empty() {
        return Vec::new();
    }
    let (count, doing) = (agents.len(), 2 * agents.len() < room);
    let most = if doing || count < room { count } else { room.saturating_sub(2).max(1) };
    let mut rows = vec![Line::default()];
    for agent in agents.iter().take(most) {
        let [head, does] = agent.rows(look, now, spin);
        rows.push(head);
        rows.extend(Some(does).filter(|_| doing));
    }
    let hidden = u64::try_from(count - most).unwrap_or(0);
    if hidden > 0 {
        let more = format!("  … and {}", counted(hidden, "more agent", "more agents"));
        rows.push(Line::styled(more, look.theme.quiet));
    }
    rows
}
