//! Which folders commands in a workspace fence could ever write to. A link in one of them may have been made by a command,
//! whoever's session it was; so no folder is taken for one to work in if its name leads through such a link.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use forelook_disk::{ConfinedDir, DiskError, Permissions, read_bounded_text};
use forelook_protocol::AbsPath;

/// More than anybody's folders take.
const MAX_RECORD: u64 = 4 << 20;

/// The record of them: a file with a JSON string in each line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFolders(AbsPath);

impl WrittenFolders {
    /// The record in the program's home.
    pub fn of(home: &AbsPath) -> Self {
        Self(home.join("written-folders.jsonl"))
    }

    /// Whether commands could ever write here.
    pub fn contain(&self, path: &Path) -> bool {
        self.all().iter().any(|folder| path.starts_with(folder))
    }

    /// Records folders before a command can write to them. If that fails, the fence is raised all the same: a home that is
    /// full, which the journal reports, must not end the work.
    pub(super) fn add<'a>(&self, folders: impl Iterator<Item = &'a Path>) {
        let known = self.all();
        for folder in folders.filter(|folder| !known.iter().any(|known| known == folder)) {
            let _ = self.append(folder);
        }
    }

    fn append(&self, folder: &Path) -> Result<(), DiskError> {
        let (home, name) = (self.0.parent(), self.0.as_path().file_name());
        // A name need not be text.
        let line = serde_json::to_string(folder.as_os_str()).ok();
        let (Some(home), Some(name), Some(line)) = (home, name, line) else { return Ok(()) };
        let home = ConfinedDir::open_without_links(&forelook_disk::resolve(&home)?)?;
        home.append_beneath(name, &line, Permissions::Private)
    }

    fn all(&self) -> Vec<PathBuf> {
        let text = read_bounded_text(&self.0, MAX_RECORD).unwrap_or_default();
        let folder = |line| serde_json::from_str::<OsString>(line).ok();
        text.lines().filter_map(folder).map(PathBuf::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_once_writable_is_remembered() {
        let home = tempfile::tempdir().unwrap();
        let home = AbsPath::new(home.path().canonicalize().unwrap()).unwrap();
        let record = WrittenFolders::of(&home);
        assert!(!record.contain(Path::new("/p/link")));
        let folders = [Path::new("/p"), Path::new("/odd\nname")];
        record.add(folders.into_iter());
        record.add(folders.into_iter());
        for (path, expected) in
            [("/p", true), ("/p/a/link", true), ("/pp", false), ("/odd\nname/x", true), ("/odd", false)]
        {
            assert_eq!(WrittenFolders::of(&home).contain(Path::new(path)), expected, "{path:?}");
        }
        assert_eq!(record.all().len(), 2);
    }
}
