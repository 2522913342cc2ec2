//! What the person said, kept for sessions to come: a JSON string a line.
//!
//! Lines are added by a thread of its own, one after the other, so that nobody who types waits for a disk; what was
//! handed over is written before the program ends.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use forelook_disk::{Appender, DiskError, FileLock, LockError, Permissions};
use forelook_protocol::AbsPath;

/// So many are read, and so many stay when there are too many.
const KEPT_LINES: usize = 1000;
/// More lines than this are too many.
const MAX_LINES: usize = 2000;
/// A longer text is no prompt that somebody would want again.
const MAX_LINE_BYTES: usize = 64 * 1024;
/// Of a larger file only the end is read.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// A write takes a moment; somebody who holds the lock for longer than all of these tries hangs.
const ATTEMPTS: usize = 100;
const RETRY_DELAY: Duration = Duration::from_millis(10);

/// Where it is kept.
pub(super) struct History {
    path: AbsPath,
    writer: Mutex<Option<Writer>>,
}

struct Writer {
    sender: Sender<String>,
    thread: JoinHandle<()>,
}

impl History {
    pub(super) fn new(path: AbsPath) -> Self {
        Self { path, writer: Mutex::new(None) }
    }

    pub(super) fn path(&self) -> &AbsPath {
        &self.path
    }

    /// Hands a text over to be kept.
    pub(super) fn add(&self, prompts: &str) {
        if prompts.trim().is_empty() || prompts.len() > MAX_LINE_BYTES {
            return;
        }
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let writer = writer.get_or_insert_with(|| Writer::start(self.path.clone()));
        // A thread that is gone keeps nothing; what was said goes to the session all the same.
        let _ = writer.sender.send(prompts.to_owned());
    }
}

impl Drop for History {
    fn drop(&mut self) {
        let writer = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Writer { sender, thread }) = writer {
            drop(sender);
            let _ = thread.join();
        }
    }
}

impl Writer {
    fn start(path: AbsPath) -> Self {
        let (sender, texts) = channel();
        let thread = std::thread::spawn(move || keep(&path, &texts));
        Self { sender, thread }
    }
}

fn keep(path: &AbsPath, texts: &Receiver<String>) {
    let mut last = read(path).pop();
    for text in texts {
        if last.as_ref() == Some(&text) {
            continue;
        }
        if let Err(error) = add(path, &text) {
            tracing::warn!(%error, "Could not save the prompt history");
        }
        last = Some(text);
    }
}

/// Adds one line, with one write; shortens the file where it has become too long.
fn add(path: &AbsPath, text: &str) -> Result<(), LockError> {
    if let Some(folder) = path.parent() {
        forelook_disk::make_private(folder)?;
    }
    let _lock = lock(path)?;
    let (mut file, _) = match Appender::open_completing(path.as_path(), |_| true) {
        Ok(opened) => opened,
        Err(_) if !path.as_path().exists() => (Appender::create(path.as_path())?, None),
        Err(error) => return Err(error.into()),
    };
    let line = serde_json::Value::from(text).to_string();
    file.append_line(line.as_bytes())?;
    Ok(shorten(path)?)
}

/// Waits until nobody else writes.
fn lock(path: &AbsPath) -> Result<FileLock, LockError> {
    let place = path.as_path().with_extension("lock");
    for _ in 1..ATTEMPTS {
        match FileLock::acquire(&place) {
            Err(LockError::Held { .. }) => std::thread::sleep(RETRY_DELAY),
            done => return done,
        }
    }
    FileLock::acquire(&place)
}

fn shorten(path: &AbsPath) -> Result<(), DiskError> {
    let bytes = tail(path.as_path());
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.len() <= MAX_LINES {
        return Ok(());
    }
    let kept = lines[lines.len() - KEPT_LINES..].concat();
    forelook_disk::replace(path, &kept, Permissions::Private)
}

/// The last things that were said, oldest first. Lines that are no texts are passed over, and of the same twice in a row
/// one stays.
pub(super) fn read(path: &AbsPath) -> Vec<String> {
    let bytes = tail(path.as_path());
    let mut texts: Vec<String> =
        bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    texts.dedup();
    texts.split_off(texts.len().saturating_sub(KEPT_LINES))
}

/// The end of a file; nothing if it cannot be read.
fn tail(path: &Path) -> Vec<u8> {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MAX_FILE_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    match read() {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            let path = String::from_utf8_lossy(path.as_os_str().as_bytes()).into_owned();
            tracing::warn!(%error, %path, "Could not read the prompt history");
            Vec::new()
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out their files by hand")]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    struct Home(tempfile::TempDir);

    impl Home {
        fn path(&self) -> AbsPath {
            AbsPath::new(self.0.path().join("new/history")).unwrap()
        }

        fn add_all(&self, texts: &[&str]) {
            let history = History::new(self.path());
            texts.iter().for_each(|text| history.add(text));
        }
    }

    fn home() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    #[test]
    fn what_was_said_comes_back_in_order_and_private() {
        let home = home();
        assert_eq!(read(&home.path()), [""; 0]);
        home.add_all(&["one", "two\nlines \"and\" ü", " ", "one", "one"]);
        home.add_all(&["one", "three"]);
        assert_eq!(read(&home.path()), ["one", "two\nlines \"and\" ü", "one", "three"]);
        let mode = std::fs::metadata(home.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn broken_lines_are_passed_over_and_a_torn_end_spoils_nothing() {
        let home = home();
        home.add_all(&["one"]);
        let mut bytes = std::fs::read(home.path()).unwrap();
        bytes.extend(b"{\"no\": 1}\n\xff\xfe\n3\n\"torn");
        std::fs::write(home.path(), bytes).unwrap();
        home.add_all(&["two"]);
        assert_eq!(read(&home.path()), ["one", "two"]);
    }

    #[test]
    fn too_many_are_shortened() {
        let home = home();
        home.add_all(&["first"]);
        let lines: String = (1..MAX_LINES).map(|n| format!("\"{n}\"\n")).collect();
        std::fs::write(home.path(), format!("\"first\"\n{lines}")).unwrap();
        assert_eq!(read(&home.path()).len(), KEPT_LINES);
        home.add_all(&["last"]);
        let prompts = read(&home.path());
        assert_eq!(
            (prompts.len(), prompts[0].as_str(), prompts[KEPT_LINES - 1].as_str()),
            (KEPT_LINES, "1001", "last")
        );
        let text = std::fs::read_to_string(home.path()).unwrap();
        assert_eq!(text.lines().count(), KEPT_LINES);
        home.add_all(&["x"]);
        assert_eq!(std::fs::read_to_string(home.path()).unwrap().lines().count(), KEPT_LINES + 1);
    }

    #[test]
    fn two_sessions_lose_nothing_of_each_other() {
        let home = home();
        std::thread::scope(|scope| {
            for name in ["a", "b", "c"] {
                let home = &home;
                scope.spawn(move || {
                    let texts: Vec<String> = (0..30).map(|n| format!("{name}{n}")).collect();
                    home.add_all(&texts.iter().map(String::as_str).collect::<Vec<_>>());
                });
            }
        });
        let prompts = read(&home.path());
        assert_eq!(prompts.len(), 90);
        for name in ["a", "b", "c"] {
            let own: Vec<&String> = prompts.iter().filter(|text| text.starts_with(name)).collect();
            assert_eq!(
                own,
                (0..30).map(|n| format!("{name}{n}")).collect::<Vec<_>>().iter().collect::<Vec<_>>()
            );
        }
    }

    /// Where nothing can be written nothing is kept, and nobody is held up.
    #[test]
    fn a_place_that_cannot_be_written_does_no_harm() {
        let path = AbsPath::new("/proc/forelook/history").unwrap();
        History::new(path.clone()).add("one");
        assert_eq!(read(&path), [""; 0]);
        assert_eq!(read(&AbsPath::new("/").unwrap()), [""; 0]);
    }
}
