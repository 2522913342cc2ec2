//! System calls for attackers, and what they know.

use std::ffi::CString;
use std::io;

pub(crate) type Done = io::Result<()>;

/// A system call; its error is the kernel's. Arguments are made as long as what the kernel reads: what is behind a shorter
/// number is anything.
macro_rules! sys {
    ($call:expr $(, $arg:expr)* $(,)?) => {
        // SAFETY: whoever attacks passes what the call wants; if not, only the attacker falls.
        $crate::sys::answer(unsafe { libc::syscall($call as libc::c_long $(, $arg as libc::c_long)*) })
    };
}
pub(crate) use sys;

pub(crate) fn answer(answer: libc::c_long) -> io::Result<libc::c_long> {
    if answer == -1 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

pub(crate) fn is_root() -> bool {
    // SAFETY: it takes nothing and cannot fail.
    unsafe { libc::geteuid() == 0 }
}

pub(crate) fn c(text: &str) -> CString {
    CString::new(text).unwrap()
}

/// What the attacker was told.
pub(crate) fn known(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("`{name}` is not known"))
}

pub(crate) fn number(name: &str) -> i64 {
    known(name).parse().unwrap()
}

/// The victim's number.
pub(crate) fn victim() -> libc::c_long {
    number("VICTIM")
}

pub(crate) fn open(path: &str, flags: i32) -> io::Result<i32> {
    sys!(libc::SYS_openat, libc::AT_FDCWD, c(path).as_ptr(), flags, 0o644).map(|fd| fd as i32)
}

pub(crate) fn write(fd: i32) -> Done {
    sys!(libc::SYS_write, fd, c"attacked".as_ptr(), 8usize).map(drop)
}

pub(crate) fn read(fd: i32) -> Done {
    let mut bytes = [0u8; 64];
    sys!(libc::SYS_read, fd, bytes.as_mut_ptr(), bytes.len()).map(drop)
}

pub(crate) fn write_to(path: &str, flags: i32) -> Done {
    write(open(path, flags)?)
}

/// A page with a word in it, which lies where even 32-bit calls can find it.
pub(crate) fn low_page(text: &[u8]) -> io::Result<*mut u8> {
    let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    #[cfg(target_arch = "x86_64")]
    let flags = flags | libc::MAP_32BIT;
    // SAFETY: a new mapping, large enough for the text.
    unsafe {
        let page = libc::mmap(std::ptr::null_mut(), 4096, access, flags, -1, 0);
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        std::ptr::copy_nonoverlapping(text.as_ptr(), page.cast(), text.len());
        Ok(page.cast())
    }
}

pub(crate) fn pipe() -> io::Result<(i32, i32)> {
    let mut ends = [0; 2];
    sys!(libc::SYS_pipe2, ends.as_mut_ptr(), 0)?;
    Ok((ends[0], ends[1]))
}

/// Goes on in a child; the parent waits for it and ends as it did.
pub(crate) fn in_child() -> io::Result<()> {
    // SAFETY: there is one thread.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(()),
        child => {
            let mut status = 0;
            // SAFETY: there is room for the status.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            std::process::exit(libc::WEXITSTATUS(status));
        }
    }
}
