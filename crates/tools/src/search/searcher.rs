//! Looks into one file after the other, with the same buffers.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use forelook_disk::open_real;
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};

use super::stop::StopFlag;

/// What most files fit in. The searcher's own buffer has this size, so that what is binary is seen alike.
const BUFFER: usize = 64 * 1024;
/// Bytes of a line, or in multiline mode of a file: both must be in memory whole.
const MAX_HEAP: usize = 128 * 1024 * 1024;

/// What is looked for.
#[derive(Debug, Clone)]
pub(crate) struct SearchQuery {
    pub(crate) matcher: RegexMatcher,
    pub(crate) multiline: bool,
    /// Whether a file that was named itself is searched: then it counts even if it is binary.
    pub(crate) named: bool,
}

impl SearchQuery {
    /// The settings of a searcher. No memory maps: a file that shrinks meanwhile would end the program.
    pub(crate) fn settings(&self) -> SearcherBuilder {
        let mut settings = SearcherBuilder::new();
        let binary = if self.named { BinaryDetection::convert(0) } else { BinaryDetection::quit(0) };
        settings
            .line_number(false)
            .multi_line(self.multiline)
            .heap_limit(Some(MAX_HEAP))
            .binary_detection(binary);
        if let Some(end) = self.matcher.line_terminator() {
            settings.line_terminator(end);
        }
        settings
    }
}

/// How much of a file is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountMode {
    /// Whether it has a match at all.
    Any,
    /// How many it has.
    Count,
}

/// One worker's searcher and buffer.
pub(crate) struct FileSearcher {
    matcher: Arc<RegexMatcher>,
    multiline: bool,
    searcher: Searcher,
    buffer: Box<[u8]>,
    stop: StopFlag,
}

/// What a file has.
#[derive(Debug, Default)]
pub(crate) struct FileMatches {
    pub(crate) matches: u64,
    pub(crate) binary: bool,
}

impl FileSearcher {
    pub(crate) fn new(query: &SearchQuery, settings: &SearcherBuilder, stop: &StopFlag) -> Self {
        Self {
            // A clone of its own: a shared one would be fought over.
            matcher: Arc::new(query.matcher.clone()),
            multiline: query.multiline,
            searcher: settings.build(),
            buffer: vec![0; BUFFER].into_boxed_slice(),
            stop: stop.clone(),
        }
    }

    /// Counts the matches of a file. Returns the open file if there is one, for who wants to know more of it.
    pub(crate) fn count(&mut self, path: &Path, mode: CountMode) -> io::Result<(FileMatches, File)> {
        let matcher = Arc::clone(&self.matcher);
        let each = (self.multiline && mode == CountMode::Count).then_some(&*matcher);
        let mut sink = CountSink { mode, each, found: FileMatches::default() };
        let file = self.search(path, &mut sink)?;
        Ok((sink.found, file))
    }

    /// Searches a file.
    pub(crate) fn search<S: Sink<Error = io::Error>>(&mut self, path: &Path, sink: S) -> io::Result<File> {
        // The path has no links, or it would not have been decided on or found. Should a pipe have come into its place, or
        // a link into its way, neither is waited for nor followed.
        let mut file = open_real(path).map_err(io::Error::from)?;
        let (length, ended) = fill(&mut file, &mut self.buffer)?;
        let (matcher, begin) = (&*self.matcher, &self.buffer[..length]);
        if ended {
            // Saves the searcher's own reads and copies; most files are this small.
            self.searcher.search_slice(matcher, begin, sink)?;
        } else {
            let rest = StoppableFile { file: &file, stop: &self.stop };
            self.searcher.search_reader(matcher, begin.chain(rest), sink)?;
        }
        Ok(file)
    }
}

/// Reads until the buffer is full or the file ends, and says which.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<(usize, bool)> {
    let mut length = 0;
    while let Some(room) = buffer.get_mut(length..).filter(|room| !room.is_empty()) {
        match file.read(room) {
            Ok(0) => return Ok((length, true)),
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok((length, false))
}

/// A large file that is no longer read on when nobody waits for it.
struct StoppableFile<'a> {
    file: &'a File,
    stop: &'a StopFlag,
}

impl Read for StoppableFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_set() {
            return Ok(0);
        }
        self.file.read(buffer)
    }
}

/// Counts matches.
struct CountSink<'a> {
    mode: CountMode,
    /// In multiline mode neighbouring matches come together; this tells them apart.
    each: Option<&'a RegexMatcher>,
    found: FileMatches,
}

impl Sink for CountSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.found.matches += self.each.map_or(1, |matcher| count_each(matcher, found));
        Ok(self.mode == CountMode::Count)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.found.binary = true;
        Ok(true)
    }
}

/// Matches in one part of a file, at least one.
pub(super) fn count_each(matcher: &RegexMatcher, found: &SinkMatch<'_>) -> u64 {
    let range = found.bytes_range_in_buffer();
    // To its end only, but from the beginning: an anchor may look at what comes before.
    let Some(text) = found.buffer().get(..range.end) else { return 1 };
    let mut count = 0;
    let counted = matcher.find_iter_at(text, range.start, |_| {
        count += 1;
        true
    });
    if counted.is_ok() { count.max(1) } else { 1 }
}

/// When a file was changed: seconds and nanoseconds.
pub(crate) fn mtime(meta: io::Result<std::fs::Metadata>) -> (i64, i64) {
    meta.map_or((0, 0), |meta| (meta.mtime(), meta.mtime_nsec()))
}
