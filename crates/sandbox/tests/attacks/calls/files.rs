//! What is in files.

use std::io;

use crate::attack::{Attack, call};
use crate::sys::{Done, c, open, pipe, sys, write, write_to};

pub(crate) const ATTACKS: &[Attack] = &[
    call("open-write-only", || write_to("file", libc::O_WRONLY)),
    call("open-read-write", || write_to("file", libc::O_RDWR)),
    call("open-append", || write_to("file", libc::O_WRONLY | libc::O_APPEND)),
    call("open-truncate", || open("file", libc::O_WRONLY | libc::O_TRUNC).map(drop)),
    call("open-read-only-truncate", || open("file", libc::O_RDONLY | libc::O_TRUNC).map(drop)),
    call("open-access-mode-3", || open("file", libc::O_ACCMODE | libc::O_TRUNC).map(drop)),
    call("open-direct", || open("file", libc::O_WRONLY | libc::O_DIRECT | libc::O_TRUNC).map(drop)),
    call("open-sync", || write_to("file", libc::O_WRONLY | libc::O_SYNC)),
    call("open-through-link", || write_to("link", libc::O_WRONLY)),
    call("open-in-other-folder", || write_to("../other/file", libc::O_WRONLY)),
    call("open-through-own-cwd", || write_to("/proc/self/cwd/file", libc::O_WRONLY)),
    call("open-through-own-root", || {
        write_to(&format!("/proc/self/root{}/project/file", crate::sys::known("F")), libc::O_WRONLY)
    }),
    call("open-through-thread-self", || write_to("/proc/thread-self/cwd/file", libc::O_WRONLY)),
    call("open-below-descriptor", || {
        let folder = open(".", libc::O_PATH)?;
        write(sys!(libc::SYS_openat, folder, c"file".as_ptr(), libc::O_WRONLY)? as i32)
    }),
    call("openat2", || openat2("file", 0)),
    call("openat2-in-root", || openat2("/file", 0x10)),
    call("openat2-beneath", || openat2("sub/inner", 0x08)),
    #[cfg(target_arch = "x86_64")]
    call("open-old", || write(sys!(libc::SYS_open, c"file".as_ptr(), libc::O_WRONLY)? as i32)),
    #[cfg(target_arch = "x86_64")]
    call("creat", || sys!(libc::SYS_creat, c"file".as_ptr(), 0o600).map(drop)),
    call("pwrite", || {
        sys!(libc::SYS_pwrite64, open("file", libc::O_RDWR)?, c"x".as_ptr(), 1usize, 3usize).map(drop)
    }),
    call("writev", || vector(libc::SYS_writev)),
    call("pwritev", || vector(libc::SYS_pwritev)),
    call("pwritev2", || vector(libc::SYS_pwritev2)),
    call("sendfile", || {
        let (from, to) = (open("second", libc::O_RDONLY)?, open("file", libc::O_WRONLY)?);
        sys!(libc::SYS_sendfile, to, from, 0usize, 6usize).map(drop)
    }),
    call("copy-file-range", || {
        let (from, to) = (open("second", libc::O_RDONLY)?, open("file", libc::O_WRONLY)?);
        sys!(libc::SYS_copy_file_range, from, 0usize, to, 0usize, 6usize, 0).map(drop)
    }),
    call("splice", || {
        let (read, write_end) = pipe()?;
        write(write_end)?;
        splice_in(read)
    }),
    call("vmsplice", || {
        let (read, write_end) = pipe()?;
        splice_memory(write_end)?;
        splice_in(read)
    }),
    call("tee", || {
        let ((first, first_end), (second, second_end)) = (pipe()?, pipe()?);
        write(first_end)?;
        sys!(libc::SYS_tee, first, second_end, 8usize, 0)?;
        splice_in(second)
    }),
    call("mmap-shared", || mapped(libc::PROT_READ | libc::PROT_WRITE)),
    call("mmap-then-mprotect", || mapped(libc::PROT_READ)),
    call("truncate", || sys!(libc::SYS_truncate, c"file".as_ptr(), 3).map(drop)),
    call("truncate-grow", || sys!(libc::SYS_truncate, c"file".as_ptr(), 9999).map(drop)),
    call("ftruncate", || sys!(libc::SYS_ftruncate, open("file", libc::O_WRONLY)?, 0).map(drop)),
    call("fallocate", || allocate(0)),
    call("fallocate-keep-size", || allocate(libc::FALLOC_FL_KEEP_SIZE)),
    call("fallocate-punch-hole", || allocate(libc::FALLOC_FL_KEEP_SIZE | libc::FALLOC_FL_PUNCH_HOLE)),
    call("fallocate-zero-range", || allocate(libc::FALLOC_FL_ZERO_RANGE)),
    call("aio-write", aio),
    call("execute-from-memory", execute_from_memory),
];

fn openat2(path: &str, resolve: u64) -> Done {
    let folder = open(".", libc::O_PATH)?;
    let how = [libc::O_WRONLY as u64, 0, resolve];
    write(sys!(libc::SYS_openat2, folder, c(path).as_ptr(), how.as_ptr(), size_of_val(&how))? as i32)
}

fn vector(call: libc::c_long) -> Done {
    let word = *b"attacked";
    let piece = libc::iovec { iov_base: word.as_ptr().cast_mut().cast(), iov_len: word.len() };
    sys!(call, open("file", libc::O_WRONLY)?, &raw const piece, 1, 0, 0, 0).map(drop)
}

fn splice_in(pipe: i32) -> Done {
    sys!(libc::SYS_splice, pipe, 0usize, open("file", libc::O_WRONLY)?, 0usize, 8usize, 0).map(drop)
}

fn splice_memory(pipe: i32) -> Done {
    let word = *b"attacked";
    let piece = libc::iovec { iov_base: word.as_ptr().cast_mut().cast(), iov_len: word.len() };
    sys!(libc::SYS_vmsplice, pipe, &raw const piece, 1usize, 0).map(drop)
}

fn mapped(first: i32) -> Done {
    let fd = open("file", libc::O_RDWR).or_else(|_| open("file", libc::O_RDONLY))?;
    // SAFETY: a new mapping of a file that is longer than what is written.
    unsafe {
        let place = libc::mmap(std::ptr::null_mut(), 4096, first, libc::MAP_SHARED, fd, 0);
        if place == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        if libc::mprotect(place, 4096, libc::PROT_READ | libc::PROT_WRITE) != 0 {
            return Err(io::Error::last_os_error());
        }
        std::ptr::copy_nonoverlapping(b"attacked".as_ptr(), place.cast(), 8);
        libc::msync(place, 4096, libc::MS_SYNC);
    }
    Ok(())
}

fn allocate(mode: i32) -> Done {
    sys!(libc::SYS_fallocate, open("large", libc::O_WRONLY)?, mode, 4096i64, 4096i64 * 8).map(drop)
}

fn aio() -> Done {
    let word = *b"attacked";
    let mut context = 0u64;
    sys!(libc::SYS_io_setup, 1, &raw mut context)?;
    let (mut block, fd) = ([0u64; 8], open("file", libc::O_WRONLY)?);
    // The number of the call is in the third word's first half, and the descriptor in the second word's last part.
    block[2] = 1 | ((fd as u64) << 32);
    block[3] = word.as_ptr() as u64;
    block[4] = word.len() as u64;
    let list = [block.as_ptr()];
    sys!(libc::SYS_io_submit, context, 1, list.as_ptr())?;
    let mut event = [0u64; 4];
    sys!(libc::SYS_io_getevents, context, 1, 1, event.as_mut_ptr(), 0usize).map(drop)
}

/// A program that is in no folder.
fn execute_from_memory() -> Done {
    let fd = sys!(libc::SYS_memfd_create, c"x".as_ptr(), 0)? as i32;
    let shell = std::fs::read("/bin/sh")?;
    sys!(libc::SYS_write, fd, shell.as_ptr(), shell.len())?;
    let words = [c"sh".as_ptr(), c"-c".as_ptr(), c"echo attacked > file".as_ptr(), std::ptr::null()];
    let variables = [std::ptr::null::<libc::c_char>()];
    sys!(libc::SYS_execveat, fd, c"".as_ptr(), words.as_ptr(), variables.as_ptr(), libc::AT_EMPTY_PATH)
        .map(drop)
}
