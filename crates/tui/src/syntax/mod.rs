//! Colours for code, line by line.
//!
//! A small reader for each language, made of tables: words, comments, strings, numbers. It does not understand code, and
//! does not need to: it carries from line to line only what it is inside of, so that a block that still grows is never
//! read again from its beginning.

mod languages;
mod lexer;
mod markup;
mod tables;
#[cfg(test)]
mod tests;

use ratatui_core::style::Style;
use ratatui_core::text::Span;

use crate::theme::Theme;
use languages::{Grammar, Language};
use lexer::LexState;

/// What a part of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    Plain,
    Keyword,
    Type,
    Text,
    Number,
    Comment,
    Added,
    Removed,
}

impl TokenKind {
    fn style(self, theme: Theme) -> Style {
        match self {
            TokenKind::Plain => Style::new(),
            TokenKind::Keyword => theme.syntax.keyword,
            TokenKind::Type => theme.syntax.kind,
            TokenKind::Text => theme.syntax.string,
            TokenKind::Number => theme.syntax.number,
            TokenKind::Comment => theme.syntax.comment,
            TokenKind::Added => theme.good,
            TokenKind::Removed => theme.bad,
        }
    }
}

/// Gives the lines of one text their colours, in their order.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Highlighter {
    language: Option<&'static Language>,
    inside: LexState,
}

impl Highlighter {
    /// For code behind a fence with these words.
    pub(crate) fn fenced(words: &str) -> Self {
        let name = words.split([' ', ',', '{', ':', ';']).next().unwrap_or_default();
        Self { language: languages::named(name), inside: LexState::default() }
    }

    /// For what stands in this file.
    pub(crate) fn file(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let ending = name.rsplit_once('.').map_or(name, |(_, ending)| ending);
        // In a diff of a diff, signs would stand for two things.
        let language = languages::named(ending).filter(|it| it.grammar != Grammar::Diff);
        Self { language, inside: LexState::default() }
    }

    pub(crate) fn knows_the_language(&self) -> bool {
        self.language.is_some()
    }

    /// The next line, without its end.
    pub(crate) fn line(&mut self, line: &str, theme: Theme) -> Vec<Span<'static>> {
        let Some(language) = self.language else {
            return vec![Span::styled(line.to_owned(), theme.code)];
        };
        let mut spans = Spans { theme, line, spans: Vec::new(), from: 0, part: TokenKind::Plain };
        self.inside = match language.grammar {
            Grammar::Markup => markup::line(line, self.inside, &mut spans),
            Grammar::Diff => lexer::diff_line(line, &mut spans),
            Grammar::Code | Grammar::Keyed(_) => lexer::line(line, language, self.inside, &mut spans),
        };
        spans.finish()
    }
}

/// The parts of a line, as they are found.
struct Spans<'a> {
    theme: Theme,
    line: &'a str,
    spans: Vec<Span<'static>>,
    /// Where the part begins that has not been written.
    from: usize,
    part: TokenKind,
}

impl Spans<'_> {
    /// From here on it is this.
    fn at(&mut self, at: usize, part: TokenKind) {
        if part != self.part {
            self.push(at);
            self.part = part;
        }
    }

    fn push(&mut self, end: usize) {
        if let Some(text) = self.line.get(self.from..end).filter(|text| !text.is_empty()) {
            self.spans.push(Span::styled(text.to_owned(), self.part.style(self.theme)));
            self.from = end;
        }
    }

    fn finish(mut self) -> Vec<Span<'static>> {
        self.push(self.line.len());
        self.spans
    }
}
