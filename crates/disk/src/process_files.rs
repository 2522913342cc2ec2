//! Files that show the inside of a process: its environment, its memory, what it has open.
//!
//! A tool that read them would read them with our eyes, and we hold keys. They are told by where they are once they are
//! open, so that it does not matter how a path was spelled, or by which link it led there: anything in the folder of a
//! process, wherever `/proc` is mounted, and what shows all of the machine's memory.

use std::os::fd::AsFd;
use std::path::Path;

/// Whether an open file is one of these. `device` is the number of the device that it is on.
#[cfg(target_os = "linux")]
pub(crate) fn is_process_file(file: impl AsFd, device: u64) -> bool {
    use std::os::fd::AsRawFd;
    // What lies on a disk has a device with a number of its own, and need not be asked for more.
    if rustix::fs::major(device) != 0 || !rustix::fs::fstatfs(&file).is_ok_and(|about| is_proc(&about)) {
        return false;
    }
    let link = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    // What is on it and cannot be found there belongs to a process that has just ended.
    std::fs::read_link(link).map_or(true, |path| !is_on_proc(&path) || shows_process(&path))
}

#[cfg(target_os = "linux")]
fn is_on_proc(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|about| is_proc(&about))
}

/// Whether this is a file or a folder of that kind. The path must be without links.
#[cfg(target_os = "linux")]
pub fn shows_process(path: &Path) -> bool {
    /// The first inode of every `/proc`.
    const ROOT: u64 = 1;
    if !is_on_proc(path) {
        return false;
    }
    // The outermost folder on it: where it is mounted.
    let Some(mount) = path.ancestors().take_while(|path| is_on_proc(path)).last() else { return true };
    // Something else than the whole of it may be mounted elsewhere; then its names tell nothing.
    if !rustix::fs::stat(mount).is_ok_and(|about| about.st_ino == ROOT) {
        return true;
    }
    let first = path.strip_prefix(mount).ok().and_then(|below| below.iter().next());
    first.is_some_and(|name| {
        let name = name.as_encoded_bytes();
        name.iter().all(u8::is_ascii_digit)
            || matches!(name, b"self" | b"thread-self" | b"kcore" | b"vmcore" | b"kmem")
    })
}

#[cfg(target_os = "linux")]
fn is_proc(about: &rustix::fs::StatFs) -> bool {
    about.f_type == rustix::fs::PROC_SUPER_MAGIC
}

/// Nothing shows a process as a file here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_process_file(_: impl AsFd, _: u64) -> bool {
    false
}

/// Nothing shows a process as a file here.
#[cfg(not(target_os = "linux"))]
pub fn shows_process(_: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::symlink;

    use forelook_protocol::AbsPath;

    use super::*;
    use crate::{DiskError, FileTarget, ReadError, open_real, read_bounded_start, resolve};

    #[test]
    fn what_is_in_a_process_is_not_opened_however_it_is_called() {
        let own = std::process::id();
        let home = tempfile::tempdir().unwrap();
        symlink("/proc/self/environ", home.path().join("link")).unwrap();
        symlink("/proc", home.path().join("proc")).unwrap();
        symlink(format!("/proc/{own}"), home.path().join("us")).unwrap();
        let linked = |name: &str| home.path().join(name).display().to_string();
        for path in [
            format!("/proc/{own}/environ"),
            format!("/proc/{own}/maps"),
            format!("/proc/{own}/task/{own}/environ"),
            format!("/proc/{own}/../{own}/cmdline"),
            "/proc/self/environ".to_owned(),
            "/proc/thread-self/status".to_owned(),
            "/proc/self/task/../environ".to_owned(),
            "/proc/self/root/proc/self/environ".to_owned(),
            "/proc/self/cwd/../../../../../../../../proc/self/limits".to_owned(),
            linked("link"),
            linked("proc/self/environ"),
            linked("us/environ"),
        ] {
            let refused = read_bounded_start(&path, 9);
            assert!(matches!(refused, Err(ReadError::Process)), "{path}: {refused:?}");
            let real = resolve(Path::new(&path)).unwrap();
            assert!(matches!(open_real(&real), Err(ReadError::Process)), "{real}");
            let opened = FileTarget::at(&real).unwrap().open();
            assert!(matches!(opened, Err(DiskError::Process { .. })), "{real}: {opened:?}");
            assert!(shows_process(real.as_path()), "{real}");
        }
        for path in ["/proc/version", "/proc/sys/kernel/ostype", "/proc/meminfo"] {
            open_real(path).unwrap();
            FileTarget::at(&AbsPath::new(path).unwrap()).unwrap().open().unwrap();
        }
        assert!(!shows_process(Path::new("/proc")) && !shows_process(home.path()));
        assert!(shows_process(Path::new("/proc/1")) && shows_process(Path::new("/proc/1/fd")));
    }
}
