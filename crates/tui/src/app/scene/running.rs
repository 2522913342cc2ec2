//! Calls that run.

use std::collections::VecDeque;

use forelook_protocol::{CallId, Confinement, ToolCall};
use forelook_wording::{call_about, counted, lasting};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::markdown::Look;
use crate::text::{fitted, harmless};

/// Rows of a running call's output that are shown.
const OUTPUT_ROWS: usize = 4;
/// A call that is done sooner is not shown as running: most are, and the screen would flicker.
const SOON_MS: u64 = 250;
/// A line longer than this, such as a bar of progress that is written over and over, loses its beginning.
const LONGEST: usize = 8_192;
/// How long it runs is said from here on.
const LONG_MS: u64 = 2_000;

/// Something that runs.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) what: What,
    /// When it was started, if it was.
    pub(super) since: Option<u64>,
    /// The last lines of what it has written.
    output: VecDeque<String>,
    /// Whether the end of the last one is still to come.
    cut: bool,
    /// How far it is, in its own words.
    pub(super) note: Option<String>,
    /// What the kernel holds it to.
    pub(super) within: Confinement,
}

/// Who wanted it.
#[derive(Debug)]
pub(super) enum What {
    /// The model.
    Call(ToolCall),
    /// The person, with a line of their own.
    Shell { call: CallId, command: String },
}

impl What {
    pub(super) fn id(&self) -> &CallId {
        match self {
            What::Call(call) => &call.id,
            What::Shell { call, .. } => call,
        }
    }
}

impl Running {
    /// A call that waits to be started.
    pub(super) fn waits(call: ToolCall) -> Self {
        Self::new(What::Call(call), None)
    }

    pub(super) fn shell(call: CallId, command: String, now: u64) -> Self {
        Self::new(What::Shell { call, command }, Some(now))
    }

    fn new(what: What, since: Option<u64>) -> Self {
        let within = Confinement::Off;
        Self { what, since, output: VecDeque::new(), cut: false, note: None, within }
    }

    pub(super) fn is_own(&self) -> bool {
        matches!(self.what, What::Shell { .. })
    }

    /// More of what it writes, cut anywhere.
    pub(super) fn take_output(&mut self, text: &str) {
        for piece in text.split_inclusive('\n') {
            if !self.cut {
                if self.output.len() == OUTPUT_ROWS {
                    self.output.pop_front();
                }
                self.output.push_back(String::new());
            }
            let Some(last) = self.output.back_mut() else { return };
            last.push_str(piece.trim_end_matches('\n'));
            if last.len() > LONGEST {
                last.drain(..last.floor_char_boundary(last.len() - LONGEST / 2));
            }
            self.cut = !piece.ends_with('\n');
            if !self.cut && harmless(last).trim().is_empty() {
                self.output.pop_back();
            }
        }
    }

    pub(super) fn is_shown(&self, now: u64) -> bool {
        let long = |since: u64| now >= since + SOON_MS || !self.output.is_empty() || self.is_own();
        self.since.is_some_and(long)
    }

    fn head(&self, look: Look, now: u64, spin: &'static str) -> Line<'static> {
        let elapsed = self.since.map_or(0, |since| now.saturating_sub(since));
        let time = (elapsed >= LONG_MS).then(|| lasting(elapsed));
        let note = self.note.as_ref().map(|note| harmless(note).into_owned());
        let behind: String = time.into_iter().chain(note).map(|it| format!("  {it}")).collect();
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let (name, about) = match &self.what {
            What::Call(call) => (Span::styled(call.name.clone(), bold), call_about(&call.input)),
            What::Shell { command, .. } => (Span::styled("!", bold), command.clone()),
        };
        let about = harmless(&about);
        let about = if self.is_own() { format!(" {about}") } else { format!("({about})") };
        let taken = 2 + name.width() + Span::raw(behind.as_str()).width();
        Line::from(vec![
            Span::styled(format!("{spin} "), look.theme.good),
            name,
            Span::raw(fitted(&about, look.width.saturating_sub(taken).max(8))),
            Span::styled(behind, look.theme.quiet),
        ])
    }
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
    let whole: usize = calls.iter().map(|call| 1 + call.output.len()).sum();
    let with_output = whole < room;
    let most = if with_output || calls.len() < room { calls.len() } else { room.saturating_sub(2).max(1) };
    let mut rows = vec![Line::default()];
    for call in calls.iter().take(most) {
        rows.push(call.head(look, now, spin));
        let output = call.output.iter().filter(|_| with_output);
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
