//! What a review looks like: what it is about, the plan, and below it what can be done.

use forelook_view::review::Since;
use forelook_wording::{cut, plan_length, plan_length_short, title, visible};
use ratatui_core::layout::Size;
use ratatui_core::text::{Line, Span};

use super::Reviewing;
use super::form::Form;
use super::rows::comment_rows;
use super::sheet::Sight;
use super::tried::Tried;
use crate::markdown::Look;
use crate::text::{Hang, harmless, wrap};
use crate::view::Page;

/// Windows with fewer rows or columns than these get the short form of everything.
const ROOMY: Size = Size::new(60, 20);
/// Rows of the plan that are always seen.
const LEAST: usize = 2;

impl Reviewing {
    /// The whole window.
    pub(crate) fn page(&mut self, size: Size, look: Look) -> Page {
        self.width = look.width;
        let roomy = size.width >= ROOMY.width && size.height >= ROOMY.height;
        let all = usize::from(size.height);
        let (mut bottom, cursor) = self.bottom(look, roomy);
        bottom.truncate(all.saturating_sub(LEAST));
        let mut head = self.head(look, roomy);
        head.truncate(all.saturating_sub(bottom.len() + LEAST + 1));
        let height = all.saturating_sub(head.len() + 1 + bottom.len());
        let body = self.body(look, height);
        let mut rows = head;
        rows.push(self.ruler(look));
        rows.extend(body);
        rows.resize(all.saturating_sub(bottom.len()), Line::default());
        let above = rows.len();
        rows.extend(bottom);
        let cursor = cursor.map(|(row, column)| (above + row, column)).filter(|(row, _)| *row < all);
        Page { rows, cursor }
    }

    /// The plan by its title.
    pub(super) fn name(&self) -> String {
        let of = self.review.from().map_or_else(String::new, |from| format!(" of {}", one_line(from)));
        match title(self.review.text()) {
            title if title.is_empty() => format!("The plan{of}"),
            title => format!("The plan{of}: {}", one_line(&title)),
        }
    }

    fn head(&self, look: Look, roomy: bool) -> Vec<Line<'static>> {
        let mut rows = vec![Line::styled(cut(&self.name(), look.width.saturating_sub(1)), look.theme.plan)];
        let length = match (self.review.has_plan(), roomy) {
            (false, _) => "There is no plan: the file is missing or empty".to_owned(),
            (true, true) => plan_length(&self.review.asked().length),
            (true, false) => plan_length_short(&self.review.asked().length),
        };
        if roomy {
            rows.push(Line::styled(tail(&self.review.path().to_string(), look.width), look.theme.quiet));
        }
        let style = if self.review.has_plan() { look.theme.quiet } else { look.theme.warning };
        rows.extend(wrap(&Line::styled(length, style), look.width, &Hang::default()));
        rows.extend(self.tried.as_ref().map(|tried| {
            let text = cut(&tried.head(roomy), look.width.saturating_sub(1));
            Line::styled(text, look.theme.plan)
        }));
        rows
    }

    /// Between head and plan: what is looked at, and where in it.
    fn ruler(&self, look: Look) -> Line<'static> {
        let tried = self.tried.as_ref().filter(|tried| tried.is_seen());
        let what = match (&self.form, self.sheet.sight(), self.review.since()) {
            (Form::List(_), ..) => "comments",
            (Form::Keys(_), ..) => "keys",
            _ if tried.is_some() => "what was tried, and not done",
            (_, Sight::Plan, Since::LastReview) if !self.sheet.has_changes() => {
                "the plan, the same as at the last review"
            }
            (_, Sight::Plan, _) => "the plan",
            (_, Sight::Written, _) => "the plan as it is written",
            (_, Sight::Changes, Since::Seen) => "what changed since you saw it",
            (_, Sight::Changes, _) => "what changed since the last review",
        };
        let place = tried.map_or_else(|| self.sheet.place(), Tried::place);
        let place = match (&self.form, place) {
            (Form::List(_) | Form::Keys(_), _) | (_, None) => String::new(),
            (_, Some((first, last, all))) => format!(" {first}-{last} of {all} "),
        };
        let left = format!("── {what} ");
        let used = Span::raw(left.as_str()).width() + Span::raw(place.as_str()).width() + 2;
        let rule = "─".repeat(look.width.saturating_sub(used));
        let text = if used > look.width { left } else { format!("{left}{rule}{place}──") };
        Line::styled(text, look.theme.quiet)
    }

    fn body(&mut self, look: Look, height: usize) -> Vec<Line<'static>> {
        self.sheet.lay(self.review.comments(), look, height);
        match &mut self.form {
            Form::List(at) => {
                let at = *at;
                self.list(look, at, height)
            }
            Form::Keys(top) => {
                let top = *top;
                let rows = self.all_keys(look);
                let first = top.min(rows.len().saturating_sub(height));
                self.form = Form::Keys(first);
                rows.into_iter().skip(first).take(height).collect()
            }
            _ if self.tried.as_ref().is_some_and(Tried::is_seen) => {
                self.tried.as_mut().map(|tried| tried.shown(look, height)).unwrap_or_default()
            }
            _ if !self.review.has_plan() => {
                let text =
                    "Nothing was written down. You can leave plan mode all the same, or keep planning.";
                wrap(&Line::from(text), look.width, &Hang::all(" "))
            }
            _ => self.sheet.shown(look),
        }
    }

    fn list(&self, look: Look, here: usize, height: usize) -> Vec<Line<'static>> {
        let inner = Look { width: look.width.saturating_sub(2), ..look };
        let mut rows = Vec::new();
        let mut end = 0;
        for (at, comment) in self.review.comments().iter().enumerate() {
            let mark = if at == here { Span::styled("❯ ", look.theme.plan) } else { Span::raw("  ") };
            let quote = one_line(comment.comment.quote.lines().next().unwrap_or_default());
            let quote = cut(&quote, inner.width.saturating_sub(3));
            rows.push(Line::from(vec![mark, Span::styled(quote, look.theme.quiet)]));
            let indented =
                |row: Line<'static>| Line::from_iter(std::iter::once(Span::raw("  ")).chain(row.spans));
            rows.extend(comment_rows(comment, inner).into_iter().map(indented));
            if at == here {
                end = rows.len();
            }
        }
        rows.into_iter().skip(end.saturating_sub(height)).take(height).collect()
    }
}

fn one_line(text: &str) -> String {
    harmless(&visible(text)).replace('\n', " ")
}

/// The end of a path that is too long.
fn tail(path: &str, width: usize) -> String {
    let path = one_line(path);
    let hidden = path.chars().count().saturating_sub(width.saturating_sub(1));
    match hidden {
        0 => path,
        hidden => format!("…{}", path.chars().skip(hidden).collect::<String>()),
    }
}
