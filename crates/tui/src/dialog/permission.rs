//! May this call run? What would be done is shown whole, and scrolls if there is no room for it; the choices are always
//! there.

use std::path::{Path, PathBuf};

use forelook_protocol::{
    ChangePreview, DecisionStep, HostAnswer, HostAsk, PermissionUpdate, Reason, RuleCheck, SuggestedRule,
};
use forelook_view::question::{AnswerOption, EDIT_RULES_KEY, INSTEAD_KEY, answer_options, rule_options};
use forelook_wording::counted;
use ratatui_core::text::Line;
use serde_json::Value;

use super::layout::{DialogCursor, DialogLayout};
use super::rule_editor::{RuleEdit, RuleEditor};
use super::scroll::Scroll;
use super::text_input::{TextInput, TextInputOutcome};
use super::{DialogStep, Page};
use crate::call_input;
use crate::markdown::RenderContext;
use crate::term::{Code, Key};
use crate::text::{Indent, sanitize, wrap};

/// So many rows of the reason stay in sight.
const MAX_PINNED: usize = 2;

/// So many rows of what would be done are shown before the choices become short.
const LEAST: usize = 3;

/// So many before the choices shrink to a row.
const LEAST_SHORT: usize = 2;

/// With so many rows, a row of the reason stays in sight beside the shortest choices.
const TIGHT_WITH_REASON: usize = 5;

/// A call that waits for a yes.
#[derive(Debug)]
pub(super) struct PermissionDialog {
    tool: String,
    input: Value,
    reason: Reason,
    /// What it would change in a file.
    change: Option<ChangePreview>,
    /// What paths in the input are relative to.
    folder: PathBuf,
    answer_options: Vec<AnswerOption>,
    /// The rules that are offered, as they were last changed.
    rules: Vec<SuggestedRule>,
    scroll: Scroll,
    /// What was drawn last: it may be long, and is drawn often.
    drawn: Option<Box<RenderedBody>>,
    /// Whether the rule has not been in sight yet: it is none of the choices until then.
    hides_rule: bool,
    /// Whether it was.
    saw_rule: bool,
    /// What is being written, if anything is.
    writing: Writing,
}

/// What is being written.
#[derive(Debug)]
enum Writing {
    Nothing,
    /// No, with these words.
    Instead(Box<TextInput>),
    /// Other rules.
    Rules(Box<RuleEditor>),
}

/// Rows of what would be done, as they were made for a window.
#[derive(Debug)]
struct RenderedBody {
    ctx: RenderContext,
    form: ChoicesLayout,
    rows: Vec<Line<'static>>,
    /// The row behind the rule, if it stands below.
    rule_end: Option<usize>,
}

/// How the choices are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChoicesLayout {
    /// A row each, with the rule.
    Long,
    /// A few words each; the rule stands above what would be done.
    Short,
    /// A few words each; the rule stands below what would be done, which there would be no room for otherwise.
    RuleBelow,
    /// A row for all of them; the rule stands below.
    Tight,
}

impl RenderedBody {
    fn is_for(&self, ctx: RenderContext, form: ChoicesLayout) -> bool {
        (self.ctx.width, self.ctx.theme, self.form) == (ctx.width, ctx.theme, form)
    }
}

impl PermissionDialog {
    /// The dialog for a question, if it is about a call in this folder.
    pub(super) fn new(ask: &HostAsk, folder: &Path) -> Option<Self> {
        let HostAsk::Permission { tool, input, reason, change } = ask else { return None };
        let rules = reason.suggested_rules.clone();
        Some(Self {
            tool: tool.clone(),
            input: input.clone(),
            reason: reason.clone(),
            change: change.as_deref().cloned(),
            folder: folder.to_owned(),
            answer_options: answer_options(ask),
            rules,
            scroll: Scroll::default(),
            drawn: None,
            hides_rule: false,
            saw_rule: false,
            writing: Writing::Nothing,
        })
    }

    pub(super) fn key(&mut self, key: Key) -> DialogStep {
        if self.scroll.key(key) {
            return DialogStep::Open;
        }
        match &mut self.writing {
            Writing::Nothing => self.chosen(key),
            Writing::Instead(words) => match words.key(key) {
                TextInputOutcome::Open => DialogStep::Open,
                TextInputOutcome::Back => self.stop_writing(),
                TextInputOutcome::Done(words) => {
                    DialogStep::Answered(AnswerOption::No.answer(&words.unwrap_or_default()))
                }
            },
            Writing::Rules(editor) => match editor.key(key) {
                RuleEdit::Open => DialogStep::Open,
                RuleEdit::Check(rules) => DialogStep::CheckRules(rules),
                RuleEdit::Back => self.stop_writing(),
                RuleEdit::Done(rules) => {
                    self.use_rules(rules);
                    self.stop_writing()
                }
            },
        }
    }

    pub(super) fn is_writing(&self) -> bool {
        !matches!(self.writing, Writing::Nothing)
    }

    /// Whether what this yes is to is in sight: the call, and what else is allowed with it.
    pub(super) fn shows(&self, answer: &HostAnswer) -> bool {
        let is_rule = |update: &PermissionUpdate| matches!(update, PermissionUpdate::AddRules { .. });
        let adds = matches!(answer, HostAnswer::Allow { updates, .. } if updates.iter().any(is_rule));
        self.scroll.shows_some() && !(adds && self.hides_rule)
    }

    /// The rule may have come into sight.
    fn look_at_rule(&mut self) {
        let end = self.drawn.as_ref().and_then(|drawn| drawn.rule_end);
        self.saw_rule |= end.is_none_or(|end| self.scroll.end() >= end);
        self.hides_rule = !self.saw_rule;
    }

    fn stop_writing(&mut self) -> DialogStep {
        self.writing = Writing::Nothing;
        DialogStep::Open
    }

    /// A key that chooses.
    fn chosen(&mut self, key: Key) -> DialogStep {
        if key.code == Code::Esc {
            return DialogStep::Answered(AnswerOption::No.answer(""));
        }
        let Some(letter) = key.letter() else { return DialogStep::Open };
        if let Some(option) = self.answer_options.iter().find(|option| option.key() == letter) {
            return DialogStep::Answered(option.answer(""));
        }
        match letter {
            INSTEAD_KEY => self.writing = Writing::Instead(Box::default()),
            EDIT_RULES_KEY if !self.rules.is_empty() => {
                let editor = RuleEditor::new(&self.rules);
                let rules = editor.rules();
                self.writing = Writing::Rules(Box::new(editor));
                return DialogStep::CheckRules(rules);
            }
            _ => {}
        }
        DialogStep::Open
    }

    /// Offers these rules in place of those before.
    fn use_rules(&mut self, rules: Vec<SuggestedRule>) {
        self.answer_options.retain(|option| !matches!(option, AnswerOption::Rules { .. }));
        let before_no = self.answer_options.len().saturating_sub(1);
        self.answer_options.splice(before_no..before_no, rule_options(&rules));
        self.rules = rules;
        (self.drawn, self.saw_rule) = (None, false);
    }

    /// What became of rules that were written.
    pub(super) fn checked(&mut self, check: &RuleCheck) {
        if let Writing::Rules(editor) = &mut self.writing {
            editor.checked(check);
        }
    }

    /// Pasted text is for words alone: it never chooses anything.
    pub(super) fn paste(&mut self, text: &str) -> Option<DialogStep> {
        match &mut self.writing {
            Writing::Nothing => None,
            Writing::Instead(words) => {
                words.paste(text);
                Some(DialogStep::Open)
            }
            Writing::Rules(editor) => Some(DialogStep::CheckRules(editor.paste(text))),
        }
    }

    pub(super) fn rows(&mut self, ctx: RenderContext, room: usize) -> Page {
        let title =
            Line::styled(forelook_wording::permission_title(&sanitize(&self.tool)), ctx.theme.warning);
        let long = self.choices(ctx);
        let reason = self.pinned(ctx);
        let (form, choices, cursor) = match &mut self.writing {
            Writing::Instead(words) => {
                let (below, cursor) = words.rows("  No. Instead: ", ctx);
                (ChoicesLayout::Long, below, cursor)
            }
            Writing::Rules(editor) => {
                let (below, cursor) = editor.rows(ctx);
                (ChoicesLayout::Long, below, Some(cursor))
            }
            Writing::Nothing if long.len() + reason.len() + 2 + LEAST <= room => {
                (ChoicesLayout::Long, long, None)
            }
            Writing::Nothing => {
                let short = self.short_choices(ctx);
                let pinned = if self.pins_reason(ChoicesLayout::Short) { reason.len() } else { 0 };
                let left = room.saturating_sub(short.len() + pinned + 1);
                match (left >= self.rule(ctx).len() + LEAST_SHORT, left >= LEAST_SHORT) {
                    (true, _) => (ChoicesLayout::Short, short, None),
                    (false, true) => (ChoicesLayout::RuleBelow, short, None),
                    (false, false) => (ChoicesLayout::Tight, vec![tight_choices(ctx)], None),
                }
            }
        };
        let pinned = match form {
            ChoicesLayout::Tight if room >= TIGHT_WITH_REASON => one_row(reason, ctx),
            form if self.pins_reason(form) => reason,
            _ => Vec::new(),
        };
        let cursor = cursor.map(|(row, column)| (row + pinned.len(), column));
        let below = pinned.into_iter().chain(choices).collect();
        if self.drawn.as_ref().is_none_or(|drawn| !drawn.is_for(ctx, form)) {
            self.drawn = Some(Box::new(self.body(ctx, form)));
        }
        let body = self.drawn.as_ref().map_or(&[][..], |drawn| &drawn.rows);
        let cursor = cursor.map(|(row, column)| DialogCursor::Below(row, column));
        let page = DialogLayout { title, body: body.into(), below, cursor, keep: None, tight: None }.page(
            &mut self.scroll,
            ctx,
            room,
        );
        if !self.is_writing() {
            self.look_at_rule();
        }
        page
    }

    /// What would be done, what else speaks against it, and which rule made it so.
    fn body(&self, ctx: RenderContext, form: ChoicesLayout) -> RenderedBody {
        let quiet = |text: &str| call_input::lines(text, ctx.theme.quiet, ctx);
        // The rule is to be seen before it is chosen.
        let mut rows = if form == ChoicesLayout::Short { self.rule(ctx) } else { Vec::new() };
        rows.extend(call_input::asked_rows(&self.tool, &self.input, self.change.as_ref(), &self.folder, ctx));
        let is_below = matches!(form, ChoicesLayout::RuleBelow | ChoicesLayout::Tight);
        rows.extend(if is_below { self.rule(ctx) } else { Vec::new() });
        let rule_end = is_below.then_some(rows.len());
        let reason = self.reason_rows(ctx);
        if reason.len() > MAX_PINNED || !self.pins_reason(form) {
            rows.extend(reason);
        }
        rows.extend(self.reason.others.iter().flat_map(|other| quiet(&format!("- {other}"))));
        rows.extend(forelook_wording::sandbox_note(self.reason.sandbox).map(quiet).unwrap_or_default());
        let spoke = self.reason.rule.as_ref().map(|rule| format!("Matched rule: {rule}"));
        rows.extend(spoke.map(|rule| quiet(&rule)).unwrap_or_default());
        RenderedBody { ctx, form, rows, rule_end }
    }

    /// Whether the reason stays in sight. Where there is little room, that nothing but a yes to an edit is missing is not
    /// worth a row of what it changes.
    fn pins_reason(&self, form: ChoicesLayout) -> bool {
        if form == ChoicesLayout::Tight {
            return false;
        }
        let is_plain = self.reason.step == DecisionStep::Fallback && self.reason.others.is_empty();
        form == ChoicesLayout::Long || self.change.is_none() || !is_plain
    }

    /// Why it is asked, in rows that stay while what would be done scrolls: the worst of it, and how much more there is.
    fn pinned(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let mut rows = self.reason_rows(ctx);
        if rows.len() > MAX_PINNED {
            rows.truncate(MAX_PINNED);
            if let Some(last) = rows.last_mut() {
                let cut = forelook_wording::truncate_columns(&format!("{last} …"), ctx.width);
                *last = Line::styled(cut, ctx.theme.warning);
            }
        }
        rows
    }

    fn reason_rows(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let (text, others) = (&self.reason.text, self.reason.others.len() as u64);
        let more = counted(others, "more reason", "more reasons");
        let words = match text.strip_suffix(')').filter(|text| text.contains(" (")) {
            _ if others == 0 => text.clone(),
            Some(text) => format!("{text}, and {more})"),
            None => format!("{text} (and {more})"),
        };
        call_input::lines(&words, ctx.theme.warning, ctx)
    }

    fn choices(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let row = |key: char, words: &str| {
            wrap(&Line::from(words.to_owned()), ctx.width, &Indent::first(format!("  {key}  ")))
        };
        let mut rows = Vec::new();
        for option in &self.answer_options {
            match option {
                AnswerOption::No => {
                    if !self.rules.is_empty() {
                        rows.extend(row(EDIT_RULES_KEY, &format!("change {} first", self.those())));
                    }
                    rows.extend(row(option.key(), "no (Esc)"));
                }
                option => rows.extend(row(option.key(), &option.words())),
            }
        }
        rows.extend(row(INSTEAD_KEY, "no, and say what to do instead"));
        rows
    }

    fn those(&self) -> &'static str {
        if self.rules.len() == 1 { "that rule" } else { "those rules" }
    }

    fn rule(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let rule = |suggested: &SuggestedRule| {
            call_input::lines(&format!("Rule to add: {}", suggested.rule), ctx.theme.quiet, ctx)
        };
        self.rules.iter().flat_map(rule).collect()
    }

    fn short_choices(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let has_mode = self.answer_options.iter().any(|option| matches!(option, AnswerOption::Mode { .. }));
        let first = match has_mode {
            true => "y yes  e all edits  n no  w instead",
            false => "y yes  n no (Esc)  w no, and why",
        };
        let rule = (!self.rules.is_empty()).then_some("s add rule  a save rule  r change rule");
        let rows = std::iter::once(first).chain(rule);
        rows.flat_map(|row| wrap(&Line::from(row), ctx.width, &Indent::all("  "))).collect()
    }
}

/// The choices of a window in which there is a row for them.
fn tight_choices(ctx: RenderContext) -> Line<'static> {
    let row = "  y yes  n no  w instead";
    Line::from(forelook_wording::truncate_columns(row, ctx.width))
}

/// The beginning of something, in a row.
fn one_row(mut rows: Vec<Line<'static>>, ctx: RenderContext) -> Vec<Line<'static>> {
    if rows.len() > 1
        && let Some(first) = rows.first_mut()
    {
        let text = forelook_wording::truncate_columns(&format!("{first} …"), ctx.width);
        *first = Line::styled(text, ctx.theme.warning);
    }
    rows.truncate(1);
    rows
}
