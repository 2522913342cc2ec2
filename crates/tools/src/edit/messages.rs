//! What the model is told when its text is not there, or there too often.

use std::fmt::Write as _;

use forelook_protocol::AbsPath;
use memchr::{memchr, memchr_iter, memmem, memrchr};

use crate::nearest;
use crate::output::shorten;
use crate::typed::ToolFailure;

use super::find::AmbiguousMatch;

/// Places that are shown; of more, only the numbers are told.
const MAX_SHOWN: usize = 5;
const MAX_LINE_CHARS: usize = 200;

pub(super) fn no_match(path: &AbsPath, text: &str, wanted: &str) -> ToolFailure {
    let mut message = format!("`old_string` is not in `{path}`, so nothing was changed\n");
    if let Some(bare) = without_line_numbers(wanted) {
        message.push_str("It starts with line numbers: leave out what Read adds before each line");
        if let Some(at) = memmem::find(text.as_bytes(), bare.as_bytes()) {
            let _ = write!(message, "; without them, it is on line {}", line_of(text, at));
        }
        message.push('\n');
    } else if let Some(nearest) = nearest::describe(text, wanted) {
        message.push_str(&nearest);
        message.push('\n');
    }
    message.push_str("Send the text exactly as it appears in the file; if in doubt, Read it again");
    ToolFailure::new(message)
}

/// The text without what Read puts before each line, if that is before each.
fn without_line_numbers(text: &str) -> Option<String> {
    let bare = |line: &str| {
        let digits = line.trim_start_matches(' ');
        let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        let rest = (rest.len() < digits.len()).then_some(rest)?;
        rest.strip_prefix(['\t', '→']).map(str::to_owned)
    };
    let lines: Vec<String> =
        text.strip_suffix('\n').unwrap_or(text).split('\n').map(bare).collect::<Option<_>>()?;
    Some(lines.join("\n"))
}

pub(super) fn ambiguous(path: &AbsPath, text: &str, several: &AmbiguousMatch) -> ToolFailure {
    let AmbiguousMatch { places, count, exact } = several;
    let mut lines = Vec::new();
    // From one to the next: counting from the beginning each time would take long in a large file.
    let (mut line, mut done) = (1, 0);
    for at in places {
        line += memchr_iter(b'\n', &text.as_bytes()[done..*at]).count();
        done = *at;
        lines.push(line);
    }
    let numbers: Vec<String> = lines.iter().map(usize::to_string).collect();
    let more = if *count > places.len() { ", …" } else { "" };
    let how = match exact {
        true => "occurs in",
        false => {
            "does not match exactly, but apart from the style of quotes, dashes, and spaces it occurs in"
        }
    };
    let mut message = format!(
        "`old_string` {how} `{path}` {count} times, so nothing was changed: lines {}{more}\n",
        numbers.join(", ")
    );
    for (at, line) in places.iter().zip(&lines).take(MAX_SHOWN) {
        show(&mut message, text, *at, *line);
    }
    message.push_str(match exact {
        true => "Include more lines around the one you mean, or set `replace_all` to change all of them",
        false => "Send the text exactly as it appears in the file, with more lines around the one you mean",
    });
    ToolFailure::new(message)
}

/// The line of a place, with one before and one after.
fn show(out: &mut String, text: &str, at: usize, line: usize) {
    let bytes = text.as_bytes();
    let start = memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
    let first = match start {
        0 => 0,
        start => memrchr(b'\n', &bytes[..start - 1]).map_or(0, |newline| newline + 1),
    };
    let number = line - usize::from(start > 0);
    let count = if start > 0 { 3 } else { 2 };
    for (offset, shown) in text[first..].split('\n').take(count).enumerate() {
        // What follows the last newline is no line.
        if number + offset > line
            && shown.is_empty()
            && memchr(b'\n', &bytes[at..]).is_none_or(|end| at + end + 1 == text.len())
        {
            break;
        }
        let _ = writeln!(out, "{:>6}\t{}", number + offset, shorten(shown, MAX_LINE_CHARS));
    }
    out.push('\n');
}

/// The line, counted from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    1 + memchr_iter(b'\n', &text.as_bytes()[..at]).count()
}
