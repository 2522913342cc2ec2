//! The names of a project's files, for somebody who is about to name one.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use forelook_protocol::AbsPath;

use super::stats::SearchStats;
use super::stop::StopFlag;
use super::walk::FileWalk;
use crate::progress::Progress;

/// More names than this are none that a person looks through.
const MAX_NAMES: usize = 500_000;
/// How many names a worker holds before it hands them over.
const BATCH: usize = 256;

/// Paths below this folder, in no order: files as Glob finds them, and the folders they are in, with a `/` behind them.
/// Names that are no text are left out, since nobody could type them.
pub fn project_files(folder: &AbsPath, stop: &StopFlag) -> Vec<String> {
    names(folder, stop, MAX_NAMES)
}

fn names(folder: &AbsPath, stop: &StopFlag, most: usize) -> Vec<String> {
    let all = Mutex::new(NameCollector { most, names: Vec::new(), folders: HashSet::new() });
    // The stop is the caller's: that there are enough must not stop what comes later.
    let enough = StopFlag::default();
    let (stats, progress) = (SearchStats::default(), Progress::default());
    let mut walk = FileWalk {
        root: folder,
        globs: None,
        types: None,
        depth: None,
        stop: &enough,
        stats: &stats,
        progress: &progress,
        verb: "listed",
    };
    walk.run(|| {
        let mut worker = Worker { all: &all, enough: &enough, held: Vec::new() };
        Box::new(move |path| {
            if stop.is_set() {
                worker.enough.set();
            }
            let Some(name) = path.strip_prefix(folder).ok().and_then(Path::to_str) else { return };
            worker.held.push(name.to_owned());
            if worker.held.len() == BATCH {
                worker.hand_over();
            }
        })
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner).names
}

struct Worker<'a> {
    all: &'a Mutex<NameCollector>,
    enough: &'a StopFlag,
    held: Vec<String>,
}

impl Worker<'_> {
    fn hand_over(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.held.drain(..).all(|name| all.add(name)) {
            self.enough.set();
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.hand_over();
    }
}

struct NameCollector {
    most: usize,
    names: Vec<String>,
    folders: HashSet<String>,
}

impl NameCollector {
    /// Adds a file and the folders above it that are new; false once there are enough.
    fn add(&mut self, name: String) -> bool {
        let mut above = name.as_str();
        while let Some((folder, _)) = above.rsplit_once('/') {
            if self.folders.contains(folder) || self.names.len() >= self.most {
                break;
            }
            self.folders.insert(folder.to_owned());
            self.names.push(format!("{folder}/"));
            above = folder;
        }
        if self.names.len() < self.most {
            self.names.push(name);
        }
        self.names.len() < self.most
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::search::testing::{lay, project};

    fn sorted(mut names: Vec<String>) -> Vec<String> {
        names.sort();
        names
    }

    #[test]
    fn files_and_folders_without_what_is_ignored() {
        let bench = project();
        // Neither a loop nor a file outside of the project is gone through; a name that is no text is passed over.
        symlink(bench.path("."), bench.path("src/loop")).unwrap();
        symlink("/etc/hostname", bench.path("src/out")).unwrap();
        std::fs::write(bench.path("src").join(std::ffi::OsStr::from_bytes(b"\xff.rs")), "").unwrap();
        lay(&bench, "with space/ü.md", "");
        let root = bench.cx.place.project.clone();
        let names = sorted(project_files(&root, &StopFlag::default()));
        assert_eq!(
            names,
            [
                ".env",
                ".github/",
                ".github/ci.yml",
                ".gitignore",
                ".ignore",
                "docs/",
                "docs/.gitignore",
                "docs/a.md",
                "src/",
                "src/deep/",
                "src/deep/lib.rs",
                "src/deep/page.tsx",
                "src/main.rs",
                "with space/",
                "with space/ü.md",
            ]
        );
    }

    #[test]
    fn there_are_never_more_than_enough_and_each_name_once() {
        let bench = crate::testing::Bench::new();
        for n in 0..600 {
            lay(&bench, &format!("{}/{n}.rs", n % 7), "");
        }
        let root = bench.cx.place.project.clone();
        for (most, expected) in [(0, 0), (1, 1), (5, 5), (500, 500), (606, 606), (607, 607), (700, 607)] {
            let names = names(&root, &StopFlag::default(), most);
            assert_eq!(names.len(), expected);
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), expected);
        }
        let stop = StopFlag::default();
        stop.set();
        assert!(names(&root, &stop, 700).len() < 607);
    }

    #[test]
    fn a_folder_that_is_not_there_has_no_files() {
        let root = AbsPath::new("/nowhere/at/all").unwrap();
        assert_eq!(project_files(&root, &StopFlag::default()), [""; 0]);
    }
}
