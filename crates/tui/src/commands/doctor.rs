//! `/doctor`: what the kernel holds here. `/status` says it too.

use forelook_protocol::{FenceReport, Query, Reply, RunningShell};
use forelook_wording::fence_lines;
use ratatui_core::text::Line;

use super::{SlashCommand, pairs};
use crate::app::{App, UiEffect};
use crate::markdown::RenderContext;

pub(super) const DOCTOR: SlashCommand =
    SlashCommand { name: "doctor", usage: "", about: "check the sandbox, layer by layer", run };

pub(super) fn run(app: &mut App, _: &str) -> Vec<UiEffect> {
    app.ask(Query::Fence, |app, reply| {
        if let Reply::Fence { report, outside } = reply {
            app.show(rows(report, outside, app.render_context()));
        }
        Vec::new()
    })
}

pub(super) fn rows(report: &FenceReport, outside: &[RunningShell], ctx: RenderContext) -> Vec<Line<'static>> {
    let lines = fence_lines(report, outside);
    let lines: Vec<(String, String)> =
        lines.into_iter().map(|(name, words)| (name.to_owned(), words)).collect();
    let mut rows = vec![Line::styled("Sandbox", ctx.theme.heading)];
    rows.extend(pairs(&lines, ctx));
    rows
}
