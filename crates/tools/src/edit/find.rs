//! Where a text stands in a file, and what is to be put in its place.

use std::ops::Range;
use std::time::Duration;

use memchr::memmem;
use similar::{ChangeTag, TextDiff};

use super::fold::{self, FoldedText};

/// What is asked for, with plain newlines.
pub(super) struct EditRequest<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    pub(super) everywhere: bool,
}

/// What is to be done to a text.
#[derive(Debug)]
pub(super) enum EditMatch<'a> {
    /// Wherever the wanted text is exactly, this part of it becomes that. The places are not gathered: a large file can
    /// have millions.
    Exact { part: Range<usize>, new: &'a str },
    /// At the one place that looks like it.
    Similar {
        swaps: Vec<TextSwap<'a>>,
        /// In what it differs from what was asked for.
        differs: &'static str,
    },
}

/// What goes, and what comes in its place.
pub(super) type TextSwap<'a> = (Range<usize>, &'a str);

impl<'a> EditMatch<'a> {
    /// All that is to be done, in order.
    pub(super) fn swaps<'b>(
        &'b self,
        text: &'b str,
        old: &'b str,
    ) -> Box<dyn Iterator<Item = TextSwap<'a>> + 'b> {
        match self {
            EditMatch::Similar { swaps, .. } => Box::new(swaps.iter().cloned()),
            EditMatch::Exact { new, .. } if old.is_empty() => Box::new(std::iter::once((0..0, *new))),
            EditMatch::Exact { part, new } => {
                let swap = |at: usize| (at + part.start..at + part.end, *new);
                Box::new(memmem::find_iter(text.as_bytes(), old).map(swap))
            }
        }
    }
}

/// Why nothing is to be done.
#[derive(Debug, PartialEq)]
pub(super) enum MatchError {
    NoMatch,
    Ambiguous(AmbiguousMatch),
}

/// More than one place.
#[derive(Debug, PartialEq)]
pub(super) struct AmbiguousMatch {
    /// The first of them.
    pub(super) places: Vec<usize>,
    pub(super) count: usize,
    /// Whether the text is there just so; otherwise it only looks like it.
    pub(super) exact: bool,
}

/// Places that are kept to be told.
pub(super) const MAX_PLACES: usize = 20;
/// Longer texts are compared line by line.
const MAX_BY_CHARACTER: usize = 20_000;
/// A comparison need not be the best: after this time a rough one will do.
const DIFF_TIMEOUT: Duration = Duration::from_millis(100);

/// Looks for a text, exactly first; if it is nowhere, then by what can be seen of it.
pub(super) fn find<'a>(text: &str, request: &EditRequest<'a>) -> Result<EditMatch<'a>, MatchError> {
    let mut places = memmem::find_iter(text.as_bytes(), request.old);
    // An empty text is wanted only where there is nothing else.
    if places.next().is_none() && !request.old.is_empty() {
        return find_similar(text, request);
    }
    if !request.everywhere && !request.old.is_empty() && places.next().is_some() {
        let (places, count) = first(memmem::find_iter(text.as_bytes(), request.old));
        return Err(MatchError::Ambiguous(AmbiguousMatch { places, count, exact: true }));
    }
    let (part, new) = core(request.old, request.new);
    Ok(EditMatch::Exact { part, new })
}

/// The first of the places, and how many there are.
fn first(places: impl Iterator<Item = usize>) -> (Vec<usize>, usize) {
    let mut kept = Vec::new();
    let count = places.inspect(|at| kept.extend((kept.len() < MAX_PLACES).then_some(*at))).count();
    (kept, count)
}

/// The part of a replacement that really differs: what both texts share at their ends stays untouched, so
/// that even mixed line endings inside the match are kept.
fn core<'a>(old: &str, new: &'a str) -> (Range<usize>, &'a str) {
    let same = |(a, b): &(char, char)| a == b;
    let length = |(c, _): (char, char)| c.len_utf8();
    let start: usize = old.chars().zip(new.chars()).take_while(same).map(length).sum();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let end: usize = old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(same).map(length).sum();
    (start..old.len() - end, &new_rest[..new_rest.len() - end])
}

/// One place that looks like the wanted text. Several are never taken, even if all are to be changed: which of them are
/// meant is not sure.
fn find_similar<'a>(text: &str, request: &EditRequest<'a>) -> Result<EditMatch<'a>, MatchError> {
    let sought = FoldedText::new(request.old);
    if sought.text.trim().is_empty() {
        return Err(MatchError::NoMatch);
    }
    let folded = FoldedText::new(text);
    // Did whitespace go at its very end, a line must end there: `fn ` is not the beginning of `fnord`.
    let at_line_end = request.old.ends_with(|c: char| c != '\n' && c.is_whitespace());
    let ends_line = |at: &usize| {
        let after = folded.text.as_bytes().get(at + sought.text.len());
        !at_line_end || matches!(after, None | Some(b'\n'))
    };
    let (places, count) = first(memmem::find_iter(folded.text.as_bytes(), &sought.text).filter(ends_line));
    match places.as_slice() {
        [] => Err(MatchError::NoMatch),
        [at] => {
            let there = |offset: usize| folded.to_original(at + sought.to_folded(offset));
            let differs = fold::difference_kinds(
                &text[there(0)..folded.to_original(at + sought.text.len())],
                request.old,
            );
            let swaps = changes(request.old, request.new);
            let swaps = swaps.into_iter().map(|(old, new)| (there(old.start)..there(old.end), new)).collect();
            Ok(EditMatch::Similar { swaps, differs })
        }
        _ => {
            let places = places.into_iter().map(|at| folded.to_original(at)).collect();
            Err(MatchError::Ambiguous(AmbiguousMatch { places, count, exact: false }))
        }
    }
}

/// All that differs between two texts, so that whatever does not keeps the characters of the file.
fn changes<'a>(old: &str, new: &'a str) -> Vec<TextSwap<'a>> {
    let mut config = TextDiff::configure();
    let config = config.timeout(DIFF_TIMEOUT);
    let diff = match old.len() + new.len() <= MAX_BY_CHARACTER {
        true => config.diff_chars(old, new),
        false => config.diff_lines(old, new),
    };
    let mut changes: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for change in diff.iter_all_changes() {
        let length = change.value().len();
        let (gone, come) = match change.tag() {
            ChangeTag::Equal => {
                (old_at, new_at) = (old_at + length, new_at + length);
                continue;
            }
            ChangeTag::Delete => (length, 0),
            ChangeTag::Insert => (0, length),
        };
        match changes.last_mut() {
            Some((old, new)) if old.end == old_at && new.end == new_at => {
                (old.end, new.end) = (old.end + gone, new.end + come);
            }
            _ => changes.push((old_at..old_at + gone, new_at..new_at + come)),
        }
        (old_at, new_at) = (old_at + gone, new_at + come);
    }
    changes.into_iter().map(|(old, fresh)| (old, &new[fresh])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn applied(text: &str, swaps: &[(Range<usize>, &str)]) -> String {
        let (mut out, mut done) = (String::new(), 0);
        for (range, new) in swaps {
            out.push_str(&text[done..range.start]);
            out.push_str(new);
            done = range.end;
        }
        out + &text[done..]
    }

    proptest! {
        #[test]
        fn the_changes_make_one_text_of_the_other(old in "[abé\n]{0,30}", new in "[abé\n]{0,30}") {
            prop_assert_eq!(applied(&old, &changes(&old, &new)), new.as_str());
            let (range, with) = core(&old, &new);
            prop_assert_eq!(applied(&old, &[(range, with)]), new.as_str());
        }

        /// Whatever is found loosely: what comes out looks like what was asked for, and all beside it stays.
        #[test]
        fn a_loose_match_changes_what_is_seen_and_nothing_else(
            before in "[ab \n]{0,8}\n",
            inside in "X[ab’“–é\u{a0} \n]{0,12}Y",
            after in "\n[ab \n]{0,8}",
            new in "[ab'\"é \n-]{0,12}",
        ) {
            let text = format!("{before}{inside}{after}");
            let old = FoldedText::new(&inside).text;
            let request = EditRequest { old: &old, new: &new, everywhere: false };
            let found = find(&text, &request).unwrap();
            let result = applied(&text, &found.swaps(&text, &old).collect::<Vec<_>>());
            prop_assert!(result.starts_with(&before) && result.ends_with(&after), "{result:?}");
            let middle = &result[before.len()..result.len() - after.len()];
            let (middle, new) = (FoldedText::new(middle).text, FoldedText::new(&new).text);
            prop_assert_eq!(middle.trim_end(), new.trim_end());
        }
    }
}
