//! Descriptors that somebody else opened, and files by way of other processes.

use crate::attack::{Attack, call};
use crate::sys::{Done, known, number, open, sys, victim, write, write_to};
use crate::victim::HELD;

pub(crate) const ATTACKS: &[Attack] = &[
    call("inherited-write", || write(inherited())),
    call("inherited-truncate", || sys!(libc::SYS_ftruncate, inherited(), 0).map(drop)),
    call("inherited-chmod", || sys!(libc::SYS_fchmod, inherited(), 0o777).map(drop)),
    call("inherited-opened-again", || write_to(&format!("/proc/self/fd/{}", inherited()), libc::O_WRONLY)),
    call("any-inherited", || {
        // Whatever is open.
        let worked = (3..1024).filter(|fd| write(*fd).is_ok()).count();
        if worked > 0 { Ok(()) } else { write(-1) }
    })
    .alone(),
    call("read-only-opened-again", || {
        write_to(&format!("/proc/self/fd/{}", open("file", libc::O_RDONLY)?), libc::O_WRONLY)
    }),
    call("path-opened-again", || {
        write_to(&format!("/proc/self/fd/{}", open("file", libc::O_PATH)?), libc::O_RDWR)
    }),
    call("read-only-truncated-again", || {
        let fd = open(&format!("/proc/self/fd/{}", open("file", libc::O_RDONLY)?), libc::O_WRONLY)?;
        sys!(libc::SYS_ftruncate, fd, 1).map(drop)
    }),
    call("parents-descriptor", || {
        write_to(&format!("/proc/{}/fd/{}", known("PARENT"), inherited()), libc::O_WRONLY)
    }),
    call("victims-descriptor", || write_to(&format!("/proc/{}/fd/{HELD}", victim()), libc::O_WRONLY)),
    call("victims-folder", || write_to(&format!("/proc/{}/cwd/file", victim()), libc::O_WRONLY)),
    call("victims-root", || {
        write_to(&format!("/proc/{}/root{}/project/file", victim(), known("F")), libc::O_WRONLY)
    }),
    call("parents-root", || {
        write_to(&format!("/proc/{}/root{}/project/file", known("PARENT"), known("F")), libc::O_WRONLY)
    }),
    call("first-process-root", || {
        write_to(&format!("/proc/1/root{}/project/file", known("F")), libc::O_WRONLY)
    })
    .untried("who may is different on every machine"),
    call("take-victims-descriptor", || {
        let process = sys!(libc::SYS_pidfd_open, victim(), 0)?;
        write(sys!(libc::SYS_pidfd_getfd, process, HELD, 0)? as i32)
    }),
    call("take-parents-descriptor", || {
        let process = sys!(libc::SYS_pidfd_open, number("PARENT"), 0)?;
        write(sys!(libc::SYS_pidfd_getfd, process, inherited(), 0)? as i32)
    }),
    call("own-memory-file", own_memory),
];

fn inherited() -> i32 {
    number("FD") as i32
}

/// `/proc/self/mem` writes to memory that is mapped read-only; private copies, but shared ones too?
fn own_memory() -> Done {
    let fd = open("file", libc::O_RDWR).or_else(|_| open("file", libc::O_RDONLY))?;
    // SAFETY: a new mapping of a file that stays as it is.
    let place = unsafe { libc::mmap(std::ptr::null_mut(), 4096, libc::PROT_READ, libc::MAP_SHARED, fd, 0) };
    if place == libc::MAP_FAILED {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: writing makes it ours if the file allows that.
    unsafe { libc::mprotect(place, 4096, libc::PROT_READ | libc::PROT_WRITE) };
    let memory = open("/proc/self/mem", libc::O_RDWR)?;
    sys!(libc::SYS_pwrite64, memory, c"attacked".as_ptr(), 8usize, place as i64).map(drop)
}
