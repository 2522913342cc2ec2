//! A long output: its head and tail in memory, the whole in a file.

use std::path::PathBuf;

use forelook_protocol::AbsPath;

use crate::clean::Cleaner;
use forelook_disk::Spool;

/// Characters of the beginning and of the end that the model reads: 30,000 in all. The end is where errors
/// and sums stand, so it gets more.
const HEAD: usize = 10_000;
const TAIL: usize = 20_000;
/// How much of the whole is kept in a file.
const MAX_SPOOL: usize = 64 * 1024 * 1024;

/// Collects what a program writes.
pub(crate) struct Collector {
    cleaner: Cleaner,
    /// The beginning; as long as nothing is cut, everything.
    head: String,
    head_chars: usize,
    /// The end of what came after `head`; trimmed now and then, not at every push.
    tail: String,
    /// Characters in all.
    total: usize,
    path: PathBuf,
    saved: Saved,
}

/// What became of the file with the whole output.
enum Saved {
    /// It is not needed yet.
    No,
    Growing(Spool),
    /// The limit was reached.
    Full,
    Failed(String),
}

impl Collector {
    /// Collects; should something be cut, the whole goes to `path`.
    pub(crate) fn new(path: &AbsPath) -> Self {
        Self {
            cleaner: Cleaner::default(),
            head: String::new(),
            head_chars: 0,
            tail: String::new(),
            total: 0,
            path: path.as_path().to_path_buf(),
            saved: Saved::No,
        }
    }

    /// Takes bytes and returns them as plain text.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        let text = self.cleaner.push(bytes);
        self.add(&text);
        text
    }

    fn add(&mut self, text: &str) {
        let chars = text.chars().count();
        self.total += chars;
        self.save(text);
        let room = HEAD - self.head_chars;
        let split = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
        self.head.push_str(&text[..split]);
        self.head_chars += chars.min(room);
        self.tail.push_str(&text[split..]);
        // A character has at most four bytes, so this holds at least `TAIL` of them twice over.
        if self.tail.len() > 8 * TAIL {
            self.tail.drain(..last_chars(&self.tail, TAIL));
        }
    }

    /// Adds to the file, which begins with all there was before when the limit is passed.
    fn save(&mut self, text: &str) {
        if self.total > HEAD + TAIL && matches!(self.saved, Saved::No) {
            self.saved = match Spool::create(&self.path, MAX_SPOOL) {
                Ok(spool) => Saved::Growing(spool),
                Err(error) => Saved::Failed(error.to_string()),
            };
            let before = format!("{}{}", self.head, self.tail);
            self.write(&before);
        }
        self.write(text);
    }

    /// One write to the page cache: not worth a thread of its own.
    fn write(&mut self, text: &str) {
        if let Saved::Growing(spool) = &mut self.saved {
            match spool.push(text) {
                Ok(true) => {}
                Ok(false) => self.saved = Saved::Full,
                Err(error) => self.saved = Saved::Failed(error.to_string()),
            }
        }
    }

    /// The text for the model.
    pub(crate) fn finish(mut self) -> String {
        let rest = self.cleaner.finish();
        self.add(&rest);
        if self.total <= HEAD + TAIL {
            return self.head + &self.tail;
        }
        let tail = &self.tail[last_chars(&self.tail, TAIL)..];
        let cut = self.total - HEAD - TAIL;
        let path = self.path.display();
        let whole = match &self.saved {
            Saved::Failed(error) => format!("the whole output could not be saved: {error}"),
            Saved::Full => format!("its first {} MiB are in `{path}`", MAX_SPOOL / 1024 / 1024),
            Saved::No | Saved::Growing(_) => format!("the whole output is in `{path}`"),
        };
        format!("{}\n\n[… {cut} characters are left out here; {whole} …]\n\n{tail}", self.head)
    }
}

/// Where the last `count` characters begin.
fn last_chars(text: &str, count: usize) -> usize {
    text.char_indices().rev().nth(count.saturating_sub(1)).map_or(0, |(at, _)| at)
}

/// The beginning of a text, with a note of what was cut.
pub(crate) fn shorten(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… [+{} characters]", &text[..end], text[end..].chars().count()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(pieces: &[&str]) -> (String, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = AbsPath::new(folder.path()).unwrap().join("whole");
        let mut collector = Collector::new(&path);
        for piece in pieces {
            collector.push(piece.as_bytes());
        }
        (collector.finish(), std::fs::read_to_string(path).ok())
    }

    #[test]
    fn short_output_is_whole_and_makes_no_file() {
        let exact = "é".repeat(HEAD + TAIL);
        for pieces in [&["a", "b\n"][..], &[], &[&exact]] {
            assert_eq!(collect(pieces), (pieces.concat(), None));
        }
    }

    #[test]
    fn long_output_keeps_head_and_tail_and_is_whole_in_its_file() {
        let line = "é123456789\n";
        let all = line.repeat(50_000);
        for pieces in [vec![all.as_str()], vec![line; 50_000]] {
            let (text, file) = collect(&pieces);
            assert_eq!(file.as_deref(), Some(all.as_str()));
            assert!(text.starts_with(line) && text.ends_with(line));
            assert!(text.contains("520000 characters are left out here"), "{text}");
            assert!(text.chars().count() < HEAD + TAIL + 300);
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_is_told() {
        let mut collector = Collector::new(&AbsPath::new("/nowhere/at/all").unwrap());
        collector.push(&vec![b'x'; 100_000]);
        assert!(collector.finish().contains("could not be saved"));
    }
}
