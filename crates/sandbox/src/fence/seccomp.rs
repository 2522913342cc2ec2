//! Seccomp: calls that nothing inside a fence has any business with.
#![expect(unsafe_code, reason = "the system call that no library makes without allocating")]

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

use super::Layers;
use super::raw::{Errno, errno};

/// A filter, ready for the kernel.
pub(super) struct Filter(BpfProgram);

/// Never: they change the machine, other processes, or the fence itself.
const NEVER: &[i64] = &[
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_vhangup,
    libc::SYS_personality,
];

/// Where nothing is mounted read-only, Landlock lets these through.
const METADATA: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_linkat,
    libc::SYS_socket,
];

#[cfg(target_arch = "x86_64")]
const METADATA_OLD: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_link,
];
#[cfg(not(target_arch = "x86_64"))]
const METADATA_OLD: &[i64] = &[];

#[cfg(target_arch = "x86_64")]
const NEVER_OLD: &[i64] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_kexec_file_load];
#[cfg(not(target_arch = "x86_64"))]
const NEVER_OLD: &[i64] = &[];

/// Requests that put words into a terminal's input or change a file's flags.
const REQUESTS: [u64; 6] = [
    libc::TIOCSTI as u64,
    libc::TIOCLINUX as u64,
    // FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_SETVERSION.
    0x4008_6602,
    0x4004_6602,
    0x401c_5820,
    0x4008_7602,
];

/// Making namespaces of one's own would be a way to mount again.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// The filters for these layers.
pub(super) fn filters(layers: Layers) -> io::Result<Vec<Filter>> {
    let mut denied: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for call in NEVER.iter().chain(NEVER_OLD) {
        denied.insert(*call, Vec::new());
    }
    if !layers.namespaces {
        for call in METADATA.iter().chain(METADATA_OLD) {
            denied.insert(*call, Vec::new());
        }
    }
    let requests = REQUESTS.map(|request| rule(1, SeccompCmpOp::Eq, request));
    denied.insert(libc::SYS_ioctl, requests.into_iter().collect::<io::Result<_>>()?);
    let clones = NAMESPACES.map(|flag| rule(0, SeccompCmpOp::MaskedEq(flag as u64), flag as u64));
    denied.insert(libc::SYS_clone, clones.into_iter().collect::<io::Result<_>>()?);
    // Its flags are behind a pointer, where no filter can look; libc falls back to `clone`.
    let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    Ok(vec![compiled(denied, libc::EPERM)?, compiled(unknown, libc::ENOSYS)?, no_second_table()])
}

/// x86-64 has a second table of the same calls under other numbers, which a list of numbers does not see.
fn no_second_table() -> Filter {
    let step = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    let unknown = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    Filter(vec![
        // The number of the call is the first word.
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, 0x4000_0000),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, unknown),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ])
}

fn rule(argument: u8, op: SeccompCmpOp, value: u64) -> io::Result<SeccompRule> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, op, value).map_err(io::Error::other)?;
    SeccompRule::new(vec![condition]).map_err(io::Error::other)
}

fn compiled(calls: BTreeMap<i64, Vec<SeccompRule>>, error: i32) -> io::Result<Filter> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
    let filter =
        SeccompFilter::new(calls, SeccompAction::Allow, SeccompAction::Errno(error as u32), arch).map_err(io::Error::other)?;
    Ok(Filter(BpfProgram::try_from(filter).map_err(io::Error::other)?))
}

impl Filter {
    /// From now on this process is held to it, and all that it starts.
    pub(super) fn enforce(&self) -> Result<(), Errno> {
        let program = libc::sock_fprog {
            len: self.0.len() as u16,
            filter: self.0.as_ptr().cast::<libc::sock_filter>().cast_mut(),
        };
        // SAFETY: the kernel copies the program, whose length is right; both kinds of instruction are the kernel's.
        let answer = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) };
        if answer == 0 { Ok(()) } else { Err(errno()) }
    }
}
