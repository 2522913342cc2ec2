//! What is in folders.

use crate::attack::{Attack, call};
use crate::sys::{Done, c, open, sys, write};

const AT: i32 = libc::AT_FDCWD;
const NO_MKNOD: &str = "only root makes devices";

pub(crate) const ATTACKS: &[Attack] = &[
    call("create", || open("new", libc::O_CREAT | libc::O_WRONLY).map(drop)),
    call("create-exclusive", || open("new", libc::O_CREAT | libc::O_EXCL | libc::O_RDONLY).map(drop)),
    call("create-through-dangling-link", || {
        sys!(libc::SYS_symlinkat, c"fresh".as_ptr(), AT, c"dangling".as_ptr())?;
        open("dangling", libc::O_CREAT | libc::O_WRONLY).map(drop)
    }),
    call("tmpfile-then-link", || {
        let fd = open(".", libc::O_TMPFILE | libc::O_RDWR)?;
        write(fd)?;
        let from = c(&format!("/proc/self/fd/{fd}"));
        sys!(libc::SYS_linkat, AT, from.as_ptr(), AT, c"new".as_ptr(), libc::AT_SYMLINK_FOLLOW).map(drop)
    }),
    call("unlink", || remove("file", 0)),
    call("unlink-link", || remove("link", 0)),
    call("unlink-socket", || remove("stream.sock", 0)),
    call("unlink-fifo", || remove("fifo", 0)),
    call("remove-folder", || remove("empty", libc::AT_REMOVEDIR)),
    call("rename", || rename("file", "moved", 0)),
    call("rename-over", || rename("file", "second", 0)),
    call("rename-folder", || rename("sub", "moved", 0)),
    call("rename-into-folder", || rename("file", "sub/file", 0)),
    call("rename-out-of-project", || rename("file", "../other/moved", 0)),
    call("rename-in-other", || rename("../other/file", "../other/moved", 0)),
    call("rename-exchange", || rename("file", "second", libc::RENAME_EXCHANGE)),
    call("rename-exchange-folder", || rename("sub", "file", libc::RENAME_EXCHANGE)),
    call("rename-no-replace", || rename("file", "moved", libc::RENAME_NOREPLACE)),
    call("rename-whiteout", || rename("file", "moved", libc::RENAME_WHITEOUT)),
    #[cfg(target_arch = "x86_64")]
    call("rename-old", || sys!(libc::SYS_rename, c"file".as_ptr(), c"moved".as_ptr()).map(drop)),
    #[cfg(target_arch = "x86_64")]
    call("unlink-old", || sys!(libc::SYS_unlink, c"file".as_ptr()).map(drop)),
    #[cfg(target_arch = "x86_64")]
    call("rmdir-old", || sys!(libc::SYS_rmdir, c"empty".as_ptr()).map(drop)),
    #[cfg(target_arch = "x86_64")]
    call("mkdir-old", || sys!(libc::SYS_mkdir, c"new".as_ptr(), 0o755).map(drop)),
    #[cfg(target_arch = "x86_64")]
    call("symlink-old", || sys!(libc::SYS_symlink, c"file".as_ptr(), c"new".as_ptr()).map(drop)),
    #[cfg(target_arch = "x86_64")]
    call("link-old", || sys!(libc::SYS_link, c"file".as_ptr(), c"new".as_ptr()).map(drop)),
    #[cfg(target_arch = "x86_64")]
    call("mknod-old", || sys!(libc::SYS_mknod, c"new".as_ptr(), libc::S_IFREG | 0o644, 0).map(drop)),
    call("link", || sys!(libc::SYS_linkat, AT, c"file".as_ptr(), AT, c"new".as_ptr(), 0).map(drop)),
    call("link-in-folder", || {
        sys!(libc::SYS_linkat, AT, c"file".as_ptr(), AT, c"sub/new".as_ptr(), 0).map(drop)
    }),
    call("link-of-link", || sys!(libc::SYS_linkat, AT, c"link".as_ptr(), AT, c"new".as_ptr(), 0).map(drop)),
    call("link-by-descriptor", || {
        let from = c(&format!("/proc/self/fd/{}", open("file", libc::O_PATH)?));
        sys!(libc::SYS_linkat, AT, from.as_ptr(), AT, c"new".as_ptr(), libc::AT_SYMLINK_FOLLOW).map(drop)
    }),
    call("symlink", || sys!(libc::SYS_symlinkat, c"file".as_ptr(), AT, c"new".as_ptr()).map(drop)),
    call("mkdir", || sys!(libc::SYS_mkdirat, AT, c"new".as_ptr(), 0o755).map(drop)),
    call("mkdir-in-other", || sys!(libc::SYS_mkdirat, AT, c"../other/new".as_ptr(), 0o755).map(drop)),
    call("mkdir-below-descriptor", || {
        sys!(libc::SYS_mkdirat, open("sub", libc::O_PATH)?, c"new".as_ptr(), 0o755).map(drop)
    }),
    call("mknod-file", || node(libc::S_IFREG, 0)),
    call("mknod-fifo", || node(libc::S_IFIFO, 0)),
    call("mknod-socket", || node(libc::S_IFSOCK, 0)),
    call("mknod-whiteout", || node(libc::S_IFCHR, 0)),
    call("mknod-character-device", || node(libc::S_IFCHR, libc::makedev(1, 3))).root(NO_MKNOD),
    // The number belongs to nothing: only the node is made.
    call("mknod-block-device", || node(libc::S_IFBLK, libc::makedev(240, 77))).root(NO_MKNOD),
    call("write-through-node-in-project", || crate::sys::write_to("device", libc::O_WRONLY))
        .untried("what is written there is gone, and only root made the node"),
];

fn remove(path: &str, flags: i32) -> Done {
    sys!(libc::SYS_unlinkat, AT, c(path).as_ptr(), flags).map(drop)
}

fn rename(from: &str, to: &str, flags: u32) -> Done {
    sys!(libc::SYS_renameat2, AT, c(from).as_ptr(), AT, c(to).as_ptr(), flags).map(drop)
}

fn node(kind: u32, number: u64) -> Done {
    sys!(libc::SYS_mknodat, AT, c"new".as_ptr(), kind | 0o644, number).map(drop)
}
