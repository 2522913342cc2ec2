//! Text in which characters that look alike are the same one, and the way back.
//!
//! Models write straight quotes where a file has curly ones, a hyphen for a dash, a space for one that does not break,
//! and leave out whitespace at the ends of lines. Whoever looks at the text sees no difference.

use memchr::memchr_iter;

/// A text without such differences.
#[derive(Debug)]
pub(super) struct FoldedText {
    pub(super) text: String,
    /// Where its offsets and those of the original drift apart: from the first on here, from the second on there.
    steps: Vec<(usize, usize)>,
}

impl FoldedText {
    pub(super) fn new(original: &str) -> Self {
        let mut folded = Self { text: String::with_capacity(original.len()), steps: vec![(0, 0)] };
        let mut start = 0;
        for end in memchr_iter(b'\n', original.as_bytes()) {
            folded.line(original, start, end);
            folded.text.push('\n');
            start = end + 1;
            folded.step(start);
        }
        folded.line(original, start, original.len());
        folded
    }

    fn line(&mut self, original: &str, start: usize, end: usize) {
        let line = original[start..end].trim_end();
        if line.is_ascii() {
            return self.text.push_str(line);
        }
        for (at, character) in line.char_indices() {
            let same = fold(character);
            self.text.push(same);
            if same != character {
                self.step(start + at + character.len_utf8());
            }
        }
    }

    /// From here on, offsets go with those of the original from `there` on.
    fn step(&mut self, there: usize) {
        let here = self.text.len();
        if self.steps.last().is_none_or(|step| there - step.1 != here - step.0) {
            self.steps.push((here, there));
        }
    }

    /// Where an offset lies in the original; at the end of a line, before the whitespace there.
    pub(super) fn to_original(&self, here: usize) -> usize {
        let at = self.steps.partition_point(|step| step.0 <= here);
        let step = self.steps[at.saturating_sub(1)];
        step.1 + (here - step.0)
    }

    /// Where an offset of the original lies here.
    pub(super) fn to_folded(&self, there: usize) -> usize {
        let at = self.steps.partition_point(|step| step.1 <= there);
        let step = self.steps[at.saturating_sub(1)];
        // The whitespace at the end of a line is nowhere: it lies before the newline.
        let limit = self.steps.get(at).map_or(self.text.len(), |next| next.0 - 1);
        (step.0 + (there - step.1)).min(limit)
    }
}

/// One character for all that look like it.
fn fold(character: char) -> char {
    match character {
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{00b4}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{00a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    }
}

/// In what a match differs from what was asked for.
pub(super) fn difference_kinds(there: &str, wanted: &str) -> &'static str {
    let folded = |text: &str| text.chars().map(fold).collect::<String>();
    let trimmed = |text: &str| text.split('\n').map(str::trim_end).collect::<Vec<_>>().join("\n");
    if trimmed(there) == trimmed(wanted) {
        "trailing whitespace"
    } else if folded(there) == folded(wanted) {
        "the style of quotes, dashes or spaces"
    } else {
        "the style of quotes, dashes or spaces and in trailing whitespace"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_looks_alike_is_the_same() {
        for (text, expected) in [
            ("a “b” ‘c’ – d\u{a0}e\t \nf", "a \"b\" 'c' - d e\nf"),
            ("plain\n", "plain\n"),
            ("\u{3000}x\u{a0}\n \n", " x\n\n"),
            ("é…", "é…"),
        ] {
            assert_eq!(FoldedText::new(text).text, expected);
        }
    }

    proptest! {
        #[test]
        fn offsets_lead_there_and_back(text in "[ab’–é\u{a0} \n]{0,40}") {
            let folded = FoldedText::new(&text);
            for (here, character) in folded.text.char_indices() {
                let there = folded.to_original(here);
                // Either the character itself, or the whitespace before a newline.
                let rest = text[there..].trim_start_matches([' ', '\u{a0}']);
                let found = text[there..].chars().next().map(fold);
                prop_assert!(found == Some(character) || character == '\n' && rest.starts_with('\n'));
                prop_assert_eq!(folded.to_folded(there), here);
            }
            let mut before = 0;
            for there in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let here = folded.to_folded(there);
                prop_assert!(here >= before && folded.text.is_char_boundary(here));
                prop_assert!(folded.to_original(here) <= there);
                before = here;
            }
        }
    }
}
