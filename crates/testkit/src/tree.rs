//! What a folder holds at one moment, to be compared with another.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Everything below a folder: names, kinds, modes, owners, link targets, contents and times.
///
/// Of the times, the one of the last change of the inode (`ctime`) is among them. No program can set it, so a file that
/// was changed and changed back is seen too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    root: PathBuf,
    nodes: BTreeMap<PathBuf, Node>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    kind: NodeKind,
    mode: u32,
    owner: (u32, u32),
    modified: (i64, i64),
    changed: (i64, i64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum NodeKind {
    Folder,
    File(Vec<u8>),
    Link(PathBuf),
    Other,
}

/// One thing that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeChange {
    /// Which, by its path from the root.
    pub path: PathBuf,
    /// How it differs.
    pub what: ChangeKind,
    /// When, as the file system says; for something that is gone, when the folder that held it changed last.
    pub when: SystemTime,
}

/// How something differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    /// It was not there before.
    Appeared,
    /// It is not there any more.
    Gone,
    /// It is there, and something about it is different.
    Differs(Vec<&'static str>),
}

/// Parts that are called a time: of a folder they differ when something else in it comes or goes.
const TIMES: [&str; 2] = ["time of modification", "time of change"];

impl ChangeKind {
    /// Whether only times differ.
    pub fn is_times_only(&self) -> bool {
        matches!(self, ChangeKind::Differs(parts) if parts.iter().all(|part| TIMES.contains(part)))
    }
}

impl fmt::Display for TreeChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.what {
            ChangeKind::Appeared => write!(f, "{path} appeared"),
            ChangeKind::Gone => write!(f, "{path} is gone"),
            ChangeKind::Differs(parts) => write!(f, "{path} has another {}", parts.join(", ")),
        }
    }
}

impl Tree {
    /// Looks at everything below this folder, and at the folder itself. No link is followed.
    pub fn of(root: &Path) -> Self {
        let mut nodes = BTreeMap::new();
        look(root, root, &mut nodes);
        Self { root: root.to_owned(), nodes }
    }

    /// How many things there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What is different later, by path.
    pub fn changes(&self, later: &Tree) -> Vec<TreeChange> {
        let mut all: Vec<&PathBuf> = self.nodes.keys().chain(later.nodes.keys()).collect();
        all.sort();
        all.dedup();
        let differs = |path: &&PathBuf| self.nodes.get(*path) != later.nodes.get(*path);
        all.into_iter().filter(differs).filter_map(|path| self.change(later, path)).collect()
    }

    fn change(&self, later: &Tree, path: &Path) -> Option<TreeChange> {
        let what = match (self.nodes.get(path), later.nodes.get(path)) {
            (None, None) => return None,
            (None, Some(_)) => ChangeKind::Appeared,
            (Some(_), None) => ChangeKind::Gone,
            (Some(old), Some(new)) => ChangeKind::Differs(old.differences(new)),
        };
        let here = path.ancestors().find_map(|above| later.nodes.get(above));
        let (seconds, nanos) = here.map_or((0, 0), |node| node.changed);
        let since = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanos).ok()?);
        Some(TreeChange { path: path.to_owned(), what, when: SystemTime::UNIX_EPOCH + since })
    }
}

impl Node {
    fn differences(&self, new: &Node) -> Vec<&'static str> {
        let kind = match (&self.kind, &new.kind) {
            (NodeKind::File(_), NodeKind::File(_)) => "content",
            (NodeKind::Link(_), NodeKind::Link(_)) => "target",
            _ => "kind",
        };
        let parts = [
            (self.kind != new.kind, kind),
            (self.mode != new.mode, "mode"),
            (self.owner != new.owner, "owner"),
            (self.modified != new.modified, TIMES[0]),
            (self.changed != new.changed, TIMES[1]),
        ];
        parts.into_iter().filter(|(differs, _)| *differs).map(|(_, part)| part).collect()
    }
}

/// What lies in a folder; nothing for the one that the kernel keeps for itself under a rehearsal's layer. It has no rights at
/// all, so that nobody but root can look into it, and what is in it is no program's. Any other folder must be readable.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    if is_the_kernels(folder) {
        return Vec::new();
    }
    let found = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    found.map(|entry| entry.unwrap().path()).collect()
}

/// An overlay is given a folder `work`, in which the kernel makes another one. While a layer is thrown away, the outer one is
/// called `moved-` and a number for a moment, and whoever is killed then leaves it so.
fn is_the_kernels(folder: &Path) -> bool {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let given = folder.parent().and_then(name).is_some_and(|it| it == "work" || it.starts_with("moved-"));
    let closed = || fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir() && meta.mode() & 0o7777 == 0);
    given && name(folder).is_some_and(|it| it == "work") && closed()
}

/// Lets whoever owns a tree remove it: folders in it may be closed, the kernel's among them. What goes wrong is left to the
/// removal.
pub fn open_up(folder: &Path) {
    let Ok(meta) = fs::symlink_metadata(folder) else { return };
    if !meta.is_dir() {
        return;
    }
    if meta.mode() & 0o700 != 0o700 {
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(meta.mode() & 0o7777 | 0o700));
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        open_up(&entry.path());
    }
}

fn look(root: &Path, path: &Path, nodes: &mut BTreeMap<PathBuf, Node>) {
    let meta = fs::symlink_metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let kind = match meta.file_type() {
        kind if kind.is_dir() => NodeKind::Folder,
        kind if kind.is_file() => NodeKind::File(fs::read(path).unwrap()),
        kind if kind.is_symlink() => NodeKind::Link(fs::read_link(path).unwrap()),
        _ => NodeKind::Other,
    };
    if kind == NodeKind::Folder {
        for inner in entries(path) {
            look(root, &inner, nodes);
        }
    }
    let node = Node {
        kind,
        mode: meta.mode(),
        owner: (meta.uid(), meta.gid()),
        modified: (meta.mtime(), meta.mtime_nsec()),
        changed: (meta.ctime(), meta.ctime_nsec()),
    };
    nodes.insert(path.strip_prefix(root).unwrap().to_owned(), node);
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/file"), "old").unwrap();
        symlink("file", folder.path().join("a/link")).unwrap();
        folder
    }

    /// What is found after `act`, in words.
    fn after(act: impl FnOnce(&Path)) -> Vec<String> {
        let folder = folder();
        let before = Tree::of(folder.path());
        // The file system's clock goes in steps of a few milliseconds.
        std::thread::sleep(Duration::from_millis(20));
        act(folder.path());
        before.changes(&Tree::of(folder.path())).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn reading_is_no_change() {
        let nothing: Vec<String> = Vec::new();
        assert_eq!(
            after(|root| {
                fs::read(root.join("a/file")).unwrap();
                fs::read_dir(root.join("a")).unwrap().for_each(drop);
            }),
            nothing
        );
    }

    #[test]
    fn every_change_is_found() {
        let times = "time of modification, time of change";
        assert_eq!(
            after(|root| fs::write(root.join("a/new"), "").unwrap()),
            [format!("a has another {times}"), "a/new appeared".into()]
        );
        assert_eq!(
            after(|root| fs::remove_file(root.join("a/file")).unwrap()),
            [format!("a has another {times}"), "a/file is gone".into()]
        );
        assert_eq!(
            after(|root| fs::write(root.join("a/file"), "new").unwrap()),
            [format!("a/file has another content, {times}")]
        );
        let mode = fs::Permissions::from_mode(0o700);
        assert_eq!(
            after(|root| fs::set_permissions(root.join("a/file"), mode).unwrap()),
            ["a/file has another mode, time of change"]
        );
        assert_eq!(
            after(|root| {
                fs::remove_file(root.join("a/link")).unwrap();
                symlink("elsewhere", root.join("a/link")).unwrap();
            }),
            [format!("a has another {times}"), format!("a/link has another target, {times}")]
        );
    }

    /// Only the folder that the kernel made is not looked into; it is seen all the same.
    #[test]
    fn the_kernels_own_folder_is_left_alone() {
        for (path, is_left) in
            [("0/work/work", true), ("moved-12/work", true), ("0/upper/work", false), ("work/other", false)]
        {
            let folder = tempfile::tempdir().unwrap();
            let closed = folder.path().join(path);
            fs::create_dir_all(closed.join("inner")).unwrap();
            let all = Tree::of(folder.path()).len();
            assert!(!is_the_kernels(&closed), "{path}");
            fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
            assert_eq!(is_the_kernels(&closed), is_left, "{path}");
            if is_left {
                assert_eq!(Tree::of(folder.path()).len(), all - 1);
            }
            open_up(folder.path());
            assert_eq!(Tree::of(folder.path()).len(), all);
        }
    }

    #[test]
    fn a_change_that_was_undone_is_found() {
        let found = after(|root| {
            let file = root.join("a/file");
            let was = file.metadata().unwrap().modified().unwrap();
            fs::write(&file, "new").unwrap();
            fs::write(&file, "old").unwrap();
            fs::File::open(&file).unwrap().set_modified(was).unwrap();
        });
        assert_eq!(found, ["a/file has another time of change"]);
    }
}
