//! Subagents at work.

use forelook_view::SubagentView;
use forelook_wording::{counted, format_duration};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::markdown::RenderContext;
use crate::text::{fitted, sanitize};

/// Who it is, in a few words.
pub(super) fn words(agent: &SubagentView) -> String {
    format!("{}: {}", sanitize(&agent.started.kind), sanitize(&agent.started.description))
}

/// What it is, and below it what it does.
fn rows_of(agent: &SubagentView, ctx: RenderContext, now: u64, spin: &'static str) -> [Line<'static>; 2] {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let time = format_duration(now.saturating_sub(agent.since));
    let figures = match agent.calls {
        0 => format!("  {time}"),
        calls => format!("  {}, {time}", counted(u64::from(calls), "call", "calls")),
    };
    let (kind, description) = (sanitize(&agent.started.kind), sanitize(&agent.started.description));
    let taken = 3 + Span::raw(&*kind).width() + Span::raw(figures.as_str()).width();
    let head = Line::from(vec![
        Span::styled(format!("{spin} "), ctx.theme.plan),
        Span::styled(format!("{kind} "), bold),
        Span::raw(fitted(&description, ctx.width.saturating_sub(taken).max(8))),
        Span::styled(figures, ctx.theme.quiet),
    ]);
    let newest = agent.newest.as_ref().map(|newest| format!("{}({})", newest.tool, newest.about));
    let newest = newest.unwrap_or_else(|| "starting".to_owned());
    let doing = format!("  ⎿ {}", fitted(&sanitize(&newest), ctx.width.saturating_sub(4)));
    [head, Line::styled(doing, ctx.theme.quiet)]
}

/// The rows of all of them, in at most `room` rows: first what they do goes, then all but the first few.
pub(super) fn rows(
    agents: &[&SubagentView],
    ctx: RenderContext,
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
        let [head, does] = rows_of(agent, ctx, now, spin);
        rows.push(head);
        rows.extend(Some(does).filter(|_| doing));
    }
    let hidden = u64::try_from(count - most).unwrap_or(0);
    if hidden > 0 {
        let more = format!("  … and {}", counted(hidden, "more agent", "more agents"));
        rows.push(Line::styled(more, ctx.theme.quiet));
    }
    rows
}
