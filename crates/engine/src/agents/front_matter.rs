//! The head of a Markdown file: fields between two lines of `---`.
//!
//! As much of YAML as people write there: `key: value`, quoted texts, `|` and `>` blocks, lists. A crate for all of YAML
//! would bring anchors, tags and types that nobody needs here, and guess where we should say the line.

/// The fields of a file and what stands below them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FrontMatter {
    pub(super) fields: Vec<Field>,
    pub(super) body: String,
    /// The line on which the body begins.
    pub(super) body_line: usize,
}

/// One field.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) key: String,
    pub(super) value: Value,
    pub(super) line: usize,
}

/// What a field holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    List(Vec<String>),
    /// Nothing at all stands after the colon.
    Empty,
    /// Something of YAML that no field of ours has, such as fields in a field.
    Other,
}

/// What cannot be read, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ParseError {
    pub(super) line: usize,
    pub(super) what: String,
}

fn parse_error<T>(line: usize, what: &str) -> Result<T, ParseError> {
    Err(ParseError { line, what: what.to_owned() })
}

/// Reads the head of a file.
pub(super) fn parse(text: &str) -> Result<FrontMatter, ParseError> {
    let lines: Vec<&str> = text.strip_prefix('\u{feff}').unwrap_or(text).lines().collect();
    if lines.first().is_none_or(|line| line.trim_end() != "---") {
        return parse_error(1, "the first line must be `---`, which starts the fields");
    }
    let Some(end) = lines.iter().skip(1).position(|line| line.trim_end() == "---").map(|at| at + 1) else {
        return parse_error(1, "a second `---` must end the fields");
    };
    let fields = fields(&lines[..end])?;
    Ok(FrontMatter { fields, body: lines[end + 1..].join("\n"), body_line: end + 2 })
}

/// Reads the lines after the first, which is `---`.
fn fields(lines: &[&str]) -> Result<Vec<Field>, ParseError> {
    let mut fields: Vec<Field> = Vec::new();
    let mut at = 1;
    while at < lines.len() {
        let (line, number) = (lines[at], at + 1);
        at += 1;
        if is_blank(line) {
            continue;
        }
        let Some((key, rest)) = key_and_rest(line) else {
            return parse_error(number, "expected `key: value`");
        };
        if fields.iter().any(|field| field.key == key) {
            return parse_error(number, &format!("`{key}` is set twice"));
        }
        let block = &lines[at..at + block_length(&lines[at..], rest)];
        let value = value(rest, block, number)?;
        at += block.len();
        fields.push(Field { key: key.to_owned(), value, line: number });
    }
    Ok(fields)
}

fn key_and_rest(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let named = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let apart = rest.is_empty() || rest.starts_with([' ', '\t']);
    (named && apart).then_some((key, rest.trim()))
}

/// How many of these lines belong to a field that began on the line before.
fn block_length(lines: &[&str], rest: &str) -> usize {
    let open = without_comment(rest).is_empty();
    let belongs = |line: &&&str| {
        line.starts_with([' ', '\t'])
            || line.trim().is_empty()
            || (open && (line.starts_with("- ") || line.trim_end() == "-" || line.starts_with('#')))
    };
    lines.iter().take_while(belongs).count()
}

fn value(rest: &str, block: &[&str], number: usize) -> Result<Value, ParseError> {
    if let Some(style) = rest.strip_prefix(['|', '>']) {
        return block_text(rest.starts_with('>'), style, block, number).map(Value::Text);
    }
    if without_comment(rest).is_empty() {
        return nested(block, number);
    }
    let alone = |value| match block.iter().position(|line| !is_blank(line)) {
        None => Ok(value),
        Some(at) => {
            parse_error(number + 1 + at, "this line does not belong to a field; longer text needs `|`")
        }
    };
    match rest.chars().next() {
        // Anchors, tags and maps.
        Some('&' | '!' | '{') => Ok(Value::Other),
        Some('[') => alone(Value::List(flow_list(rest, number)?)),
        Some('"' | '\'') => alone(Value::Text(scalar(rest, number)?)),
        _ => {
            let lines = std::iter::once(rest).chain(block.iter().copied());
            Ok(Value::Text(fold(lines.map(|line| without_comment(line.trim())))))
        }
    }
}

/// What stands below a key with nothing after its colon.
fn nested(block: &[&str], number: usize) -> Result<Value, ParseError> {
    let mut items = Vec::new();
    for (at, line) in block.iter().enumerate().filter(|(_, line)| !is_blank(line)) {
        match line.trim().strip_prefix('-') {
            Some(item) if item.is_empty() || item.starts_with([' ', '\t']) => {
                items.push(scalar(item.trim(), number + 1 + at)?);
            }
            _ => return Ok(Value::Other),
        }
    }
    Ok(if items.is_empty() { Value::Empty } else { Value::List(items) })
}

/// A text in quotes or without.
fn scalar(text: &str, number: usize) -> Result<String, ParseError> {
    let Some(quote) = text.chars().next().filter(|first| matches!(first, '"' | '\'')) else {
        return Ok(without_comment(text).to_owned());
    };
    let Some(end) = closing(text, quote) else {
        return parse_error(number, "the quote is not closed on its line; longer text needs `|`");
    };
    if !without_comment(&text[end..]).is_empty() {
        return parse_error(number, "there is text after the closing quote");
    }
    match quote {
        '\'' => Ok(text[1..end - 1].replace("''", "'")),
        // The escapes that are in use are those of JSON; a tab may stand as itself.
        _ => serde_json::from_str(&text[..end].replace('\t', "\\t"))
            .or_else(|_| parse_error(number, "unknown escape in the quotes; use `\\n`, `\\\"`, or `\\\\`")),
    }
}

/// Where the text after a quoted one begins.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if quote == '"' => {
                chars.next();
            }
            '\'' if quote == '\'' && chars.peek().is_some_and(|(_, next)| *next == '\'') => {
                chars.next();
            }
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// `[a, "b"]`, on one line. Read item by item: a bracket, a comma or a `#` in quotes is text.
fn flow_list(text: &str, number: usize) -> Result<Vec<String>, ParseError> {
    let mut items = Vec::new();
    let mut rest = text.strip_prefix('[').unwrap_or(text).trim_start();
    loop {
        let quoted = rest.chars().next().filter(|first| matches!(first, '"' | '\''));
        let from = quoted.and_then(|quote| closing(rest, quote)).unwrap_or(0);
        let Some(end) = rest[from..].find([',', ']']).map(|at| from + at) else {
            return parse_error(
                number,
                "the list is not closed on its line; for a longer one, start a line with `- ` for each item",
            );
        };
        let (item, after) = (rest[..end].trim(), &rest[end + 1..]);
        let last = rest[end..].starts_with(']');
        // Nothing stands between `[` and `]`, or after a comma at the end.
        if !(last && item.is_empty()) {
            items.push(scalar(item, number)?);
        }
        if last && without_comment(after).is_empty() {
            return Ok(items);
        }
        if last {
            return parse_error(number, "there is text after the closing bracket");
        }
        rest = after.trim_start();
    }
}

/// A text of several lines after `|` (kept) or `>` (folded).
fn block_text(folded: bool, style: &str, block: &[&str], number: usize) -> Result<String, ParseError> {
    if !without_comment(style).chars().all(|c| matches!(c, '+' | '-')) {
        return parse_error(number, "only `|`, `>`, and a `-` or `+` after them are supported");
    }
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let depth = block.iter().find(|line| !line.trim().is_empty()).map_or(0, |line| indent(line));
    let mut lines = Vec::with_capacity(block.len());
    for (at, line) in block.iter().enumerate() {
        match line.trim().is_empty() {
            true => lines.push(""),
            false if depth == 0 || indent(line) < depth => {
                return parse_error(
                    number + 1 + at,
                    "indent with spaces, as far as the first line of the text",
                );
            }
            false => lines.push(line[depth..].trim_end()),
        }
    }
    Ok(if folded { fold(lines) } else { lines.join("\n").trim_end().to_owned() })
}

/// Lines become one; an empty line between them stays a break.
fn fold<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for line in lines {
        match line {
            "" => out.push('\n'),
            line => {
                if !out.is_empty() && !out.ends_with('\n') {
                    out.push(' ');
                }
                out.push_str(line);
            }
        }
    }
    out.trim().to_owned()
}

/// A text without the comment after it: `#` at its beginning or after a space.
fn without_comment(text: &str) -> &str {
    let comment = text.match_indices('#').find(|(at, _)| *at == 0 || text[..*at].ends_with([' ', '\t']));
    comment.map_or(text, |(at, _)| &text[..at]).trim()
}

/// Whether a line says nothing.
fn is_blank(line: &str) -> bool {
    without_comment(line.trim()).is_empty()
}

#[cfg(test)]
mod tests;
