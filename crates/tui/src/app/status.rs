//! The line at the bottom.

use forelook_protocol::{Cost, TotalCost};
use forelook_wording::bill;
use ratatui_core::text::{Line, Span};

use super::{App, modes};
use crate::markdown::RenderContext;
use crate::text::{Indent, fitted, sanitize, wrap};

/// From here on the window of the model is nearly full.
const FULL: u64 = 80;
/// Less room than this is not worth filling.
const LEAST: usize = 8;
/// Names of folders and branches may be longer, and are cut.
const FOLDER: usize = 24;
/// Between the two sides.
const APART: usize = 1;
/// How the mode is changed, said in two lengths.
const HINTS: [&str; 2] = ["  (Shift+Tab to change)", "  (Shift+Tab)"];
/// From this width on, the hint and the model's name are always to be seen, whatever else must go for them.
const USUAL_WIDTH: usize = 80;

/// What stands at the bottom: a toast that needs rows of its own, of which there are `spare` ones, and the status line.
pub(super) fn rows(app: &App, ctx: RenderContext, spare: usize) -> Vec<Line<'static>> {
    let Some(toast) = app.toasts.shown() else {
        let (left, right) = sides(app, ctx);
        return vec![joined_sides(left, right, ctx)];
    };
    let mut left = state(app, ctx);
    let said = sanitize(&toast.text);
    let span = Span::styled(format!("  {said}"), toast.style(ctx.theme));
    let taken = width(&left) + span.width();
    let beside = right_beside(app, ctx, ctx.width.saturating_sub(taken + APART));
    if taken <= ctx.width && !toast.text.contains('\n') && (beside.is_some() || spare == 0) {
        left.push(span);
        return vec![joined_sides(left, beside.unwrap_or_default(), ctx)];
    }
    let mut rows =
        wrap(&Line::styled(said.into_owned(), toast.style(ctx.theme)), ctx.width, &Indent::all(" "));
    rows.truncate(spare.min(2));
    let (left, right) = sides(app, ctx);
    rows.push(joined_sides(left, right, ctx));
    rows
}

fn joined_sides(
    mut left: Vec<Span<'static>>,
    right: Vec<Span<'static>>,
    ctx: RenderContext,
) -> Line<'static> {
    let blanks = ctx.width.saturating_sub(width(&left) + width(&right));
    left.push(Span::raw(" ".repeat(blanks)));
    left.extend(right);
    Line::from(left)
}

/// What stands beside a toast; nothing if there is too little room for what is always seen, so that the toast needs a row
/// of its own.
fn right_beside(app: &App, ctx: RenderContext, room: usize) -> Option<Vec<Span<'static>>> {
    let shown = right(app, ctx, room);
    if ctx.width < USUAL_WIDTH || app.status_info.script.output.is_some() {
        return Some(shown);
    }
    let info = RightSide::new(app, ctx);
    let whole = info.with_context().into_iter().find(|form| width(form) <= room);
    whole.or_else(|| info.with_model(room))
}

/// Both sides, with as much on them as there is room for.
fn sides(app: &App, ctx: RenderContext) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
    let state = state(app, ctx);
    let hinted = |state: &[Span<'static>], hint: &'static str| {
        let hint = Span::styled(hint, ctx.theme.quiet);
        state.iter().cloned().chain([hint]).collect::<Vec<_>>()
    };
    let room = |left: &[Span<'_>]| ctx.width.saturating_sub(width(left) + APART);
    // In a narrow window, what stands on the right tells more; a status line of the person's own always does.
    if ctx.width < USUAL_WIDTH || app.status_info.script.output.is_some() {
        let right = right(app, ctx, room(&state));
        let left = hinted(&state, HINTS[0]);
        let fits = width(&left) + APART + width(&right) <= ctx.width;
        return if fits { (left, right) } else { (state, right) };
    }
    let info = RightSide::new(app, ctx);
    for form in info.with_context() {
        for left in HINTS.map(|hint| hinted(&state, hint)) {
            if width(&form) <= room(&left) {
                return (left, form);
            }
        }
    }
    // Todos and prompts that wait are seen above too.
    for left in [hinted(&state, HINTS[1]), hinted(&state[..1], HINTS[1])] {
        if let Some(form) = info.with_model(room(&left)) {
            return (left, form);
        }
    }
    let right = right(app, ctx, room(&state));
    (state, right)
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
    if let Some(said) = &app.status_info.script.output {
        let first = sanitize(said.lines().next().unwrap_or_default()).into_owned();
        return if room < LEAST {
            Vec::new()
        } else {
            vec![Span::styled(fitted(&first, room), ctx.theme.quiet)]
        };
    }
    let info = RightSide::new(app, ctx);
    let forms = info.with_context().into_iter().chain([info.joined([&info.context])]);
    forms.into_iter().find(|spans| width(spans) <= room).unwrap_or_default()
}

/// What is told on the right, a part each.
struct RightSide {
    ctx: RenderContext,
    /// The model, and its name alone.
    model: Part,
    name: Part,
    context: Part,
    cost: Part,
    /// Folder and branch, and the folder alone.
    place: Part,
    folder: Part,
}

/// Something that is told, if it is known.
type Part = Option<Span<'static>>;

impl RightSide {
    fn new(app: &App, ctx: RenderContext) -> Self {
        let quiet = ctx.theme.quiet;
        let said = |text: String| Some(Span::styled(text, quiet));
        let model = sanitize(app.model()).into_owned();
        let name = model.rsplit('/').next().unwrap_or_default().to_owned();
        let context = app.live_area.view.totals().percent().map(|percent| {
            let style = if percent > FULL { ctx.theme.warning } else { quiet };
            Span::styled(format!("context {percent}%"), style)
        });
        let cost = match app.live_area.view.totals().cost {
            // Nothing was spent, or nothing is known of it.
            TotalCost::Exact(Cost(0)) | TotalCost::AtLeast(Cost(0)) => None,
            cost => said(bill(cost)),
        };
        let folder = fitted(&sanitize(app.status_info.folder_name()), FOLDER);
        let place = match &app.status_info.branch {
            Some(branch) => format!("{folder} ({})", fitted(&sanitize(branch), FOLDER)),
            None => folder.clone(),
        };
        let (model, name, place, folder) = (said(model), said(name), said(place), said(folder));
        Self { ctx, model, name, context, cost, place, folder }
    }

    /// What there is no room for goes, the least telling first; model and context stay.
    fn with_context(&self) -> [Vec<Span<'static>>; 4] {
        let Self { model, context, cost, place, folder, .. } = self;
        [
            self.joined([model, context, cost, place]),
            self.joined([model, context, place]),
            self.joined([model, context, folder]),
            self.joined([model, context]),
        ]
    }

    /// As much of the model's name as there is room for; nothing if that is too little to know it by.
    fn with_model(&self, room: usize) -> Option<Vec<Span<'static>>> {
        let cut = self.name.as_ref().map(|name| {
            // The blank behind it.
            Span::styled(fitted(&name.content, room.saturating_sub(1)), name.style)
        });
        let forms =
            [self.joined([&self.name, &self.context]), self.joined([&self.model]), self.joined([&cut])];
        forms.into_iter().find(|form| width(form) <= room).filter(|_| room >= LEAST)
    }

    fn joined<const N: usize>(&self, parts: [&Part; N]) -> Vec<Span<'static>> {
        joined(parts.into_iter().flatten().cloned(), self.ctx)
    }
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
