//! Line endings: text with plain newlines to look at, and the way back to the text as it is.

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
pub(crate) struct Plain {
    /// The text, each line ending a `\n`.
    pub(crate) text: String,
    /// The newlines in `text` that were `\r\n`, in order.
    crlf: Vec<usize>,
    is_cr: bool,
}

impl Plain {
    pub(crate) fn new(raw: &str) -> Self {
        let is_cr = raw.contains('\r') && !raw.contains('\n');
        if is_cr {
            return Self { text: raw.replace('\r', "\n"), crlf: Vec::new(), is_cr };
        }
        let mut text = String::with_capacity(raw.len());
        let mut crlf = Vec::new();
        for (number, piece) in raw.split("\r\n").enumerate() {
            if number > 0 {
                crlf.push(text.len());
                text.push('\n');
            }
            text.push_str(piece);
        }
        Self { text, crlf, is_cr }
    }

    /// Where an offset of the plain text lies in the raw one. It is never between `\r` and `\n`.
    pub(crate) fn raw_offset(&self, at: usize) -> usize {
        at + self.crlf.partition_point(|newline| *newline < at)
    }

    /// The ending that most lines have.
    pub(crate) fn dominant(&self) -> LineEnding {
        let all = self.text.bytes().filter(|byte| *byte == b'\n').count();
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
        let after = self.text[at..].find('\n').map(|offset| at + offset);
        match after.or_else(|| self.text[..at].rfind('\n')) {
            Some(newline) if self.crlf.binary_search(&newline).is_ok() => LineEnding::Crlf,
            _ => LineEnding::Lf,
        }
    }
}

/// Text from the model with plain newlines.
pub(crate) fn plain(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Plain text with these endings.
pub(crate) fn with(text: &str, ending: LineEnding) -> String {
    match ending {
        LineEnding::Lf => text.to_owned(),
        ending => text.replace('\n', ending.as_str()),
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
            let plain = Plain::new(raw);
            assert_eq!((plain.text.as_str(), plain.dominant()), (text, dominant), "{raw:?}");
        }
        let mixed = Plain::new("a\r\nb\nc");
        assert_eq!([0, 1, 2, 4].map(|at| mixed.near(at)), {
            use LineEnding::{Crlf, Lf};
            [Crlf, Crlf, Lf, Lf]
        });
    }

    proptest! {
        #[test]
        fn offsets_lead_to_the_same_place(raw in "[ab\r\n]{0,40}") {
            let plain = Plain::new(&raw);
            for at in 0..=plain.text.len() {
                let raw_start = &raw[..plain.raw_offset(at)];
                // A prefix has another idea of lone `\r`s than the whole, so compare by words.
                let expected = if plain.is_cr { raw_start.replace('\r', "\n") } else { raw_start.replace("\r\n", "\n") };
                prop_assert_eq!(&plain.text[..at], expected);
            }
        }
    }
}
