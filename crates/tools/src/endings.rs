//! Line endings: text with plain newlines to look at, and the way back to the text as it is.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memmem, memrchr};

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnding {
    /// `\n`
    Lf,
    /// `\r\n`
    Crlf,
    /// `\r`, only in files that have no `\n` at all; elsewhere it is a character like any other.
    Cr,
}

impl LineEnding {
    fn as_str(self) -> &'static str {
        match self {
            LineEnding::Lf => "\n",
            LineEnding::Crlf => "\r\n",
            LineEnding::Cr => "\r",
        }
    }
}

/// A text with plain newlines, and where it had others.
#[derive(Debug)]
pub(crate) struct NormalizedText<'a> {
    /// The text, each line ending a `\n`; the raw one itself where that is so already.
    pub(crate) text: Cow<'a, str>,
    /// The newlines in `text` that were `\r\n`, in order.
    crlf: Vec<usize>,
    is_cr: bool,
}

impl<'a> NormalizedText<'a> {
    pub(crate) fn new(raw: &'a str) -> Self {
        if memchr(b'\r', raw.as_bytes()).is_none() {
            return Self { text: Cow::Borrowed(raw), crlf: Vec::new(), is_cr: false };
        }
        if memchr(b'\n', raw.as_bytes()).is_none() {
            return Self { text: Cow::Owned(raw.replace('\r', "\n")), crlf: Vec::new(), is_cr: true };
        }
        let mut text = String::with_capacity(raw.len());
        let mut crlf = Vec::new();
        let mut done = 0;
        for at in memmem::find_iter(raw.as_bytes(), "\r\n") {
            text.push_str(&raw[done..at]);
            crlf.push(text.len());
            // The `\n` itself comes with the next piece.
            done = at + 1;
        }
        text.push_str(&raw[done..]);
        Self { text: Cow::Owned(text), crlf, is_cr: false }
    }

    /// Where an offset of the plain text lies in the raw one. It is never between `\r` and `\n`.
    pub(crate) fn raw_offset(&self, at: usize) -> usize {
        at + self.crlf.partition_point(|newline| *newline < at)
    }

    /// The ending that most lines have.
    pub(crate) fn dominant(&self) -> LineEnding {
        let all = memchr_iter(b'\n', self.text.as_bytes()).count();
        match self.is_cr {
            true => LineEnding::Cr,
            false if self.crlf.len() * 2 > all => LineEnding::Crlf,
            false => LineEnding::Lf,
        }
    }

    /// The ending of the line at this offset, or of the one before where the text ends without.
    pub(crate) fn near(&self, at: usize) -> LineEnding {
        if self.is_cr {
            return LineEnding::Cr;
        }
        if self.crlf.is_empty() {
            return LineEnding::Lf;
        }
        let (before, after) = self.text.as_bytes().split_at(at);
        match memchr(b'\n', after).map(|offset| at + offset).or_else(|| memrchr(b'\n', before)) {
            Some(newline) if self.crlf.binary_search(&newline).is_ok() => LineEnding::Crlf,
            _ => LineEnding::Lf,
        }
    }
}

/// Text from the model with plain newlines.
pub(crate) fn normalize(text: &str) -> Cow<'_, str> {
    match memchr(b'\r', text.as_bytes()) {
        Some(_) => Cow::Owned(text.replace("\r\n", "\n")),
        None => Cow::Borrowed(text),
    }
}

/// Plain text with these endings.
pub(crate) fn with(text: &str, ending: LineEnding) -> Cow<'_, str> {
    match ending {
        LineEnding::Lf => Cow::Borrowed(text),
        ending => Cow::Owned(text.replace('\n', ending.as_str())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn endings_are_found() {
        for (raw, text, dominant) in [
            ("a\nb\n", "a\nb\n", LineEnding::Lf),
            ("a\r\nb\r\nc\n", "a\nb\nc\n", LineEnding::Crlf),
            ("a\rb", "a\nb", LineEnding::Cr),
            ("a\rb\n", "a\rb\n", LineEnding::Lf),
            ("", "", LineEnding::Lf),
        ] {
            let plain = NormalizedText::new(raw);
            assert_eq!((&*plain.text, plain.dominant()), (text, dominant), "{raw:?}");
        }
        let mixed = NormalizedText::new("a\r\nb\nc");
        assert_eq!([0, 1, 2, 4].map(|at| mixed.near(at)), {
            use LineEnding::{Crlf, Lf};
            [Crlf, Crlf, Lf, Lf]
        });
    }

    proptest! {
        #[test]
        fn offsets_lead_to_the_same_place(raw in "[ab\r\n]{0,40}") {
            let plain = NormalizedText::new(&raw);
            for at in 0..=plain.text.len() {
                let raw_start = &raw[..plain.raw_offset(at)];
                // A prefix has another idea of lone `\r`s than the whole, so compare by words.
                let expected = if plain.is_cr { raw_start.replace('\r', "\n") } else { raw_start.replace("\r\n", "\n") };
                prop_assert_eq!(&plain.text[..at], expected);
            }
        }
    }
}
