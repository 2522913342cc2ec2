//! Moves a file, a folder or a link to a free name elsewhere: by one rename, or by a copy where that is another disk.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use forelook_protocol::AbsPath;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::DiskError;
use crate::file_target::{FileTarget, random_name_for_moved};
use crate::kernel::{FOLDER, READ, open_name};
use crate::open_up;

/// How deep folders are copied, and how many things at most: nobody makes more in earnest.
const MAX_DEPTH: usize = 100;
const MAX_ENTRIES: usize = 100_000;
/// How many bytes are copied in all. What has more is left where it is, under a name that means nothing.
const MAX_BYTES: u64 = 1 << 30;

/// Moves what stands at `from`, whatever it is, to the name `to`, which must be free. Both are real paths: a link on the way
/// is refused, one at the end is moved itself. Their folders are held meanwhile.
pub fn move_new(from: &AbsPath, to: &AbsPath) -> Result<(), DiskError> {
    let (source, target) = (FileTarget::at(from)?, FileTarget::at(to)?);
    let renamed = match rename(&source, &source.name, &target, &target.name) {
        // A folder can only be moved by who may write to it and to the one that it is in.
        Err(Errno::ACCESS) => {
            from.as_path().ancestors().take(2).for_each(|folder| drop(open_up(folder)));
            rename(&source, &source.name, &target, &target.name)
        }
        renamed => renamed,
    };
    match renamed {
        Err(Errno::XDEV) => move_across(&source, &target),
        renamed => renamed.map_err(DiskError::of("move", from.as_path())),
    }
}

fn rename(from: &FileTarget, name: &OsStr, to: &FileTarget, new: &OsStr) -> Result<(), Errno> {
    rustix::fs::renameat_with(&from.folder, name, &to.folder, new, RenameFlags::NOREPLACE)
}

/// The same for another disk. It loses its name first, so that it has no meaning from then on, whatever fails.
fn move_across(source: &FileTarget, target: &FileTarget) -> Result<(), DiskError> {
    let failed = |errno: Errno| DiskError::new("move", &source.path, errno);
    let interim = random_name_for_moved().map_err(failed)?;
    rename(source, &source.name, source, &interim).map_err(failed)?;
    let mut copy = Copy { entries: MAX_ENTRIES, bytes: MAX_BYTES };
    let copied = copy.entry((&source.folder, &interim), (&target.folder, &target.name), 0);
    if let Err(error) = copied {
        let path = source.path.with_file_name(&interim);
        return Err(DiskError::Other { doing: "copy to another disk", path, source: error });
    }
    // The copy is whole. What comes into the old folder from now on has no meaning there.
    let _ = remove(&source.folder, &interim, 0);
    Ok(())
}

/// How much more may be copied.
struct Copy {
    entries: usize,
    bytes: u64,
}

impl Copy {
    fn entry(
        &mut self,
        (from, name): (&OwnedFd, &OsStr),
        (to, new): (&OwnedFd, &OsStr),
        depth: usize,
    ) -> io::Result<()> {
        self.entries = self.entries.checked_sub(1).ok_or(Errno::FBIG)?;
        let stat = rustix::fs::statat(from, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let mode = Mode::from_raw_mode(stat.st_mode & 0o777);
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {
                let source = File::from(open_name(from, name, READ, Mode::empty())?);
                let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
                let mut copy = File::from(open_name(to, new, flags, Mode::RUSR | Mode::WUSR)?);
                let copied = io::copy(&mut io::Read::take(source, self.bytes + 1), &mut copy)?;
                self.bytes = self.bytes.checked_sub(copied).ok_or(Errno::FBIG)?;
                rustix::fs::fchmod(&copy, mode)?;
            }
            FileType::Directory if depth < MAX_DEPTH => {
                rustix::fs::mkdirat(to, new, Mode::RWXU)?;
                let (source, copy) = (folder(from, name)?, folder(to, new)?);
                for name in names(&source)? {
                    self.entry((&source, &name), (&copy, &name), depth + 1)?;
                }
            }
            FileType::Directory => return Err(Errno::NAMETOOLONG.into()),
            FileType::Symlink => {
                let leads_to = rustix::fs::readlinkat(from, name, Vec::new())?;
                rustix::fs::symlinkat(leads_to, to, new)?;
            }
            // Pipes and sockets have nothing in them.
            _ => {}
        }
        Ok(())
    }
}

fn folder(parent: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    open_name(parent, name, FOLDER, Mode::empty())
}

fn names(folder: &OwnedFd) -> Result<Vec<std::ffi::OsString>, Errno> {
    use std::os::unix::ffi::OsStrExt as _;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let listed = rustix::fs::openat(folder, ".", flags, Mode::empty())?;
    let mut names = Vec::new();
    for entry in Dir::new(listed)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

fn remove(parent: &OwnedFd, name: &OsStr, depth: usize) -> Result<(), Errno> {
    match rustix::fs::unlinkat(parent, name, AtFlags::empty()) {
        Err(Errno::ISDIR) if depth < MAX_DEPTH => {
            let inner = folder(parent, name)?;
            for name in names(&inner)? {
                remove(&inner, &name, depth + 1)?;
            }
            rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR)
        }
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use super::*;

    fn abs(path: &Path) -> AbsPath {
        AbsPath::new(path).unwrap()
    }

    /// A folder with everything in it, moved to `to`.
    fn check(moves: impl Fn(&AbsPath, &AbsPath) -> Result<(), DiskError>) {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/run"), "x").unwrap();
        fs::set_permissions(root.join("a/b/run"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("/nowhere", root.join("a/link")).unwrap();
        fs::create_dir(root.join("to")).unwrap();
        moves(&abs(&root.join("a")), &abs(&root.join("to/a"))).unwrap();
        assert!(!root.join("a").exists() && fs::read_dir(&root).unwrap().count() == 1);
        assert_eq!(fs::metadata(root.join("to/a/b/run")).unwrap().permissions().mode() & 0o777, 0o755);
        assert_eq!(fs::read_link(root.join("to/a/link")).unwrap(), Path::new("/nowhere"));
        // A link is moved itself, and nothing is replaced or reached through one.
        symlink("to", root.join("l")).unwrap();
        fs::write(root.join("f"), "x").unwrap();
        assert!(moves(&abs(&root.join("f")), &abs(&root.join("l/f"))).is_err());
        moves(&abs(&root.join("l")), &abs(&root.join("to/l"))).unwrap();
        assert!(fs::symlink_metadata(root.join("to/l")).unwrap().is_symlink());
        assert!(moves(&abs(&root.join("f")), &abs(&root.join("to/a"))).is_err());
    }

    #[test]
    fn what_is_moved_is_whole_and_replaces_nothing() {
        check(move_new);
        check(|from, to| move_across(&FileTarget::at(from)?, &FileTarget::at(to)?));
    }
}
