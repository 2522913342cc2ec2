//! Ways to a view of the machine where things can be written to.

use crate::attack::{Attack, call};
use crate::sys::{Done, known, open, sys, victim, write, write_to};

const NAMESPACES: i32 = libc::CLONE_NEWUSER | libc::CLONE_NEWNS;
const OTHERS: &str = "only root comes into namespaces of others";

pub(crate) const ATTACKS: &[Attack] = &[
    call("remount-in-own-namespace", || {
        let _ = sys!(libc::SYS_unshare, NAMESPACES);
        let flags = libc::MS_REMOUNT | libc::MS_BIND;
        let _ = sys!(libc::SYS_mount, c"".as_ptr(), c"/".as_ptr(), c"".as_ptr(), flags, 0usize);
        write_to("file", libc::O_WRONLY)
    }),
    call("set-attributes-of-mount", || {
        let _ = sys!(libc::SYS_unshare, NAMESPACES);
        let attributes = [0u64, libc::MOUNT_ATTR_RDONLY, 0, 0];
        let (at, path) = (libc::AT_FDCWD, c"/".as_ptr());
        let _ = sys!(libc::SYS_mount_setattr, at, path, libc::AT_RECURSIVE, attributes.as_ptr(), 32usize);
        write_to("file", libc::O_WRONLY)
    }),
    call("detached-copy-of-tree", || {
        let _ = sys!(libc::SYS_unshare, NAMESPACES);
        let flags = libc::OPEN_TREE_CLONE | libc::AT_RECURSIVE as u32;
        let tree = sys!(libc::SYS_open_tree, libc::AT_FDCWD, c".".as_ptr(), flags)?;
        write(sys!(libc::SYS_openat, tree, c"file".as_ptr(), libc::O_WRONLY)? as i32)
    }),
    call("tree-with-attributes", || {
        // Newer than most headers: a copy of a tree and its attributes in one call.
        const OPEN_TREE_ATTR: i64 = 467;
        let _ = sys!(libc::SYS_unshare, NAMESPACES);
        let (attributes, flags) = ([0u64, libc::MOUNT_ATTR_RDONLY, 0, 0], libc::OPEN_TREE_CLONE);
        let (at, path) = (libc::AT_FDCWD, c".".as_ptr());
        let tree = sys!(OPEN_TREE_ATTR, at, path, flags, attributes.as_ptr(), 32usize)?;
        write(sys!(libc::SYS_openat, tree, c"file".as_ptr(), libc::O_WRONLY)? as i32)
    }),
    call("clone-with-namespaces", || {
        let flags = (NAMESPACES | libc::SIGCHLD) as libc::c_long;
        child_of(sys!(libc::SYS_clone, flags, 0usize, 0usize, 0usize, 0usize)?)
    }),
    call("clone3-with-namespaces", || {
        let mut about = [0u64; 8];
        (about[0], about[4]) = (NAMESPACES as u64, libc::SIGCHLD as u64);
        child_of(sys!(libc::SYS_clone3, about.as_ptr(), size_of_val(&about))?)
    }),
    call("leave-changed-root", || {
        let _ = sys!(libc::SYS_unshare, libc::CLONE_NEWUSER);
        let old = open("/", libc::O_PATH)?;
        sys!(libc::SYS_chroot, c"sub".as_ptr())?;
        sys!(libc::SYS_fchdir, old)?;
        write_to(&format!("{}/project/file", known("F").trim_start_matches('/')), libc::O_WRONLY)
    }),
    call("mount-over", || {
        let (none, kind) = (c"none".as_ptr(), c"tmpfs".as_ptr());
        sys!(libc::SYS_mount, none, c"sub".as_ptr(), kind, 0, 0usize).map(drop)
    })
    .root("only root mounts"),
    call("bind-over", || {
        let (from, to) = (c".".as_ptr(), c"empty".as_ptr());
        sys!(libc::SYS_mount, from, to, c"".as_ptr(), libc::MS_BIND, 0usize).map(drop)
    })
    .root("only root mounts"),
    call("new-mount-over", || {
        let context = sys!(libc::SYS_fsopen, c"tmpfs".as_ptr(), 0)?;
        sys!(libc::SYS_fsconfig, context, 6, 0usize, 0usize, 0)?;
        let tree = sys!(libc::SYS_fsmount, context, 0, 0)?;
        let (at, to) = (libc::AT_FDCWD, c"sub".as_ptr());
        sys!(libc::SYS_move_mount, tree, c"".as_ptr(), at, to, libc::MOVE_MOUNT_F_EMPTY_PATH).map(drop)
    })
    .root("only root mounts"),
    call("victims-mounts", || enter(victim(), libc::CLONE_NEWNS)).root(OTHERS),
    call("first-process-mounts", || {
        let _ = sys!(libc::SYS_setns, open("/proc/1/ns/mnt", libc::O_RDONLY)?, 0);
        write_to(&format!("{}/project/file", known("F")), libc::O_WRONLY)
    })
    .untried("who may is different on every machine"),
    call("file-by-handle", || {
        let (mut handle, mut mount) = ([0u32; 34], 0i32);
        handle[0] = 128;
        let (at, path) = (libc::AT_FDCWD, c"file".as_ptr());
        sys!(libc::SYS_name_to_handle_at, at, path, handle.as_mut_ptr(), &raw mut mount, 0)?;
        let place = open(".", libc::O_RDONLY)?;
        write(sys!(libc::SYS_open_by_handle_at, place, handle.as_ptr(), libc::O_WRONLY)? as i32)
    })
    .root("only root opens by handle"),
];

/// The child writes, and we wait for it.
fn child_of(pid: libc::c_long) -> Done {
    if pid != 0 {
        let mut status = 0;
        // SAFETY: there is room for the status.
        unsafe { libc::waitpid(pid as i32, &raw mut status, 0) };
        return Ok(());
    }
    let done = write_to("file", libc::O_WRONLY);
    std::process::exit(i32::from(done.is_err()))
}

fn enter(process: libc::c_long, kind: i32) -> Done {
    let process = sys!(libc::SYS_pidfd_open, process, 0)?;
    sys!(libc::SYS_setns, process, kind)?;
    write_to(&format!("{}/project/file", known("F")), libc::O_WRONLY)
}
