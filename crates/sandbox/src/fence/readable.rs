//! What may be read where Landlock holds alone: everything but devices and what is masked.
//!
//! Landlock gives rights to a folder with all that is in it, and takes none away below. So a folder that holds something
//! masked is gone through, and what else lies in it is given one by one. What is made in such a folder later cannot be
//! read: the fence is told by the folder's time, and raised anew.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::identities::PathIdentity;
use super::paths::SHARED_MEMORY;

/// What may be read.
#[derive(Debug, Default)]
pub(super) struct Readable {
    /// Files and folders, these with all that is in them.
    pub(super) granted: Vec<PathBuf>,
    /// Folders that were gone through.
    pub(super) listed: Vec<PathIdentity>,
}

impl Readable {
    /// All but these, links followed. What is not there masks nothing.
    pub(super) fn without(masked: &[PathBuf]) -> io::Result<Self> {
        let mut masked: BTreeSet<PathBuf> =
            masked.iter().filter_map(|path| path.canonicalize().ok()).collect();
        // Whoever reads a terminal takes what was typed there.
        masked.insert("/dev".into());
        let granted = ["/dev/random", "/dev/urandom"].map(PathBuf::from).to_vec();
        let mut readable = Self { granted, listed: Vec::new() };
        readable.scan(Path::new("/"), &masked)?;
        // If it is a link what that leads to was found already.
        let memory = Path::new(SHARED_MEMORY);
        if memory.symlink_metadata().is_ok_and(|about| about.is_dir()) {
            readable.grant(memory.to_owned(), &masked)?;
        }
        Ok(readable)
    }

    fn scan(&mut self, folder: &Path, masked: &BTreeSet<PathBuf>) -> io::Result<()> {
        self.listed.push(PathIdentity::of_listed_folder(folder));
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            // What a link leads to is given or not by its own name.
            if !kind.is_symlink() {
                self.grant(path, masked)?;
            }
        }
        Ok(())
    }

    fn grant(&mut self, path: PathBuf, masked: &BTreeSet<PathBuf>) -> io::Result<()> {
        if masked.contains(&path) {
            return Ok(());
        }
        // What lies in a folder follows it at once: paths are compared name by name.
        if !masked.range(path.clone()..).next().is_some_and(|it| it.starts_with(&path)) {
            self.granted.push(path);
            return Ok(());
        }
        match self.scan(&path, masked) {
            Err(error) if error.kind() != io::ErrorKind::PermissionDenied => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_masked_is_left_out_and_its_neighbours_are_not() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        for file in ["a/b/secret", "a/b/open", "a/other", "beside"] {
            fs::write(root.join(file), "x").unwrap();
        }
        std::os::unix::fs::symlink(root.join("a/b/secret"), root.join("a/link")).unwrap();
        let gone = root.join("a/gone");
        let readable = Readable::without(&[root.join("a/link"), gone]).unwrap();
        for (path, expected) in [
            ("a/b/open", true),
            ("a/other", true),
            ("beside", true),
            ("a/b/secret", false),
            ("a/b", false),
            ("a", false),
            ("a/link", false),
        ] {
            assert_eq!(readable.granted.contains(&root.join(path)), expected, "{path}");
        }
        assert!(readable.listed.iter().all(PathIdentity::is_unchanged));
        fs::write(root.join("a/b/new"), "x").unwrap();
        assert!(!readable.listed.iter().all(PathIdentity::is_unchanged));
        assert!(!readable.granted.iter().any(|path| path.starts_with("/dev/pts")));
    }
}
