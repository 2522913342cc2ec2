//! How a notebook is written: its indentation, its line endings, its escapes.

use memchr::memmem;

/// How JSON is laid out in a file.
#[derive(Debug, PartialEq)]
pub(super) struct Style {
    lines: LineLayout,
    /// What comes between a key and its value.
    colon: &'static str,
    /// Whether characters beyond ASCII are escaped.
    ascii: bool,
}

#[derive(Debug, PartialEq)]
enum LineLayout {
    /// Everything on its own line.
    Each { newline: &'static str, unit: String, cell: String },
    /// All in one line, with this after each comma.
    One { space: &'static str },
}

impl Style {
    /// The style of a text; `first` is what stands before the first cell, if there is one.
    pub(super) fn of(text: &str, first: Option<&str>) -> Self {
        let outer = text.trim_start().strip_prefix('{').unwrap_or_default();
        let outer = &outer[..outer.len() - outer.trim_start().len()];
        let indent = |space: &str| space.rsplit_once('\n').map(|(_, indent)| indent.to_owned());
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let spaced = |mark: &str| text.contains(&format!("\"{mark} "));
        let lines = match (indent(outer), first.map(indent)) {
            (Some(unit), None) => LineLayout::Each { newline, cell: unit.repeat(2), unit },
            (Some(unit), Some(Some(cell))) => LineLayout::Each { newline, unit, cell },
            // Only the cells have lines of their own.
            (None, Some(Some(cell))) => {
                let unit = cell[..cell.len().div_ceil(2)].to_owned();
                LineLayout::Each { newline, unit, cell }
            }
            _ => LineLayout::One { space: if spaced(",") { " " } else { "" } },
        };
        let colon = if text.contains("\":") && !spaced(":") { ":" } else { ": " };
        Self { lines, colon, ascii: is_escaped(text) }
    }

    /// A source as Jupyter writes it: a list of lines, or one text where the file has it so.
    pub(super) fn source(&self, source: &str, as_list: bool) -> String {
        if !as_list {
            return self.string(source);
        }
        let items: Vec<String> = source.split_inclusive('\n').map(|line| self.string(line)).collect();
        self.wrapped(('[', ']'), &items, 1)
    }

    pub(super) fn cell(&self, fields: &[(&str, String)]) -> String {
        let field = |(key, value): &(&str, String)| format!("{}{}{value}", self.string(key), self.colon);
        self.wrapped(('{', '}'), &fields.iter().map(field).collect::<Vec<_>>(), 0)
    }

    /// What comes after the comma between two cells.
    pub(super) fn between(&self) -> String {
        match &self.lines {
            LineLayout::Each { newline, cell, .. } => format!("{newline}{cell}"),
            LineLayout::One { space } => (*space).to_owned(),
        }
    }

    /// The inside of a list of one cell.
    pub(super) fn only(&self, cell: &str) -> String {
        match &self.lines {
            LineLayout::Each { newline, unit, .. } => format!("{}{cell}{newline}{unit}", self.between()),
            LineLayout::One { .. } => cell.to_owned(),
        }
    }

    /// A list or object, so much deeper than a cell.
    fn wrapped(&self, (open, close): (char, char), items: &[String], depth: usize) -> String {
        match &self.lines {
            _ if items.is_empty() => format!("{open}{close}"),
            LineLayout::One { space } => format!("{open}{}{close}", items.join(&format!(",{space}"))),
            LineLayout::Each { newline, unit, cell } => {
                let outer = format!("{newline}{cell}{}", unit.repeat(depth));
                let inner = format!("{outer}{unit}");
                format!("{open}{inner}{}{outer}{close}", items.join(&format!(",{inner}")))
            }
        }
    }

    fn string(&self, text: &str) -> String {
        let written = serde_json::Value::from(text).to_string();
        if !self.ascii {
            return written;
        }
        let mut out = String::with_capacity(written.len());
        for character in written.chars() {
            match character.is_ascii() {
                true => out.push(character),
                false => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
            }
        }
        out
    }
}

/// Whether a text has escapes in the place of characters beyond ASCII, and no such characters.
fn is_escaped(text: &str) -> bool {
    let code = |at: usize| text.get(at + 2..at + 6).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    text.is_ascii()
        && memmem::find_iter(text.as_bytes(), "\\u").any(|at| code(at).is_some_and(|code| code >= 0x80))
}
