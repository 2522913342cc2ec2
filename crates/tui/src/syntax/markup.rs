//! Reads a line of HTML or XML.

use super::lexer::LexState;
use super::{Spans, TokenKind};

/// Reads the line; what the next one begins inside of.
pub(super) fn line(line: &str, mut inside: LexState, spans: &mut Spans<'_>) -> LexState {
    let mut at = 0;
    while let Some(left) = line.get(at..).filter(|left| !left.is_empty()) {
        (inside, at) = match inside {
            LexState::Comment => {
                spans.at(at, TokenKind::Comment);
                after(left, "-->").map_or((inside, line.len()), |end| (LexState::Nothing, at + end))
            }
            LexState::TagText(mark) => {
                spans.at(at, TokenKind::Text);
                let end = left.bytes().position(|byte| byte == mark);
                end.map_or((inside, line.len()), |end| (LexState::Tag, at + end + 1))
            }
            LexState::Tag => in_tag(left, at, spans),
            LexState::Nothing | LexState::Text(_) => outside(left, at, spans),
        };
    }
    inside
}

fn after(left: &str, mark: &str) -> Option<usize> {
    left.find(mark).map(|at| at + mark.len())
}

fn outside(left: &str, at: usize, spans: &mut Spans<'_>) -> (LexState, usize) {
    if left.starts_with("<!--") {
        spans.at(at, TokenKind::Comment);
        return (LexState::Comment, at + 4);
    }
    let name = left.strip_prefix('<').map(|rest| rest.trim_start_matches(['/', '!', '?']));
    if let Some(name) = name.filter(|name| name.starts_with(|c: char| c.is_alphabetic())) {
        spans.at(at, TokenKind::Keyword);
        let length = name.find(|c: char| !(c.is_alphanumeric() || "-_:.".contains(c))).unwrap_or(name.len());
        return (LexState::Tag, at + left.len() - name.len() + length);
    }
    spans.at(at, TokenKind::Plain);
    let next = left.char_indices().skip(1).find(|(_, c)| *c == '<').map_or(left.len(), |(next, _)| next);
    (LexState::Nothing, at + next)
}

fn in_tag(left: &str, at: usize, spans: &mut Spans<'_>) -> (LexState, usize) {
    let first = left.chars().next().unwrap_or(' ');
    match first {
        '"' | '\'' => {
            spans.at(at, TokenKind::Text);
            (LexState::TagText(if first == '"' { b'"' } else { b'\'' }), at + 1)
        }
        '>' => {
            spans.at(at, TokenKind::Keyword);
            (LexState::Nothing, at + 1)
        }
        '/' | '?' => {
            spans.at(at, TokenKind::Keyword);
            (LexState::Tag, at + 1)
        }
        c if c.is_alphanumeric() => {
            spans.at(at, TokenKind::Type);
            let end = left.find(|c: char| !(c.is_alphanumeric() || "-_:.@".contains(c)));
            (LexState::Tag, at + end.unwrap_or(left.len()))
        }
        c => {
            spans.at(at, TokenKind::Plain);
            (LexState::Tag, at + c.len_utf8())
        }
    }
}
