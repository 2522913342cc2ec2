//! May this call run? What would be done is shown whole, and scrolls if there is no room for it; the choices are always
//! there.

use forelook_protocol::{Destination, Reason};
use forelook_view::question::AnswerOption;
use ratatui_core::text::Line;
use serde_json::Value;

use super::layout::{DialogCursor, DialogLayout};
use super::scroll::Scroll;
use super::text_input::{TextInput, TextInputOutcome};
use super::{DialogStep, Page};
use crate::call_input;
use crate::markdown::RenderContext;
use crate::term::{Code, Key};
use crate::text::{Indent, sanitize, wrap};

/// So many rows of what would be done are shown before the choices become short.
const LEAST: usize = 3;

/// A call that waits for a yes.
#[derive(Debug)]
pub(super) struct PermissionDialog {
    tool: String,
    input: Value,
    reason: Reason,
    answer_options: Vec<AnswerOption>,
    scroll: Scroll,
    /// What was drawn last: it may be long, and is drawn often.
    drawn: Option<Box<RenderedBody>>,
    /// No, with these words, while they are being written.
    saying: Option<Box<TextInput>>,
}

/// Rows of what would be done, as they were made for a window.
#[derive(Debug)]
struct RenderedBody {
    ctx: RenderContext,
    form: ChoicesLayout,
    rows: Vec<Line<'static>>,
}

/// How the choices are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChoicesLayout {
    /// A row each, with the rule.
    Long,
    /// A few words each; the rule stands above.
    Short,
}

impl RenderedBody {
    fn is_for(&self, ctx: RenderContext, form: ChoicesLayout) -> bool {
        (self.ctx.width, self.ctx.theme, self.form) == (ctx.width, ctx.theme, form)
    }
}

impl PermissionDialog {
    pub(super) fn new(tool: &str, input: &Value, reason: &Reason, answer_options: Vec<AnswerOption>) -> Self {
        let (tool, input, reason) = (tool.to_owned(), input.clone(), reason.clone());
        Self { tool, input, reason, answer_options, scroll: Scroll::default(), drawn: None, saying: None }
    }

    pub(super) fn key(&mut self, key: Key) -> DialogStep {
        if self.scroll.key(key) {
            return DialogStep::Open;
        }
        if let Some(words) = &mut self.saying {
            match words.key(key) {
                TextInputOutcome::Open => {}
                TextInputOutcome::Back => self.saying = None,
                TextInputOutcome::Done(words) => {
                    return DialogStep::Answered(AnswerOption::No.answer(&words.unwrap_or_default()));
                }
            }
            return DialogStep::Open;
        }
        match (key.code, key.letter()) {
            (Code::Esc, _) | (_, Some('n')) => DialogStep::Answered(AnswerOption::No.answer("")),
            (_, Some('y')) => DialogStep::Answered(AnswerOption::Yes.answer("")),
            (_, Some('s')) => self.with_rule(Destination::Session),
            (_, Some('a')) => self.with_rule(Destination::LocalSettings),
            (_, Some('w')) => {
                self.saying = Some(Box::default());
                DialogStep::Open
            }
            _ => DialogStep::Open,
        }
    }

    /// Pasted text is for the words alone: it never chooses anything.
    pub(super) fn paste(&mut self, text: &str) -> bool {
        match &mut self.saying {
            Some(words) => words.paste(text),
            None => return false,
        }
        true
    }

    fn with_rule(&self, destination: Destination) -> DialogStep {
        let rule = self.answer_options.iter().find(|option| option.is_rule_for(destination));
        rule.map_or(DialogStep::Open, |rule| DialogStep::Answered(rule.answer("")))
    }

    pub(super) fn rows(&mut self, ctx: RenderContext, room: usize) -> Page {
        let title =
            Line::styled(forelook_wording::permission_title(&sanitize(&self.tool)), ctx.theme.warning);
        let long = self.choices(ctx);
        let (form, below, cursor) = match &mut self.saying {
            Some(words) => {
                let (below, cursor) = words.rows("  No. Instead: ", ctx);
                (ChoicesLayout::Long, below, cursor)
            }
            None if long.len() + 2 + LEAST <= room => (ChoicesLayout::Long, long, None),
            None => (ChoicesLayout::Short, self.short_choices(ctx), None),
        };
        if self.drawn.as_ref().is_none_or(|drawn| !drawn.is_for(ctx, form)) {
            self.drawn = Some(Box::new(RenderedBody { ctx, form, rows: self.body(ctx, form) }));
        }
        let body = self.drawn.as_ref().map_or(&[][..], |drawn| &drawn.rows);
        let cursor = cursor.map(|(row, column)| DialogCursor::Below(row, column));
        DialogLayout { title, body: body.into(), below, cursor, keep: None }.page(&mut self.scroll, ctx, room)
    }

    /// What would be done, why that is asked, and which rule made it so.
    fn body(&self, ctx: RenderContext, form: ChoicesLayout) -> Vec<Line<'static>> {
        // The rule is to be seen before it is chosen.
        let mut rows = if form == ChoicesLayout::Short { self.rule(ctx) } else { Vec::new() };
        rows.extend(call_input::input_rows(&self.tool, &self.input, ctx));
        rows.extend(call_input::lines(&self.reason.text, ctx.theme.quiet, ctx));
        let within = forelook_wording::sandbox_note(self.reason.sandbox);
        rows.extend(within.map(|words| call_input::lines(words, ctx.theme.quiet, ctx)).unwrap_or_default());
        let spoke = self.reason.rule.as_ref().map(|rule| format!("Matched rule: {rule}"));
        rows.extend(spoke.map(|rule| call_input::lines(&rule, ctx.theme.quiet, ctx)).unwrap_or_default());
        rows
    }

    fn choices(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let mut rows = vec![Line::from("  y  yes, once")];
        if let Some(rule) = &self.reason.suggested_rule {
            let rule = forelook_wording::visible(rule).into_owned();
            let with_rule = Line::from(format!("yes, and allow {rule} for this session"));
            rows.extend(wrap(&with_rule, ctx.width, &Indent::first("  s  ")));
            let saved = Line::from("yes, and save that rule for this project");
            rows.extend(wrap(&saved, ctx.width, &Indent::first("  a  ")));
        }
        rows.push(Line::from("  n  no (Esc)"));
        rows.extend(wrap(&Line::from("no, and say what to do instead"), ctx.width, &Indent::first("  w  ")));
        rows
    }

    fn rule(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let rule = self.reason.suggested_rule.as_ref();
        rule.map(|rule| call_input::lines(&format!("Rule to add: {rule}"), ctx.theme.quiet, ctx))
            .unwrap_or_default()
    }

    fn short_choices(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let rule = self.reason.suggested_rule.as_ref().map(|_| "s add rule for session  a save rule");
        let rows = std::iter::once("y yes  n no (Esc)  w no, and why").chain(rule);
        rows.flat_map(|row| wrap(&Line::from(row), ctx.width, &Indent::all("  "))).collect()
    }
}
