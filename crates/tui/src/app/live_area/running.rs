//! Calls that run.

use forelook_view::{ActiveCall, ActiveCallKind};
use forelook_wording::{call_summary, counted, format_duration};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::markdown::RenderContext;
use crate::text::{fitted, sanitize};

/// A call that is done sooner is not shown as running: most are, and the screen would flicker.
const SOON_MS: u64 = 250;
/// How long it runs is said from here on.
const LONG_MS: u64 = 2_000;

/// Whether it is shown yet.
pub(super) fn is_shown(running: &ActiveCall, now: u64) -> bool {
    let long = |since: u64| now >= since + SOON_MS || running.output().len() > 0 || running.is_user_shell();
    running.since.is_some_and(long)
}

fn head(running: &ActiveCall, ctx: RenderContext, now: u64, spin: &'static str) -> Line<'static> {
    let elapsed = running.since.map_or(0, |since| now.saturating_sub(since));
    let time = (elapsed >= LONG_MS).then(|| format_duration(elapsed));
    let note = running.note.as_ref().map(|note| sanitize(note).into_owned());
    let behind: String = time.into_iter().chain(note).map(|it| format!("  {it}")).collect();
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let (name, about) = match &running.kind {
        ActiveCallKind::Call(call) => (Span::styled(call.name.clone(), bold), call_summary(&call.input)),
        ActiveCallKind::UserShell { command, .. } => (Span::styled("!", bold), command.clone()),
    };
    let about = sanitize(&about);
    let about = if running.is_user_shell() { format!(" {about}") } else { format!("({about})") };
    let taken = 2 + name.width() + Span::raw(behind.as_str()).width();
    Line::from(vec![
        Span::styled(format!("{spin} "), ctx.theme.good),
        name,
        Span::raw(fitted(&about, ctx.width.saturating_sub(taken).max(8))),
        Span::styled(behind, ctx.theme.quiet),
    ])
}

/// The rows of what runs, in at most `room` rows: first the output goes, then all but the first few.
pub(super) fn rows(
    calls: &[&ActiveCall],
    ctx: RenderContext,
    room: usize,
    now: u64,
    spin: &'static str,
) -> Vec<Line<'static>> {
    if calls.is_empty() {
        return Vec::new();
    }
    let whole: usize = calls.iter().map(|call| 1 + call.output().len()).sum();
    let with_output = whole < room;
    let most = if with_output || calls.len() < room { calls.len() } else { room.saturating_sub(2).max(1) };
    let mut rows = vec![Line::default()];
    for call in calls.iter().take(most) {
        rows.push(head(call, ctx, now, spin));
        let output = call.output().filter(|_| with_output);
        rows.extend(output.map(|line| {
            Line::styled(
                format!("    {}", fitted(&sanitize(line), ctx.width.saturating_sub(4))),
                ctx.theme.quiet,
            )
        }));
    }
    let hidden = u64::try_from(calls.len() - most).unwrap_or(0);
    if hidden > 0 {
        let more = format!("  … and {}", counted(hidden, "more call", "more calls"));
        rows.push(Line::styled(more, ctx.theme.quiet));
    }
    rows
}
