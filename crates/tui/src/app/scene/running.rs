//! Calls that run.

use forelook_view::{Running, What};
use forelook_wording::{call_about, counted, lasting};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::markdown::Look;
use crate::text::{fitted, harmless};

/// A call that is done sooner is not shown as running: most are, and the screen would flicker.
const SOON_MS: u64 = 250;
/// How long it runs is said from here on.
const LONG_MS: u64 = 2_000;

/// Whether it is shown yet.
pub(super) fn is_shown(running: &Running, now: u64) -> bool {
    let long = |since: u64| now >= since + SOON_MS || running.output().len() > 0 || running.is_own();
    running.since.is_some_and(long)
}

fn head(running: &Running, look: Look, now: u64, spin: &'static str) -> Line<'static> {
    let elapsed = running.since.map_or(0, |since| now.saturating_sub(since));
    let time = (elapsed >= LONG_MS).then(|| lasting(elapsed));
    let note = running.note.as_ref().map(|note| harmless(note).into_owned());
    let behind: String = time.into_iter().chain(note).map(|it| format!("  {it}")).collect();
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let (name, about) = match &running.what {
        What::Call(call) => (Span::styled(call.name.clone(), bold), call_about(&call.input)),
        What::Shell { command, .. } => (Span::styled("!", bold), command.clone()),
    };
    let about = harmless(&about);
    let about = if running.is_own() { format!(" {about}") } else { format!("({about})") };
    let taken = 2 + name.width() + Span::raw(behind.as_str()).width();
    Line::from(vec![
        Span::styled(format!("{spin} "), look.theme.good),
        name,
        Span::raw(fitted(&about, look.width.saturating_sub(taken).max(8))),
        Span::styled(behind, look.theme.quiet),
    ])
}

/// The rows of what runs, in at most `room` rows: first the output goes, then all but the first few.
pub(super) fn rows(
    calls: &[&Running],
    look: Look,
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
        rows.push(head(call, look, now, spin));
        let output = call.output().filter(|_| with_output);
        rows.extend(output.map(|line| {
            Line::styled(
                format!("    {}", fitted(&harmless(line), look.width.saturating_sub(4))),
                look.theme.quiet,
            )
        }));
    }
    let hidden = u64::try_from(calls.len() - most).unwrap_or(0);
    if hidden > 0 {
        let more = format!("  … and {}", counted(hidden, "more call", "more calls"));
        rows.push(Line::styled(more, look.theme.quiet));
    }
    rows
}
