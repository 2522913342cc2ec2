//! Makes what was rehearsed real: exactly the files that were shown, each only if it still is what the diff was made from.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use forelook_disk::{ConfinedDir, Permissions};
use forelook_protocol::{AbsPath, RehearsalApplied, to_hex};
use sha2::{Digest, Sha256};

use super::file_states::{FileState, FolderViews};
use super::overlay::OverlaidFolder;
use super::preview::{PreviewFile, changed};
use super::scan::{Scan, is_removed};

/// A file larger than this is not taken over: reading it would only fill memory.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// Whether a file may be changed at all.
pub(super) type WritePermit<'a> = &'a dyn Fn(&AbsPath) -> Result<(), String>;

/// What was shown, and the layer as it is.
pub(super) struct ApplyJob<'a> {
    pub(super) overlaid: &'a [OverlaidFolder],
    pub(super) scan: &'a Scan,
    pub(super) files: &'a [PreviewFile],
    /// Whether files that decide what runs later were said yes to by themselves.
    pub(super) with_protected: bool,
}

impl ApplyJob<'_> {
    /// Whether the layer holds what was shown and nothing else. What was applied before is no longer different, and is as
    /// good.
    pub(super) fn matches_preview(&self) -> bool {
        let known: BTreeSet<&AbsPath> = self.files.iter().map(|file| &file.path).collect();
        let mut others = self.scan.touched.iter().filter(|(path, _)| !known.contains(path));
        let views: Vec<_> = self.overlaid.iter().map(|folder| FolderViews::new(folder).ok()).collect();
        let same = |file: &PreviewFile| {
            let state = match self.scan.touched.get(&file.path) {
                None => Some(FileState::Nothing),
                Some(touched) => views[touched.folder].as_ref().map(|views| views.rehearsed(touched).state),
            };
            state.as_ref() == Some(&file.new)
        };
        self.files.iter().all(same)
            && others.all(|(_, touched)| {
                views[touched.folder].as_ref().is_some_and(|views| changed(views, touched).is_none())
            })
    }

    /// Makes the changes. What goes, goes first: a folder may come where a file was.
    pub(super) fn apply(&self, permit: WritePermit<'_>, applied: &mut RehearsalApplied) {
        let (gone, come): (Vec<_>, Vec<_>) =
            self.files.iter().partition(|file| file.new == FileState::Nothing);
        for file in gone.into_iter().chain(come) {
            match self.own_yes(file).and_then(|()| permit(&file.path)).and_then(|()| self.apply_file(file)) {
                Ok(()) => applied.files.push(file.path.clone()),
                Err(why) => applied.failed.push((file.path.clone(), why)),
            }
        }
    }

    /// Whether the yes to the rest counts for this one too.
    fn own_yes(&self, file: &PreviewFile) -> Result<(), String> {
        match file.protected && !self.with_protected {
            true => Err("It decides what runs later, and only its own yes applies it".to_owned()),
            false => Ok(()),
        }
    }

    fn apply_file(&self, file: &PreviewFile) -> Result<(), String> {
        let overlaid = self.overlaid.iter().find(|overlaid| overlaid.real == file.folder);
        let rest = file.path.as_path().strip_prefix(&file.folder);
        let (Some(overlaid), Ok(rest)) = (overlaid, rest) else {
            return Err("Its folder is no longer a working directory".to_owned());
        };
        let views = FolderViews::new(overlaid).map_err(first_line)?;
        let current = views.current(rest).state;
        // A link that became a file goes before the file comes; whoever was ended in between goes on here.
        let half = matches!(
            (&file.old, &file.new, &current),
            (FileState::Link { .. }, FileState::File { .. }, FileState::Nothing)
        );
        if current != file.new && current != file.old && !half {
            return Err("It changed after the rehearsal was shown, so it was left alone".to_owned());
        }
        if current != file.new {
            self.write(&views, rest, file)?;
        }
        if file.new == FileState::Nothing {
            prune(views.real_root(), overlaid, rest);
        }
        Ok(())
    }

    fn write(&self, views: &FolderViews, rest: &Path, file: &PreviewFile) -> Result<(), String> {
        let root = views.real_root();
        let make_folders = || {
            make_room(root, file.path.as_path(), rest);
            root.make_folders_beneath(rest.parent().unwrap_or(Path::new(""))).map_err(first_line)
        };
        match &file.new {
            FileState::Nothing => root.remove_beneath(rest).map(drop).map_err(first_line),
            FileState::Unreadable(why) => Err(format!("It cannot be read on the overlay: {why}")),
            FileState::Link { to } => {
                make_folders()?;
                let to = OsStr::from_bytes(to);
                root.link_beneath(rest, Path::new(to)).map_err(first_line)
            }
            FileState::File { hash, bits } => {
                let opened = views.open_rehearsed(rest).map_err(first_line)?;
                let bytes = read_whole(opened).map_err(|_| {
                    format!("It could not be read on the overlay, or is larger than {} MiB", MAX_FILE >> 20)
                })?;
                if to_hex(&Sha256::digest(&bytes)) != *hash {
                    return Err("It was changing on the overlay, so it was left alone".to_owned());
                }
                make_folders()?;
                if matches!(file.old, FileState::Link { .. }) {
                    root.remove_beneath(rest).map_err(first_line)?;
                }
                root.replace_beneath(rest, &bytes, Permissions::Bits(*bits)).map_err(first_line)
            }
        }
    }
}

/// Removes empty folders, one in the other, where a file is to come: they are no files, so nobody was shown them.
fn make_room(root: &ConfinedDir, real: &Path, rest: &Path) {
    if !real.symlink_metadata().is_ok_and(|about| about.is_dir()) {
        return;
    }
    for entry in std::fs::read_dir(real).into_iter().flatten().flatten() {
        make_room(root, &entry.path(), &rest.join(entry.file_name()));
    }
    // If it is not empty the file cannot come either, and that is told.
    let _ = root.remove_empty_beneath(rest);
}

/// Removes the folders above a file that are gone on the layer too. One with other files in it stays.
fn prune(root: &ConfinedDir, overlaid: &OverlaidFolder, rest: &Path) {
    let above = rest.ancestors().skip(1).take_while(|folder| !folder.as_os_str().is_empty());
    for folder in above.take_while(|folder| is_removed(overlaid, folder)) {
        if !matches!(root.remove_empty_beneath(folder), Ok(true)) {
            return;
        }
    }
}

fn first_line(error: forelook_disk::DiskError) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// All bytes of a regular file that is not too large.
fn read_whole(file: File) -> io::Result<Vec<u8>> {
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MAX_FILE {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}
