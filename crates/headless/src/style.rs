//! Lines with their colours, for whoever can show them.

/// A colour, by what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextStyle {
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

impl TextStyle {
    /// The escape that begins it.
    pub(crate) fn code(self) -> &'static str {
        match self {
            TextStyle::Plain => "",
            TextStyle::Dim => "\x1b[2m",
            TextStyle::Bold => "\x1b[1m",
            TextStyle::Red => "\x1b[31m",
            TextStyle::Green => "\x1b[32m",
            TextStyle::Yellow => "\x1b[33m",
            TextStyle::Plan => "\x1b[36m",
            TextStyle::Edits => "\x1b[35m",
        }
    }

    /// The colour of a line of a diff.
    pub(crate) fn of_diff(line: &str) -> Self {
        match line.as_bytes().first() {
            Some(b'+') => TextStyle::Green,
            Some(b'-') => TextStyle::Red,
            _ => TextStyle::Dim,
        }
    }
}

/// One line: what leads it, which is dim, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) lead: String,
    pub(crate) style: TextStyle,
    pub(crate) text: String,
    /// Never to be broken: a piece of a diff's line would read as another line.
    pub(crate) exact: bool,
}

impl Row {
    pub(crate) fn new(style: TextStyle, text: impl Into<String>) -> Self {
        Self::led("", style, text)
    }

    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::new(TextStyle::Plain, text)
    }

    pub(crate) fn dim(text: impl Into<String>) -> Self {
        Self::new(TextStyle::Dim, text)
    }

    pub(crate) fn empty() -> Self {
        Self::plain("")
    }

    pub(crate) fn led(lead: impl Into<String>, style: TextStyle, text: impl Into<String>) -> Self {
        Self { lead: lead.into(), style, text: text.into(), exact: false }
    }

    /// A line of code or of a diff.
    pub(crate) fn exact(lead: impl Into<String>, style: TextStyle, text: impl Into<String>) -> Self {
        Self { exact: true, ..Self::led(lead, style, text) }
    }
}

/// Rows without their colours.
pub(crate) fn bare(rows: &[Row]) -> String {
    let lines: Vec<String> = rows.iter().map(|row| format!("{}{}", row.lead, row.text)).collect();
    lines.join("\n")
}
