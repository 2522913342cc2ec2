//! What kind of machine this is.

use std::path::Path;

/// Whether this process may do anything it likes.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether this looks like the inside of a container, where everything can be thrown away.
pub fn in_container() -> bool {
    // Docker and Podman leave these; systemd-nspawn, lxc and most others set the variable `container` for the first
    // process, which can be read only where one may.
    let marks = ["/.dockerenv", "/run/.containerenv"];
    let named = || {
        std::fs::read("/proc/1/environ")
            .is_ok_and(|all| all.split(|byte| *byte == 0).any(|one| one.starts_with(b"container=")))
    };
    marks.iter().any(|mark| Path::new(mark).exists()) || named()
}
