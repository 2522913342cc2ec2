//! The model's own questions, one after the other; if there are several, the answers are shown before they are sent.

use std::ops::Range;

use forelook_protocol::{HostAnswer, PersonQuestion};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::layout::{DialogCursor, DialogLayout};
use super::scroll::Scroll;
use super::slot::Slot;
use super::{DialogStep, Page};
use crate::markdown::{self, RenderContext};
use crate::term::{Code, Key};
use crate::text::{Indent, sanitize, wrap};

/// Questions that are being answered.
#[derive(Debug)]
pub(super) struct ChooseDialog {
    slots: Vec<Slot>,
    /// The question that is looked at; behind the last one are all answers.
    now: usize,
    pub(super) scroll: Scroll,
    /// Whether what is chosen is kept in sight; not while the person looks elsewhere.
    follows: bool,
}

impl ChooseDialog {
    pub(super) fn new(questions: &[PersonQuestion]) -> Self {
        let slots = questions.iter().map(Slot::new).collect();
        Self { slots, now: 0, scroll: Scroll::default(), follows: true }
    }

    pub(super) fn key(&mut self, key: Key) -> DialogStep {
        if self.scroll.key(key) {
            self.follows = false;
            return DialogStep::Open;
        }
        self.follows = true;
        let Some(slot) = self.slots.get_mut(self.now) else { return self.summary_key(key) };
        let several = slot.question.multi_select;
        match key.code {
            // Words may have lines: the arrows leave them only where they are empty.
            Code::Up | Code::Down if slot.is_writing() && slot.words.text().contains('\n') => {
                slot.words.edit(key)
            }
            Code::Esc if slot.is_writing() => slot.at = None,
            Code::Esc => return DialogStep::Answered(HostAnswer::Dismissed),
            Code::Up => slot.step(false),
            Code::Down | Code::Tab => slot.step(true),
            Code::Left if !slot.is_writing() || slot.words.is_empty() => {
                self.now = self.now.saturating_sub(1)
            }
            Code::Enter if !(key.shift || key.alt || key.ctrl) => return self.enter(),
            _ if slot.is_writing() => slot.words.edit(key),
            Code::Char(' ') if several => slot.tick(),
            _ => {
                let number =
                    key.letter().and_then(|letter| letter.to_digit(10)).and_then(|it| it.checked_sub(1));
                let number = number.and_then(|number| usize::try_from(number).ok());
                if let Some(number) = number.filter(|number| *number <= slot.question.options.len()) {
                    slot.at = Some(number);
                    if several {
                        slot.tick();
                    }
                }
            }
        }
        DialogStep::Open
    }

    pub(super) fn is_writing(&self) -> bool {
        self.slots.get(self.now).is_some_and(Slot::is_writing)
    }

    pub(super) fn paste(&mut self, text: &str) -> bool {
        match self.slots.get_mut(self.now) {
            Some(slot) if slot.is_writing() => slot.words.paste(text),
            _ => return false,
        }
        true
    }

    fn enter(&mut self) -> DialogStep {
        // A bare Enter chooses nothing, and where several can be chosen it sends only what is ticked.
        if self.slots.get(self.now).is_some_and(|slot| !slot.can_be_sent()) {
            return DialogStep::Open;
        }
        self.now += 1;
        match self.slots.len() {
            1 => self.answer(),
            _ => DialogStep::Open,
        }
    }

    /// A key while all answers are looked at.
    fn summary_key(&mut self, key: Key) -> DialogStep {
        match key.code {
            Code::Enter => return self.answer(),
            Code::Esc => return DialogStep::Answered(HostAnswer::Dismissed),
            Code::Left => self.now = self.slots.len().saturating_sub(1),
            _ => {}
        }
        DialogStep::Open
    }

    fn answer(&self) -> DialogStep {
        DialogStep::Answered(HostAnswer::Chosen { choices: self.slots.iter().map(Slot::choice).collect() })
    }

    pub(super) fn rows(&mut self, ctx: RenderContext, room: usize) -> Page {
        let mut sheet = if self.now < self.slots.len() { self.question(ctx) } else { self.summary(ctx) };
        sheet.keep = sheet.keep.filter(|_| self.follows);
        sheet.page(&mut self.scroll, ctx, room)
    }

    fn question(&mut self, ctx: RenderContext) -> DialogLayout<'static> {
        let all = self.slots.len();
        let Some(slot) = self.slots.get_mut(self.now) else { return DialogLayout::default() };
        let count = if all == 1 { String::new() } else { format!(" ({} of {all})", self.now + 1) };
        let title = Line::styled(format!("{}{count}", sanitize(&slot.question.header)), ctx.theme.plan);
        let back = if self.now > 0 { "←: back · " } else { "" };
        let esc = match (slot.is_writing(), all) {
            (true, _) => "Esc: back",
            (false, 1) => "Esc: skip",
            (false, _) => "Esc: skip all",
        };
        let keys = match (slot.question.multi_select, slot.can_be_sent()) {
            (false, _) => format!("↑↓: move · {back}Enter: answer · {esc}"),
            (true, true) => {
                let enter = if all == 1 { "send" } else { "next" };
                format!("↑↓: move · Space or number: tick · {back}Enter: {enter} · {esc}")
            }
            (true, false) => format!("↑↓: move · Space or number: tick · {back}{esc}"),
        };
        let mut drawn = RenderedQuestion::default();
        drawn.slot(slot, ctx);
        let RenderedQuestion { rows, here: keep, cursor } = drawn;
        DialogLayout { title, body: rows.into(), keep, below: keys_row(&keys, ctx), tight: None, cursor }
    }

    /// All answers.
    fn summary(&self, ctx: RenderContext) -> DialogLayout<'static> {
        let line = |slot: &Slot| {
            let header = Span::styled(format!("{}: ", sanitize(&slot.question.header)), ctx.theme.quiet);
            wrap(&Line::from(vec![header, Span::raw(slot.told())]), ctx.width, &Indent::first("  "))
        };
        let body: Vec<Line<'static>> = self.slots.iter().flat_map(line).collect();
        let title = Line::styled("Your answers", ctx.theme.plan);
        let below = keys_row("Enter: send · ←: back · Esc: skip all", ctx);
        DialogLayout { title, body: body.into(), below, ..DialogLayout::default() }
    }
}

fn keys_row(keys: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    wrap(&Line::styled(keys.to_owned(), ctx.theme.quiet), ctx.width, &Indent::all("  "))
}

/// A question as it is drawn.
#[derive(Default)]
struct RenderedQuestion {
    rows: Vec<Line<'static>>,
    here: Option<Range<usize>>,
    cursor: Option<DialogCursor>,
}

impl RenderedQuestion {
    fn slot(&mut self, slot: &mut Slot, ctx: RenderContext) {
        let asked = Line::styled(sanitize(&slot.question.question).into_owned(), ctx.theme.heading);
        self.rows.extend(wrap(&asked, ctx.width, &Indent::all("  ")));
        for (at, option) in slot.question.options.iter().enumerate() {
            let tick = match (slot.question.multi_select, slot.ticked.get(at)) {
                (true, Some(true)) => "☑ ",
                (true, _) => "☐ ",
                (false, _) => "",
            };
            let label = format!("{tick}{}. {}", at + 1, sanitize(&option.label));
            self.option(slot.at == Some(at), label, &option.description, ctx);
        }
        self.own(slot, ctx);
        let looked_at = slot.at.and_then(|at| slot.question.options.get(at));
        if let Some(preview) = looked_at.and_then(|it| it.preview.as_deref()) {
            let shown = markdown::rows(preview, RenderContext { width: ctx.width.saturating_sub(4), ..ctx });
            let lead = || Span::styled("  ▎ ", ctx.theme.quiet);
            let bar = |row: Line<'static>| Line::from_iter(std::iter::once(lead()).chain(row.spans));
            self.rows.extend(shown.into_iter().map(bar));
        }
    }

    fn option(&mut self, here: bool, label: String, about: &str, ctx: RenderContext) {
        let style = if here { ctx.theme.heading } else { Style::new() };
        let mark = if here { "  ❯ " } else { "    " };
        let mut spans = vec![Span::styled(label, style)];
        if !about.is_empty() {
            spans.push(Span::styled(format!("  {}", sanitize(about)), ctx.theme.quiet));
        }
        let first = self.rows.len();
        self.rows.extend(wrap(&Line::from(spans), ctx.width, &Indent::first(mark)));
        if here {
            self.here = Some(first..self.rows.len());
        }
    }

    /// The person's own words.
    fn own(&mut self, slot: &mut Slot, ctx: RenderContext) {
        if !slot.is_writing() {
            let own = match slot.words.is_empty() {
                true => "Other (type your answer)".to_owned(),
                false => sanitize(slot.words.text()).replace('\n', " "),
            };
            return self.option(false, own, "", ctx);
        }
        let first = self.rows.len();
        let (rows, cursor) = slot.words.written("  ❯ ", ctx);
        self.rows.extend(rows);
        self.here = Some(first..self.rows.len());
        self.cursor = Some(DialogCursor::Body(first + cursor.0, cursor.1));
    }
}
