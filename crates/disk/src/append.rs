//! A file of lines to which whole lines are added: a line is there completely or not at all.
//!
//! After a kill the last line can be torn (the kernel may stop a write between two pages); opening the
//! file again cuts that piece off. While the program runs, a write that fails is taken back at once.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::OFlags;

use crate::file_target::FileTarget;
use crate::{DiskError, resolve};

/// How much is read at once when looking for the last newline: longer than most lines.
const BLOCK: u64 = 64 * 1024;

/// How long an incomplete last line may be to be cut off. What is longer is damage rather than a write that was stopped:
/// it stays, and nobody has to hold it.
const MAX_TORN: u64 = 16 * 1024 * 1024;

/// A file of lines, open at its end. There must be one at a time for a file: hold a [`crate::FileLock`].
#[derive(Debug)]
pub struct Appender {
    file: Arc<File>,
    syncer: Arc<Syncer>,
    path: PathBuf,
    /// The end of the last whole line.
    length: u64,
    /// A failed write could not be taken back: bytes of it may stand after `length`.
    dirty: bool,
    /// Somebody else wrote to the file, or cut it.
    changed: bool,
}

/// Where the file of an [`Appender`] is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileLocation {
    /// At its path, as far as can be told.
    InPlace,
    /// At its path, but somebody else has written to it, or cut it.
    Changed,
    /// Somewhere else: it, or a folder above it, was moved.
    Moved,
    /// Nowhere: it was removed, and what is written to it is gone when it is closed.
    Removed,
}

/// A last line without its newline, which was cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornTail {
    /// Where it began.
    pub offset: u64,
    /// What there was of it.
    pub bytes: Vec<u8>,
}

impl Appender {
    /// Makes a new, empty file (0600); refuses if there is one.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, DiskError> {
        let path = path.into();
        // Also for reading: should the file lose its name, there is no other way to its lines.
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL;
        let file = FileTarget::named(&path)?.open_with(flags, 0o600)?;
        Ok(Self::at(file, path, 0))
    }

    fn at(file: File, path: PathBuf, length: u64) -> Self {
        let file = Arc::new(file);
        let syncer =
            Syncer { file: Arc::clone(&file), folder_sync_pending: Mutex::new(true), path: path.clone() };
        Self { file, syncer: Arc::new(syncer), path, length, dirty: false, changed: false }
    }

    /// Opens a file at its end. A last line without a newline is cut off and handed back, unless it is too long.
    pub fn open(path: impl Into<PathBuf>) -> Result<(Self, Option<TornTail>), DiskError> {
        Self::open_completing(path, |_| false)
    }

    /// Like [`Appender::open`], but a last line that is to stay, by the judgement of `stays`, gets the newline that it
    /// lacks: it is whole without it, or it is worth keeping although nobody can read it.
    pub fn open_completing(
        path: impl Into<PathBuf>,
        stays: impl FnOnce(&[u8]) -> bool,
    ) -> Result<(Self, Option<TornTail>), DiskError> {
        let path = path.into();
        let file = match FileTarget::at(&resolve(&path)?) {
            Err(DiskError::NoFolder { .. }) => return Err(DiskError::Missing { path }),
            place => place?.open_with(OFlags::RDWR | OFlags::APPEND, 0)?,
        };
        let found = file.metadata().map_err(DiskError::of("inspect", &path))?;
        let bytes = tail(&file, found.len()).map_err(DiskError::of("read", &path))?;
        let Some(bytes) = bytes.filter(|bytes| bytes.is_empty() || !stays(bytes)) else {
            let mut appender = Self::at(file, path, found.len());
            appender.write_or_roll_back(b"\n")?;
            return Ok((appender, None));
        };
        let offset = found.len() - bytes.len() as u64;
        let mut appender = Self::at(file, path, offset);
        if bytes.is_empty() {
            return Ok((appender, None));
        }
        appender.roll_back().map_err(DiskError::of("remove the incomplete end of", &appender.path))?;
        Ok((appender, Some(TornTail { offset, bytes })))
    }

    /// Adds a line with one write; the newline is added here.
    ///
    /// On an error nothing of the line stays in the file, and the next one can be tried.
    pub fn append_line(&mut self, line: &[u8]) -> Result<(), DiskError> {
        self.append_lines(&[line])
    }

    /// Adds lines with one write: all of them, or on an error none.
    pub fn append_lines(&mut self, lines: &[impl AsRef<[u8]>]) -> Result<(), DiskError> {
        // One buffer and one `write`, not `writev`: the copy costs nothing beside the call, and whoever
        // traces the program sees a line as one plain write.
        let mut bytes = Vec::new();
        for line in lines.iter().map(AsRef::as_ref) {
            if line.contains(&b'\n') {
                return Err(DiskError::InnerNewline { path: self.path.clone() });
            }
            bytes.extend_from_slice(line);
            bytes.push(b'\n');
        }
        if self.dirty {
            self.roll_back().map_err(DiskError::of("repair the end of", &self.path))?;
        }
        if self.ends_inside_line() {
            bytes.insert(0, b'\n');
        }
        self.write_or_roll_back(&bytes)
    }

    /// Looks whether the file is as we left it. What somebody else did to it stays: nobody knows what it is good for. But our
    /// lines must not become part of theirs, and taking back one of ours must not take theirs with it.
    fn ends_inside_line(&mut self) -> bool {
        let Ok(found) = self.file.metadata() else { return false };
        if found.len() == self.length {
            return false;
        }
        (self.length, self.changed) = (found.len(), true);
        let mut last = [b'\n'];
        let read = found.len().checked_sub(1).map(|at| self.file.read_exact_at(&mut last, at));
        matches!(read, Some(Ok(()))) && last != [b'\n']
    }

    fn write_or_roll_back(&mut self, bytes: &[u8]) -> Result<(), DiskError> {
        // `write_all` writes on after a short write, and so comes to the error that caused it.
        match (&*self.file).write_all(bytes) {
            Ok(()) => {
                self.length += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                // The error of the write is the one to tell; `dirty` makes the next line try again.
                let _ = self.roll_back();
                Err(DiskError::new("write", &self.path, error))
            }
        }
    }

    fn roll_back(&mut self) -> io::Result<()> {
        self.dirty = true;
        self.file.set_len(self.length)?;
        self.dirty = false;
        Ok(())
    }

    /// Where the file is now, and whether it is ours alone: two system calls.
    pub fn location(&self) -> FileLocation {
        let Ok(ours) = self.file.metadata() else { return FileLocation::InPlace };
        let is_ours = match std::fs::metadata(&self.path) {
            Ok(there) => (there.dev(), there.ino()) == (ours.dev(), ours.ino()),
            // A folder that we may not look into any more, or a disk that does not answer, tells nothing.
            Err(error) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
        };
        match (is_ours, ours.nlink()) {
            (true, _) if self.changed => FileLocation::Changed,
            (true, _) => FileLocation::InPlace,
            (false, 0) => FileLocation::Removed,
            (false, _) => FileLocation::Moved,
        }
    }

    /// A handle with which another thread can read the lines, wherever the file is.
    pub fn reader(&self) -> LineReader {
        LineReader { file: Arc::clone(&self.file) }
    }

    /// A handle with which another thread can bring the lines to the disk. There is one: what it has done once is done.
    pub fn syncer(&self) -> Arc<Syncer> {
        Arc::clone(&self.syncer)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How long it is, in bytes; always the end of a whole line.
    pub fn length(&self) -> u64 {
        self.length
    }
}

/// Reads what was appended, from any thread.
#[derive(Debug, Clone)]
pub struct LineReader {
    file: Arc<File>,
}

impl LineReader {
    /// Everything up to now, from the start.
    pub fn stream(&self) -> LineStream<'_> {
        LineStream { file: &self.file, at: 0 }
    }
}

/// The bytes of a file that is being appended to.
#[derive(Debug)]
pub struct LineStream<'a> {
    file: &'a File,
    at: u64,
}

impl Read for LineStream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        // By position: the file's own is where the next line goes.
        let count = self.file.read_at(into, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// Brings what was appended to the disk itself, from any thread.
#[derive(Debug)]
pub struct Syncer {
    file: Arc<File>,
    /// Whether the folder is to be synced, once: else a power cut could lose the name of a file whose
    /// content is safe. Left to here, so that creating a file waits for nothing; done for opened files
    /// too, since whoever created them may have been killed before.
    folder_sync_pending: Mutex<bool>,
    path: PathBuf,
}

impl Syncer {
    /// Returns when every line appended before the call would survive a power cut.
    pub fn sync_data(&self) -> Result<(), DiskError> {
        self.file.sync_data().map_err(DiskError::of("sync", &self.path))?;
        let mut folder_sync_pending = self.folder_sync_pending.lock().unwrap_or_else(PoisonError::into_inner);
        if *folder_sync_pending {
            self.sync_folder()?;
            *folder_sync_pending = false;
        }
        Ok(())
    }

    fn sync_folder(&self) -> Result<(), DiskError> {
        match self.path.parent().map(File::open).transpose() {
            Ok(None) => Ok(()),
            Ok(Some(folder)) => folder.sync_all().map_err(DiskError::of("sync the folder of", &self.path)),
            // A folder that we may write but not read cannot be synced; the lines can.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
            Err(error) => Err(DiskError::new("open the folder of", &self.path, error)),
        }
    }
}

/// What stands after the last newline; nothing if that is longer than [`MAX_TORN`]. Only the end of the file is read,
/// however long it is.
fn tail(file: &File, length: u64) -> io::Result<Option<Vec<u8>>> {
    let mut start = length;
    let mut blocks: Vec<Vec<u8>> = Vec::new();
    while start > 0 {
        if length - start > MAX_TORN {
            return Ok(None);
        }
        let size = BLOCK.min(start);
        start -= size;
        let mut block = vec![0; size as usize];
        file.read_exact_at(&mut block, start)?;
        let newline = block.iter().rposition(|byte| *byte == b'\n');
        blocks.push(block.split_off(newline.map_or(0, |at| at + 1)));
        if newline.is_some() {
            break;
        }
    }
    blocks.reverse();
    Ok(Some(blocks.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_new_file_is_private_and_never_an_old_one() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lines");
        let mut appender = Appender::create(&path).unwrap();
        appender.append_line(b"one").unwrap();
        let syncer = appender.syncer();
        std::thread::spawn(move || syncer.sync_data().and_then(|()| syncer.sync_data()))
            .join()
            .unwrap()
            .unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(matches!(Appender::create(&path), Err(DiskError::Exists { .. })));
        assert!(matches!(Appender::create(home.path().join("no/lines")), Err(DiskError::NoFolder { .. })));
        assert!(matches!(Appender::open(home.path().join("none")), Err(DiskError::Missing { .. })));
        assert!(matches!(Appender::open(home.path()), Err(DiskError::NotAFile { .. })));
        assert_eq!(std::fs::read(&path).unwrap(), b"one\n");
    }

    #[test]
    fn an_inner_newline_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let mut appender = Appender::create(home.path().join("lines")).unwrap();
        assert!(matches!(appender.append_line(b"a\nb"), Err(DiskError::InnerNewline { .. })));
        assert_eq!(appender.length(), 0);
    }

    #[test]
    fn a_line_that_only_lacks_its_newline_can_stay() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lines");
        std::fs::write(&path, "one\ntwo").unwrap();
        let (mut appender, torn) = Appender::open_completing(&path, |line| line == b"two").unwrap();
        assert_eq!(torn, None);
        appender.append_line(b"three").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one\ntwo\nthree\n");
    }

    #[test]
    fn a_torn_line_longer_than_a_block_is_found() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lines");
        let torn = vec![b'x'; BLOCK as usize * 3 + 17];
        std::fs::write(&path, [b"one\n", torn.as_slice()].concat()).unwrap();
        let (_, found) = Appender::open(&path).unwrap();
        assert_eq!(found, Some(TornTail { offset: 4, bytes: torn }));
        assert_eq!(std::fs::read(&path).unwrap(), b"one\n");
    }

    #[test]
    fn an_end_that_is_too_long_for_a_torn_line_stays_and_is_not_held() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lines");
        std::fs::write(&path, "one\n").unwrap();
        // A hole: read, it would be more than there is memory.
        let length = 1 << 40;
        File::options().append(true).open(&path).unwrap().set_len(length).unwrap();
        let (mut appender, torn) = Appender::open(&path).unwrap();
        assert_eq!((torn, appender.length()), (None, length + 1));
        appender.append_line(b"two").unwrap();
        let mut end = [0; 6];
        File::open(&path).unwrap().read_exact_at(&mut end, length - 1).unwrap();
        assert_eq!(&end, b"\0\ntwo\n");
    }

    #[test]
    fn a_file_that_lost_its_place_is_known_and_can_be_read() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("deep/lines");
        for (change, location) in [
            ("true", FileLocation::InPlace),
            ("mv deep away", FileLocation::Moved),
            ("mv deep away; mkdir deep; touch deep/lines", FileLocation::Moved),
            ("rm -r deep", FileLocation::Removed),
            ("rm -r deep; touch deep", FileLocation::Removed),
            ("rm deep/lines; touch deep/lines", FileLocation::Removed),
        ] {
            std::fs::create_dir(home.path().join("deep")).unwrap();
            let mut appender = Appender::create(&path).unwrap();
            let mut shell = std::process::Command::new("sh");
            assert!(shell.args(["-c", change]).current_dir(home.path()).status().unwrap().success());
            appender.append_line(b"one").unwrap();
            assert_eq!(appender.location(), location, "{change}");
            let mut lines = Vec::new();
            appender.reader().stream().read_to_end(&mut lines).unwrap();
            assert_eq!(lines, b"one\n", "{change}");
            let mut shell = std::process::Command::new("sh");
            shell.args(["-c", "rm -rf deep away"]).current_dir(home.path()).status().unwrap();
        }
    }

    #[test]
    fn what_somebody_else_does_to_the_file_is_noticed_and_no_line_is_glued_to_it() {
        for (change, before) in [
            ("truncate -s 0 lines", ""),
            ("truncate -s 2 lines", "on\n"),
            ("printf 'x' >> lines", "one\nx\n"),
            ("printf 'x\\n' >> lines", "one\nx\n"),
        ] {
            let home = tempfile::tempdir().unwrap();
            let path = home.path().join("lines");
            let mut appender = Appender::create(&path).unwrap();
            appender.append_line(b"one").unwrap();
            assert_eq!(appender.location(), FileLocation::InPlace);
            let mut shell = std::process::Command::new("sh");
            assert!(shell.args(["-c", change]).current_dir(home.path()).status().unwrap().success());
            appender.append_line(b"two").unwrap();
            assert_eq!(appender.location(), FileLocation::Changed, "{change}");
            appender.append_line(b"three").unwrap();
            let found = std::fs::read_to_string(&path).unwrap();
            assert_eq!(found, format!("{before}two\nthree\n"), "{change}");
            assert_eq!(appender.length(), found.len() as u64);
        }
    }

    fn lines() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let byte = any::<u8>().prop_filter("no newline", |byte| *byte != b'\n');
        proptest::collection::vec(proptest::collection::vec(byte, 0..40), 0..12)
    }

    proptest! {
        #[test]
        fn a_cut_anywhere_keeps_every_whole_line(lines in lines(), cut in any::<prop::sample::Index>()) {
            let home = tempfile::tempdir().unwrap();
            let path = home.path().join("lines");
            let mut appender = Appender::create(&path).unwrap();
            for line in &lines {
                appender.append_line(line).unwrap();
            }
            let whole = std::fs::read(&path).unwrap();
            prop_assert_eq!(appender.length(), whole.len() as u64);
            let cut = cut.index(whole.len() + 1);
            std::fs::write(&path, &whole[..cut]).unwrap();

            let (mut appender, torn) = Appender::open(&path).unwrap();
            let kept = std::fs::read(&path).unwrap();
            let rest = torn.map(|torn| torn.bytes).unwrap_or_default();
            prop_assert_eq!([kept.as_slice(), &rest].concat(), &whole[..cut]);
            prop_assert!(!rest.contains(&b'\n') && kept.last().is_none_or(|byte| *byte == b'\n'));
            appender.append_line(b"after").unwrap();
            prop_assert_eq!(std::fs::read(&path).unwrap(), [kept.as_slice(), b"after\n"].concat());
        }
    }
}
