//! Makes what was rehearsed real: exactly the files that were shown, each only if it still is what the diff was made from.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use forelook_disk::{Permissions, Root};
use forelook_protocol::{AbsPath, RehearsalApplied};
use sha2::{Digest, Sha256};

use super::layer::Covered;
use super::scan::{Scan, is_gone};
use super::shown::{ShownFile, changed};
use super::sides::{Side, Views, hex};

/// A file larger than this is not taken over: reading it would only fill memory.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// Whether a file may be changed at all.
pub(super) type May<'a> = &'a dyn Fn(&AbsPath) -> Result<(), String>;

/// What was shown, and the layer as it is.
pub(super) struct Applying<'a> {
    pub(super) covered: &'a [Covered],
    pub(super) scan: &'a Scan,
    pub(super) files: &'a [ShownFile],
}

impl Applying<'_> {
    /// Whether the layer holds what was shown and nothing else. What was applied before is no longer different, and is as
    /// good.
    pub(super) fn is_as_shown(&self) -> bool {
        let known: BTreeSet<&AbsPath> = self.files.iter().map(|file| &file.path).collect();
        let mut others = self.scan.touched.iter().filter(|(path, _)| !known.contains(path));
        let views: Vec<_> = self.covered.iter().map(|folder| Views::new(folder).ok()).collect();
        let same = |file: &ShownFile| {
            let side = match self.scan.touched.get(&file.path) {
                None => Some(Side::Nothing),
                Some(touched) => views[touched.folder].as_ref().map(|views| views.now(touched).side),
            };
            side.as_ref() == Some(&file.new)
        };
        self.files.iter().all(same)
            && others.all(|(_, touched)| {
                views[touched.folder].as_ref().is_some_and(|views| changed(views, touched).is_none())
            })
    }

    /// Makes the changes. What goes, goes first: a folder may come where a file was.
    pub(super) fn apply(&self, may: May<'_>, applied: &mut RehearsalApplied) {
        let (gone, come): (Vec<_>, Vec<_>) = self.files.iter().partition(|file| file.new == Side::Nothing);
        for file in gone.into_iter().chain(come) {
            match may(&file.path).and_then(|()| self.put(file)) {
                Ok(()) => applied.files.push(file.path.clone()),
                Err(why) => applied.failed.push((file.path.clone(), why)),
            }
        }
    }

    fn put(&self, file: &ShownFile) -> Result<(), String> {
        let covered = self.covered.iter().find(|covered| covered.real == file.folder);
        let rest = file.path.as_path().strip_prefix(&file.folder);
        let (Some(covered), Ok(rest)) = (covered, rest) else {
            return Err("Its working folder is no longer one".to_owned());
        };
        let views = Views::new(covered).map_err(words)?;
        let then = views.then(rest).side;
        // A link that became a file goes before the file comes; whoever was ended in between goes on here.
        let half =
            matches!((&file.old, &file.new, &then), (Side::Link { .. }, Side::File { .. }, Side::Nothing));
        if then != file.new && then != file.old && !half {
            return Err("It changed after the rehearsal was shown, so it was left as it is".to_owned());
        }
        if then != file.new {
            self.write(&views, rest, file)?;
        }
        if file.new == Side::Nothing {
            prune(views.real_root(), covered, rest);
        }
        Ok(())
    }

    fn write(&self, views: &Views, rest: &Path, file: &ShownFile) -> Result<(), String> {
        let root = views.real_root();
        let make_folders = || {
            make_room(root, file.path.as_path(), rest);
            root.make_folders_beneath(rest.parent().unwrap_or(Path::new(""))).map_err(words)
        };
        match &file.new {
            Side::Nothing => root.remove_beneath(rest).map(drop).map_err(words),
            Side::Closed(why) => Err(format!("It cannot be read on the layer: {why}")),
            Side::Link { to } => {
                make_folders()?;
                let to = OsStr::from_bytes(to);
                root.link_beneath(rest, Path::new(to)).map_err(words)
            }
            Side::File { hash, bits } => {
                let opened = views.open_now(rest).map_err(words)?;
                let bytes = read_whole(opened).map_err(|_| {
                    format!("It could not be read on the layer, or is larger than {} MiB", MAX_FILE >> 20)
                })?;
                if hex(Sha256::new_with_prefix(&bytes)) != *hash {
                    return Err("It changed on the layer in this moment, so it was left as it is".to_owned());
                }
                make_folders()?;
                if matches!(file.old, Side::Link { .. }) {
                    root.remove_beneath(rest).map_err(words)?;
                }
                root.replace_beneath(rest, &bytes, Permissions::Bits(*bits)).map_err(words)
            }
        }
    }
}

/// Removes empty folders, one in the other, where a file is to come: they are no files, so nobody was shown them.
fn make_room(root: &Root, real: &Path, rest: &Path) {
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
fn prune(root: &Root, covered: &Covered, rest: &Path) {
    let above = rest.ancestors().skip(1).take_while(|folder| !folder.as_os_str().is_empty());
    for folder in above.take_while(|folder| is_gone(covered, folder)) {
        if !matches!(root.remove_empty_beneath(folder), Ok(true)) {
            return;
        }
    }
}

fn words(error: forelook_disk::DiskError) -> String {
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
