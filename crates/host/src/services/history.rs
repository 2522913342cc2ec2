//! What the person said, kept for sessions to come: a JSON object a line, with the project it was said in. Older versions
//! wrote a JSON string a line, which belongs to no project.
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
use forelook_protocol::{AbsPath, PastPrompt};
use serde::{Deserialize, Serialize};

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

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum HistoryLine {
    Said {
        text: String,
        project: AbsPath,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        named: Option<Vec<String>>,
    },
    Anywhere(String),
}

impl HistoryLine {
    fn said_in(self, project: &AbsPath) -> PastPrompt {
        match self {
            HistoryLine::Said { text, project: other, named } => {
                PastPrompt { text, here: other == *project, named }
            }
            HistoryLine::Anywhere(text) => PastPrompt { text, here: false, named: None },
        }
    }
}

/// Where it is kept.
pub(super) struct History {
    path: AbsPath,
    /// What is said is said here.
    project: AbsPath,
    writer: Mutex<Option<Writer>>,
}

struct Writer {
    sender: Sender<HistoryLine>,
    thread: JoinHandle<()>,
}

impl History {
    pub(super) fn new(path: AbsPath, project: AbsPath) -> Self {
        Self { path, project, writer: Mutex::new(None) }
    }

    /// What was said before, oldest first; it waits for the disk.
    pub(super) fn reader(&self) -> impl FnOnce() -> Vec<PastPrompt> + Send + 'static {
        let (path, project) = (self.path.clone(), self.project.clone());
        move || read(&path).into_iter().map(|line| line.said_in(&project)).collect()
    }

    /// Hands a text over to be kept.
    pub(super) fn add(&self, prompt: &PastPrompt) {
        if prompt.text.trim().is_empty() || prompt.text.len() > MAX_LINE_BYTES {
            return;
        }
        let PastPrompt { text, named, .. } = prompt.clone();
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let writer = writer.get_or_insert_with(|| Writer::start(self.path.clone()));
        // A thread that is gone keeps nothing; what was said goes to the session all the same.
        let _ = writer.sender.send(HistoryLine::Said { text, project: self.project.clone(), named });
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

fn keep(path: &AbsPath, lines: &Receiver<HistoryLine>) {
    let mut last = read(path).pop();
    for line in lines {
        if last.as_ref() == Some(&line) {
            continue;
        }
        if let Err(error) = add(path, &line) {
            tracing::warn!(%error, "Could not save the prompt history");
        }
        last = Some(line);
    }
}

/// Adds one line, with one write; shortens the file where it has become too long.
fn add(path: &AbsPath, line: &HistoryLine) -> Result<(), LockError> {
    if let Some(folder) = path.parent() {
        forelook_disk::make_private(folder)?;
    }
    let _lock = lock(path)?;
    let (mut file, _) = match Appender::open_completing(path.as_path(), |_| true) {
        Ok(opened) => opened,
        Err(_) if !path.as_path().exists() => (Appender::create(path.as_path())?, None),
        Err(error) => return Err(error.into()),
    };
    // Texts and paths are JSON, whatever is in them.
    let line = serde_json::to_vec(line).unwrap_or_default();
    file.append_line(&line)?;
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

/// The last things that were said, oldest first. Lines that are something else are passed over, and of the same twice in a
/// row one stays.
fn read(path: &AbsPath) -> Vec<HistoryLine> {
    let bytes = tail(path.as_path());
    let mut lines: Vec<HistoryLine> =
        bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    lines.dedup();
    lines.split_off(lines.len().saturating_sub(KEPT_LINES))
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
            let history = self.history("/project");
            texts.iter().for_each(|text| history.add(&PastPrompt::here(*text)));
        }

        fn history(&self, project: &str) -> History {
            History::new(self.path(), AbsPath::new(project).unwrap())
        }
    }

    fn read(path: &AbsPath) -> Vec<String> {
        let history = History::new(path.clone(), AbsPath::new("/project").unwrap());
        history.reader()().into_iter().map(|said| said.text).collect()
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
    fn each_project_knows_its_own_and_what_an_older_version_wrote_is_of_none() {
        let home = home();
        home.add_all(&["one"]);
        std::fs::write(home.path(), "\"old\"\n").unwrap();
        home.add_all(&["here"]);
        home.history("/other").add(&PastPrompt::here("there"));
        let said = |project: &str| {
            let said = home.history(project).reader()();
            said.into_iter().map(|it| (it.text, it.here)).collect::<Vec<_>>()
        };
        let all = |here, there| {
            vec![("old".to_owned(), false), ("here".to_owned(), here), ("there".to_owned(), there)]
        };
        assert_eq!((said("/project"), said("/other")), (all(true, false), all(false, true)));
    }

    #[test]
    fn what_was_named_in_a_text_with_a_paste_is_kept() {
        let home = home();
        let said = PastPrompt { named: Some(vec!["a.rs".to_owned()]), ..PastPrompt::here("see @a.rs @b.rs") };
        home.history("/project").add(&said);
        assert_eq!(home.history("/project").reader()(), [said]);
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
        History::new(path.clone(), AbsPath::new("/project").unwrap()).add(&PastPrompt::here("one"));
        assert_eq!(read(&path), [""; 0]);
        assert_eq!(read(&AbsPath::new("/").unwrap()), [""; 0]);
    }
}
