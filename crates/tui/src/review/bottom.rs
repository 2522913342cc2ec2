//! What can be done with a plan, below it.

use forelook_view::review::{Context, First};
use forelook_wording::{counted, line_range, visible};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::Reviewing;
use super::form::{Drop, Form, On};
use super::sheet::Sight;
use crate::composer::Composer;
use crate::markdown::Look;
use crate::text::{Hang, harmless, wrap};

/// Rows at the bottom, with the place of the cursor.
type Bottom = (Vec<Line<'static>>, Option<(usize, usize)>);

impl Reviewing {
    pub(super) fn bottom(&self, look: Look, roomy: bool) -> Bottom {
        let mut rows = vec![Line::styled("─".repeat(look.width), look.theme.quiet)];
        if let Some(said) = &self.said {
            let said = visible(said).into_owned();
            let said = said.lines().flat_map(|line| {
                wrap(
                    &Line::styled(harmless(line).into_owned(), look.theme.warning),
                    look.width,
                    &Hang::all(" "),
                )
            });
            rows.extend(said.take(if roomy { 3 } else { 1 }));
        }
        let above = rows.len();
        let (more, cursor) = match &self.form {
            Form::Choosing if roomy => (self.choices(look), None),
            Form::Choosing => (self.few_choices(look), None),
            Form::Keys(_) => {
                (flow("", look, &[("↑↓", "more".into()), ("any other key", "back".into())]), None)
            }
            Form::List(_) => {
                let keys =
                    [("Enter", "goes there"), ("e", "changes it"), ("x", "removes it"), ("Esc", "back")];
                (flow("", look, &keys.map(|(key, what)| (key, what.to_owned()))), None)
            }
            form => self.form_rows(form, look, roomy),
        };
        rows.extend(more);
        (rows, cursor.map(|(row, column)| (above + row, column)))
    }

    fn choices(&self, look: Look) -> Vec<Line<'static>> {
        let ways = self.ways();
        let keys: Vec<String> = ways.iter().map(|(key, _)| key.to_string()).collect();
        let ways: Vec<(&str, String)> =
            keys.iter().zip(&ways).map(|(key, (_, way))| (key.as_str(), way.words())).collect();
        let mut rows = flow("Approve", look, &ways);
        let no = [("n", "keep planning"), ("e", "edit"), ("p", "park"), ("x", "abandon")];
        let mut no: Vec<(&str, String)> = no.map(|(key, what)| (key, what.to_owned())).to_vec();
        if let count @ 1.. = self.review.comments().unsent() as u64 {
            no.push(("s", format!("sends {}", counted(count, "comment", "comments"))));
        }
        rows.extend(flow("Or", look, &no));
        let mut more = vec![("c", "comment"), ("v", "range"), ("l", "list")];
        more.extend(self.other_sight());
        more.extend(self.tried_key());
        more.extend([("Ctrl+O", "chat"), ("?", "all keys")]);
        let more: Vec<(&str, String)> = more.into_iter().map(|(key, what)| (key, what.to_owned())).collect();
        rows.extend(flow("Look", look, &more));
        rows
    }

    /// The key between the plan and what changed in it.
    fn other_sight(&self) -> Option<(&'static str, &'static str)> {
        self.sheet.has_changes().then_some(match self.sheet.sight() {
            Sight::Changes => ("d", "whole plan"),
            Sight::Plan | Sight::Written => ("d", "changes"),
        })
    }

    /// The key between the plan and what was tried.
    fn tried_key(&self) -> Option<(&'static str, &'static str)> {
        self.tried.as_ref().map(|tried| if tried.is_seen() { ("t", "the plan") } else { ("t", "tried") })
    }

    fn few_choices(&self, look: Look) -> Vec<Line<'static>> {
        let yes: Vec<String> = self.ways().iter().map(|(key, _)| key.to_string()).collect();
        let yes = yes.join(" ");
        let mut keys = vec![(yes.as_str(), "approve".to_owned()), ("n", "keep planning".to_owned())];
        if let count @ 1.. = self.review.comments().unsent() as u64 {
            keys.push(("s", format!("sends {}", counted(count, "comment", "comments"))));
        }
        let sights = self.other_sight().into_iter().chain(self.tried_key());
        keys.extend(sights.map(|(key, what)| (key, what.to_owned())));
        keys.extend([("c", "comment".to_owned()), ("?", "all keys".to_owned())]);
        flow("", look, &keys)
    }

    fn form_rows(&self, form: &Form, look: Look, roomy: bool) -> Bottom {
        let (title, words, hint) = match form {
            Form::Approve { way, note, first, .. } => {
                let what = if self.review.has_plan() { "Approve this plan" } else { "Leave plan mode" };
                let tried = self.tried.as_ref().filter(|_| *first == First::Tried);
                let begin = tried
                    .map_or_else(String::new, |it| format!(", begin with what was tried ({})", it.size()));
                let enter = if tried.is_some() { "approves and applies" } else { "approves it" };
                (
                    format!("{what}{begin}, and go on {}?", way.words()),
                    Some(note),
                    [("Enter", enter), ("Esc", "back")],
                )
            }
            Form::Keep { words } => (
                "Keep planning. What should change?".to_owned(),
                Some(words),
                [("Enter", "sends it"), ("Esc", "back")],
            ),
            Form::Comment { on, words } => {
                (self.comment_title(*on), Some(words), [("Enter", "keeps it"), ("Esc", "drops it")])
            }
            Form::Sure(Drop::Park) => (
                "Park the plan? The turn ends; the file is kept.".to_owned(),
                None,
                [("Enter", "does it"), ("Esc", "back")],
            ),
            _ => {
                ("Abandon the plan? The turn ends.".to_owned(), None, [("Enter", "does it"), ("Esc", "back")])
            }
        };
        let style = match form {
            Form::Approve { way, .. } if way.is_open() => look.theme.bad,
            _ => look.theme.heading,
        };
        let mut rows = wrap(&Line::styled(title, style), look.width, &Hang::all(" "));
        let mut cursor = None;
        if let Some(words) = words {
            let (field, (row, column)) = field(words, look, if roomy { 5 } else { 2 });
            cursor = Some((rows.len() + row, column));
            rows.extend(field);
        }
        rows.extend(self.goes_along(form, look));
        if let Form::Approve { context, first, .. } = form {
            let tick = |on: bool| if on { "☑" } else { "☐" };
            let fresh = tick(*context == Context::Fresh);
            rows.push(Line::from(format!(" {fresh} fresh context (Tab): only the plan")));
            if let Some(tried) = &self.tried {
                let what = if roomy { "apply what was tried" } else { "apply" };
                let line = Line::from(format!("{what} (Ctrl+T): {}", tried.size()));
                let first = Hang::first(format!(" {} ", tick(*first == First::Tried)));
                rows.extend(wrap(&line, look.width, &first));
            }
        }
        rows.extend(flow("", look, &hint.map(|(key, what)| (key, what.to_owned()))));
        (rows, cursor)
    }

    /// What is said beside the words.
    fn goes_along(&self, form: &Form, look: Look) -> Option<Line<'static>> {
        let (count, what) = match form {
            Form::Approve { .. } => (self.review.comments().unsent(), "in the note"),
            Form::Keep { .. } => (self.review.comments().to_send().len(), "with it"),
            _ => (0, ""),
        };
        let goes = counted(count as u64, "comment goes", "comments go");
        (count > 0).then(|| Line::styled(format!(" {goes} along {what}"), look.theme.warning))
    }

    fn comment_title(&self, on: On) -> String {
        match on {
            On::Lines(first, last) => format!("Comment on {}", line_range(first, last)),
            On::Again(at) => match self.review.comments().get(at) {
                Some(it) => {
                    format!("Comment on {} (empty: removed)", line_range(it.comment.first, it.comment.last))
                }
                None => "Comment".to_owned(),
            },
        }
    }
}

/// What is being written, at most so many rows, with the place of the cursor.
fn field(words: &Composer, look: Look, most: usize) -> (Vec<Line<'static>>, (usize, usize)) {
    let laid = words.laid(look.width.saturating_sub(4));
    let first = (laid.cursor.0 + 1).saturating_sub(most);
    let row = |(at, text): (usize, &str)| {
        let lead = if at == 0 { " > " } else { "   " };
        Line::from(vec![Span::styled(lead, look.theme.quiet), Span::raw(text.to_owned())])
    };
    let texts = laid.rows.iter().map(|row| row.text.as_str()).enumerate();
    (texts.skip(first).take(most).map(row).collect(), (laid.cursor.0 - first, laid.cursor.1 + 3))
}

/// Keys and what they do, in as many rows as they need, behind a word.
fn flow(word: &str, look: Look, keys: &[(&str, String)]) -> Vec<Line<'static>> {
    let lead = if word.is_empty() { " ".to_owned() } else { format!(" {word:<8} ") };
    let lead_width = Span::raw(lead.as_str()).width();
    let mut rows: Vec<Vec<Span<'static>>> = vec![vec![Span::styled(lead, look.theme.quiet)]];
    let mut used = lead_width;
    for (key, what) in keys {
        let width = Span::raw(*key).width() + 1 + Span::raw(what.as_str()).width();
        if used + width > look.width && used > lead_width {
            rows.push(vec![Span::raw(" ".repeat(lead_width))]);
            used = lead_width;
        }
        used += width + 3;
        if let Some(row) = rows.last_mut() {
            row.push(Span::styled((*key).to_owned(), look.theme.plan));
            row.push(Span::styled(format!(" {what}   "), Style::new()));
        }
    }
    rows.into_iter().map(Line::from).collect()
}
