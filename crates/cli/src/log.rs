//! The log: a file, never the screen. It is opened when the first line is written, so a run with nothing to
//! log touches no file.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Mutex;

use forelook_host::PDF_READER;
use forelook_protocol::AbsPath;
use tracing_subscriber::EnvFilter;

/// A log longer than this is begun anew; one old one is kept.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Sends what is logged to `logs/forelook.log` in the home folder.
pub(crate) fn start(home: &AbsPath, level: &str) {
    let filter = EnvFilter::try_new(level).unwrap_or_else(|_| EnvFilter::new("warn"));
    let writer = Mutex::new(LazyLogFile { folder: home.join("logs"), file: None });
    // A log that cannot be written is no reason to write on the screen.
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).log_internal_errors(false);
    let log = log.with_writer(writer);
    // A second session of the same run has the log of the first.
    if log.try_init().is_ok() {
        log_panics();
    }
}

/// What panics is logged, and told on the screen unless it was caught: a broken PDF is an answer to the model, and no
/// business of the person's.
fn log_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tracing::error!(%panic, "a panic");
        if std::thread::current().name() != Some(PDF_READER) {
            usual(panic);
        }
    }));
}

struct LazyLogFile {
    folder: AbsPath,
    file: Option<File>,
}

impl LazyLogFile {
    fn file(&mut self) -> io::Result<&mut File> {
        if self.file.is_none() {
            self.file = Some(open(&self.folder)?);
        }
        self.file.as_mut().ok_or_else(|| io::Error::other("no log"))
    }
}

/// Lines of a log may be torn or lost without harm, so this file alone is not written by `disk`.
#[expect(clippy::disallowed_methods, reason = "the log is not part of what must never be lost")]
fn open(folder: &AbsPath) -> io::Result<File> {
    forelook_disk::make_private(folder).map_err(io::Error::other)?;
    let path = folder.join("forelook.log");
    if path.as_path().metadata().is_ok_and(|it| it.len() > MAX_BYTES) {
        std::fs::rename(&path, folder.join("forelook.old.log"))?;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(&path)
}

impl Write for LazyLogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file()?.flush()
    }
}
