//! Makes a folder of ours accessible to us again, after a program closed it (`chmod 0`).

use std::path::Path;

use rustix::fs::{Mode, RawMode};
use rustix::io::Errno;

use crate::DiskError;
use crate::kernel::open_folder;

/// Gives us all rights to a folder that is ours. The path leads through no link.
pub fn open_up(folder: &Path) -> Result<(), DiskError> {
    open_up_folder(folder).map_err(DiskError::of("open", folder))
}

fn open_up_folder(folder: &Path) -> Result<(), Errno> {
    let held = open_folder(folder)?;
    let stat = rustix::fs::fstat(&held)?;
    let mode = Mode::from_raw_mode((stat.st_mode & 0o7777) as RawMode);
    if stat.st_uid != rustix::process::geteuid().as_raw() || mode.contains(Mode::RWXU) {
        return Err(Errno::ACCESS);
    }
    // By its descriptor, so that it is the folder that was looked at. One for a path alone takes no `fchmod`.
    let descriptor = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&held));
    rustix::fs::chmod(descriptor, mode | Mode::RWXU)
}
