//! The line at the bottom.

use forelook_protocol::{Bill, Cost};
use forelook_wording::bill;
use ratatui_core::text::{Line, Span};

use super::{App, modes};
use crate::markdown::Look;
use crate::text::{Hang, fitted, harmless, wrap};

/// From here on the window of the model is nearly full.
const FULL: u64 = 80;
/// Names of folders and branches may be longer, and are cut.
const FOLDER: usize = 24;
/// Between the two sides.
const APART: usize = 1;

/// What stands at the bottom: a toast that needs rows of its own, of which there are `spare` ones, and the status line.
pub(super) fn rows(app: &App, look: Look, spare: usize) -> Vec<Line<'static>> {
    let mut left = state(app, look);
    let taken = width(&left);
    let mut rows = Vec::new();
    match app.toasts.shown() {
        Some(toast) => {
            let text = format!("  {}", harmless(&toast.text));
            let span = Span::styled(text, toast.style(look.theme));
            match taken + span.width() <= look.width && !toast.text.contains('\n') {
                true => left.push(span),
                false => {
                    let line = Line::styled(harmless(&toast.text).into_owned(), toast.style(look.theme));
                    rows = wrap(&line, look.width, &Hang::all(" "));
                    rows.truncate(spare.min(2));
                }
            }
        }
        None => {
            let hint = Span::styled("  (Shift+Tab changes it)", look.theme.quiet);
            // What stands on the right tells more.
            let right = width(&right(app, look, look.width.saturating_sub(taken + APART)));
            if taken + hint.width() + APART + right <= look.width {
                left.push(hint);
            }
        }
    }
    let room = look.width.saturating_sub(width(&left) + APART);
    let right = right(app, look, room);
    let blanks = look.width.saturating_sub(width(&left) + width(&right));
    left.push(Span::raw(" ".repeat(blanks)));
    left.extend(right);
    rows.push(Line::from(left));
    rows
}

fn width(spans: &[Span<'_>]) -> usize {
    spans.iter().map(Span::width).sum()
}

/// The mode, always; how far the todos are, and what waits.
fn state(app: &App, look: Look) -> Vec<Span<'static>> {
    let (sign, words) = forelook_wording::mode_words(app.mode());
    let mut spans = vec![Span::styled(format!(" {sign} {words}"), modes::style(app.mode(), look.theme))];
    let mut more = String::new();
    if let Some((done, all)) = app.scene.view.todo_count() {
        more += &format!(" · {done}/{all} todos");
    }
    match app.scene.view.turns().queued().len() {
        0 => {}
        1 => more += " · 1 waits",
        count => more += &format!(" · {count} wait"),
    }
    if !more.is_empty() && width(&spans) + Span::raw(more.as_str()).width() <= look.width {
        spans.push(Span::styled(more, look.theme.quiet));
    }
    spans
}

/// Model, context, cost, folder and branch, as far as there is room; or what the person's own status line says.
fn right(app: &App, look: Look, room: usize) -> Vec<Span<'static>> {
    let quiet = look.theme.quiet;
    if let Some(said) = &app.facts.script.said {
        let first = harmless(said.lines().next().unwrap_or_default()).into_owned();
        return if room < 8 { Vec::new() } else { vec![Span::styled(fitted(&first, room), quiet)] };
    }
    let model = harmless(app.model()).into_owned();
    let context = app.scene.view.totals().percent().map(|percent| {
        let style = if percent > FULL { look.theme.warning } else { quiet };
        Span::styled(format!("{percent} % full"), style)
    });
    let cost = match app.scene.view.totals().cost {
        // Nothing was spent, or nothing is known of it.
        Bill::Whole(Cost(0)) | Bill::AtLeast(Cost(0)) => None,
        cost => Some(bill(cost)),
    };
    let folder = fitted(&harmless(app.facts.folder_name()), FOLDER);
    let place = match &app.facts.branch {
        Some(branch) => format!("{folder} ({})", fitted(&harmless(branch), FOLDER)),
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
    let joined = forms.into_iter().map(|parts| joined(parts.into_iter().flatten(), look));
    joined.into_iter().find(|spans| width(spans) <= room).unwrap_or_default()
}

fn joined(parts: impl Iterator<Item = Span<'static>>, look: Look) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    for part in parts.filter(|part| !part.content.is_empty()) {
        if !spans.is_empty() {
            spans.push(Span::styled(" · ", look.theme.quiet));
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
