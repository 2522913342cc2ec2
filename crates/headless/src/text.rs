//! Small things about words: what they may contain, how wide they are, how numbers and ages read.

use jiff::Timestamp;

/// Makes control characters visible, so that nobody's text can move the cursor or set a title.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// The columns that a character takes, near enough: the scripts and pictures that are wide begin at these places.
pub(crate) fn columns(c: char) -> usize {
    match c {
        '\t' => 4,
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' => 2,
        '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' => 2,
        '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// Breaks a line into pieces of at most `width` columns, at spaces where there are any. Nothing is lost but the
/// space at a break.
pub(crate) fn wrap(line: &str, width: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(end) = overflow(rest, width) {
        // The space may stand just behind the last column. One that only indents is no place to break.
        let space = if rest[end..].starts_with(' ') { Some(end) } else { rest[..end].rfind(' ') };
        let space = space.filter(|&at| !rest[..at].trim().is_empty());
        let (piece, next) = match space {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => rest.split_at(end),
        };
        pieces.push(piece.to_owned());
        rest = next;
    }
    pieces.push(rest.to_owned());
    pieces
}

/// Breaks a line at spaces so that each piece begins below the first one's words. A line with a word that fits on no line
/// stays whole: a terminal that breaks it lets a path or an address be copied.
pub(crate) fn fold(line: &str, width: usize) -> Vec<String> {
    let body = line.trim_start_matches(' ');
    let indent = &line[..line.len() - body.len()];
    let room = width.saturating_sub(indent.len());
    if measure(line) <= width || body.split(' ').any(|word| measure(word) > room) {
        return vec![line.to_owned()];
    }
    wrap(body, room).iter().map(|piece| format!("{indent}{piece}")).collect()
}

/// The columns that a text takes.
pub(crate) fn measure(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// Where the first character stands that does not fit; never the first one, so that each piece has something.
fn overflow(line: &str, width: usize) -> Option<usize> {
    let mut used = 0;
    line.char_indices().find_map(|(at, c)| {
        used += columns(c);
        (used > width && at > 0).then_some(at)
    })
}

/// A number with its thousands apart.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number and what is counted.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// How long ago something was, in a word or two.
pub(crate) fn age(now: Timestamp, then: Timestamp) -> String {
    let seconds = u64::try_from(now.duration_since(then).as_secs()).unwrap_or(0);
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} ago", counted(seconds / 86_400, "day", "days")),
    }
}

/// The first heading of a plan, or its first line with words.
pub(crate) fn title(plan: &str) -> String {
    let lines = || plan.lines().map(str::trim).filter(|line| !line.is_empty());
    let heading = lines().find(|line| line.starts_with('#')).or_else(|| lines().next());
    heading.map_or_else(String::new, |line| line.trim_start_matches('#').trim().to_owned())
}

/// The first `limit` characters, and a sign if there were more.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_at_spaces() {
        for (line, width, expected) in [
            ("", 5, vec![""]),
            ("short", 5, vec!["short"]),
            ("two words", 5, vec!["two", "words"]),
            ("two words", 4, vec!["two", "word", "s"]),
            ("abcdefgh", 3, vec!["abc", "def", "gh"]),
            ("  - indented item", 10, vec!["  -", "indented", "item"]),
            ("日本語テキスト", 4, vec!["日本", "語テ", "キス", "ト"]),
        ] {
            assert_eq!(wrap(line, width), expected, "{line:?} at {width}");
        }
    }

    #[test]
    fn folded_lines_keep_their_indent_and_long_words() {
        for (line, expected) in [
            ("  two words", vec!["  two words"]),
            ("  three more words", vec!["  three more", "  words"]),
            ("in /a/long/path", vec!["in", "/a/long/path"]),
            ("  see /a/long/path", vec!["  see /a/long/path"]),
            ("日本語 テキスト", vec!["日本語", "テキスト"]),
        ] {
            assert_eq!(fold(line, 12), expected, "{line:?}");
        }
    }

    #[test]
    fn numbers_and_ages() {
        for (number, expected) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), expected);
        }
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        for (then, expected) in [
            ("2026-03-01T12:00:09Z", "just now"),
            ("2026-03-01T11:59:01Z", "just now"),
            ("2026-03-01T11:55:00Z", "5 min ago"),
            ("2026-03-01T09:00:00Z", "3 h ago"),
            ("2026-02-28T12:00:00Z", "1 day ago"),
            ("2026-02-01T12:00:00Z", "28 days ago"),
        ] {
            assert_eq!(age(now, then.parse().unwrap()), expected, "{then}");
        }
    }

    #[test]
    fn a_plan_is_called_by_its_heading() {
        for (plan, expected) in [
            ("\n\n## Add a flag\ntext", "Add a flag"),
            ("text\n# Late", "Late"),
            ("only text", "only text"),
            ("", ""),
        ] {
            assert_eq!(title(plan), expected);
        }
    }
}
