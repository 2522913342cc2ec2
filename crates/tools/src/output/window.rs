//! What came since the last look: the beginning and the end of it.

/// Characters of the beginning and of the end that the model reads: 30,000 in all. The end is where errors
/// and sums stand, so it gets more.
pub(crate) const HEAD: usize = 10_000;
pub(crate) const TAIL: usize = 20_000;

/// A part of an output.
#[derive(Debug, Default)]
pub(crate) struct Window {
    /// The beginning; as long as nothing is cut, everything.
    head: String,
    head_chars: usize,
    /// The end of what came after `head`; trimmed now and then, not at every push.
    tail: String,
    tail_chars: usize,
    /// Characters in all.
    total: usize,
    /// How many bytes of the whole came before it.
    began: u64,
}

impl Window {
    /// An empty one that begins after so many bytes of the whole.
    pub(crate) fn from(began: u64) -> Self {
        Self { began, ..Self::default() }
    }

    /// Adds to its end.
    pub(crate) fn add(&mut self, text: &str) {
        let chars = text.chars().count();
        self.total += chars;
        let room = HEAD - self.head_chars;
        let split = if chars <= room { text.len() } else { nth_char(text, room) };
        self.head.push_str(&text[..split]);
        self.head_chars += chars.min(room);
        self.tail.push_str(&text[split..]);
        self.tail_chars += chars.saturating_sub(room);
        // A character has at most four bytes, so this holds at least `TAIL` of them twice over.
        if self.tail.len() > 8 * TAIL {
            self.tail.drain(..self.tail_begin());
            self.tail_chars = TAIL;
        }
    }

    /// How many bytes of the whole came before it.
    pub(crate) fn began(&self) -> u64 {
        self.began
    }

    /// Whether something would be left out with this.
    pub(crate) fn would_be_cut(&self, text: &str) -> bool {
        self.total + text.chars().count() > HEAD + TAIL
    }

    /// Whether something is left out of [`Window::report`].
    pub(crate) fn is_cut(&self) -> bool {
        self.total > HEAD + TAIL
    }

    /// All of it, as long as it is not cut.
    pub(crate) fn text(&self) -> String {
        format!("{}{}", self.head, self.tail)
    }

    /// What the model reads; `whole` says where the rest is.
    pub(crate) fn report(&self, whole: &str) -> String {
        if !self.is_cut() {
            return self.text();
        }
        let tail = &self.tail[self.tail_begin()..];
        let cut = self.total - HEAD - TAIL;
        format!("{}\n\n[… {cut} characters left out here; {whole} …]\n\n{tail}", self.head)
    }

    /// Where the last `TAIL` characters begin.
    fn tail_begin(&self) -> usize {
        // The usual case, and far quicker: a byte each.
        if self.tail.len() == self.tail_chars {
            return self.tail.len().saturating_sub(TAIL);
        }
        self.tail.char_indices().rev().nth(TAIL - 1).map_or(0, |(at, _)| at)
    }

    #[cfg(test)]
    pub(crate) fn buffered_bytes(&self) -> usize {
        self.head.len() + self.tail.len()
    }
}

fn nth_char(text: &str, count: usize) -> usize {
    text.char_indices().nth(count).map_or(text.len(), |(at, _)| at)
}
