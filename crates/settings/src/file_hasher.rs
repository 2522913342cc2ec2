//! Hashes a project's files within one budget for all of them.
//!
//! A clone that nobody trusts is read at every start. However many files it names and however large they are, a start must
//! stay quick: so there is one budget of bytes, files and time, and a file that is named twice is read once.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, Instant};

use forelook_disk::{ProjectFiles, ReadError, read_pieces};
use forelook_protocol::{AbsPath, to_hex};
use sha2::{Digest as _, Sha256};

/// Bytes of all files together.
const MAX_BYTES: u64 = 64 << 20;
/// Files that are opened.
const MAX_FILES: usize = 2_000;
/// Time for all that is found out about a project.
const MAX_TIME: Duration = Duration::from_secs(2);

/// Why there is no hash.
#[derive(Debug)]
pub(crate) enum HashError {
    /// The file cannot be read.
    Read(ReadError),
    /// The budget is used up.
    TooMuch,
}

/// What is left of the budget, and what is known already.
#[derive(Debug)]
pub(crate) struct FileHasher {
    bytes: u64,
    files: usize,
    began: Instant,
    /// By device and number.
    known: HashMap<(u64, u64), String>,
}

impl FileHasher {
    #[expect(
        clippy::disallowed_methods,
        reason = "how long it takes is part of the budget; it decides nothing else"
    )]
    pub(crate) fn new() -> Self {
        Self { bytes: MAX_BYTES, files: MAX_FILES, began: Instant::now(), known: HashMap::new() }
    }

    /// Whether the time is over.
    pub(crate) fn is_late(&self) -> bool {
        self.began.elapsed() > MAX_TIME
    }

    /// The hash of a file's contents, and where the file really is.
    pub(crate) fn hash(
        &mut self,
        files: &ProjectFiles,
        path: &AbsPath,
    ) -> Result<(String, AbsPath), HashError> {
        if self.is_late() {
            return Err(HashError::TooMuch);
        }
        let (file, real) = files.open_file(path).map_err(HashError::Read)?;
        let about = file.metadata().map_err(|error| HashError::Read(error.into()))?;
        let identity = (about.dev(), about.ino());
        if let Some(known) = self.known.get(&identity) {
            return Ok((known.clone(), real));
        }
        self.files = self.files.checked_sub(1).ok_or(HashError::TooMuch)?;
        let mut hasher = Sha256::new();
        let read =
            read_pieces(&file, self.bytes, |piece| hasher.update(piece)).map_err(|error| match error {
                ReadError::TooLarge { .. } | ReadError::TooSlow => HashError::TooMuch,
                error => HashError::Read(error),
            })?;
        self.bytes -= read;
        let hash = to_hex(&hasher.finalize());
        self.known.insert(identity, hash.clone());
        Ok((hash, real))
    }
}

/// The hash of these bytes.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    to_hex(&Sha256::digest(bytes))
}
