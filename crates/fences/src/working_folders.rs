//! Where the working folders are. A name is bound to its folder when the session first uses it, and means that folder or none
//! from then on.
//!
//! A working folder that lies in another one is no mount of its own, so a command in the workspace fence can put a link in
//! its place, or in the place of a folder above it. The next fence must not take the target of that link for a working
//! folder.

use std::collections::HashMap;
use std::sync::PoisonError;

use forelook_disk::ConfinedDir;
use forelook_protocol::AbsPath;
use forelook_sandbox::FileId;

use super::Fences;
use super::inputs::FenceInputs;

/// A working folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WorkingFolder {
    /// As the session calls it.
    pub(super) name: AbsPath,
    /// Where it is, all links followed.
    pub(super) real: AbsPath,
    /// Which folder it is.
    pub(super) id: FileId,
}

impl WorkingFolder {
    /// The folder that this name leads to now, if there is one.
    pub(super) fn of(name: &AbsPath) -> Option<Self> {
        let real = AbsPath::new(name.as_path().canonicalize().ok()?).ok()?;
        // Where a link stands by now a command has put it there.
        let (device, inode) = ConfinedDir::open_without_links(&real).ok()?.id().ok()?;
        Some(Self { name: name.clone(), real, id: FileId { device, inode } })
    }
}

/// Which folder each name is bound to.
#[derive(Debug, Default)]
pub(super) struct FolderBindings(HashMap<AbsPath, Binding>);

#[derive(Debug)]
struct Binding {
    real: AbsPath,
    /// It led elsewhere, and the user and the model heard of it.
    reported: bool,
}

impl FolderBindings {
    /// These were looked up before, and lead to no others.
    pub(super) fn of(real: &[AbsPath]) -> Self {
        let binding = |path: &AbsPath| (path.clone(), Binding { real: path.clone(), reported: false });
        Self(real.iter().map(binding).collect())
    }

    /// The working folders that are where they were, and those that newly lead elsewhere.
    fn check(&mut self, names: &[AbsPath]) -> (Vec<WorkingFolder>, Vec<WorkingFolder>) {
        let (mut unchanged, mut moved) = (Vec::new(), Vec::new());
        for folder in names.iter().filter_map(WorkingFolder::of) {
            let new = || Binding { real: folder.real.clone(), reported: false };
            let binding = self.0.entry(folder.name.clone()).or_insert_with(new);
            if binding.real == folder.real {
                unchanged.push(folder);
            } else if !std::mem::replace(&mut binding.reported, true) {
                moved.push(folder);
            }
        }
        (unchanged, moved)
    }
}

impl Fences {
    /// The working folders that are still where they were. The others are dropped, and that is said once.
    pub(super) fn working_folders(&self, inputs: &FenceInputs) -> Vec<WorkingFolder> {
        self.unchanged(&inputs.folders)
    }

    /// The same for the folders that the settings let commands write to.
    pub(super) fn writable_folders(&self) -> Vec<WorkingFolder> {
        self.setup.workspace.as_ref().map_or_else(Vec::new, |workspace| self.unchanged(&workspace.writable))
    }

    fn unchanged(&self, names: &[AbsPath]) -> Vec<WorkingFolder> {
        let (unchanged, moved) = {
            let mut bindings = self.folder_bindings.lock().unwrap_or_else(PoisonError::into_inner);
            bindings.check(names)
        };
        for WorkingFolder { name, real, .. } in moved {
            self.tell_user(&format!(
                "`{name}` was replaced and now leads to `{real}`, so commands cannot write there\n\
                 Check who replaced it; to work in the new place, start a new session"
            ));
            self.tell_model(format!(
                "[`{name}` was replaced and now leads to `{real}`: commands cannot write there any more]"
            ));
        }
        unchanged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_name_means_the_folder_that_it_led_to_first() {
        let root = tempfile::tempdir().unwrap();
        let root = AbsPath::new(root.path().canonicalize().unwrap()).unwrap();
        let names = [root.join("a/b"), root.join("later"), root.join("link")];
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(root.join("other/b")).unwrap();
        symlink("a", root.join("link")).unwrap();
        let mut bindings = FolderBindings::default();
        let mut check = || {
            let (unchanged, moved) = bindings.check(&names);
            let ends = |folders: Vec<WorkingFolder>| {
                let end =
                    |it: WorkingFolder| it.real.as_path().strip_prefix(&root).unwrap().display().to_string();
                folders.into_iter().map(end).collect::<Vec<_>>().join(" ")
            };
            (ends(unchanged), ends(moved))
        };
        let is = |unchanged: &str, moved: &str| (unchanged.to_owned(), moved.to_owned());
        assert_eq!(check(), is("a/b a", ""));
        fs::create_dir(root.join("later")).unwrap();
        assert_eq!(check(), is("a/b later a", ""));
        // A folder above it is swapped; it is said once.
        fs::rename(root.join("a"), root.join("c")).unwrap();
        symlink("other", root.join("a")).unwrap();
        assert_eq!(check(), is("later", "other/b other"));
        assert_eq!(check(), is("later", ""));
        // It is back.
        fs::remove_file(root.join("a")).unwrap();
        fs::rename(root.join("c"), root.join("a")).unwrap();
        assert_eq!(check(), is("a/b later a", ""));
    }
}
