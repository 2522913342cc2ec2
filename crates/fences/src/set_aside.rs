//! What a command in the workspace fence newly makes under a protected name is moved out of the project: nobody said yes to
//! what would run by it later. It is kept, and the person can bring it back.
//!
//! Each look that finds something makes a folder `N` in [`super::FenceSetup::set_aside`], with a list of what was moved
//! (`list.json`) and the things themselves.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{MutexGuard, PoisonError};

use forelook_disk::{Permissions, create_new, make_private, move_new, remove_tree};
use forelook_facts::git_config::{self, GIT_RUNS};
use forelook_protocol::{AbsPath, SetAsideFile};
use serde::{Deserialize, Serialize};

use super::inputs::FenceInputs;
use super::masks::{ClosedReason, Guarded};
use super::protected_files::ProtectedFiles;
use super::{Fences, compile, masks};

/// Where the list of what was moved stands.
const LIST: &str = "list.json";
/// Lists are not longer: nobody makes so many in earnest.
const MAX_LIST_BYTES: u64 = 64 * 1024 * 1024;
/// Folders that are looked through for lists.
const MAX_BATCHES: usize = 100_000;

/// What one look moved.
#[derive(Debug, Default)]
pub(super) struct SetAsideOutcome {
    pub(super) moved: Vec<SetAsideFile>,
    /// What should have been and could not, and why.
    pub(super) left: Vec<(PathBuf, String)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ListedItem {
    from: OsString,
    kept: OsString,
}

impl Fences {
    /// Looks at the protected files of the working folders. What came while a command ran in the workspace fence was made by
    /// it and is moved away; what came while none did belongs there.
    pub(super) fn set_aside(&self, inputs: &FenceInputs) -> SetAsideOutcome {
        // Two looks at once would move the same.
        let mut files = self.protected_files();
        files.inputs = Some(inputs.clone());
        // Before the look: what a command makes during it is found by the next.
        let ran = self.take_workspace_activity();
        let (mut new, mut outcome) = (Vec::new(), SetAsideOutcome::default());
        for root in compile::outer(&self.working_folders(inputs)) {
            let root = root.as_path();
            let made_by_command = ran && files.has_root(root);
            match self.guarded_in(root, inputs, |path| made_by_command && !files.is_known(path)) {
                Ok(guarded) if made_by_command => find_new(root, &files, &guarded, &mut new, &mut outcome),
                Ok(guarded) => files.learn(root, &guarded),
                Err(error) if made_by_command => outcome.left.push((root.to_owned(), error.to_string())),
                // It is said when a fence is raised.
                Err(_) => {}
            }
        }
        self.move_all(new, &mut outcome);
        outcome.moved.iter().for_each(|moved| files.note_moved(&moved.kept));
        outcome
    }

    fn guarded_in(
        &self,
        root: &Path,
        inputs: &FenceInputs,
        may_open: impl Fn(&Path) -> bool,
    ) -> std::io::Result<Guarded> {
        let mut cache = self.folder_cache.lock().unwrap_or_else(PoisonError::into_inner);
        masks::inside_opening(&[root.to_owned()], inputs, &mut cache, &may_open)
    }

    /// A tool of ours is about to write this file, which the user or a rule let through: it stays.
    pub fn keep_protected(&self, file: &AbsPath) {
        self.protected_files().keep(file.as_path());
    }

    /// The tool has written this, by its hash, or nothing: from now on another file there, or other contents, are not its work.
    pub fn keep_contents(&self, file: &AbsPath, hash: Option<String>) {
        self.protected_files().keep_contents(file.as_path(), hash);
    }

    pub(super) fn protected_files(&self) -> MutexGuard<'_, ProtectedFiles> {
        self.protected_files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn move_all(&self, found: Vec<PathBuf>, outcome: &mut SetAsideOutcome) {
        let found: Vec<AbsPath> = found.into_iter().filter_map(|path| AbsPath::new(path).ok()).collect();
        if found.is_empty() {
            return;
        }
        let kept = |at: usize, from: &AbsPath| kept_name(at + 1, from.as_path().file_name());
        let list: Vec<ListedItem> = found
            .iter()
            .enumerate()
            .map(|(at, from)| ListedItem { from: from.as_path().into(), kept: kept(at, from) })
            .collect();
        let batch = match self.new_batch(&list) {
            Ok(batch) => batch,
            Err(why) => {
                outcome.left.extend(found.iter().map(|from| (from.as_path().to_owned(), why.clone())));
                return;
            }
        };
        for (at, (from, item)) in found.into_iter().zip(list).enumerate() {
            let kept = batch.join(&item.kept);
            match move_new(&from, &kept) {
                Ok(()) => outcome.moved.push(SetAsideFile { id: id(&batch, at + 1), from, kept }),
                // It is gone again.
                Err(forelook_disk::DiskError::Missing { .. } | forelook_disk::DiskError::NoFolder { .. }) => {
                }
                Err(error) => outcome.left.push((from.as_path().to_owned(), error.to_string())),
            }
        }
        // A copy that could not be finished stays, and with it the list.
        let has_only_list = fs::read_dir(&batch).is_ok_and(|entries| entries.count() <= 1);
        if outcome.moved.is_empty() && has_only_list {
            let _ = remove_tree(&batch);
        }
    }

    /// A folder for what is moved now, with the list of it.
    fn new_batch(&self, list: &[ListedItem]) -> Result<AbsPath, String> {
        let bytes = serde_json::to_vec(list).map_err(|error| error.to_string())?;
        for number in 1..=MAX_BATCHES {
            let batch = self.setup.set_aside.join(number.to_string());
            make_private(&batch).map_err(|error| error.to_string())?;
            let batch = forelook_disk::resolve(&batch).map_err(|error| error.to_string())?;
            match create_new(batch.join(LIST), &[&bytes], Permissions::Private) {
                Ok(()) => return Ok(batch),
                Err(forelook_disk::DiskError::Exists { .. }) => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        Err(format!("`{}` is full", self.setup.set_aside))
    }
}

/// What of these files and folders must be moved, and what should be and cannot.
fn find_new(
    root: &Path,
    files: &ProtectedFiles,
    guarded: &Guarded,
    new: &mut Vec<PathBuf>,
    outcome: &mut SetAsideOutcome,
) {
    // Where no command can write, none made anything.
    let unknown = |path: &PathBuf| !guarded.is_in_held_root(path) && !files.is_known(path);
    for path in guarded.named_protected().into_iter().filter(unknown) {
        new.extend(files.foreign_parts(&path).iter().flat_map(|path| parts_to_move(path)));
    }
    for path in files.new_targets(root).into_iter().filter(|path| !guarded.is_in_held_root(path)) {
        // One that is protected by its name too was found above.
        let parts = files.foreign_parts(&path).into_iter().filter(|part| !new.contains(part));
        new.extend(parts.collect::<Vec<_>>());
    }
    for (path, reason) in guarded.closed().iter().filter(|(path, _)| unknown(path)) {
        match reason {
            ClosedReason::TooLong => new.push(path.clone()),
            ClosedReason::Unreadable => outcome.left.push((path.clone(), "it cannot be read".to_owned())),
            ClosedReason::TooMany => {
                outcome.left.push((path.clone(), "there are too many folders to search".to_owned()));
            }
        }
    }
}

/// What of this new file or folder is moved. A repository stays, but for what it would run.
fn parts_to_move(path: &Path) -> Vec<PathBuf> {
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|about| about.is_dir());
    if path.file_name() == Some(OsStr::new(".git")) && is_folder(path) {
        return git_config::running_parts(path).into_iter().map(|part| path.join(part)).collect();
    }
    // A repository without files of its own may have any name, so it is known by what is in it.
    let name = path.file_name().and_then(OsStr::to_str);
    match path.parent().filter(|_| name.is_some_and(|name| GIT_RUNS.contains(&name))) {
        Some(git) if git_config::is_git_folder(git) => {
            let running = git_config::running_parts(git).into_iter().map(|part| git.join(part));
            running.filter(|part| part.starts_with(path)).collect()
        }
        _ => vec![path.to_owned()],
    }
}

/// The number first: then no name is taken twice, and none has a meaning.
fn kept_name(number: usize, name: Option<&OsStr>) -> OsString {
    let mut kept = OsString::from(number.to_string());
    if let Some(name) = name.filter(|name| name.len() < 200) {
        kept.push("-");
        kept.push(name);
    }
    kept
}

fn id(batch: &AbsPath, number: usize) -> String {
    let name = |path: Option<&Path>| {
        path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let path = batch.as_path();
    format!("{}/{}/{number}", name(path.parent()), name(Some(path)))
}

/// All that was set aside and not brought back, of all sessions that keep it in this folder, in the order of their names.
pub fn list_set_aside(folder: &AbsPath) -> Vec<SetAsideFile> {
    let mut found = Vec::new();
    for session in folders_in(folder.as_path()) {
        for batch in folders_in(&session) {
            found.extend(AbsPath::new(&batch).ok().into_iter().flat_map(|batch| read_batch(&batch)));
        }
    }
    found
}

fn read_batch(batch: &AbsPath) -> Vec<SetAsideFile> {
    let bytes = forelook_disk::read_bounded(batch.join(LIST), MAX_LIST_BYTES).unwrap_or_default();
    let list: Vec<ListedItem> = serde_json::from_slice(&bytes).unwrap_or_default();
    let item = |(at, item): (usize, ListedItem)| {
        let from = AbsPath::new(PathBuf::from(item.from)).ok()?;
        let kept = batch.join(Path::new(&item.kept).file_name()?);
        let is_there = kept.as_path().symlink_metadata().is_ok();
        is_there.then(|| SetAsideFile { id: id(batch, at + 1), from, kept })
    };
    list.into_iter().enumerate().filter_map(item).collect()
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_BATCHES);
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

/// Brings something back to where it was, which must be free.
pub fn restore_set_aside(file: &SetAsideFile) -> Result<(), forelook_disk::DiskError> {
    move_new(&file.kept, &file.from)
}
