//! Walks a folder on all cores, as ripgrep does: what `.gitignore` and its like say is left out.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use forelook_fences::VERSION_CONTROL;
use forelook_protocol::{AbsPath, nearest};
use ignore::types::{Types, TypesBuilder};
use ignore::{DirEntry, Error, WalkBuilder, WalkState};

use super::globs::Globs;
use super::ignore_files;
use super::stats::SearchStats;
use super::stop::StopFlag;
use crate::progress::Progress;
use crate::typed::ToolFailure;

/// How many files a worker counts for itself before it tells.
const BATCH: u64 = 128;

/// One walk.
pub(crate) struct FileWalk<'a> {
    pub(crate) root: &'a AbsPath,
    pub(crate) globs: Option<Globs>,
    pub(crate) types: Option<Types>,
    /// How many folders deep, if that is known.
    pub(crate) depth: Option<usize>,
    pub(crate) stop: &'a StopFlag,
    pub(crate) stats: &'a SearchStats,
    pub(crate) progress: &'a Progress,
    /// What is done with the files: `searched`.
    pub(crate) verb: &'static str,
}

/// What a worker does with each file.
pub(crate) type Visit<'a> = Box<dyn FnMut(PathBuf) + Send + 'a>;

impl<'a> FileWalk<'a> {
    /// Walks. Every worker (as many as ripgrep would have) gets a `Visit` of its own; it ends when the walk does.
    pub(crate) fn run(&mut self, mut worker: impl FnMut() -> Visit<'a>) {
        let mut walk = WalkBuilder::new(self.root);
        // The process may stand anywhere; global excludes are relative to what is searched.
        walk.hidden(false).current_dir(self.root.as_path()).max_depth(self.depth);
        if let Some(types) = self.types.take() {
            walk.types(types);
        }
        if !ignore_files::are_plain_above(self.root.as_path()) {
            // Better too many files than none.
            walk.parents(false).ignore(false).git_ignore(false).git_exclude(false);
        }
        let globs = self.globs.take().map(Arc::new);
        let skipped = Arc::new(AtomicU64::new(0));
        let skips = Arc::clone(&skipped);
        walk.filter_entry(move |entry| is_wanted(entry, globs.as_deref()) && may_enter(entry, &skips));
        let (stop, stats) = (self.stop, self.stats);
        walk.build_parallel().run(|| {
            let mut visit = worker();
            let mut counter = Counter { count: 0, stats, progress: self.progress, verb: self.verb };
            Box::new(move |entry| {
                if stop.is_set() {
                    return WalkState::Quit;
                }
                match entry {
                    Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                        counter.add();
                        visit(entry.into_path());
                    }
                    Ok(_) => {}
                    Err(error) => folder_failed(&error, stats),
                }
                WalkState::Continue
            })
        });
        let unread = io::Error::from(io::ErrorKind::InvalidData);
        (0..skipped.load(Ordering::Relaxed)).for_each(|_| stats.folder_failed(&unread));
    }
}

/// Decides before anything is queued: links, pipes, sockets and devices are not opened, nor looked through.
fn is_wanted(entry: &DirEntry, globs: Option<&Globs>) -> bool {
    // Hidden files else are searched.
    if VERSION_CONTROL.contains(&entry.file_name().as_bytes()) {
        return false;
    }
    let Some(kind) = entry.file_type() else { return false };
    if kind.is_dir() && is_process_folder(entry) {
        return false;
    }
    let path = || entry.path().as_os_str().as_bytes();
    match globs {
        _ if !kind.is_dir() && !kind.is_file() => false,
        None => true,
        Some(globs) if kind.is_dir() => globs.keeps_folder(path()),
        Some(globs) => globs.keeps_file(path()),
    }
}

/// Only a folder whose name is a number may be one of a process; it is in no other that this walk came through.
fn is_process_folder(entry: &DirEntry) -> bool {
    entry.file_name().as_bytes().iter().all(u8::is_ascii_digit) && forelook_disk::shows_process(entry.path())
}

/// A folder whose own ignore files cannot be read is not gone into.
fn may_enter(entry: &DirEntry, skipped: &AtomicU64) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let may = !is_folder || ignore_files::are_plain(entry.path());
    if !may {
        skipped.fetch_add(1, Ordering::Relaxed);
    }
    may
}

/// Only what could not be listed counts: a mistake in an ignore file has no depth.
fn folder_failed(error: &Error, stats: &SearchStats) {
    if error.depth().is_some()
        && let Some(error) = error.io_error()
    {
        stats.folder_failed(error);
    }
}

/// Counts in batches: a counter that all workers share would be fought over.
struct Counter<'a> {
    count: u64,
    stats: &'a SearchStats,
    progress: &'a Progress,
    verb: &'static str,
}

impl Counter<'_> {
    fn add(&mut self) {
        self.count += 1;
        if self.count == BATCH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.stats.add_files(self.count, self.progress, self.verb);
        self.count = 0;
    }
}

impl Drop for Counter<'_> {
    fn drop(&mut self) {
        if self.count > 0 {
            self.flush();
        }
    }
}

/// The files of a type as ripgrep knows it, such as `rust`.
pub(crate) fn types(name: &str) -> Result<Types, ToolFailure> {
    let mut types = TypesBuilder::new();
    types.add_defaults();
    let known = types.definitions();
    if known.iter().any(|it| it.name() == name) {
        return types.select(name).build().map_err(|error| ToolFailure::new(error.to_string()));
    }
    let meant = nearest(name, known.iter().map(|it| it.name()));
    let meant = meant.map_or_else(String::new, |meant| format!("Did you mean `{meant}`? "));
    let name = crate::output::shorten(name, 100);
    Err(ToolFailure::new(format!(
        "There is no file type `{name}`\n\
         {meant}Types are named as in ripgrep (`rust`, `ts`, `py`); for other files, use `glob`, such as `*.{}`",
        name.trim_start_matches(['.', '*'])
    )))
}
