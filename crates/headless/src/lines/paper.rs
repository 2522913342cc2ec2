//! What is printed on, and how it looks there so far.

use std::io::Write;

use super::flow::{Flow, MARGIN};
use crate::ink::{Ink, Row};
use crate::text::fold;
use forelook_wording::{measure, visible};

/// What is printed on.
pub(super) struct Paper {
    out: Box<dyn Write + Send>,
    colour: bool,
    /// Whether what was typed has to be printed too.
    echo: bool,
    width: Option<usize>,
    flow: Flow,
    /// Words of the model's are coming, and their mark is not printed yet.
    mark_due: bool,
    /// Whether the cursor stands behind something on its line.
    mid_line: bool,
    /// Whether the last thing on the screen says what is waited for.
    invited: bool,
    above: Above,
}

/// What stands in the line above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Above {
    Something,
    Nothing,
    /// What the person said.
    Typed,
}

impl Paper {
    pub(super) fn new(out: Box<dyn Write + Send>, colour: bool, echo: bool) -> Self {
        Self {
            out,
            colour,
            echo,
            width: None,
            flow: Flow::new(None),
            mark_due: false,
            mid_line: false,
            invited: false,
            above: Above::Something,
        }
    }

    /// Breaks lines at so many columns, if that is known.
    pub(super) fn of_width(self, width: Option<usize>) -> Self {
        Self { width, flow: Flow::new(width), ..self }
    }

    pub(super) fn width(&self) -> Option<usize> {
        self.width
    }

    pub(super) fn invited(&self) -> bool {
        self.invited
    }

    /// The person has typed a line. A terminal has shown it as it was typed; a log would be a riddle without it.
    pub(super) fn typed(&mut self, line: &str) {
        if self.echo {
            self.write(Ink::Plain, &visible(line));
            self.write(Ink::Plain, "\n");
        }
        self.invited = false;
        self.mid_line = false;
        self.above = Above::Typed;
    }

    /// What the person said elsewhere.
    pub(super) fn said(&mut self, words: &str) {
        self.marked(Ink::Bold, "> ", words);
        self.above = Above::Typed;
    }

    /// The place where the person types.
    pub(super) fn wait(&mut self, ink: Ink, text: &str) {
        self.end_line();
        self.write(ink, text);
        self.mid_line = true;
        self.invited = true;
    }

    /// Words of the model's begin.
    pub(super) fn speech(&mut self) {
        self.mark_due = true;
    }

    /// More of them, as they come.
    pub(super) fn speak(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        if std::mem::take(&mut self.mark_due) {
            self.gap();
            self.write(Ink::Green, "● ");
            self.flow.begin(MARGIN);
        }
        let words = self.flow.feed(&visible(words));
        self.write(Ink::Plain, &words);
        self.mid_line = true;
    }

    /// An empty line, unless there is one.
    pub(super) fn gap(&mut self) {
        self.end_line();
        if self.above != Above::Nothing {
            self.line(Ink::Plain, "");
        }
    }

    /// An empty line under anything but what the person said.
    pub(super) fn apart(&mut self) {
        self.end_line();
        if self.above == Above::Something {
            self.line(Ink::Plain, "");
        }
    }

    pub(super) fn bullet(&mut self, ink: Ink, row: &Row) {
        self.end_line();
        self.write(ink, "● ");
        self.line(row.ink, &visible(&row.text));
    }

    pub(super) fn rows(&mut self, rows: &[Row]) {
        for row in rows {
            self.end_line();
            let mut lead = visible(&row.lead);
            let empty = lead.is_empty() && row.text.is_empty();
            let pieces =
                if row.exact { vec![visible(&row.text).into_owned()] } else { self.folded(&lead, &row.text) };
            for piece in pieces {
                self.write(Ink::Dim, &lead);
                self.line(row.ink, &piece);
                // A bar goes on beside the rest of a line; a mark does not.
                lead = lead.chars().map(|c| if c == '│' { c } else { ' ' }).collect();
            }
            self.above = if empty { Above::Nothing } else { Above::Something };
        }
    }

    /// Lines that begin with a mark in their own colour.
    pub(super) fn marked(&mut self, ink: Ink, mark: &str, text: &str) {
        for (at, piece) in self.folded(mark, text).iter().enumerate() {
            let blank = " ".repeat(measure(mark));
            self.line(ink, &format!("{}{piece}", if at == 0 { mark } else { &blank }));
        }
    }

    /// A text as it fits behind its lead.
    fn folded(&self, lead: &str, text: &str) -> Vec<String> {
        let text = visible(text);
        match self.width {
            // One that has lines of its own is laid out already.
            Some(width) if !text.contains('\n') => fold(&text, width.saturating_sub(measure(lead))),
            _ => vec![text.into_owned()],
        }
    }

    pub(super) fn line(&mut self, ink: Ink, text: &str) {
        self.end_line();
        self.write(ink, text);
        self.write(Ink::Plain, "\n");
        self.above = if text.is_empty() { Above::Nothing } else { Above::Something };
    }

    pub(super) fn end_line(&mut self) {
        if std::mem::take(&mut self.mid_line) {
            let rest = self.flow.finish();
            self.write(Ink::Plain, &rest);
            self.write(Ink::Plain, "\n");
            self.above = Above::Something;
        }
    }

    fn write(&mut self, ink: Ink, text: &str) {
        self.invited = false;
        // A reader that went away is noticed when the input ends; until then there is nobody to tell.
        let _ = match (self.colour, ink.code()) {
            (true, code) if !code.is_empty() && !text.is_empty() => {
                write!(self.out, "{code}{text}\x1b[0m")
            }
            _ => write!(self.out, "{text}"),
        };
        let _ = self.out.flush();
    }
}
