//! What can be done with a plan, below it.

use forelook_view::review::{ContextChoice, RehearsalChoice};
use forelook_wording::{counted, line_range, mode_unavailable, truncate, visible};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::ReviewDialog;
use super::form::{CommentTarget, Dismissal, ReviewForm};
use super::plan_pane::PaneMode;
use super::search::PlanSearch;
use crate::composer::Composer;
use crate::markdown::RenderContext;
use crate::text::{Indent, sanitize, wrap};

/// Rows at the bottom, with the place of the cursor.
type Bottom = (Vec<Line<'static>>, Option<(usize, usize)>);

impl ReviewDialog {
    pub(super) fn bottom(&self, ctx: RenderContext, roomy: bool) -> Bottom {
        let mut rows = vec![Line::styled("─".repeat(ctx.width), ctx.theme.quiet)];
        if let Some(said) = &self.said {
            let said = visible(said).into_owned();
            let said = said.lines().flat_map(|line| {
                wrap(
                    &Line::styled(sanitize(line).into_owned(), ctx.theme.warning),
                    ctx.width,
                    &Indent::all(" "),
                )
            });
            rows.extend(said.take(if roomy { 3 } else { 1 }));
        }
        let above = rows.len();
        let (more, cursor) = match &self.form {
            ReviewForm::Choosing if roomy => (self.choices(ctx), None),
            ReviewForm::Choosing => (self.few_choices(ctx), None),
            ReviewForm::Keys(_) => {
                (flow("", ctx, &[("↑↓", "scroll".into()), ("any other key", "back".into())]), None)
            }
            ReviewForm::List(_) => {
                let keys = [("Enter", "go to it"), ("e", "edit it"), ("x", "delete it"), ("Esc", "back")];
                (flow("", ctx, &keys.map(|(key, what)| (key, what.to_owned()))), None)
            }
            ReviewForm::Found(search) => (self.search_rows(search, ctx), None),
            form => self.form_rows(form, ctx, roomy),
        };
        rows.extend(more);
        (rows, cursor.map(|(row, column)| (above + row, column)))
    }

    fn choices(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let approval_modes = self.approval_modes();
        let keys: Vec<String> = approval_modes.iter().map(|(key, _)| key.to_string()).collect();
        let approval_modes: Vec<(&str, String)> = keys
            .iter()
            .zip(&approval_modes)
            .map(|(key, (_, approval_mode))| (key.as_str(), approval_mode.words()))
            .collect();
        let mut rows: Vec<Line<'static>> = self.lost_mode_rows(ctx);
        rows.extend(flow("Approve", ctx, &approval_modes));
        let no = [("n", "keep planning"), ("e", "edit"), ("p", "park"), ("x", "abandon")];
        let mut no: Vec<(&str, String)> = no.map(|(key, what)| (key, what.to_owned())).to_vec();
        if let count @ 1.. = self.review.comments().unsent() as u64 {
            no.push(("s", format!("send {}", counted(count, "comment", "comments"))));
        }
        rows.extend(flow("Or", ctx, &no));
        let mut more = vec![("c", "comment"), ("v", "range"), ("l", "list")];
        // Beside a rehearsal there is no room for it in the row; `?` has it.
        more.extend(self.tried.is_none().then_some(("/", "search")));
        more.extend(self.other_mode_key());
        more.extend(self.tried_key());
        more.extend([("Ctrl+O", "chat"), ("?", "all keys")]);
        let more: Vec<(&str, String)> = more.into_iter().map(|(key, what)| (key, what.to_owned())).collect();
        rows.extend(flow("More", ctx, &more));
        rows
    }

    /// That a yes does not lead back any more.
    fn lost_mode_rows(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let text = self.review.lost_mode().map(mode_unavailable);
        let row = |text: String| wrap(&Line::styled(text, ctx.theme.warning), ctx.width, &Indent::all(" "));
        text.map(row).unwrap_or_default()
    }

    /// What was found, and how to go on.
    fn search_rows(&self, search: &PlanSearch, ctx: RenderContext) -> Vec<Line<'static>> {
        let (here, all) = self.plan_pane.found(search);
        let term = truncate(&sanitize(&visible(&search.term)), ctx.width / 2);
        let places = match here {
            0 => counted(all as u64, "place", "places"),
            here => format!("{here} of {all}"),
        };
        let mut rows = vec![Line::styled(format!(" “{term}”: {places}"), ctx.theme.heading)];
        let keys = [("n", "next"), ("N", "previous"), ("c", "comment"), ("/", "search"), ("Esc", "back")];
        rows.extend(flow("", ctx, &keys.map(|(key, what)| (key, what.to_owned()))));
        rows
    }

    /// The key between the plan and what changed in it.
    fn other_mode_key(&self) -> Option<(&'static str, &'static str)> {
        self.plan_pane.has_changes().then_some(match self.plan_pane.mode() {
            PaneMode::Changes => ("d", "whole plan"),
            PaneMode::Plan | PaneMode::Written => ("d", "changes"),
        })
    }

    /// The key between the plan and what was tried.
    fn tried_key(&self) -> Option<(&'static str, &'static str)> {
        self.tried.as_ref().map(|tried| if tried.is_seen() { ("t", "plan") } else { ("t", "rehearsal") })
    }

    fn few_choices(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let yes: Vec<String> = self.approval_modes().iter().map(|(key, _)| key.to_string()).collect();
        let yes = yes.join(" ");
        let mut keys = vec![(yes.as_str(), "approve".to_owned()), ("n", "keep planning".to_owned())];
        if let count @ 1.. = self.review.comments().unsent() as u64 {
            keys.push(("s", format!("send {}", counted(count, "comment", "comments"))));
        }
        let sights = self.other_mode_key().into_iter().chain(self.tried_key());
        keys.extend(sights.map(|(key, what)| (key, what.to_owned())));
        keys.extend([("c", "comment".to_owned()), ("?", "all keys".to_owned())]);
        flow("", ctx, &keys)
    }

    fn form_rows(&self, form: &ReviewForm, ctx: RenderContext, roomy: bool) -> Bottom {
        let (title, words, hint) = match form {
            ReviewForm::Approve { approval_mode, note, rehearsal, .. } => {
                let what = if self.review.has_plan() { "Approve this plan" } else { "Leave plan mode" };
                let tried = self.tried.as_ref().filter(|_| rehearsal.applies());
                let apply =
                    tried.map_or_else(String::new, |it| format!(", apply the rehearsal ({}),", it.size()));
                let enter = if tried.is_some() { "approve and apply" } else { "approve" };
                (
                    format!("{what}{apply} and {}?", approval_mode.words()),
                    Some(note),
                    [("Enter", enter), ("Esc", "back")],
                )
            }
            ReviewForm::Keep { words } => (
                "Keep planning. What should change?".to_owned(),
                Some(words),
                [("Enter", "send"), ("Esc", "back")],
            ),
            ReviewForm::Comment { on, words } => {
                (self.comment_title(*on), Some(words), [("Enter", "save"), ("Esc", "cancel")])
            }
            ReviewForm::Search { words } => {
                ("Search for".to_owned(), Some(words), [("Enter", "search"), ("Esc", "back")])
            }
            ReviewForm::Confirm(Dismissal::Park) => (
                "Park the plan? This ends the turn and keeps the file.".to_owned(),
                None,
                [("Enter", "park"), ("Esc", "back")],
            ),
            _ => (
                "Abandon the plan? This ends the turn.".to_owned(),
                None,
                [("Enter", "abandon"), ("Esc", "back")],
            ),
        };
        let style = match form {
            ReviewForm::Approve { approval_mode, .. } if approval_mode.bypasses_permissions() => {
                ctx.theme.bad
            }
            _ => ctx.theme.heading,
        };
        let mut rows = wrap(&Line::styled(title, style), ctx.width, &Indent::all(" "));
        let mut cursor = None;
        if let Some(words) = words {
            let (field, (row, column)) = field(words, ctx, if roomy { 5 } else { 2 });
            cursor = Some((rows.len() + row, column));
            rows.extend(field);
        }
        rows.extend(self.attached_comments(form, ctx));
        if let ReviewForm::Approve { context, rehearsal, .. } = form {
            let tick = |on: bool| if on { "☑" } else { "☐" };
            let fresh = tick(*context == ContextChoice::Fresh);
            rows.push(Line::from(format!(" {fresh} fresh context (Tab): only the plan")));
            if let Some(tried) = &self.tried {
                let what = if roomy { "apply the rehearsal" } else { "apply" };
                let line = Line::from(format!("{what} (Ctrl+T): {}", tried.size()));
                let first = Indent::first(format!(" {} ", tick(rehearsal.applies())));
                rows.extend(wrap(&line, ctx.width, &first));
                rows.extend(protected_row(tried.protected(), *rehearsal, ctx));
            }
        }
        rows.extend(flow("", ctx, &hint.map(|(key, what)| (key, what.to_owned()))));
        (rows, cursor)
    }

    /// What is said beside the words.
    fn attached_comments(&self, form: &ReviewForm, ctx: RenderContext) -> Option<Line<'static>> {
        let (count, what) = match form {
            ReviewForm::Approve { .. } => (self.review.comments().unsent(), "in the note"),
            ReviewForm::Keep { .. } => (self.review.comments().to_send().len(), "with it"),
            _ => (0, ""),
        };
        let goes = counted(count as u64, "comment will be", "comments will be");
        (count > 0).then(|| Line::styled(format!(" {goes} sent {what}"), ctx.theme.warning))
    }

    fn comment_title(&self, on: CommentTarget) -> String {
        match on {
            CommentTarget::Lines(first, last) => format!("Comment on {}", line_range(first, last)),
            CommentTarget::Existing(at) => match self.review.comments().get(at) {
                Some(it) => {
                    format!("Comment on {} (empty: delete)", line_range(it.comment.first, it.comment.last))
                }
                None => "Comment".to_owned(),
            },
        }
    }
}

/// What is being written, at most so many rows, with the place of the cursor.
fn field(words: &Composer, ctx: RenderContext, most: usize) -> (Vec<Line<'static>>, (usize, usize)) {
    let layout = words.layout(ctx.width.saturating_sub(4));
    let first = (layout.cursor.0 + 1).saturating_sub(most);
    let row = |(at, text): (usize, &str)| {
        let lead = if at == 0 { " > " } else { "   " };
        Line::from(vec![Span::styled(lead, ctx.theme.quiet), Span::raw(text.to_owned())])
    };
    let texts = layout.rows.iter().map(|row| row.text.as_str()).enumerate();
    (texts.skip(first).take(most).map(row).collect(), (layout.cursor.0 - first, layout.cursor.1 + 3))
}

/// Keys and what they do, in as many rows as they need, behind a word.
fn flow(word: &str, ctx: RenderContext, keys: &[(&str, String)]) -> Vec<Line<'static>> {
    let lead = if word.is_empty() { " ".to_owned() } else { format!(" {word:<8} ") };
    let lead_width = Span::raw(lead.as_str()).width();
    let mut rows: Vec<Vec<Span<'static>>> = vec![vec![Span::styled(lead, ctx.theme.quiet)]];
    let mut used = lead_width;
    for (key, what) in keys {
        let width = Span::raw(*key).width() + 1 + Span::raw(what.as_str()).width();
        if used + width > ctx.width && used > lead_width {
            rows.push(vec![Span::raw(" ".repeat(lead_width))]);
            used = lead_width;
        }
        used += width + 3;
        if let Some(row) = rows.last_mut() {
            row.push(Span::styled((*key).to_owned(), ctx.theme.plan));
            row.push(Span::styled(format!(" {what}   "), Style::new()));
        }
    }
    rows.into_iter().map(Line::from).collect()
}

/// Whether files that decide what runs later are applied with the rest.
fn protected_row(count: usize, choice: RehearsalChoice, ctx: RenderContext) -> Vec<Line<'static>> {
    if count == 0 || !choice.applies() {
        return Vec::new();
    }
    let files =
        counted(count as u64, "file that decides what runs later", "files that decide what runs later");
    let (tick, more) = match choice {
        RehearsalChoice::ApplyAll => ("☑", ""),
        RehearsalChoice::Apply | RehearsalChoice::Discard => ("☐", " (Ctrl+T again)"),
    };
    let line = Line::styled(format!("also {files}{more}"), ctx.theme.warning);
    wrap(&line, ctx.width, &Indent::first(format!("   {tick} ")))
}
