//! Which characters a terminal shows, by the user's locale; and text for one that shows only ASCII.

use std::borrow::Cow;

use crate::char_width;

/// Which characters a terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Charset {
    /// All of them.
    #[default]
    Unicode,
    /// Only ASCII: bytes beyond it would come out as several wrong letters each, and break every line.
    Ascii,
}

impl Charset {
    /// The character set of a locale, by the variables that name it, in their order: the first that is set counts.
    ///
    /// Without any of them the C library assumes ASCII, but we do not: containers, `ssh`, and service managers pass no
    /// locale on, and the terminal at the other end is nearly always a UTF-8 one. Whoever says `C` or `POSIX` means it.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(|name| variable(name).filter(|it| !it.is_empty()));
        let Some(locale) = locale else { return Charset::Unicode };
        let name = locale.split('@').next().unwrap_or_default();
        match name.split_once('.') {
            Some((_, charset)) => match charset.to_ascii_lowercase().replace('-', "").as_str() {
                "utf8" => Charset::Unicode,
                _ => Charset::Ascii,
            },
            // A language without a character set (`de_DE`) has an old one of its own.
            None => Charset::Ascii,
        }
    }

    /// The text as such a terminal can show it. Every character keeps its width, so that no column moves.
    pub fn text<'a>(self, text: &'a str) -> Cow<'a, str> {
        if self == Charset::Unicode || text.is_ascii() {
            return Cow::Borrowed(text);
        }
        let mut ascii = String::with_capacity(text.len());
        for letter in text.chars() {
            match letter.is_ascii() {
                true => ascii.push(letter),
                false => ascii.extend(std::iter::repeat_n(similar(letter), char_width(letter))),
            }
        }
        Cow::Owned(ascii)
    }
}

/// The ASCII character that looks most like a symbol of ours. What is no symbol was written by somebody, and is not guessed.
fn similar(symbol: char) -> char {
    match symbol {
        '─' | '−' | '–' | '—' | '┄' => '-',
        '│' | '┃' | '▎' | '▌' | '⋮' => '|',
        '╭' | '╮' | '╰' | '╯' | '┼' | '├' | '┤' | '┌' | '┐' | '└' | '┘' | '┬' | '┴' => {
            '+'
        }
        '⎿' => '`',
        '…' | '·' => '.',
        '●' | '•' | '◆' | '■' => '*',
        '○' => 'o',
        '✗' | '×' | '☒' => 'x',
        '✓' | '☑' => 'v',
        '☐' => '_',
        '❯' | '▸' | '→' | '⏵' | '⟩' | '›' => '>',
        '←' | '⟨' | '‹' => '<',
        '↑' | '▲' => '^',
        '↓' | '▼' => 'v',
        '⏎' => '~',
        '⏸' => '=',
        '✎' => '/',
        '\u{2800}'..='\u{28ff}' => '*',
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        '\u{a0}' => ' ',
        _ => '?',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display_width;

    #[test]
    fn the_first_variable_that_is_set_counts() {
        for (variables, expected) in [
            (&[][..], Charset::Unicode),
            (&[("LANG", "en_US.UTF-8")], Charset::Unicode),
            (&[("LANG", "C.utf8")], Charset::Unicode),
            (&[("LANG", "C")], Charset::Ascii),
            (&[("LANG", "POSIX")], Charset::Ascii),
            (&[("LANG", "de_DE.ISO-8859-15@euro")], Charset::Ascii),
            (&[("LANG", "de_DE.UTF-8@euro")], Charset::Unicode),
            (&[("LANG", "de_DE")], Charset::Ascii),
            (&[("LANG", "en_US.UTF-8"), ("LC_ALL", "C")], Charset::Ascii),
            (&[("LANG", "C"), ("LC_CTYPE", "C.UTF-8")], Charset::Unicode),
            (&[("LANG", "C.UTF-8"), ("LC_ALL", "")], Charset::Unicode),
        ] {
            let variable = |name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(Charset::of(variable), expected, "{variables:?}");
        }
    }

    #[test]
    fn only_ascii_is_left_and_every_column_stays() {
        for (text, expected) in [
            ("plain", "plain"),
            ("╭──╮ ● done…", "+--+ * done."),
            ("漢字 é", "???? ?"),
            ("\x1b[1m❯ x\x1b[0m", "\x1b[1m> x\x1b[0m"),
        ] {
            let ascii = Charset::Ascii.text(text);
            assert_eq!(ascii, expected);
            assert!(ascii.is_ascii());
            assert_eq!(display_width(&ascii), display_width(text), "{text}");
            assert_eq!(Charset::Unicode.text(text), text);
        }
    }
}
