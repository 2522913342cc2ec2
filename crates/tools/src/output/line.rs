//! The line that is being drawn: programs draw it again and again to show how far they are, and its last state counts.

use crate::clean::{AGAIN, BACK};

/// A longer line is nobody's progress bar; what is there of it is settled.
const MAX_LINE: usize = 64 * 1024;

/// The last line of an output.
#[derive(Debug, Default)]
pub(crate) struct LineBuffer {
    /// What is drawn and can still change.
    drawn: String,
    /// Something before `drawn` is settled.
    begun: bool,
    /// What comes next takes the place of what is drawn.
    again: bool,
    /// What comes next takes the place of so many characters.
    back: usize,
}

impl LineBuffer {
    /// Draws, and returns what cannot change any more.
    pub(crate) fn push(&mut self, text: &str) -> String {
        let mut flushed = String::new();
        if !is_drawn(text) {
            self.plain(text, &mut flushed);
            return flushed;
        }
        for piece in text.split_inclusive([AGAIN, BACK]) {
            let (plain, mark) = match piece.chars().next_back() {
                Some(mark @ (AGAIN | BACK)) => (&piece[..piece.len() - mark.len_utf8()], Some(mark)),
                _ => (piece, None),
            };
            self.plain(plain, &mut flushed);
            match mark {
                Some(AGAIN) => (self.again, self.back) = (true, 0),
                Some(_) => self.back += 1,
                None => {}
            }
        }
        flushed
    }

    fn plain(&mut self, text: &str, flushed: &mut String) {
        let Some(first) = text.chars().next() else { return };
        let (again, back) = (std::mem::take(&mut self.again), std::mem::take(&mut self.back));
        if first != '\n' && again {
            // What is settled cannot be taken back: it stays as a line.
            if std::mem::take(&mut self.begun) {
                flushed.push_str(&self.drawn);
                flushed.push('\n');
            }
            self.drawn.clear();
        } else if first != '\n' && back > 0 {
            let keep = self.drawn.char_indices().rev().nth(back - 1).map_or(0, |(at, _)| at);
            self.drawn.truncate(keep);
        }
        match text.rfind('\n') {
            None => self.drawn.push_str(text),
            Some(end) => {
                flushed.push_str(&self.drawn);
                flushed.push_str(&text[..=end]);
                self.drawn.clear();
                self.drawn.push_str(&text[end + 1..]);
                self.begun = false;
            }
        }
        if self.drawn.len() > MAX_LINE {
            flushed.push_str(&self.flush());
        }
    }

    /// What is drawn, settled as it is.
    pub(crate) fn flush(&mut self) -> String {
        self.begun |= !self.drawn.is_empty();
        std::mem::take(&mut self.drawn)
    }

    /// What is drawn and can still change.
    pub(crate) fn drawn(&self) -> &str {
        &self.drawn
    }
}

/// Whether there is more to do than to write it down. Each search is a fast one; one for both would not be.
pub(crate) fn is_drawn(text: &str) -> bool {
    [AGAIN, BACK].iter().any(|mark| text.as_bytes().contains(&(*mark as u8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_state_of_a_line_counts() {
        for (pieces, expected) in [
            (&["a\nb", "c\nd"][..], "a\nbc\nd"),
            (&["10%\r", "20%\r100%", "\ndone\n"], "100%\ndone\n"),
            (&["long line\rshort\n"], "short\n"),
            (&["kept\r", "\nnext"], "kept\nnext"),
            (&["-\x08\\\x08|\x08", "/ done\n"], "/ done\n"),
            (&["50%\x08\x08\x08", "60%\x08\x08\x08\n"], "60%\n"),
            (&["é\x08\x08\x08x"], "x"),
            (&["a\nb\x08\x08\x08c"], "a\nc"),
        ] {
            let mut line = LineBuffer::default();
            let mut all: String = pieces.iter().map(|piece| line.push(piece)).collect();
            all.push_str(&line.flush());
            assert_eq!(all, expected, "{pieces:?}");
        }
    }

    #[test]
    fn what_was_settled_stays() {
        let mut line = LineBuffer::default();
        assert_eq!(line.push("10%\r20%"), "");
        assert_eq!(line.flush(), "20%");
        assert_eq!(line.push("\r30%\r40%\n"), "\n40%\n");
        let long = "x".repeat(MAX_LINE + 1);
        assert_eq!(line.push(&long), long);
        assert_eq!(line.drawn(), "");
    }
}
