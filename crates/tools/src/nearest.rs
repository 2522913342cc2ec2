//! Where a text that is not in a file would most likely have been meant.
//!
//! The file may be large and the wanted text long: the file is gone through at most twice, line by line, and nothing is
//! kept of it but the places that count.

use std::collections::HashMap;
use std::hash::Hasher;

use crate::output::shorten;

/// Lines of the wanted text that are looked for, and that are shown.
const MAX_SOUGHT: usize = 64;
const MAX_SHOWN: usize = 20;
const MAX_LINE_CHARS: usize = 300;
/// A line that is there more often says nothing about the place.
const MAX_HITS: usize = 500;
/// Longer lines are looked at piece by piece.
const LONG: usize = 2000;
/// Lines less alike than this are not worth showing.
const MIN_SIMILARITY: f64 = 0.5;

/// A description of the place in `text` that is nearest to `wanted`: its lines with their numbers, and
/// what differs.
pub(crate) fn describe(text: &str, wanted: &str) -> Option<String> {
    let wanted: Vec<&str> = wanted.trim_matches('\n').lines().take(MAX_SOUGHT).collect();
    let place = match same_lines(text, &wanted) {
        Some(line) => LinePosition { line, from: 0 },
        None => most_similar_line(text, &wanted)?,
    };
    let wanted = &wanted[..wanted.len().min(MAX_SHOWN)];
    if place.from > 0 {
        return Some(inside(text, &place, wanted));
    }
    let there: Vec<&str> = text.lines().skip(place.line).take(wanted.len()).collect();
    let mut out = format!("The closest match is at line {}:\n", place.line + 1);
    for (number, line) in there.iter().enumerate() {
        out.push_str(&format!("{:>6}\t{}\n", place.line + number + 1, shorten(line, MAX_LINE_CHARS)));
    }
    out.push_str(&difference(&there, wanted, place.line));
    Some(out)
}

/// A line, counted from 0, and the byte of it that is meant.
struct LinePosition {
    line: usize,
    from: usize,
}

/// The first window of lines that has most in common with the wanted ones, by whole lines without their
/// whitespace.
fn same_lines(text: &str, wanted: &[&str]) -> Option<usize> {
    let mut sought: HashMap<u64, SearchLine> = HashMap::new();
    for (at, line) in wanted.iter().enumerate() {
        if let Some((key, length)) = key(line) {
            let sought = sought.entry(key).or_insert(SearchLine { length, at: Vec::new(), hits: Vec::new() });
            sought.at.push(at);
        }
    }
    for (number, line) in text.lines().enumerate() {
        if let Some(found) = key(line).and_then(|(key, _)| sought.get_mut(&key))
            && found.hits.len() <= MAX_HITS
        {
            found.hits.push(number);
        }
    }
    // If there are only lines that say little, they say where to look nevertheless.
    let telling = sought.values().any(|it| (1..=MAX_HITS).contains(&it.hits.len()));
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for it in sought.values().filter(|it| !telling || it.hits.len() <= MAX_HITS) {
        for (number, at) in it.hits.iter().flat_map(|number| it.at.iter().map(move |at| (number, at))) {
            // A long line that is the same means more than a brace.
            *votes.entry(number.saturating_sub(*at)).or_default() += it.length.min(MAX_LINE_CHARS);
        }
    }
    // Of equals the first.
    votes.into_iter().max_by_key(|(start, votes)| (*votes, usize::MAX - start)).map(|(start, _)| start)
}

/// A line that is looked for.
struct SearchLine {
    /// How much it says.
    length: usize,
    /// Where it stands in the wanted text.
    at: Vec<usize>,
    /// Where it stands in the file.
    hits: Vec<usize>,
}

/// A line without its whitespace, as a number, and how long it is. Nothing for a blank one.
fn key(line: &str) -> Option<(u64, usize)> {
    let mut hasher = std::hash::DefaultHasher::new();
    let mut length = 0;
    for word in line.split_ascii_whitespace() {
        hasher.write(word.as_bytes());
        length += word.len();
    }
    (length > 0).then(|| (hasher.finish(), length))
}

/// The place by the one line that looks most like the longest wanted line.
fn most_similar_line(text: &str, wanted: &[&str]) -> Option<LinePosition> {
    let (offset, longest) = wanted.iter().enumerate().max_by_key(|(_, line)| line.trim().len())?;
    let mut alike = Similarity::new(longest.trim());
    let width = longest.len().clamp(40, 2 * MAX_LINE_CHARS);
    let (mut best, mut place) = (MIN_SIMILARITY, None);
    for (number, line) in text.lines().enumerate() {
        for (from, piece) in pieces(line, width) {
            let likeness = alike.to(piece.trim());
            if likeness > best || place.is_none() && likeness >= MIN_SIMILARITY {
                best = likeness;
                let line = if from == 0 { number.saturating_sub(offset) } else { number };
                place = Some(LinePosition { line, from });
            }
        }
    }
    place
}

/// A line, or the pieces of a long one: over each other by so much, so that nothing of that width is cut in all of them.
fn pieces(line: &str, width: usize) -> impl Iterator<Item = (usize, &str)> {
    let long = line.len() > LONG;
    let step = if long { width / 2 } else { line.len().max(1) };
    (0..line.len().max(1)).step_by(step).map(move |at| {
        let from = line.floor_char_boundary(at);
        let to = if long { line.floor_char_boundary(at + width + step) } else { line.len() };
        (from, &line[from..to])
    })
}

/// How much lines are like one line, by the pairs of bytes in them.
struct Similarity {
    /// For each pair: is it in the line?
    is_in: Vec<bool>,
    pairs: usize,
    /// For each pair: the last line that had it, so that none is counted twice.
    met: Vec<u32>,
    round: u32,
}

impl Similarity {
    fn new(line: &str) -> Self {
        let mut alike = Self { is_in: vec![false; 1 << 16], pairs: 0, met: vec![0; 1 << 16], round: 0 };
        for pair in pairs(line) {
            if !std::mem::replace(&mut alike.is_in[pair], true) {
                alike.pairs += 1;
            }
        }
        alike
    }

    /// From 0, nothing in common, to 1, the same.
    fn to(&mut self, line: &str) -> f64 {
        self.round = self.round.wrapping_add(1);
        let (mut there, mut common) = (0, 0);
        for pair in pairs(line) {
            if std::mem::replace(&mut self.met[pair], self.round) != self.round {
                there += 1;
                common += usize::from(self.is_in[pair]);
            }
        }
        2.0 * common as f64 / (there + self.pairs).max(1) as f64
    }
}

fn pairs(line: &str) -> impl Iterator<Item = usize> {
    let bytes = line.as_bytes();
    let bytes = &bytes[..bytes.len().min(2 * MAX_LINE_CHARS)];
    bytes.windows(2).map(|pair| usize::from(u16::from_ne_bytes([pair[0], pair[1]])))
}

/// A line without its whitespace.
fn squeeze(line: &str) -> String {
    line.split_whitespace().collect()
}

/// A place in a line that is too long to be shown.
fn inside(text: &str, place: &LinePosition, wanted: &[&str]) -> String {
    let line = text.lines().nth(place.line).unwrap_or_default();
    let column = line[..place.from].chars().count() + 1;
    format!(
        "The closest match is on line {}, starting at character {column}:\nfile       …{}\nold_string {}",
        place.line + 1,
        shorten(&line[place.from..], MAX_LINE_CHARS),
        shorten(wanted.first().copied().unwrap_or_default(), MAX_LINE_CHARS)
    )
}

/// What to tell of the first line that is not the same.
fn difference(there: &[&str], wanted: &[&str], start: usize) -> String {
    let differs = wanted.iter().enumerate().find(|(number, line)| there.get(*number) != Some(line));
    let Some((number, wanted_line)) = differs else {
        return "These lines are the same; the text differs at its start or end".to_owned();
    };
    let line = start + number + 1;
    match there.get(number) {
        None => "The file ends before the end of `old_string`".to_owned(),
        Some(there) if squeeze(there) == squeeze(wanted_line) => format!(
            "Line {line} differs only in whitespace (· is a space, → a tab):\nfile       {}\nold_string {}",
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
mod tests;
