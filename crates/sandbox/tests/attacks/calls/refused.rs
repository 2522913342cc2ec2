//! Calls that nothing inside has any business with: not permitted, or not there. Their arguments are wrong on purpose.

use crate::attack::{Attack, refused};
use crate::sys::sys;

const NONE: usize = 0;
/// A descriptor and an address that are nobody's.
const BAD: i64 = -1;

macro_rules! refused {
    ($($name:literal => $call:ident $(, $arg:expr)*;)*) => {
        &[$(refused($name, || sys!(libc::$call $(, $arg)*).map(drop))),*]
    };
}

#[cfg(target_arch = "x86_64")]
pub(crate) const OLD: &[Attack] = refused! {
    "call-kexec-file" => SYS_kexec_file_load, -1, -1, 0, NONE, -1i64;
    "call-ports" => SYS_iopl, 99;
    "call-port" => SYS_ioperm, -1i64, -1i64, 1;
    "call-personality" => SYS_personality, 0xffff_ffffu64;
};
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const OLD: &[Attack] = &[];

pub(crate) const ATTACKS: &[Attack] = refused! {
    "call-reboot" => SYS_reboot, 0, 0, 0, NONE;
    "call-init-module" => SYS_init_module, NONE, 0, NONE;
    "call-finit-module" => SYS_finit_module, BAD, NONE, -1;
    "call-delete-module" => SYS_delete_module, NONE, 0;
    "call-kexec-load" => SYS_kexec_load, 0, 99999, NONE, -1i64;
    "call-swapon" => SYS_swapon, NONE, -1;
    "call-swapoff" => SYS_swapoff, NONE;
    "call-settimeofday" => SYS_settimeofday, BAD, NONE;
    "call-clock-settime" => SYS_clock_settime, 77, BAD;
    "call-adjtimex" => SYS_adjtimex, BAD;
    "call-clock-adjtime" => SYS_clock_adjtime, 77, BAD;
    "call-sethostname" => SYS_sethostname, BAD, -1;
    "call-setdomainname" => SYS_setdomainname, BAD, -1;
    "call-syslog" => SYS_syslog, 77, NONE, 0;
    "call-acct" => SYS_acct, BAD;
    "call-quotactl" => SYS_quotactl, -1, BAD, 0, NONE;
    "call-bpf" => SYS_bpf, 0, NONE, 0;
    "call-perf" => SYS_perf_event_open, NONE, 0, -1, -1, 0;
    "call-userfaultfd" => SYS_userfaultfd, 1;
    "call-ring-setup" => SYS_io_uring_setup, 1, NONE;
    "call-ring-enter" => SYS_io_uring_enter, BAD, 0, 0, 0, NONE, 0;
    "call-ring-register" => SYS_io_uring_register, BAD, 0, NONE, 0;
    "call-keyctl" => SYS_keyctl, 0, -1, 0, 0, 0;
    "call-add-key" => SYS_add_key, NONE, NONE, NONE, 0, 0;
    "call-request-key" => SYS_request_key, NONE, NONE, NONE, 0;
    "call-mount" => SYS_mount, NONE, BAD, NONE, 0, NONE;
    "call-umount" => SYS_umount2, BAD, 0;
    "call-pivot-root" => SYS_pivot_root, BAD, BAD;
    "call-move-mount" => SYS_move_mount, BAD, NONE, BAD, NONE, 0;
    "call-open-tree" => SYS_open_tree, BAD, NONE, 0;
    "call-fsopen" => SYS_fsopen, NONE, 0;
    "call-fsmount" => SYS_fsmount, BAD, 0, 0;
    "call-fsconfig" => SYS_fsconfig, BAD, 0, NONE, NONE, 0;
    "call-fspick" => SYS_fspick, BAD, NONE, 0;
    "call-mount-setattr" => SYS_mount_setattr, BAD, NONE, 0, NONE, 0usize;
    "call-chroot" => SYS_chroot, BAD;
    "call-unshare" => SYS_unshare, 0;
    "call-unshare-users" => SYS_unshare, libc::CLONE_NEWUSER;
    "call-setns" => SYS_setns, BAD, 0;
    "call-ptrace" => SYS_ptrace, 0, 0, NONE, NONE;
    "call-process-vm-readv" => SYS_process_vm_readv, 0, NONE, 0, NONE, 0, 0;
    "call-process-vm-writev" => SYS_process_vm_writev, 0, NONE, 0, NONE, 0, 0;
    "call-process-madvise" => SYS_process_madvise, BAD, NONE, 0, 0, 0;
    "call-pidfd-getfd" => SYS_pidfd_getfd, BAD, 0, 0;
    "call-kcmp" => SYS_kcmp, 0, 0, 77, 0, 0;
    "call-open-by-handle" => SYS_open_by_handle_at, BAD, NONE, 0;
    "call-fanotify" => SYS_fanotify_init, -1, 0;
    "call-vhangup" => SYS_vhangup;
    "call-migrate-pages" => SYS_migrate_pages, 0, 0, NONE, NONE;
    "call-move-pages" => SYS_move_pages, 0, 0, NONE, NONE, NONE, 0;
    "call-clone3" => SYS_clone3, NONE, 0usize;
    "call-clone-as-sibling" => SYS_clone, i64::from(libc::CLONE_PARENT | libc::CLONE_SIGHAND), NONE, NONE, NONE, NONE;
    "call-lease" => SYS_fcntl, BAD, libc::F_SETLEASE, 0;
    "call-type" => SYS_ioctl, BAD, libc::TIOCSTI, NONE;
    "call-console" => SYS_ioctl, BAD, libc::TIOCLINUX, NONE;
    "call-other-limits" => SYS_prlimit64, 1, libc::RLIMIT_NOFILE, BAD, NONE;
};
