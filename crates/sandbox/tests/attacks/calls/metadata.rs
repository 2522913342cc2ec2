//! What is known about files: modes, owners, times, attributes, flags.

use crate::attack::{Attack, call};
use crate::sys::{Done, c, open, sys};

const AT: i32 = libc::AT_FDCWD;
const EMPTY: i32 = libc::AT_EMPTY_PATH;
const NAME: *const libc::c_char = c"user.new".as_ptr();
const KEPT: *const libc::c_char = c"user.kept".as_ptr();
const NONE: usize = 0;
// Calls that are newer than most headers; their numbers are the same on every machine.
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;
const SET_FLAGS: u64 = 0x4008_6602;
const SET_VERSION: u64 = 0x4008_7602;
const GET_XFLAGS: u64 = 0x801c_581f;
const SET_XFLAGS: u64 = 0x401c_5820;

pub(crate) const ATTACKS: &[Attack] = &[
    call("fchmod", || sys!(libc::SYS_fchmod, read()?, 0o777).map(drop)),
    call("fchmodat", || sys!(libc::SYS_fchmodat, AT, c"file".as_ptr(), 0o777).map(drop)),
    call("fchmodat-folder", || sys!(libc::SYS_fchmodat, AT, c"sub".as_ptr(), 0o700).map(drop)),
    call("fchmodat-set-user-id", || sys!(libc::SYS_fchmodat, AT, c"file".as_ptr(), 0o4755).map(drop)),
    call("fchmodat2", || sys!(libc::SYS_fchmodat2, AT, c"file".as_ptr(), 0o777, 0).map(drop)),
    call("fchmodat2-of-path-descriptor", || {
        sys!(libc::SYS_fchmodat2, path()?, c"".as_ptr(), 0o777, EMPTY).map(drop)
    }),
    call("chmod-of-path-descriptor", || {
        sys!(libc::SYS_fchmodat, AT, by_descriptor()?.as_ptr(), 0o777).map(drop)
    }),
    call("fchown", || sys!(libc::SYS_fchown, read()?, user(), -1i64).map(drop)),
    call("fchownat", || sys!(libc::SYS_fchownat, AT, c"file".as_ptr(), user(), -1i64, 0).map(drop)),
    call("fchownat-of-path-descriptor", || {
        sys!(libc::SYS_fchownat, path()?, c"".as_ptr(), user(), -1i64, EMPTY).map(drop)
    }),
    call("fchownat-link", || {
        sys!(libc::SYS_fchownat, AT, c"link".as_ptr(), user(), -1i64, libc::AT_SYMLINK_NOFOLLOW).map(drop)
    }),
    call("fchownat-somebody-else", || {
        sys!(libc::SYS_fchownat, AT, c"file".as_ptr(), 12345, 12345, 0).map(drop)
    })
    .root("only root gives files away"),
    call("utimensat", || sys!(libc::SYS_utimensat, AT, c"file".as_ptr(), TIMES.as_ptr(), 0).map(drop)),
    call("utimensat-now", || sys!(libc::SYS_utimensat, AT, c"file".as_ptr(), NONE, 0).map(drop)),
    call("utimensat-read-only-descriptor", || {
        sys!(libc::SYS_utimensat, read()?, NONE, TIMES.as_ptr(), 0).map(drop)
    }),
    call("utimensat-of-path-descriptor", || {
        sys!(libc::SYS_utimensat, path()?, c"".as_ptr(), TIMES.as_ptr(), EMPTY).map(drop)
    }),
    call("utimensat-by-descriptor", || {
        sys!(libc::SYS_utimensat, AT, by_descriptor()?.as_ptr(), TIMES.as_ptr(), 0).map(drop)
    }),
    call("setxattr", || sys!(libc::SYS_setxattr, c"file".as_ptr(), NAME, NAME, 4usize, 0).map(drop)),
    call("lsetxattr", || sys!(libc::SYS_lsetxattr, c"file".as_ptr(), NAME, NAME, 4usize, 0).map(drop)),
    call("fsetxattr", || sys!(libc::SYS_fsetxattr, read()?, NAME, NAME, 4usize, 0).map(drop)),
    call("removexattr", || sys!(libc::SYS_removexattr, c"file".as_ptr(), KEPT).map(drop)),
    call("lremovexattr", || sys!(libc::SYS_lremovexattr, c"file".as_ptr(), KEPT).map(drop)),
    call("fremovexattr", || sys!(libc::SYS_fremovexattr, read()?, KEPT).map(drop)),
    call("setxattr-trusted", || {
        sys!(libc::SYS_setxattr, c"file".as_ptr(), c"trusted.new".as_ptr(), NAME, 4usize, 0).map(drop)
    })
    .root("trusted attributes are root's"),
    call("setxattrat", || {
        let value = [NAME as u64, 4];
        sys!(SETXATTRAT, AT, c"file".as_ptr(), 0, NAME, value.as_ptr(), size_of_val(&value)).map(drop)
    }),
    call("removexattrat", || sys!(REMOVEXATTRAT, AT, c"file".as_ptr(), 0, KEPT).map(drop)),
    call("access-list", access_list),
    call("file-setattr", || {
        // The flag "no dump", which an owner may set.
        let about = [0x80u64, 0, 0, 0];
        sys!(FILE_SETATTR, AT, c"file".as_ptr(), about.as_ptr(), 24usize, 0).map(drop)
    }),
    call("ioctl-set-flags", || {
        let flags = 0x40u64;
        sys!(libc::SYS_ioctl, read()?, SET_FLAGS, &raw const flags).map(drop)
    }),
    call("ioctl-set-flags-high-bits", || {
        // The kernel reads 32 bits of the request.
        let flags = 0x40u64;
        sys!(libc::SYS_ioctl, read()?, SET_FLAGS | 0xffff_ffff_0000_0000, &raw const flags).map(drop)
    }),
    call("ioctl-set-xflags", || {
        let (fd, mut about) = (read()?, [0u32; 7]);
        sys!(libc::SYS_ioctl, fd, GET_XFLAGS, about.as_mut_ptr())?;
        about[0] |= 0x80;
        sys!(libc::SYS_ioctl, fd, SET_XFLAGS, about.as_ptr()).map(drop)
    }),
    call("ioctl-set-version", || {
        let version = 77u64;
        sys!(libc::SYS_ioctl, read()?, SET_VERSION, &raw const version).map(drop)
    }),
    #[cfg(target_arch = "x86_64")]
    call("chmod-old", || sys!(libc::SYS_chmod, c"file".as_ptr(), 0o777).map(drop)),
    #[cfg(target_arch = "x86_64")]
    call("chown-old", || sys!(libc::SYS_chown, c"file".as_ptr(), user(), -1i64).map(drop)),
    #[cfg(target_arch = "x86_64")]
    call("lchown-old", || sys!(libc::SYS_lchown, c"file".as_ptr(), user(), -1i64).map(drop)),
    #[cfg(target_arch = "x86_64")]
    call("utime-old", || sys!(libc::SYS_utime, c"file".as_ptr(), NONE).map(drop)),
    #[cfg(target_arch = "x86_64")]
    call("utimes-old", || sys!(libc::SYS_utimes, c"file".as_ptr(), NONE).map(drop)),
    #[cfg(target_arch = "x86_64")]
    call("futimesat-old", || sys!(libc::SYS_futimesat, AT, c"file".as_ptr(), NONE).map(drop)),
];

const TIMES: [i64; 4] = [77, 0, 77, 0];

fn read() -> std::io::Result<i32> {
    open("file", libc::O_RDONLY)
}

fn path() -> std::io::Result<i32> {
    open("file", libc::O_PATH)
}

fn by_descriptor() -> std::io::Result<std::ffi::CString> {
    Ok(c(&format!("/proc/self/fd/{}", path()?)))
}

/// Who we are: giving a file to its owner is a change too.
fn user() -> libc::c_long {
    // SAFETY: it takes nothing and cannot fail.
    unsafe { libc::geteuid() }.into()
}

/// As `setfacl -m u:1:r` does it.
fn access_list() -> Done {
    let entries: [(u16, u16, u32); 5] =
        [(1, 6, u32::MAX), (2, 4, 1), (4, 4, u32::MAX), (16, 4, u32::MAX), (32, 0, u32::MAX)];
    let mut list = 2u32.to_le_bytes().to_vec();
    for (tag, rights, who) in entries {
        list.extend(tag.to_le_bytes().into_iter().chain(rights.to_le_bytes()).chain(who.to_le_bytes()));
    }
    let name = c"system.posix_acl_access".as_ptr();
    sys!(libc::SYS_setxattr, c"file".as_ptr(), name, list.as_ptr(), list.len(), 0).map(drop)
}
