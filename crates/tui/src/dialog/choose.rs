//! The model's own questions, one after the other; if there are several, the answers are shown before they are sent.

use std::ops::Range;

use forelook_protocol::{HostAnswer, PersonQuestion};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::scroll::Scroll;
use super::sheet::{Cursor, Sheet};
use super::slot::Slot;
use super::{Page, Step};
use crate::markdown::{self, Look};
use crate::term::{Code, Key};
use crate::text::{Hang, harmless, wrap};

/// Questions that are being answered.
#[derive(Debug)]
pub(super) struct Choose {
    slots: Vec<Slot>,
    /// The question that is looked at; behind the last one are all answers.
    now: usize,
    scroll: Scroll,
    /// Whether what is chosen is kept in sight; not while the person looks elsewhere.
    follows: bool,
}

impl Choose {
    pub(super) fn new(questions: &[PersonQuestion]) -> Self {
        let slots = questions.iter().map(Slot::new).collect();
        Self { slots, now: 0, scroll: Scroll::default(), follows: true }
    }

    pub(super) fn key(&mut self, key: Key) -> Step {
        if self.scroll.key(key) {
            self.follows = false;
            return Step::Open;
        }
        self.follows = true;
        let Some(slot) = self.slots.get_mut(self.now) else { return self.sum_key(key) };
        let several = slot.question.multi_select;
        match key.code {
            // Words may have lines: the arrows leave them only where they are empty.
            Code::Up | Code::Down if slot.is_writing() && slot.words.text().contains('\n') => {
                slot.words.edit(key)
            }
            Code::Esc if slot.is_writing() => slot.at = None,
            Code::Esc => return Step::Answered(HostAnswer::Dismissed),
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
                slot.at = number.filter(|number| *number <= slot.question.options.len()).or(slot.at);
            }
        }
        Step::Open
    }

    pub(super) fn paste(&mut self, text: &str) -> bool {
        match self.slots.get_mut(self.now) {
            Some(slot) if slot.is_writing() => slot.words.paste(text),
            _ => return false,
        }
        true
    }

    fn enter(&mut self) -> Step {
        // A bare Enter chooses nothing.
        if self.slots.get(self.now).is_some_and(|slot| slot.at.is_none()) {
            return Step::Open;
        }
        self.now += 1;
        match self.slots.len() {
            1 => self.answer(),
            _ => Step::Open,
        }
    }

    /// A key while all answers are looked at.
    fn sum_key(&mut self, key: Key) -> Step {
        match key.code {
            Code::Enter => return self.answer(),
            Code::Esc => return Step::Answered(HostAnswer::Dismissed),
            Code::Left => self.now = self.slots.len().saturating_sub(1),
            _ => {}
        }
        Step::Open
    }

    fn answer(&self) -> Step {
        Step::Answered(HostAnswer::Chosen { choices: self.slots.iter().map(Slot::choice).collect() })
    }

    pub(super) fn rows(&mut self, look: Look, room: usize) -> Page {
        let mut sheet = if self.now < self.slots.len() { self.question(look) } else { self.sum(look) };
        sheet.keep = sheet.keep.filter(|_| self.follows);
        sheet.page(&mut self.scroll, look, room)
    }

    fn question(&mut self, look: Look) -> Sheet<'static> {
        let all = self.slots.len();
        let Some(slot) = self.slots.get_mut(self.now) else { return Sheet::default() };
        let count = if all == 1 { String::new() } else { format!(" ({} of {all})", self.now + 1) };
        let title = Line::styled(format!("{}{count}", harmless(&slot.question.header)), look.theme.plan);
        let several = if slot.question.multi_select { "Space ticks, " } else { "" };
        let back = if self.now > 0 { "← back, " } else { "" };
        let keys = format!("↑↓ choose, {several}{back}Enter answers, Esc puts it away");
        let mut drawn = Drawn::default();
        drawn.slot(slot, look);
        let Drawn { rows, here: keep, cursor } = drawn;
        Sheet { title, body: rows.into(), keep, below: keys_row(&keys, look), cursor }
    }

    /// All answers.
    fn sum(&self, look: Look) -> Sheet<'static> {
        let line = |slot: &Slot| {
            let header = Span::styled(format!("{}: ", harmless(&slot.question.header)), look.theme.quiet);
            wrap(&Line::from(vec![header, Span::raw(slot.told())]), look.width, &Hang::first("  "))
        };
        let body: Vec<Line<'static>> = self.slots.iter().flat_map(line).collect();
        let title = Line::styled("Your answers", look.theme.plan);
        let below = keys_row("Enter sends them, ← back, Esc puts them away", look);
        Sheet { title, body: body.into(), below, ..Sheet::default() }
    }
}

fn keys_row(keys: &str, look: Look) -> Vec<Line<'static>> {
    wrap(&Line::styled(keys.to_owned(), look.theme.quiet), look.width, &Hang::all("  "))
}

/// A question as it is drawn.
#[derive(Default)]
struct Drawn {
    rows: Vec<Line<'static>>,
    here: Option<Range<usize>>,
    cursor: Option<Cursor>,
}

impl Drawn {
    fn slot(&mut self, slot: &mut Slot, look: Look) {
        let asked = Line::styled(harmless(&slot.question.question).into_owned(), look.theme.heading);
        self.rows.extend(wrap(&asked, look.width, &Hang::all("  ")));
        for (at, option) in slot.question.options.iter().enumerate() {
            let tick = match (slot.question.multi_select, slot.ticked.get(at)) {
                (true, Some(true)) => "☑ ",
                (true, _) => "☐ ",
                (false, _) => "",
            };
            let label = format!("{tick}{}. {}", at + 1, harmless(&option.label));
            self.option(slot.at == Some(at), label, &option.description, look);
        }
        self.own(slot, look);
        let looked_at = slot.at.and_then(|at| slot.question.options.get(at));
        if let Some(preview) = looked_at.and_then(|it| it.preview.as_deref()) {
            let shown = markdown::rows(preview, Look { width: look.width.saturating_sub(4), ..look });
            let lead = || Span::styled("  ▎ ", look.theme.quiet);
            let bar = |row: Line<'static>| Line::from_iter(std::iter::once(lead()).chain(row.spans));
            self.rows.extend(shown.into_iter().map(bar));
        }
    }

    fn option(&mut self, here: bool, label: String, about: &str, look: Look) {
        let style = if here { look.theme.heading } else { Style::new() };
        let mark = if here { "  ❯ " } else { "    " };
        let mut spans = vec![Span::styled(label, style)];
        if !about.is_empty() {
            spans.push(Span::styled(format!("  {}", harmless(about)), look.theme.quiet));
        }
        let first = self.rows.len();
        self.rows.extend(wrap(&Line::from(spans), look.width, &Hang::first(mark)));
        if here {
            self.here = Some(first..self.rows.len());
        }
    }

    /// The person's own words.
    fn own(&mut self, slot: &mut Slot, look: Look) {
        if !slot.is_writing() {
            let own = match slot.words.is_empty() {
                true => "Something else: say it".to_owned(),
                false => harmless(slot.words.text()).replace('\n', " "),
            };
            return self.option(false, own, "", look);
        }
        let first = self.rows.len();
        let (rows, cursor) = slot.words.written("  ❯ ", look);
        self.rows.extend(rows);
        self.here = Some(first..self.rows.len());
        self.cursor = Some(Cursor::Body(first + cursor.0, cursor.1));
    }
}
