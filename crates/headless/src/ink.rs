//! Lines with their colours, for whoever can show them.

/// A colour, by what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    Plain,
    Dim,
    Bold,
    Red,
    Green,
    Yellow,
    /// Everything that is about planning.
    Plan,
    /// Edits without a question.
    Edits,
}

impl Ink {
    /// The escape that begins it.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Ink::Plain => "",
            Ink::Dim => "\x1b[2m",
            Ink::Bold => "\x1b[1m",
            Ink::Red => "\x1b[31m",
            Ink::Green => "\x1b[32m",
            Ink::Yellow => "\x1b[33m",
            Ink::Plan => "\x1b[36m",
            Ink::Edits => "\x1b[35m",
        }
    }

    /// The colour of a line of a diff.
    pub(crate) fn of_diff(line: &str) -> Self {
        match line.as_bytes().first() {
            Some(b'+') => Ink::Green,
            Some(b'-') => Ink::Red,
            _ => Ink::Dim,
        }
    }
}

/// One line: what leads it, which is dim, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) lead: String,
    pub(crate) ink: Ink,
    pub(crate) text: String,
    /// Never to be broken: a piece of a diff's line would read as another line.
    pub(crate) exact: bool,
}

impl Row {
    pub(crate) fn new(ink: Ink, text: impl Into<String>) -> Self {
        Self::led("", ink, text)
    }

    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::new(Ink::Plain, text)
    }

    pub(crate) fn dim(text: impl Into<String>) -> Self {
        Self::new(Ink::Dim, text)
    }

    pub(crate) fn empty() -> Self {
        Self::plain("")
    }

    pub(crate) fn led(lead: impl Into<String>, ink: Ink, text: impl Into<String>) -> Self {
        Self { lead: lead.into(), ink, text: text.into(), exact: false }
    }

    /// A line of code or of a diff.
    pub(crate) fn exact(lead: impl Into<String>, ink: Ink, text: impl Into<String>) -> Self {
        Self { exact: true, ..Self::led(lead, ink, text) }
    }
}

/// Rows without their colours.
pub(crate) fn bare(rows: &[Row]) -> String {
    let lines: Vec<String> = rows.iter().map(|row| format!("{}{}", row.lead, row.text)).collect();
    lines.join("\n")
}
