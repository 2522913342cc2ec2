//! What is attacked: a project, things beside it, and processes outside.

use std::fs;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use crate::outside::{Doors, Shared};
use crate::snapshot::{self, Snapshot};
use crate::sys::{c, is_root, sys};
use crate::terminal::Terminal;
use crate::victim::Victim;

/// All of it, made anew for every attempt and gone afterwards.
pub(crate) struct Fixture {
    pub(crate) folder: PathBuf,
    victim: Victim,
    doors: Doors,
    shared: Shared,
    terminal: Terminal,
    inherited: fs::File,
}

impl Fixture {
    pub(crate) fn new(base: &Path) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = base.join(format!("{}-{number}", std::process::id()));
        let (project, other) = (folder.join("project"), folder.join("other"));
        fs::create_dir_all(project.join("sub")).unwrap();
        fs::create_dir_all(project.join("empty")).unwrap();
        fs::create_dir_all(&other).unwrap();
        fs::create_dir_all(folder.join("space")).unwrap();
        for name in [
            "file",
            "second",
            "sub/inner",
            "inherited",
            "../other/held",
            "../other/given",
            "../other/file",
            "../other/signals",
        ] {
            fill(&project.join(name), &format!("{name} as it was\n"));
        }
        // Large enough to have holes made in it.
        fill(&project.join("large"), &"0123456789abcdef".repeat(1024));
        symlink("file", project.join("link")).unwrap();
        if is_root() {
            // Nothing can be done with it; but who can write to it could write to a disk.
            let (node, null) = (c(&project.join("device").display().to_string()), libc::makedev(1, 3));
            let made = sys!(libc::SYS_mknodat, libc::AT_FDCWD, node.as_ptr(), libc::S_IFCHR | 0o600, null);
            // Whoever is root only in namespaces of its own makes none.
            let whole = fs::read_to_string("/proc/self/uid_map").unwrap().contains("4294967295");
            assert!(made.is_ok() || !whole, "{made:?}");
        }
        let inherited = fs::File::options().read(true).write(true).open(project.join("inherited")).unwrap();
        // SAFETY: it is ours, and from now on every child that is not careful has it.
        unsafe { libc::fcntl(inherited.as_raw_fd(), libc::F_SETFD, 0) };
        let terminal = Terminal::new();
        let doors = Doors::open(&project, &other);
        let victim = Victim::start(&base.join("bin/attacks"), &other);
        // The clock of files has a tick: a change in the same one would not be seen.
        std::thread::sleep(Duration::from_millis(10));
        Self { folder, victim, doors, shared: Shared::new(), terminal, inherited }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// What an attacker knows.
    pub(crate) fn known(&self, base: &Path) -> Vec<(&'static str, String)> {
        let mut known = vec![
            ("H", base.join("bin/attacks").display().to_string()),
            ("F", self.folder.display().to_string()),
            ("FD", self.inherited.as_raw_fd().to_string()),
            ("PARENT", std::process::id().to_string()),
            ("TERMINAL", self.terminal.path.clone()),
            ("VICTIM", self.victim.pid().to_string()),
            ("WORD", self.victim.word.to_string()),
            ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".to_owned()),
        ];
        known.extend(self.doors.known());
        known.extend(self.shared.known());
        known
    }

    pub(crate) fn look(&mut self) -> Snapshot {
        let mut seen = Snapshot::new();
        snapshot::add(&mut seen, "project", &self.project());
        snapshot::add(&mut seen, "other", &self.folder.join("other"));
        self.victim.look(&mut seen);
        self.doors.look(&mut seen);
        self.shared.look(&mut seen);
        self.terminal.look(&mut seen);
        seen
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        for name in ["project/sub", "project/empty", "project"] {
            let path = c(&self.folder.join(name).display().to_string());
            while sys!(libc::SYS_umount2, path.as_ptr(), libc::MNT_DETACH).is_ok() {}
        }
        forelook_sandbox::remove_overlay(&self.folder)
            .unwrap_or_else(|error| println!("{}: {error}", self.folder.display()));
    }
}

/// A file with a mode, times and an attribute. It was read in the future, so that reading it does not count.
fn fill(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o640)).unwrap();
    let name = c(&path.display().to_string());
    sys!(libc::SYS_setxattr, name.as_ptr(), c"user.kept".as_ptr(), c"value".as_ptr(), 5usize, 0).unwrap();
    let times = fs::FileTimes::new()
        .set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000))
        .set_accessed(SystemTime::now() + Duration::from_secs(3600));
    fs::File::options().write(true).open(path).unwrap().set_times(times).unwrap();
}
