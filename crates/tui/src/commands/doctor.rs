//! `/doctor`: what the kernel holds here. `/status` says it too.

use forelook_protocol::{FenceReport, Query, Reply, RunningShell};
use forelook_wording::fence_lines;
use ratatui_core::text::Line;

use super::{Slash, pairs};
use crate::app::{App, Wish};
use crate::markdown::Look;

pub(super) const DOCTOR: Slash =
    Slash { name: "doctor", form: "", about: "what the kernel holds here, layer by layer", run };

pub(super) fn run(app: &mut App, _: &str) -> Vec<Wish> {
    app.ask(Query::Fence, |app, reply| {
        if let Reply::Fence { report, outside } = reply {
            app.show(rows(report, outside, app.look()));
        }
        Vec::new()
    })
}

pub(super) fn rows(report: &FenceReport, outside: &[RunningShell], look: Look) -> Vec<Line<'static>> {
    let lines = fence_lines(report, outside);
    let lines: Vec<(String, String)> =
        lines.into_iter().map(|(name, words)| (name.to_owned(), words)).collect();
    let mut rows = vec![Line::styled("What the kernel holds", look.theme.heading)];
    rows.extend(pairs(&lines, look));
    rows
}
