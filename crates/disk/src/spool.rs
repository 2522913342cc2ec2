//! A long output that grows while it comes.
//!
//! Not an [`crate::Appender`]: its promise of whole lines costs a system call a line, and nothing depends on the last
//! bytes of an output that was too long to be shown.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use forelook_protocol::AbsPath;
use rustix::fs::OFlags;

use crate::DiskError;
use crate::file_target::FileTarget;

/// A file (0600) that grows up to a limit.
#[derive(Debug)]
pub struct Spool {
    file: File,
    path: PathBuf,
    room: usize,
}

impl Spool {
    /// Begins an empty file that may grow to `room` bytes, at its real path: no link is followed.
    pub fn create(path: &AbsPath, room: usize) -> Result<Self, DiskError> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE;
        let file = FileTarget::at(path)?.open_with(flags, 0o600)?;
        file.set_len(0).map_err(DiskError::of("write", path.as_path()))?;
        Ok(Self { file, path: path.as_path().to_path_buf(), room })
    }

    /// Adds text, cut between characters; `false` when the limit is reached.
    pub fn push(&mut self, text: &str) -> Result<bool, DiskError> {
        let end = text.floor_char_boundary(self.room.min(text.len()));
        let written = self.file.write_all(&text.as_bytes()[..end]);
        written.map_err(|error| DiskError::new("write", &self.path, error))?;
        self.room = if end < text.len() { 0 } else { self.room - end };
        Ok(end == text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spool_stops_at_its_limit_between_characters() {
        let folder = tempfile::tempdir().unwrap();
        let path = AbsPath::new(folder.path().canonicalize().unwrap().join("spool")).unwrap();
        let mut spool = Spool::create(&path, 6).unwrap();
        let pushed: Vec<bool> = ["abc", "ééé", "x"].iter().map(|text| spool.push(text).unwrap()).collect();
        assert_eq!(pushed, [true, false, false]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "abcé");
        std::os::unix::fs::symlink(&path, folder.path().join("link")).unwrap();
        let link = AbsPath::new(path.parent().unwrap().join("link")).unwrap();
        assert!(matches!(Spool::create(&link, 6), Err(DiskError::Links { .. })));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "abcé");
    }
}
