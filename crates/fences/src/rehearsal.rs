//! The rehearsal of a planning session: the changes on its overlay, applied or discarded.

mod apply;
mod diff;
mod file_states;
mod ignore_rules;
mod overlay;
mod preview;
mod scan;
mod session_diff;
mod summary;
mod whiteout;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use forelook_disk::Permissions;
use forelook_facts::git_config;
use forelook_protocol::{AbsPath, Confinement, Rehearsal, RehearsalApplied};

use self::apply::ApplyJob;
use self::overlay::Overlay;
use self::preview::{MAX_FILES, PreviewRecord};
pub use self::scan::VERSION_CONTROL;
pub use self::session_diff::changes_since;
use self::summary::ReportedStamps;
use super::Fences;
use super::inputs::{FenceInputs, PathGuards};

/// How often the layer is removed again if something still wrote to it, and how long is waited in between.
const MAX_REMOVE_TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// What is remembered from call to call.
#[derive(Default)]
pub(super) struct RehearsalState {
    reported: Mutex<ReportedStamps>,
    /// The first working folder that a fence was wanted for.
    folder: Mutex<Option<AbsPath>>,
    /// What is special about a path, by the last fence that was wanted.
    guards: Mutex<Option<PathGuards>>,
}

impl std::fmt::Debug for RehearsalState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Guards are functions: there is nothing to print of them.
        f.debug_struct("RehearsalState").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Fences {
    /// Where the rehearsal is kept.
    pub(super) fn overlay(&self) -> Overlay {
        Overlay::of(&self.setup.folder)
    }

    /// What the layer of this planning session holds; nothing if nothing would change. Reads the disk.
    ///
    /// What is shown is noted beside the layer, by its hash: only so can an apply that was ended half-way go on, when a
    /// part of the files is no longer different.
    pub fn rehearsal(&self) -> Option<Rehearsal> {
        let overlaid = self.overlay().overlaid();
        let guards = self.rehearsal_state.guards.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // Right after a session was resumed nobody knows; then it takes a yes of its own.
        let scan = scan::scan(&overlaid);
        // The rehearsal may complete a repository that git takes for one only then.
        let exists =
            |path: &Path| git_config::exists(path) || overlaid.iter().any(|folder| folder.changes(path));
        let in_git_folder = |path: &AbsPath| git_config::git_folder_of(path.as_path(), &exists).is_some();
        let is_protected = |path: &AbsPath| {
            guards.as_ref().is_none_or(|guards| guards(path).is_protected()) || in_git_folder(path)
        };
        let (rehearsal, preview) = preview::preview(&overlaid, &scan, &is_protected)?;
        let record = self.record_path(&rehearsal.hash);
        if !record.as_path().exists()
            && let Ok(bytes) = serde_json::to_vec(&preview)
        {
            // Without the note nothing can be applied, and whoever tries is told.
            let _ = forelook_disk::replace(&record, &bytes, Permissions::Private);
        }
        Some(rehearsal)
    }

    /// Makes the changes of the rehearsal for real, if they still are the ones with this hash. `permit` says whether a file may
    /// be changed at all (a rule may deny it); files that decide what runs later are changed only `with_protected`. Doing it
    /// twice does no harm.
    pub fn apply(
        &self,
        hash: &str,
        with_protected: bool,
        permit: &dyn Fn(&AbsPath) -> Result<(), String>,
    ) -> RehearsalApplied {
        let mut applied = RehearsalApplied { hash: hash.to_owned(), ..RehearsalApplied::default() };
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let record = is_hash.then(|| std::fs::read(self.record_path(hash)).ok()).flatten();
        let Some(PreviewRecord { files, more }) =
            record.and_then(|record| serde_json::from_slice(&record).ok())
        else {
            let why = "Nothing was applied: what was approved no longer exists".to_owned();
            applied.failed.push((self.display_root(), why));
            return applied;
        };
        let overlaid = self.overlay().overlaid();
        if more > 0 {
            let why = format!(
                "Nothing was applied: the rehearsal would change more than {MAX_FILES} files, too many to show"
            );
            applied.failed.push((self.display_root(), why));
            return applied;
        }
        let scan = scan::scan(&overlaid);
        let job = ApplyJob { overlaid: &overlaid, scan: &scan, files: &files, with_protected };
        match job.matches_preview() {
            true => job.apply(permit, &mut applied),
            false => {
                let why = "The rehearsal changed after it was shown, so nothing was applied";
                applied.failed = files.iter().map(|file| (file.path.clone(), why.to_owned())).collect();
            }
        }
        applied
    }

    /// The session plans, or not: only meanwhile there are rehearsals. A call that was decided on while planning may come late,
    /// and its layer would be shown beside the next plan.
    pub fn allow_rehearsals(&self, allowed: bool) {
        self.rehearsing.store(allowed, Ordering::SeqCst);
    }

    /// Whether there may be a layer to be thrown away.
    pub fn may_have_overlay(&self) -> bool {
        self.may_have_overlay.load(Ordering::SeqCst)
    }

    /// The layer is thrown away, and what runs on it ends.
    pub fn discard(&self) {
        self.may_have_overlay.store(false, Ordering::SeqCst);
        {
            // Whoever raises a fence for a rehearsal now is waited for, or it would stand on what is removed here.
            let _raising = self.raising.lock().unwrap_or_else(PoisonError::into_inner);
            self.end(Confinement::Rehearsal);
        }
        self.rehearsal_state.reported.lock().unwrap_or_else(PoisonError::into_inner).clear();
        // What ran there may write until the kernel has ended all of it. What cannot be removed at all goes with the
        // session's folder.
        let gone = |_: &u32| self.overlay().remove().is_ok();
        let _ = (0..MAX_REMOVE_TRIES).find(|tried| {
            gone(tried) || {
                std::thread::sleep(PAUSE);
                false
            }
        });
    }

    /// What would change after a rehearsed call, in a line for the model.
    pub(crate) fn rehearsal_summary(&self, base: &AbsPath) -> String {
        let overlaid = self.overlay().overlaid();
        let mut reported = self.rehearsal_state.reported.lock().unwrap_or_else(PoisonError::into_inner);
        summary::summary(&overlaid, &scan::scan(&overlaid), &mut reported, base.as_path())
    }

    /// Whether there is such a folder for who looks through the layer.
    pub(crate) fn shows_folder(&self, folder: &AbsPath) -> bool {
        let overlaid = self.overlay().overlaid();
        let below =
            overlaid.iter().rev().find_map(|it| Some((it, folder.as_path().strip_prefix(&it.real).ok()?)));
        match below {
            Some((overlaid, rest)) if scan::is_removed(overlaid, rest) => false,
            Some((overlaid, rest)) => overlaid.upper.join(rest).is_dir() || folder.as_path().is_dir(),
            None => folder.as_path().is_dir(),
        }
    }

    /// A fence is wanted on this ground.
    pub fn remember(&self, inputs: &FenceInputs) {
        let mut folder = self.rehearsal_state.folder.lock().unwrap_or_else(PoisonError::into_inner);
        *folder = inputs.folders.first().cloned().or_else(|| folder.take());
        let mut guards = self.rehearsal_state.guards.lock().unwrap_or_else(PoisonError::into_inner);
        *guards = Some(Arc::clone(&inputs.guards));
    }

    /// What a person calls it that a rehearsal is of, where no single file can be named: the working folder. The layer is
    /// known to nobody.
    fn display_root(&self) -> AbsPath {
        let overlaid = self.overlay().overlaid().into_iter().next().map(|it| it.real);
        let rehearsal_state =
            || self.rehearsal_state.folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        overlaid.or_else(rehearsal_state).unwrap_or_else(|| self.setup.folder.clone())
    }

    fn record_path(&self, hash: &str) -> AbsPath {
        self.overlay().root().join(format!("shown-{hash}.json"))
    }
}

/// Whether a program failed because a file belongs to somebody else: the kernel cannot copy such a file to a layer of ours.
pub fn is_foreign_owner_error(output: &str) -> bool {
    output.contains("Value too large for defined data type")
}

#[cfg(test)]
mod tests;
