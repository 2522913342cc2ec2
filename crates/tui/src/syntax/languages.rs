//! What is known of languages.

use super::TokenKind;
use super::tables::ALL;

/// What is known of a language.
#[derive(Debug)]
pub(super) struct Language {
    /// What it is called behind a fence, and how its files end.
    pub(super) names: &'static [&'static str],
    pub(super) grammar: Grammar,
    pub(super) keywords: &'static [&'static str],
    /// Types that are written small.
    pub(super) types: &'static [&'static str],
    /// What begins a comment to the end of the line.
    pub(super) comments: &'static [&'static str],
    /// What begins and ends a comment.
    pub(super) block: Option<(&'static str, &'static str)>,
    /// Strings, those that begin with the most first.
    pub(super) quotes: &'static [Quote],
    /// Whether a capital begins the name of a type.
    pub(super) capitals: bool,
}

/// How lines of a language are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    Code,
    /// Names, this sign, values.
    Keyed(char),
    Markup,
    Diff,
}

#[derive(Debug)]
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// Whether a backslash takes the meaning from what follows.
    pub(super) escapes: bool,
    /// Whether it may go over lines.
    pub(super) lines: bool,
    /// Whether it holds one letter.
    pub(super) letter: bool,
}

impl Language {
    pub(super) fn part_of(&self, word: &str) -> TokenKind {
        let keyword = match self.grammar == Grammar::Code && self.keywords.first() == Some(&"ALL") {
            // Words of SQL are written in any case.
            true => self.keywords.iter().any(|it| it.eq_ignore_ascii_case(word)),
            false => self.keywords.contains(&word),
        };
        if keyword {
            return TokenKind::Keyword;
        }
        // `MAX_SIZE` is a constant.
        let kind = self.capitals
            && word.starts_with(char::is_uppercase)
            && (word.len() == 1 || word.contains(char::is_lowercase));
        if kind || self.types.contains(&word) { TokenKind::Type } else { TokenKind::Plain }
    }
}

/// The language of this name.
pub(super) fn named(name: &str) -> Option<&'static Language> {
    ALL.iter().find(|language| language.names.iter().any(|it| it.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
pub(super) fn all_names() -> Vec<&'static str> {
    ALL.iter().flat_map(|language| language.names).copied().collect()
}
