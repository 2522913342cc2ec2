//! Which folders commands in a workspace fence could ever write to. A link in one of them may have been made by a command,
//! whoever's session it was; so no folder is taken for one to work in if its name leads through such a link.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use forelook_disk::{ConfinedDir, DiskError, Permissions, ReadError, read_bounded_text};
use forelook_protocol::AbsPath;

/// How long the record may be. It has a line for each project that commands ever worked in, temporary ones too, so it can get
/// longer than this; then it is not read, and whoever asks hears so.
const MAX_RECORD: u64 = 4 << 20;

/// The record of them: a file with a name in each line, as JSON writes names that need not be text (`{"Unix": [47, 112]}`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFolders(AbsPath);

/// What the record said when it was read.
#[derive(Debug, Default)]
pub struct KnownWritten(Vec<PathBuf>);

impl KnownWritten {
    /// Whether commands could ever write here.
    pub fn contain(&self, path: &Path) -> bool {
        self.0.iter().any(|folder| path.starts_with(folder))
    }
}

impl WrittenFolders {
    /// The record in the program's home.
    pub fn of(home: &AbsPath) -> Self {
        Self(home.join("written-folders.jsonl"))
    }

    /// Where the record is.
    pub fn path(&self) -> &AbsPath {
        &self.0
    }

    /// Reads the record; none is an empty one. Where it cannot be read, commands could have written anywhere.
    pub fn read(&self) -> Result<KnownWritten, ReadError> {
        let text = match read_bounded_text(&self.0, MAX_RECORD) {
            Err(ReadError::Missing) => return Ok(KnownWritten::default()),
            text => text?,
        };
        // A line that is no JSON was a folder once.
        let folder = |line| serde_json::from_str::<OsString>(line).map_err(|_| ReadError::NotText);
        let folders = text.lines().map(folder).collect::<Result<Vec<_>, _>>()?;
        Ok(KnownWritten(folders.into_iter().map(PathBuf::from).collect()))
    }

    /// Records folders before a command can write to them. If that fails, the fence is raised all the same: a home that is
    /// full, which the journal reports, must not end the work.
    pub(super) fn add<'a>(&self, folders: impl Iterator<Item = &'a Path>) {
        let known = match self.read() {
            Ok(known) => known,
            // Nobody reads a longer one either, so it need not grow with every command.
            Err(ReadError::TooLarge { .. }) => return,
            Err(_) => KnownWritten::default(),
        };
        for folder in folders.filter(|folder| !known.contain(folder)) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_once_writable_is_remembered() {
        let home = tempfile::tempdir().unwrap();
        let home = AbsPath::new(home.path().canonicalize().unwrap()).unwrap();
        let record = WrittenFolders::of(&home);
        assert!(!record.read().unwrap().contain(Path::new("/p/link")));
        let folders = [Path::new("/p"), Path::new("/odd\nname")];
        record.add(folders.into_iter());
        record.add(folders.into_iter());
        for (path, expected) in
            [("/p", true), ("/p/a/link", true), ("/pp", false), ("/odd\nname/x", true), ("/odd", false)]
        {
            assert_eq!(record.read().unwrap().contain(Path::new(path)), expected, "{path:?}");
        }
        assert_eq!(record.read().unwrap().0.len(), 2);
        // What lies in one of them needs no line of its own.
        record.add([Path::new("/p/below")].into_iter());
        assert_eq!(record.read().unwrap().0.len(), 2);
    }

    #[test]
    fn a_record_that_cannot_be_read_is_not_an_empty_one() {
        let home = tempfile::tempdir().unwrap();
        let home = AbsPath::new(home.path().canonicalize().unwrap()).unwrap();
        let record = WrittenFolders::of(&home);
        for damage in ["not JSON\n".to_owned(), "\"/p\"\n".repeat(MAX_RECORD as usize / 5 + 1)] {
            std::fs::write(record.path(), &damage).unwrap();
            assert!(record.read().is_err(), "{:.20}", damage);
        }
        record.add([Path::new("/q")].into_iter());
        assert!(matches!(record.read(), Err(ReadError::TooLarge { .. })));
        std::fs::remove_file(record.path()).unwrap();
        std::fs::create_dir(record.path()).unwrap();
        assert!(record.read().is_err(), "a folder in its place");
    }
}
