//! The ring: calls that no filter sees.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::attack::{Attack, call};
use crate::sys::{Done, c, sys};

const OPENAT: u8 = 18;
const RENAMEAT: u8 = 35;
const UNLINKAT: u8 = 36;
const MKDIRAT: u8 = 37;
const SETXATTR: u8 = 42;
const AT: i32 = libc::AT_FDCWD;

pub(crate) const ATTACKS: &[Attack] = &[
    call("ring-open", || {
        let flags = (libc::O_WRONLY | libc::O_TRUNC) as u32;
        submit(Entry { code: OPENAT, fd: AT, address: c"file".as_ptr() as u64, flags, ..Entry::default() })
    }),
    call("ring-unlink", || {
        submit(Entry { code: UNLINKAT, fd: AT, address: c"file".as_ptr() as u64, ..Entry::default() })
    }),
    call("ring-mkdir", || {
        let (address, length) = (c"new".as_ptr() as u64, 0o755);
        submit(Entry { code: MKDIRAT, fd: AT, address, length, ..Entry::default() })
    }),
    call("ring-rename", || {
        let (address, offset) = (c"file".as_ptr() as u64, c"moved".as_ptr() as u64);
        submit(Entry { code: RENAMEAT, fd: AT, address, offset, length: AT as u32, ..Entry::default() })
    }),
    call("ring-setxattr", || {
        let (name, path) = (c("user.new"), c("file"));
        let (address, offset, third) = (name.as_ptr() as u64, name.as_ptr() as u64, path.as_ptr() as u64);
        submit(Entry { code: SETXATTR, address, offset, length: 4, third, ..Entry::default() })
    }),
];

/// `struct io_uring_sqe`.
#[repr(C)]
#[derive(Default)]
struct Entry {
    code: u8,
    kind: u8,
    priority: u16,
    fd: i32,
    offset: u64,
    address: u64,
    length: u32,
    flags: u32,
    user: u64,
    buffer: u64,
    third: u64,
    rest: u64,
}

/// `struct io_uring_params`.
#[repr(C)]
#[derive(Default)]
struct Params {
    first: [u32; 10],
    submission: [u32; 10],
    completion: [u32; 10],
}

fn submit(entry: Entry) -> Done {
    let mut params = Params::default();
    let ring = sys!(libc::SYS_io_uring_setup, 1, &raw mut params)? as i32;
    let (queue, answers, entries) = (map(ring, 0)?, map(ring, 0x800_0000)?, map(ring, 0x1000_0000)?);
    // SAFETY: the kernel said where everything lies in what it mapped.
    unsafe {
        entries.cast::<Entry>().write(entry);
        let [_, tail, _, _, _, _, array, ..] = params.submission;
        queue.add(array as usize).cast::<u32>().write(0);
        (*queue.add(tail as usize).cast::<AtomicU32>()).store(1, Ordering::Release);
    }
    const GET_EVENTS: u32 = 1;
    sys!(libc::SYS_io_uring_enter, ring, 1, 1, GET_EVENTS, 0usize, 0usize)?;
    // SAFETY: as above; there is one answer, whose second part is the number.
    let answer = unsafe { answers.add(params.completion[5] as usize).cast::<i32>().add(2).read() };
    if answer < 0 { Err(io::Error::from_raw_os_error(-answer)) } else { Ok(()) }
}

fn map(ring: i32, offset: i64) -> io::Result<*mut u8> {
    // SAFETY: a new mapping.
    let place = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            4096,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            ring,
            offset,
        )
    };
    if place == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(place.cast()) }
}
