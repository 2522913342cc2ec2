//! Files that others wrote, read within bounds.
//!
//! A project is a stranger's: where a program expects a short text there may be a pipe that nobody writes to, a device
//! that never ends, or a file of any size, directly or behind a link. Whatever reads a file to start or to decide
//! something reads it here: only regular files, no more than was asked for, and not for ever. That is enough for what the
//! person names, and for what is only judged. What is obeyed or sent is read through `project_files.rs`.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use forelook_protocol::AbsPath;
use rustix::fs::{CWD, Mode};
use rustix::io::Errno;

use crate::kernel::{self, READ};
use crate::process_files::is_process_file;

/// How long reading one file may take: a hundred times what the longest takes on a slow disk.
const TIMEOUT: Duration = Duration::from_secs(2);

/// How much is read before the clock is looked at.
const CHUNK: u64 = 64 * 1024;

/// Why a file was not read. The text follows the name of the file.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no file.
    #[error("it does not exist")]
    Missing,
    /// A folder, a pipe, a socket or a device.
    #[error("it is not a regular file")]
    NotRegular,
    /// It shows what is inside of a process.
    #[error("it shows the inside of a running process")]
    Process,
    /// It has more bytes than were asked for.
    #[error("it is larger than {}", Size(*limit))]
    TooLarge {
        /// How many were asked for.
        limit: u64,
    },
    /// It could be read, but not in time.
    #[error("reading it took too long")]
    TooSlow,
    /// It is not UTF-8.
    #[error("it is not UTF-8 text")]
    NotText,
    /// A link where none is followed.
    #[error("its path goes through a symlink")]
    Links,
    /// By its real path it is not in the folder that it was to be in.
    #[error("it is outside `{0}`")]
    Outside(AbsPath),
    /// Somebody owns it, or a folder that it is in, who is not believed.
    #[error("another user owns it or its folder (user ID {0})")]
    Owner(u32),
    /// Users who are not believed can change it.
    #[error("every user can write to it; run `chmod o-w` on it")]
    Writable,
    /// It has more than one name.
    #[error("it has several names (hard links); use a copy or a symlink")]
    HardLinks,
    /// It is not for a model's eyes.
    #[error("{0}")]
    Withheld(String),
    /// Anything else, with the system's own words.
    #[error("{0}")]
    Io(io::Error),
}

struct Size(u64);

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            bytes if bytes >= 1 << 20 => write!(f, "{} MiB", bytes >> 20),
            bytes if bytes >= 1 << 10 => write!(f, "{} KiB", bytes >> 10),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}

impl From<Errno> for ReadError {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOENT | Errno::NOTDIR => Self::Missing,
            // A socket, or a device without a driver.
            Errno::NXIO | Errno::NODEV => Self::NotRegular,
            Errno::LOOP => Self::Links,
            errno => Self::Io(errno.into()),
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::IsADirectory => Self::NotRegular,
            // A file that would make us wait although it claims to be a regular one, as some in `/proc` do.
            io::ErrorKind::WouldBlock => Self::TooSlow,
            _ => Self::Io(error),
        }
    }
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => error,
            ReadError::Missing => io::ErrorKind::NotFound.into(),
            error => Self::other(error),
        }
    }
}

/// The start of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStart {
    /// So much of it as was asked for.
    pub bytes: Vec<u8>,
    /// Whether there is more.
    pub truncated: bool,
    /// Which file it is, whatever name led to it: its device and number.
    pub identity: (u64, u64),
}

/// All bytes of a file, if there are no more than `limit`. Links are followed.
pub fn read_bounded(path: impl AsRef<Path>, limit: u64) -> Result<Vec<u8>, ReadError> {
    whole(open(path.as_ref())?, limit)
}

/// The same as text.
pub fn read_bounded_text(path: impl AsRef<Path>, limit: u64) -> Result<String, ReadError> {
    String::from_utf8(read_bounded(path, limit)?).map_err(|_| ReadError::NotText)
}

/// The first bytes of a file, and whether there are more. Links are followed.
pub fn read_bounded_start(path: impl AsRef<Path>, limit: u64) -> Result<FileStart, ReadError> {
    start(open(path.as_ref())?, limit)
}

/// Opens the regular file at this path, no link followed and nothing waited for.
pub fn open_real(real: impl AsRef<Path>) -> Result<File, ReadError> {
    let (file, _) = kernel::open_absolute(real.as_ref(), READ, Mode::empty());
    must_be_regular(file?.into())
}

/// Opens the regular file at this path, to be read. Links are followed, and nothing is waited for.
pub fn open_regular(path: impl AsRef<Path>) -> Result<File, ReadError> {
    open(path.as_ref())
}

/// Opening a device can do things, so what it is is looked at first; and again once it is open, when nobody can swap it.
fn open(path: &Path) -> Result<File, ReadError> {
    let found = rustix::fs::stat(path)?;
    if !rustix::fs::FileType::from_raw_mode(found.st_mode).is_file() {
        return Err(ReadError::NotRegular);
    }
    must_be_regular(rustix::fs::openat(CWD, path, READ, Mode::empty())?.into())
}

fn must_be_regular(file: File) -> Result<File, ReadError> {
    let about = file.metadata()?;
    match about.is_file() {
        true if is_process_file(&file, about.dev()) => Err(ReadError::Process),
        true => Ok(file),
        false => Err(ReadError::NotRegular),
    }
}

pub(crate) fn whole(file: File, limit: u64) -> Result<Vec<u8>, ReadError> {
    if file.metadata()?.len() > limit {
        return Err(ReadError::TooLarge { limit });
    }
    match start(file, limit)? {
        FileStart { truncated: true, .. } => Err(ReadError::TooLarge { limit }),
        start => Ok(start.bytes),
    }
}

/// Its size is believed only as far as it says how much room to make: files in `/proc` say that they are empty.
pub(crate) fn start(mut file: File, limit: u64) -> Result<FileStart, ReadError> {
    let found = file.metadata()?;
    let room = found.len().min(limit).saturating_add(1);
    let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or(0));
    let began = Instant::now();
    loop {
        let left = limit.saturating_add(1) - bytes.len() as u64;
        let read = (&mut file).take(left.min(CHUNK)).read_to_end(&mut bytes)?;
        if read as u64 != CHUNK || bytes.len() as u64 > limit {
            break;
        }
        if began.elapsed() > TIMEOUT {
            return Err(ReadError::TooSlow);
        }
    }
    let truncated = bytes.len() as u64 > limit;
    bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(FileStart { bytes, truncated, identity: (found.dev(), found.ino()) })
}

/// Gives all bytes of an open file to `take`, piece by piece, if there are no more than `limit`; how many there were.
pub fn read_pieces(mut file: &File, limit: u64, mut take: impl FnMut(&[u8])) -> Result<u64, ReadError> {
    if file.metadata()?.len() > limit {
        return Err(ReadError::TooLarge { limit });
    }
    let (mut buffer, mut all, began) = (vec![0; CHUNK as usize], 0_u64, Instant::now());
    loop {
        let read = match file.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        all += read as u64;
        match buffer.get(..read) {
            None | Some([]) => return Ok(all),
            Some(_) if all > limit => return Err(ReadError::TooLarge { limit }),
            Some(piece) => take(piece),
        }
        if began.elapsed() > TIMEOUT {
            return Err(ReadError::TooSlow);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn pipe(path: &Path) {
        rustix::fs::mknodat(CWD, path, rustix::fs::FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    }

    /// Nothing here returns late: the whole table would otherwise hang.
    #[test]
    fn what_is_no_plain_file_is_told_at_once() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().canonicalize().unwrap().join(name);
        std::fs::write(at("file"), "text").unwrap();
        std::fs::write(at("latin"), b"\xe9").unwrap();
        std::fs::File::create(at("sparse")).unwrap().set_len(1 << 40).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        pipe(&at("pipe"));
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        for (name, target) in [
            ("to_file", "file"),
            ("to_pipe", "pipe"),
            ("to_zero", "/dev/zero"),
            ("to_tty", "/dev/tty"),
            ("dead", "nothing"),
            ("round", "round"),
        ] {
            symlink(target, at(name)).unwrap();
        }
        for (name, expected) in [
            ("file", "text"),
            ("to_file", "text"),
            ("latin", "it is not UTF-8 text"),
            ("sparse", "it is larger than 1 KiB"),
            ("folder", "it is not a regular file"),
            ("pipe", "it is not a regular file"),
            ("socket", "it is not a regular file"),
            ("to_pipe", "it is not a regular file"),
            ("to_zero", "it is not a regular file"),
            ("to_tty", "it is not a regular file"),
            ("dead", "it does not exist"),
            ("none", "it does not exist"),
            ("file/below", "it does not exist"),
            ("round", "its path goes through a symlink"),
        ] {
            let said = read_bounded_text(at(name), 1024).unwrap_or_else(|error| error.to_string());
            assert_eq!(said, expected, "{name}");
        }
        for name in ["to_file", "to_pipe", "to_zero", "dead", "round"] {
            assert!(matches!(open_real(at(name)), Err(ReadError::Links)), "{name}");
        }
        assert!(matches!(open_real(at("pipe")), Err(ReadError::NotRegular)));
    }

    #[test]
    fn no_more_is_read_than_was_asked_for() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("file");
        let limit = 3 * CHUNK;
        for size in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, limit - 1, limit, limit + 1, 2 * limit] {
            std::fs::write(&path, vec![b'x'; size as usize]).unwrap();
            let start = read_bounded_start(&path, limit).unwrap();
            assert_eq!((start.bytes.len() as u64, start.truncated), (size.min(limit), size > limit));
            match read_bounded(&path, limit) {
                Ok(bytes) => assert!(bytes.len() as u64 == size && size <= limit),
                Err(error) => assert!(size > limit && matches!(error, ReadError::TooLarge { .. })),
            }
        }
    }

    /// Files in `/proc` say that they are empty, and some never end or wait for something to happen.
    #[test]
    fn files_that_lie_about_their_size_are_bounded_too() {
        assert!(!read_bounded("/proc/meminfo", 1 << 20).unwrap().is_empty());
        assert!(read_bounded_start("/proc/meminfo", 5).unwrap().truncated);
        for waits in ["/proc/kmsg", "/sys/kernel/tracing/trace_pipe"] {
            let began = Instant::now();
            let _ = read_bounded_start(waits, 1 << 20);
            assert!(began.elapsed() < 2 * TIMEOUT, "{waits}");
        }
    }
}
