//! Where a text that is not in a file would most likely have been meant.

use std::collections::HashSet;

use crate::output::shorten;

/// Above this size of file no search is made: it is only a help.
const MAX_TEXT: usize = 4 * 1024 * 1024;
/// Lines of the wanted text that are compared and shown.
const MAX_LINES: usize = 20;
const MAX_LINE_CHARS: usize = 300;
/// Lines less alike than this are not worth showing.
const LIKE: f64 = 0.5;

/// A description of the place in `text` that is nearest to `wanted`: its lines with their numbers, and
/// what differs.
pub(crate) fn describe(text: &str, wanted: &str) -> Option<String> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = wanted.trim_matches('\n').lines().take(MAX_LINES).collect();
    let start = same_lines(&lines, &wanted).or_else(|| alike_line(&lines, &wanted))?;
    let there = &lines[start..(start + wanted.len()).min(lines.len())];
    let mut out = format!("The nearest place is line {}:\n", start + 1);
    for (number, line) in there.iter().enumerate() {
        out.push_str(&format!("{:>6}\t{}\n", start + number + 1, shorten(line, MAX_LINE_CHARS)));
    }
    out.push_str(&difference(there, &wanted, start));
    Some(out)
}

/// The window of lines that has most in common with the wanted ones, by whole lines without their
/// whitespace.
fn same_lines(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let keys: Vec<String> = lines.iter().map(|line| squeeze(line)).collect();
    let wanted: Vec<String> = wanted.iter().map(|line| squeeze(line)).collect();
    let score = |start: usize| {
        let pairs = keys[start..].iter().zip(&wanted);
        pairs.filter(|(there, wanted)| there == wanted && !wanted.is_empty()).count()
    };
    // Of equals the first: `max_by_key` would take the last.
    let best = (0..lines.len()).rev().map(|start| (score(start), start)).max_by_key(|(score, _)| *score)?;
    (best.0 > 0).then_some(best.1)
}

/// The place by the one line that looks most like the longest wanted line.
fn alike_line(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let (offset, longest) = wanted.iter().enumerate().max_by_key(|(_, line)| line.trim().len())?;
    let pairs = letter_pairs(longest);
    let likeness = |line: &str| {
        let there = letter_pairs(line);
        let common = there.intersection(&pairs).count();
        2.0 * common as f64 / (there.len() + pairs.len()).max(1) as f64
    };
    let scored = lines.iter().enumerate().map(|(number, line)| (likeness(line), number));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= LIKE).then_some(best.1.saturating_sub(offset))
}

fn letter_pairs(line: &str) -> HashSet<[u8; 2]> {
    let bytes = line.trim().as_bytes();
    let bytes = &bytes[..bytes.len().min(MAX_LINE_CHARS)];
    bytes.windows(2).filter_map(|pair| pair.try_into().ok()).collect()
}

/// A line without its whitespace.
fn squeeze(line: &str) -> String {
    line.split_whitespace().collect()
}

/// What to tell of the first line that is not the same.
fn difference(there: &[&str], wanted: &[&str], start: usize) -> String {
    let differs = wanted.iter().enumerate().find(|(number, line)| there.get(*number) != Some(line));
    let Some((number, wanted_line)) = differs else {
        return "The lines are the same; the text differs at its beginning or end".to_owned();
    };
    let line = start + number + 1;
    match there.get(number) {
        None => "The file ends before the end of `old_string`".to_owned(),
        Some(there) if squeeze(there) == squeeze(wanted_line) => format!(
            "Line {line} differs in whitespace only (· is a space, → a tab):\nfile       {}\nold_string {}",
            visible(there),
            visible(wanted_line)
        ),
        Some(there) => format!(
            "Line {line} differs:\nfile       {}\nold_string {}",
            shorten(there, MAX_LINE_CHARS),
            shorten(wanted_line, MAX_LINE_CHARS)
        ),
    }
}

fn visible(line: &str) -> String {
    shorten(line, MAX_LINE_CHARS).replace(' ', "·").replace('\t', "→")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "fn one() {\n    let x = 1;\n}\n\nfn two() {\n\tlet y = 2;\n}\n";

    #[test]
    fn the_place_that_was_meant_is_found() {
        for (wanted, expected) in [
            (
                "fn two() {\n    let y = 2;\n}",
                "The nearest place is line 5:\n     5\tfn two() {\n     6\t\tlet y = 2;\n     7\t}\n\
                 Line 6 differs in whitespace only (· is a space, → a tab):\n\
                 file       →let·y·=·2;\nold_string ····let·y·=·2;",
            ),
            (
                "let x = 10;",
                "The nearest place is line 2:\n     2\t    let x = 1;\nLine 2 differs:\n\
                 file           let x = 1;\nold_string let x = 10;",
            ),
        ] {
            assert_eq!(describe(FILE, wanted).as_deref(), Some(expected), "{wanted}");
        }
        for wanted in ["nothing like it at all", "", "\n\n"] {
            assert_eq!(describe(FILE, wanted), None, "{wanted:?}");
        }
        assert_eq!(describe("", "x"), None);
    }
}
