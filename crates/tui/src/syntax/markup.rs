//! Reads a line of HTML or XML.

use super::lexer::Inside;
use super::{Part, Spans};

/// Reads the line; what the next one begins inside of.
pub(super) fn line(line: &str, mut inside: Inside, spans: &mut Spans<'_>) -> Inside {
    let mut at = 0;
    while let Some(left) = line.get(at..).filter(|left| !left.is_empty()) {
        (inside, at) = match inside {
            Inside::Comment => {
                spans.at(at, Part::Comment);
                after(left, "-->").map_or((inside, line.len()), |end| (Inside::Nothing, at + end))
            }
            Inside::TagText(mark) => {
                spans.at(at, Part::Text);
                let end = left.bytes().position(|byte| byte == mark);
                end.map_or((inside, line.len()), |end| (Inside::Tag, at + end + 1))
            }
            Inside::Tag => in_tag(left, at, spans),
            Inside::Nothing | Inside::Text(_) => outside(left, at, spans),
        };
    }
    inside
}

fn after(left: &str, mark: &str) -> Option<usize> {
    left.find(mark).map(|at| at + mark.len())
}

fn outside(left: &str, at: usize, spans: &mut Spans<'_>) -> (Inside, usize) {
    if left.starts_with("<!--") {
        spans.at(at, Part::Comment);
        return (Inside::Comment, at + 4);
    }
    let name = left.strip_prefix('<').map(|rest| rest.trim_start_matches(['/', '!', '?']));
    if let Some(name) = name.filter(|name| name.starts_with(|c: char| c.is_alphabetic())) {
        spans.at(at, Part::Keyword);
        let length = name.find(|c: char| !(c.is_alphanumeric() || "-_:.".contains(c))).unwrap_or(name.len());
        return (Inside::Tag, at + left.len() - name.len() + length);
    }
    spans.at(at, Part::Plain);
    let next = left.char_indices().skip(1).find(|(_, c)| *c == '<').map_or(left.len(), |(next, _)| next);
    (Inside::Nothing, at + next)
}

fn in_tag(left: &str, at: usize, spans: &mut Spans<'_>) -> (Inside, usize) {
    let first = left.chars().next().unwrap_or(' ');
    match first {
        '"' | '\'' => {
            spans.at(at, Part::Text);
            (Inside::TagText(if first == '"' { b'"' } else { b'\'' }), at + 1)
        }
        '>' => {
            spans.at(at, Part::Keyword);
            (Inside::Nothing, at + 1)
        }
        '/' | '?' => {
            spans.at(at, Part::Keyword);
            (Inside::Tag, at + 1)
        }
        c if c.is_alphanumeric() => {
            spans.at(at, Part::Kind);
            let end = left.find(|c: char| !(c.is_alphanumeric() || "-_:.@".contains(c)));
            (Inside::Tag, at + end.unwrap_or(left.len()))
        }
        c => {
            spans.at(at, Part::Plain);
            (Inside::Tag, at + c.len_utf8())
        }
    }
}
