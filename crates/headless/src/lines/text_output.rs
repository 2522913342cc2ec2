//! What is printed on, and how it looks there so far.

use std::io::Write;

use super::word_wrapper::{MARGIN, WordWrapper};
use crate::style::{Row, TextStyle};
use crate::text::fold;
use forelook_wording::{Charset, display_width, visible};

/// What is printed on.
pub(super) struct TextOutput {
    out: Box<dyn Write + Send + Sync>,
    color: bool,
    charset: Charset,
    /// Whether what was typed has to be printed too.
    echo: bool,
    width: Option<usize>,
    word_wrapper: WordWrapper,
    /// Words of the model's are coming, and their mark is not printed yet.
    mark_due: bool,
    /// Whether the cursor stands behind something on its line.
    mid_line: bool,
    /// Whether the last thing on the screen says what is waited for.
    prompt_shown: bool,
    above: LineAbove,
}

/// What stands in the line above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineAbove {
    Something,
    Nothing,
    /// What the person said.
    Typed,
}

impl TextOutput {
    pub(super) fn new(out: Box<dyn Write + Send + Sync>, color: bool, echo: bool) -> Self {
        Self {
            out,
            color,
            charset: Charset::Unicode,
            echo,
            width: None,
            word_wrapper: WordWrapper::new(None),
            mark_due: false,
            mid_line: false,
            prompt_shown: false,
            above: LineAbove::Something,
        }
    }

    /// Breaks lines at so many columns, if that is known.
    pub(super) fn of_width(self, width: Option<usize>) -> Self {
        Self { width, word_wrapper: WordWrapper::new(width), ..self }
    }

    /// Prints only characters that the terminal shows.
    pub(super) fn in_charset(self, charset: Charset) -> Self {
        Self { charset, ..self }
    }

    pub(super) fn width(&self) -> Option<usize> {
        self.width
    }

    pub(super) fn prompt_shown(&self) -> bool {
        self.prompt_shown
    }

    /// The person has typed a line. A terminal has shown it as it was typed; a log would be a riddle without it.
    pub(super) fn typed(&mut self, line: &str) {
        if self.echo {
            self.write(TextStyle::Plain, &visible(line));
            self.write(TextStyle::Plain, "\n");
        }
        self.prompt_shown = false;
        self.mid_line = false;
        self.above = LineAbove::Typed;
    }

    /// What the person said elsewhere.
    pub(super) fn said(&mut self, words: &str) {
        self.marked(TextStyle::Bold, "> ", words);
        self.above = LineAbove::Typed;
    }

    /// The place where the person types.
    pub(super) fn wait(&mut self, style: TextStyle, text: &str) {
        self.end_line();
        self.write(style, text);
        self.mid_line = true;
        self.prompt_shown = true;
    }

    /// Words of the model's begin.
    pub(super) fn begin_answer(&mut self) {
        self.mark_due = true;
    }

    /// More of them, as they come.
    pub(super) fn append_answer(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        if std::mem::take(&mut self.mark_due) {
            self.gap();
            self.write(TextStyle::Green, "● ");
            self.word_wrapper.begin(MARGIN);
        }
        let words = self.word_wrapper.feed(&visible(words));
        self.write(TextStyle::Plain, &words);
        self.mid_line = true;
    }

    /// An empty line, unless there is one.
    pub(super) fn gap(&mut self) {
        self.end_line();
        if self.above != LineAbove::Nothing {
            self.line(TextStyle::Plain, "");
        }
    }

    /// An empty line under anything but what the person said.
    pub(super) fn apart(&mut self) {
        self.end_line();
        if self.above == LineAbove::Something {
            self.line(TextStyle::Plain, "");
        }
    }

    pub(super) fn bullet(&mut self, style: TextStyle, row: &Row) {
        self.end_line();
        self.write(style, "● ");
        self.line(row.style, &visible(&row.text));
    }

    pub(super) fn rows(&mut self, rows: &[Row]) {
        for row in rows {
            self.end_line();
            let mut lead = visible(&row.lead);
            let empty = lead.is_empty() && row.text.is_empty();
            let pieces =
                if row.exact { vec![visible(&row.text).into_owned()] } else { self.folded(&lead, &row.text) };
            for piece in pieces {
                self.write(TextStyle::Dim, &lead);
                self.line(row.style, &piece);
                // A bar goes on beside the rest of a line; a mark does not.
                lead = lead.chars().map(|c| if c == '│' { c } else { ' ' }).collect();
            }
            self.above = if empty { LineAbove::Nothing } else { LineAbove::Something };
        }
    }

    /// Lines that begin with a mark in their own colour.
    pub(super) fn marked(&mut self, style: TextStyle, mark: &str, text: &str) {
        let lines = text.split('\n').flat_map(|line| self.folded(mark, line)).collect::<Vec<_>>();
        for (at, piece) in lines.iter().enumerate() {
            let blank = " ".repeat(display_width(mark));
            self.line(style, &format!("{}{piece}", if at == 0 { mark } else { &blank }));
        }
    }

    /// A text as it fits behind its lead.
    fn folded(&self, lead: &str, text: &str) -> Vec<String> {
        let text = visible(text);
        match self.width {
            // One that has lines of its own is laid out already.
            Some(width) if !text.contains('\n') => fold(&text, width.saturating_sub(display_width(lead))),
            _ => vec![text.into_owned()],
        }
    }

    pub(super) fn line(&mut self, style: TextStyle, text: &str) {
        self.end_line();
        self.write(style, text);
        self.write(TextStyle::Plain, "\n");
        self.above = if text.is_empty() { LineAbove::Nothing } else { LineAbove::Something };
    }

    pub(super) fn end_line(&mut self) {
        if std::mem::take(&mut self.mid_line) {
            let rest = self.word_wrapper.finish();
            self.write(TextStyle::Plain, &rest);
            self.write(TextStyle::Plain, "\n");
            self.above = LineAbove::Something;
        }
    }

    fn write(&mut self, style: TextStyle, text: &str) {
        self.prompt_shown = false;
        let text = self.charset.text(text);
        // A reader that went away is noticed when the input ends; until then there is nobody to tell.
        let _ = match (self.color, style.code()) {
            (true, code) if !code.is_empty() && !text.is_empty() => {
                write!(self.out, "{code}{text}\x1b[0m")
            }
            _ => write!(self.out, "{text}"),
        };
        let _ = self.out.flush();
    }
}
