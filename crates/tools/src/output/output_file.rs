//! The whole of an output, in a file.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use forelook_disk::{Spool, open_real};
use forelook_protocol::AbsPath;

/// How much of the whole is kept.
const MAX_SPOOL: usize = 64 * 1024 * 1024;
/// A longer line is looked at in pieces.
const MAX_LINE: u64 = 64 * 1024;

/// The file, from the moment it is needed.
pub(crate) struct OutputFile {
    path: AbsPath,
    spool_state: SpoolState,
    /// Bytes in it.
    length: u64,
}

/// What became of it.
enum SpoolState {
    /// It is not needed yet.
    No,
    Growing(Spool),
    /// The limit was reached.
    Full,
    Failed(String),
}

impl OutputFile {
    pub(crate) fn new(path: &AbsPath) -> Self {
        Self { path: path.clone(), spool_state: SpoolState::No, length: 0 }
    }

    pub(crate) fn is_begun(&self) -> bool {
        !matches!(self.spool_state, SpoolState::No)
    }

    /// Begins the file with this.
    pub(crate) fn begin(&mut self, text: &str) {
        let folder = self.path.as_path().parent();
        let made = folder.map_or(Ok(()), forelook_disk::make_private);
        self.spool_state = match made.and_then(|()| Spool::create(&self.path, MAX_SPOOL)) {
            Ok(spool) => SpoolState::Growing(spool),
            Err(error) => SpoolState::Failed(error.to_string()),
        };
        self.write(text);
    }

    /// Adds to it, if it is there. One write to the page cache: not worth a thread of its own.
    pub(crate) fn write(&mut self, text: &str) {
        if let SpoolState::Growing(spool) = &mut self.spool_state {
            match spool.push(text) {
                Ok(true) => self.length += text.len() as u64,
                Ok(false) => self.spool_state = SpoolState::Full,
                Err(error) => self.spool_state = SpoolState::Failed(error.to_string()),
            }
        }
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// What came after so many bytes, if all of it is there.
    pub(crate) fn since(&self, from: u64, drawn: &str) -> Option<UnreadOutput> {
        let (path, drawn) = (self.path.clone(), drawn.to_owned());
        matches!(self.spool_state, SpoolState::Growing(_)).then_some(UnreadOutput::File {
            path,
            from,
            to: self.length,
            drawn,
        })
    }

    /// In words, where it is.
    pub(crate) fn describe_location(&self) -> String {
        match &self.spool_state {
            SpoolState::Failed(error) => format!("the full output could not be saved: {error}"),
            SpoolState::Full => format!("the first {} MiB are in `{}`", MAX_SPOOL / 1024 / 1024, self.path),
            SpoolState::No | SpoolState::Growing(_) => format!("the full output is in `{}`", self.path),
        }
    }
}

/// A part of an output, wherever it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UnreadOutput {
    Text(String),
    /// These bytes of a file, and after them a line that is still drawn.
    File {
        path: AbsPath,
        from: u64,
        to: u64,
        drawn: String,
    },
}

impl UnreadOutput {
    /// Goes through its lines, as long as it is told to. This may read a file.
    pub(crate) fn lines(&self, mut each: impl FnMut(&str) -> ControlFlow<()>) -> io::Result<()> {
        match self {
            Self::Text(text) => {
                let _ = text.lines().try_for_each(each);
                Ok(())
            }
            Self::File { path, from, to, drawn } => {
                // A command may have put a link in its place: that was not its output.
                let mut file = open_real(path)?;
                file.seek(SeekFrom::Start(*from))?;
                let mut rest = BufReader::new(file.take(to - from));
                let mut line = Vec::new();
                while (&mut rest).take(MAX_LINE).read_until(b'\n', &mut line)? > 0 {
                    let text = String::from_utf8_lossy(&line);
                    if each(text.strip_suffix('\n').unwrap_or(&text)).is_break() {
                        return Ok(());
                    }
                    line.clear();
                }
                let _ = drawn.lines().try_for_each(each);
                Ok(())
            }
        }
    }
}
