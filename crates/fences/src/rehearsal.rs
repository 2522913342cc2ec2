//! The rehearsal of a planning session: what its layer holds, made real or thrown away.

mod apply;
mod diff;
mod ignored;
mod layer;
mod marks;
mod scan;
mod shown;
mod sides;
mod summary;

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use forelook_disk::Permissions;
use forelook_protocol::{AbsPath, Confinement, Rehearsal, RehearsalApplied};

use self::apply::Applying;
use self::layer::Layer;
pub use self::scan::VERSION_CONTROL;
use self::shown::{MAX_FILES, Shown};
use self::summary::Told;
use super::Fences;
use super::ground::Ground;

/// How often the layer is removed again if something still wrote to it, and how long is waited in between.
const PATIENCE: u32 = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// What is remembered from call to call.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    told: Mutex<Told>,
    /// The first working folder that a fence was wanted for.
    folder: Mutex<Option<AbsPath>>,
}

impl Fences {
    /// Where the rehearsal is kept.
    pub(super) fn layer(&self) -> Layer {
        Layer::of(&self.setup.folder)
    }

    /// What the layer of this planning session holds; nothing if nothing would change. Reads the disk.
    ///
    /// What is shown is noted beside the layer, by its hash: only so can an apply that was ended half-way go on, when a
    /// part of the files is no longer different.
    pub fn rehearsal(&self) -> Option<Rehearsal> {
        let covered = self.layer().covered();
        let (rehearsal, shown) = shown::shown(&covered, &scan::scan(&covered))?;
        let note = self.note(&rehearsal.hash);
        if !note.as_path().exists()
            && let Ok(bytes) = serde_json::to_vec(&shown)
        {
            // Without the note nothing can be applied, and whoever tries is told.
            let _ = forelook_disk::replace(&note, &bytes, Permissions::Private);
        }
        Some(rehearsal)
    }

    /// Makes the changes of the rehearsal for real, if they still are the ones with this hash. `may` says whether a file may
    /// be changed at all (a rule may deny it). Doing it twice does no harm.
    pub fn apply(&self, hash: &str, may: &dyn Fn(&AbsPath) -> Result<(), String>) -> RehearsalApplied {
        let mut applied = RehearsalApplied { hash: hash.to_owned(), ..RehearsalApplied::default() };
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let note = is_hash.then(|| std::fs::read(self.note(hash)).ok()).flatten();
        let Some(Shown { files, more }) = note.and_then(|note| serde_json::from_slice(&note).ok()) else {
            let why = "Nothing was applied: what was approved is not there any more".to_owned();
            applied.failed.push((self.whole(), why));
            return applied;
        };
        let covered = self.layer().covered();
        if more > 0 {
            let why = format!(
                "Nothing was applied: more than {MAX_FILES} files would change in the rehearsal, too many to be shown"
            );
            applied.failed.push((self.whole(), why));
            return applied;
        }
        let scan = scan::scan(&covered);
        let applying = Applying { covered: &covered, scan: &scan, files: &files };
        match applying.is_as_shown() {
            true => applying.apply(may, &mut applied),
            false => {
                let why = "The rehearsal is another than the one that was shown, so nothing was applied";
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
    pub fn may_have_layer(&self) -> bool {
        self.layered.load(Ordering::SeqCst)
    }

    /// The layer is thrown away, and what runs on it ends.
    pub fn discard(&self) {
        self.layered.store(false, Ordering::SeqCst);
        {
            // Whoever raises a fence for a rehearsal now is waited for, or it would stand on what is removed here.
            let _raising = self.raising.lock().unwrap_or_else(PoisonError::into_inner);
            self.end(Confinement::Rehearsal);
        }
        self.remembered.told.lock().unwrap_or_else(PoisonError::into_inner).clear();
        // What ran there may write until the kernel has ended all of it. What cannot be removed at all goes with the
        // session's folder.
        let gone = |_: &u32| self.layer().remove().is_ok();
        let _ = (0..PATIENCE).find(|tried| {
            gone(tried) || {
                std::thread::sleep(PAUSE);
                false
            }
        });
    }

    /// What would change after a rehearsed call, in a line for the model.
    pub(crate) fn rehearsed(&self, base: &AbsPath) -> String {
        let covered = self.layer().covered();
        let mut told = self.remembered.told.lock().unwrap_or_else(PoisonError::into_inner);
        summary::summary(&covered, &scan::scan(&covered), &mut told, base.as_path())
    }

    /// Whether there is such a folder for who looks through the layer.
    pub(crate) fn shows_folder(&self, folder: &AbsPath) -> bool {
        let covered = self.layer().covered();
        let below =
            covered.iter().rev().find_map(|it| Some((it, folder.as_path().strip_prefix(&it.real).ok()?)));
        match below {
            Some((covered, rest)) if scan::is_gone(covered, rest) => false,
            Some((covered, rest)) => covered.upper.join(rest).is_dir() || folder.as_path().is_dir(),
            None => folder.as_path().is_dir(),
        }
    }

    /// A fence is wanted on this ground.
    pub(super) fn remember(&self, ground: &Ground) {
        let mut folder = self.remembered.folder.lock().unwrap_or_else(PoisonError::into_inner);
        *folder = ground.folders.first().cloned().or_else(|| folder.take());
    }

    /// What a person calls it that a rehearsal is of, where no single file can be named: the working folder. The layer is
    /// known to nobody.
    fn whole(&self) -> AbsPath {
        let covered = self.layer().covered().into_iter().next().map(|it| it.real);
        let remembered = || self.remembered.folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        covered.or_else(remembered).unwrap_or_else(|| self.setup.folder.clone())
    }

    fn note(&self, hash: &str) -> AbsPath {
        self.layer().root().join(format!("shown-{hash}.json"))
    }
}

/// Whether a program failed because a file belongs to somebody else: the kernel cannot copy such a file to a layer of ours.
pub fn belongs_to_another(output: &str) -> bool {
    output.contains("Value too large for defined data type")
}

#[cfg(test)]
mod tests;
