//! The line at the bottom.

use forelook_protocol::{Cost, TotalCost};
use forelook_wording::bill;
use ratatui_core::text::{Line, Span};

use super::{App, modes};
use crate::markdown::RenderContext;
use crate::text::{Indent, fitted, sanitize, wrap};

/// From here on the window of the model is nearly full.
const FULL: u64 = 80;
/// Names of folders and branches may be longer, and are cut.
const FOLDER: usize = 24;
/// Between the two sides.
const APART: usize = 1;

/// What stands at the bottom: a toast that needs rows of its own, of which there are `spare` ones, and the status line.
pub(super) fn rows(app: &App, ctx: RenderContext, spare: usize) -> Vec<Line<'static>> {
    let mut left = state(app, ctx);
    let taken = width(&left);
    let mut rows = Vec::new();
    match app.toasts.shown() {
        Some(toast) => {
            let text = format!("  {}", sanitize(&toast.text));
            let span = Span::styled(text, toast.style(ctx.theme));
            match taken + span.width() <= ctx.width && !toast.text.contains('\n') {
                true => left.push(span),
                false => {
                    let line = Line::styled(sanitize(&toast.text).into_owned(), toast.style(ctx.theme));
                    rows = wrap(&line, ctx.width, &Indent::all(" "));
                    rows.truncate(spare.min(2));
                }
            }
        }
        None => {
            let hint = Span::styled("  (Shift+Tab to change)", ctx.theme.quiet);
            // What stands on the right tells more.
            let right = width(&right(app, ctx, ctx.width.saturating_sub(taken + APART)));
            if taken + hint.width() + APART + right <= ctx.width {
                left.push(hint);
            }
        }
    }
    let room = ctx.width.saturating_sub(width(&left) + APART);
    let right = right(app, ctx, room);
    let blanks = ctx.width.saturating_sub(width(&left) + width(&right));
    left.push(Span::raw(" ".repeat(blanks)));
    left.extend(right);
    rows.push(Line::from(left));
    rows
}

fn width(spans: &[Span<'_>]) -> usize {
    spans.iter().map(Span::width).sum()
}

/// The mode, always; how far the todos are, and what waits.
fn state(app: &App, ctx: RenderContext) -> Vec<Span<'static>> {
    let (sign, words) = forelook_wording::mode_words(app.mode());
    let mut spans = vec![Span::styled(format!(" {sign} {words}"), modes::style(app.mode(), ctx.theme))];
    let mut more = String::new();
    if let Some((done, all)) = app.live_area.view.todo_count() {
        more += &format!(" · {done}/{all} todos");
    }
    match app.live_area.view.turns().queued().len() {
        0 => {}
        count => more += &format!(" · {count} queued"),
    }
    if !more.is_empty() && width(&spans) + Span::raw(more.as_str()).width() <= ctx.width {
        spans.push(Span::styled(more, ctx.theme.quiet));
    }
    spans
}

/// Model, context, cost, folder and branch, as far as there is room; or what the person's own status line says.
fn right(app: &App, ctx: RenderContext, room: usize) -> Vec<Span<'static>> {
    let quiet = ctx.theme.quiet;
    if let Some(said) = &app.status_info.script.output {
        let first = sanitize(said.lines().next().unwrap_or_default()).into_owned();
        return if room < 8 { Vec::new() } else { vec![Span::styled(fitted(&first, room), quiet)] };
    }
    let model = sanitize(app.model()).into_owned();
    let context = app.live_area.view.totals().percent().map(|percent| {
        let style = if percent > FULL { ctx.theme.warning } else { quiet };
        Span::styled(format!("context {percent}%"), style)
    });
    let cost = match app.live_area.view.totals().cost {
        // Nothing was spent, or nothing is known of it.
        TotalCost::Exact(Cost(0)) | TotalCost::AtLeast(Cost(0)) => None,
        cost => Some(bill(cost)),
    };
    let folder = fitted(&sanitize(app.status_info.folder_name()), FOLDER);
    let place = match &app.status_info.branch {
        Some(branch) => format!("{folder} ({})", fitted(&sanitize(branch), FOLDER)),
        None => folder.clone(),
    };
    let said = |text: &String| Some(Span::styled(text.clone(), quiet));
    let cost = cost.as_ref().and_then(said);
    // What there is no room for goes, the least telling first.
    let forms = [
        vec![said(&model), context.clone(), cost, said(&place)],
        vec![said(&model), context.clone(), said(&place)],
        vec![said(&model), context.clone(), said(&folder)],
        vec![said(&model), context.clone()],
        vec![context],
    ];
    let joined = forms.into_iter().map(|parts| joined(parts.into_iter().flatten(), ctx));
    joined.into_iter().find(|spans| width(spans) <= room).unwrap_or_default()
}

fn joined(parts: impl Iterator<Item = Span<'static>>, ctx: RenderContext) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    for part in parts.filter(|part| !part.content.is_empty()) {
        if !spans.is_empty() {
            spans.push(Span::styled(" · ", ctx.theme.quiet));
        }
        spans.push(part);
    }
    if !spans.is_empty() {
        spans.push(Span::raw(" "));
    }
    spans
}

#[cfg(test)]
mod tests;
