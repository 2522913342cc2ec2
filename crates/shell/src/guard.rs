//! Size and characters: what is refused before any grammar sees it.

use crate::MAX_LINE;

/// The second parser looks from each bracket to the end of its word: thousands in one word take it 60 ms.
const MAX_BRACKETS: usize = 500;

/// Why a text is not looked at, if it is not.
pub(crate) fn rejection_reason(line: &str) -> Option<String> {
    if line.len() > MAX_LINE {
        return Some(format!("The command is longer than {} bytes", MAX_LINE));
    }
    if line.bytes().filter(|byte| *byte == b'[').count() > MAX_BRACKETS {
        return Some(format!("The command has more than {MAX_BRACKETS} brackets"));
    }
    if odd_continuation(line) {
        return Some("A backslash at the end of a line may split a word or an operator".to_owned());
    }
    line.chars().find(|c| is_odd(*c)).map(|c| {
        format!("The command contains the character `U+{:04X}`, which can hide what it does", u32::from(c))
    })
}

/// A backslash before a newline joins what stands around it: `$\\⏎(x)` is a substitution, `&\\⏎&` an operator. Only after a
/// blank does it join nothing.
fn odd_continuation(line: &str) -> bool {
    line.match_indices("\\\n")
        .any(|(at, _)| !line.get(..at).is_some_and(|before| before.ends_with([' ', '\t'])))
}

/// Characters that bash, a terminal and a reader see differently: control characters (bash keeps a carriage return as
/// part of the word), every blank but space, tab and newline, and what is invisible or turns the writing direction.
fn is_odd(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        c if c.is_control() => true,
        ' ' => false,
        c if c.is_whitespace() => true,
        '\u{00AD}'
        | '\u{034F}'
        | '\u{061C}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' => true,
        '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => true,
        '\u{2800}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' => true,
        '\u{E0000}'..='\u{E0FFF}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::rejection_reason;

    #[test]
    fn ordinary_text_passes() {
        assert_eq!(rejection_reason("ls -la 'é 日本' \t\n"), None);
    }

    #[test]
    fn a_continued_line_joins_nothing() {
        assert_eq!(rejection_reason("ls \\\n -la"), None);
        for text in ["l\\\ns", "echo \"$\\\n(touch x)\"", "ls &\\\n& touch x"] {
            assert!(rejection_reason(text).is_some(), "{text:?}");
        }
    }

    #[test]
    fn hidden_characters_are_named() {
        for text in ["a\0b", "ls\r", "ls\u{a0}x", "ls\u{200b}", "a\u{202e}b", "\u{feff}ls", "\x1b[2Jls"] {
            assert!(rejection_reason(text).is_some(), "{text:?}");
        }
        assert!(rejection_reason(&"a".repeat(crate::MAX_LINE + 1)).is_some());
    }
}
