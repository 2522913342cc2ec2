//! May this call run? What would be done is shown whole, and scrolls if there is no room for it; the choices are always
//! there.

use forelook_protocol::{Destination, Reason};
use forelook_view::question::Offer;
use ratatui_core::text::Line;
use serde_json::Value;

use super::scroll::Scroll;
use super::sheet::{Cursor, Sheet};
use super::words::{Said, Words};
use super::{Page, Step};
use crate::markdown::Look;
use crate::term::{Code, Key};
use crate::text::{Hang, harmless, wrap};
use crate::whole;

/// So many rows of what would be done are shown before the choices become short.
const LEAST: usize = 3;

/// A call that waits for a yes.
#[derive(Debug)]
pub(super) struct Permission {
    tool: String,
    input: Value,
    reason: Reason,
    offers: Vec<Offer>,
    scroll: Scroll,
    /// What was drawn last: it may be long, and is drawn often.
    drawn: Option<Box<Drawn>>,
    /// No, with these words, while they are being written.
    saying: Option<Box<Words>>,
}

/// Rows of what would be done, as they were made for a window.
#[derive(Debug)]
struct Drawn {
    look: Look,
    form: Choices,
    rows: Vec<Line<'static>>,
}

/// How the choices are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choices {
    /// A row each, with the rule.
    Long,
    /// A few words each; the rule stands above.
    Short,
}

impl Drawn {
    fn is_for(&self, look: Look, form: Choices) -> bool {
        (self.look.width, self.look.theme, self.form) == (look.width, look.theme, form)
    }
}

impl Permission {
    pub(super) fn new(tool: &str, input: &Value, reason: &Reason, offers: Vec<Offer>) -> Self {
        let (tool, input, reason) = (tool.to_owned(), input.clone(), reason.clone());
        Self { tool, input, reason, offers, scroll: Scroll::default(), drawn: None, saying: None }
    }

    pub(super) fn key(&mut self, key: Key) -> Step {
        if self.scroll.key(key) {
            return Step::Open;
        }
        if let Some(words) = &mut self.saying {
            match words.key(key) {
                Said::Open => {}
                Said::Back => self.saying = None,
                Said::Done(words) => {
                    return Step::Answered(Offer::No.answer(&words.unwrap_or_default()));
                }
            }
            return Step::Open;
        }
        match (key.code, key.letter()) {
            (Code::Esc, _) | (_, Some('n')) => Step::Answered(Offer::No.answer("")),
            (_, Some('y')) => Step::Answered(Offer::Yes.answer("")),
            (_, Some('s')) => self.with_rule(Destination::Session),
            (_, Some('a')) => self.with_rule(Destination::LocalSettings),
            (_, Some('w')) => {
                self.saying = Some(Box::default());
                Step::Open
            }
            _ => Step::Open,
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

    fn with_rule(&self, destination: Destination) -> Step {
        let rule = self.offers.iter().find(|offer| offer.is_rule_for(destination));
        rule.map_or(Step::Open, |rule| Step::Answered(rule.answer("")))
    }

    pub(super) fn rows(&mut self, look: Look, room: usize) -> Page {
        let title = Line::styled(format!("May this run? {}", harmless(&self.tool)), look.theme.warning);
        let long = self.choices(look);
        let (form, below, cursor) = match &mut self.saying {
            Some(words) => {
                let (below, cursor) = words.rows("  No, because: ", look);
                (Choices::Long, below, cursor)
            }
            None if long.len() + 2 + LEAST <= room => (Choices::Long, long, None),
            None => (Choices::Short, self.short_choices(look), None),
        };
        if self.drawn.as_ref().is_none_or(|drawn| !drawn.is_for(look, form)) {
            self.drawn = Some(Box::new(Drawn { look, form, rows: self.body(look, form) }));
        }
        let body = self.drawn.as_ref().map_or(&[][..], |drawn| &drawn.rows);
        let cursor = cursor.map(|(row, column)| Cursor::Below(row, column));
        Sheet { title, body: body.into(), below, cursor, keep: None }.page(&mut self.scroll, look, room)
    }

    /// What would be done, why that is asked, and which rule made it so.
    fn body(&self, look: Look, form: Choices) -> Vec<Line<'static>> {
        // The rule is to be seen before it is chosen.
        let mut rows = if form == Choices::Short { self.rule(look) } else { Vec::new() };
        rows.extend(whole::input_rows(&self.tool, &self.input, look));
        rows.extend(whole::lines(&self.reason.text, look.theme.quiet, look));
        let within = forelook_wording::would_run(self.reason.within);
        rows.extend(within.map(|words| whole::lines(words, look.theme.quiet, look)).unwrap_or_default());
        let spoke = self.reason.rule.as_ref().map(|rule| format!("The rule that spoke: {rule}"));
        rows.extend(spoke.map(|rule| whole::lines(&rule, look.theme.quiet, look)).unwrap_or_default());
        rows
    }

    fn choices(&self, look: Look) -> Vec<Line<'static>> {
        let mut rows = vec![Line::from("  y  yes, this once")];
        if let Some(rule) = &self.reason.would_allow {
            let rule = forelook_wording::visible(rule).into_owned();
            let with_rule = Line::from(format!("yes, and for this session the rule {rule}"));
            rows.extend(wrap(&with_rule, look.width, &Hang::first("  s  ")));
            let saved = Line::from("yes, and save that rule for this project");
            rows.extend(wrap(&saved, look.width, &Hang::first("  a  ")));
        }
        rows.push(Line::from("  n  no (Esc)"));
        rows.extend(wrap(&Line::from("no, and say what to do instead"), look.width, &Hang::first("  w  ")));
        rows
    }

    fn rule(&self, look: Look) -> Vec<Line<'static>> {
        let rule = self.reason.would_allow.as_ref();
        rule.map(|rule| whole::lines(&format!("The rule: {rule}"), look.theme.quiet, look))
            .unwrap_or_default()
    }

    fn short_choices(&self, look: Look) -> Vec<Line<'static>> {
        let rule = self.reason.would_allow.as_ref().map(|_| "s rule for this session  a save rule");
        let rows = std::iter::once("y yes  n no (Esc)  w no, with words").chain(rule);
        rows.flat_map(|row| wrap(&Line::from(row), look.width, &Hang::all("  "))).collect()
    }
}
