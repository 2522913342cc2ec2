//! What sessions left on disk that ended without tidying up, removed beside everything else when a session starts.
//!
//! Nobody waits for it, and it ends when the program does; the next start goes on. What a session that is not open may still
//! need stays for a while, because it can be resumed: the layer of its rehearsal, and outputs that its conversation names.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use forelook_disk::{SweepDepth, sweep_temporary};
use forelook_protocol::{AbsPath, SessionId};
use forelook_sessions::SessionStore;
use forelook_tools::ToolServices;
use tokio::task::spawn_blocking;
use tokio::time::Instant;

use super::Session;

/// How long what a session left while it was planning waits for it to go on.
const MAX_LAYER_AGE: Duration = Duration::from_secs(14 * 24 * 3600);
/// How long the whole outputs of a session wait for it: the conversation has their beginnings and ends.
const MAX_OUTPUT_AGE: Duration = Duration::from_secs(24 * 3600);
/// How long the whole sweep may take.
const TIME_LIMIT: Duration = Duration::from_secs(5);

struct Leftovers {
    store: SessionStore,
    /// The session that starts, its folder, and all folders that it works in.
    own: SessionId,
    folder: AbsPath,
    working_folders: Vec<AbsPath>,
    /// The folders of all sessions: what fences keep, and outputs.
    fences: AbsPath,
    outputs: AbsPath,
    /// The process that had this session before was killed.
    after_kill: bool,
    now: SystemTime,
}

impl Session {
    /// Removes what is left of sessions whose process is gone.
    pub(super) fn sweep(&self) {
        let leftovers = Leftovers {
            store: self.config.store.clone(),
            own: self.state.session,
            folder: self.state.folder.clone(),
            working_folders: self.working_folders(),
            fences: self.config.fences.folder.clone(),
            outputs: ToolServices::outputs_of_all(&self.config.tool_services.scratch),
            after_kill: self.journal.is_after_kill(),
            now: self.config.clock.now().into(),
        };
        drop(spawn_blocking(move || leftovers.sweep()));
    }
}

impl Leftovers {
    fn sweep(&self) {
        forelook_fences::sweep(&self.fences, |name| {
            let folder = self.fences.join(name);
            let layer = folder.join("layer");
            self.is_needed(name)
                || (layer.as_path().exists() && !self.is_older(&[layer, folder], MAX_LAYER_AGE))
        });
        forelook_fences::sweep(&self.outputs, |name| {
            self.is_needed(name) || !self.is_older(&[self.outputs.join(name)], MAX_OUTPUT_AGE)
        });
        self.sweep_temporary_files();
    }

    /// Temporary files of killed writers. The working folders are searched only if a session of its was killed: then a lock was left,
    /// or had been when this session was opened. Locks go last, so that a search that was cut off is made again.
    fn sweep_temporary_files(&self) {
        let deadline = Instant::now() + TIME_LIMIT;
        let in_time = || Instant::now() < deadline;
        sweep_temporary(self.store.written_folders(&self.folder), SweepDepth::Folder, in_time);
        let locks: Vec<PathBuf> = self.store.stale_locks(&self.folder, self.now);
        if self.after_kill || !locks.is_empty() {
            let folders = self.working_folders.iter().map(|folder| folder.as_path().to_path_buf());
            sweep_temporary(folders.collect(), SweepDepth::Tree, in_time);
        }
        for lock in locks {
            self.store.remove_stale_lock(&lock, self.now);
        }
    }

    /// Whether a folder with this name must stay whatever its age: a session has it that runs, or nobody knows whose it is.
    fn is_needed(&self, name: &str) -> bool {
        match name.parse::<SessionId>() {
            Ok(session) => session == self.own || self.store.is_open(session),
            Err(_) => true,
        }
    }

    fn is_older(&self, paths: &[AbsPath], limit: Duration) -> bool {
        paths.iter().all(|path| {
            let touched = std::fs::metadata(path).and_then(|about| about.modified()).ok();
            touched.is_none_or(|at| self.now.duration_since(at).is_ok_and(|age| age > limit))
        })
    }
}
