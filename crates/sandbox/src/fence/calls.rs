//! Which system calls are closed inside a fence, and why.

/// Never: they change the machine, other processes, or the fence itself.
pub(super) const NEVER: &[i64] = &[
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
    libc::SYS_process_mrelease,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
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
    libc::SYS_kexec_file_load,
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

#[cfg(target_arch = "x86_64")]
pub(super) const NEVER_OLD: &[i64] = &[libc::SYS_iopl, libc::SYS_ioperm];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const NEVER_OLD: &[i64] = &[];

/// `fchmodat2`, which libc has not everywhere; new calls have the same number everywhere.
const FCHMODAT2: i64 = 452;

/// Where nothing is mounted read-only and there is one table of shared memory for all, Landlock lets these through.
pub(super) const UNGUARDED: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
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
    libc::SYS_connect,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

#[cfg(target_arch = "x86_64")]
pub(super) const UNGUARDED_OLD: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_link,
];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const UNGUARDED_OLD: &[i64] = &[];

/// Bits that let a program run as whoever owns it. What is made inside may be run outside, by anybody.
pub(super) const RUN_AS_OWNER: [u64; 2] = [libc::S_ISUID as u64, libc::S_ISGID as u64];

/// They set the mode of a file with this argument.
pub(super) const WITH_MODE: &[(i64, u8)] =
    &[(libc::SYS_fchmod, 1), (libc::SYS_fchmodat, 2), (FCHMODAT2, 2), (libc::SYS_mknodat, 2)];

#[cfg(target_arch = "x86_64")]
pub(super) const WITH_MODE_OLD: &[(i64, u8)] =
    &[(libc::SYS_chmod, 1), (libc::SYS_mknod, 1), (libc::SYS_creat, 1)];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const WITH_MODE_OLD: &[(i64, u8)] = &[];

/// They do so only with one of [`MAKING`] among the flags; else whatever is in the argument means nothing. The call, its
/// flags, its mode.
pub(super) const OPENING: &[(i64, u8, u8)] = &[(libc::SYS_openat, 2, 3)];

#[cfg(target_arch = "x86_64")]
pub(super) const OPENING_OLD: &[(i64, u8, u8)] = &[(libc::SYS_open, 1, 2)];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const OPENING_OLD: &[(i64, u8, u8)] = &[];

/// Flags with which opening makes a file. The second is the part of `O_TMPFILE` that is not `O_DIRECTORY`.
pub(super) const MAKING: [u64; 2] = [libc::O_CREAT as u64, (libc::O_TMPFILE & !libc::O_DIRECTORY) as u64];

/// They name a process with their first argument (0 is oneself), and no layer but the table of processes hides others.
pub(super) const ON_PROCESSES: &[i64] = &[
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
];

/// The same with their second argument; and the first that means all processes of a user, for which 0 is our own.
pub(super) const ON_KINDS_OF_PROCESSES: &[(i64, u64)] =
    &[(libc::SYS_setpriority, libc::PRIO_USER as u64), (libc::SYS_ioprio_set, 3)];

/// The first call that was not known when this list was made. New ones change attributes (`setxattrat`,
/// `file_setattr`) and mounts (`open_tree_attr`): they are not there until somebody has looked at them.
pub(super) const FIRST_UNKNOWN: u32 = 463;

/// Requests that put words into a terminal's input or change a file's flags. In numbers: C libraries have different
/// types for them, and the two kinds of machine that we run on the same numbers.
pub(super) const REQUESTS: [u64; 7] = [
    0x5412,      // TIOCSTI
    0x541c,      // TIOCLINUX
    0x4008_6602, // FS_IOC_SETFLAGS
    0x4004_6602, // FS_IOC32_SETFLAGS
    0x401c_5820, // FS_IOC_FSSETXATTR
    0x4008_7602, // FS_IOC_SETVERSION
    0x4004_7602, // FS_IOC32_SETVERSION
];

/// All that is asked of descriptors where nothing is mounted read-only. File systems have dozens of requests that
/// change files opened for reading (a subvolume is made so), and Landlock looks at those of devices only.
pub(super) const HARMLESS_REQUESTS: [u64; 17] = [
    0x5401,      // TCGETS
    0x802c_542a, // TCGETS2
    0x5413,      // TIOCGWINSZ
    0x540f,      // TIOCGPGRP
    0x5429,      // TIOCGSID
    0x5411,      // TIOCOUTQ
    0x541b,      // FIONREAD
    0x5421,      // FIONBIO
    0x5452,      // FIOASYNC
    0x5451,      // FIOCLEX
    0x5450,      // FIONCLEX
    0x5460,      // FIOQSIZE
    0x0002,      // FIGETBSZ
    0xc020_660b, // FS_IOC_FIEMAP
    0x8008_6601, // FS_IOC_GETFLAGS
    0x801c_581f, // FS_IOC_FSGETXATTR
    0x4004_9409, // FICLONE: the target must be open for writing
];

/// Locks that let others wait without having written anything, and hints for how a file is written.
pub(super) const ON_FILES: [u64; 2] = [libc::F_SETLEASE as u64, 1036];

/// Making namespaces of one's own would be a way to mount again. A sibling would be a child of ours that nobody reaps.
pub(super) const CLONES: [i32; 8] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_PARENT,
];

/// Sockets that stay in the network of the fence. Those with a path do not: a mount that is read-only does not close
/// them. Nor do those to the host of a virtual machine.
pub(super) const FAMILIES: [i32; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// Pairs of these kinds can still send to any path.
pub(super) const LOOSE_PAIRS: [i32; 2] = [libc::SOCK_DGRAM, libc::SOCK_RAW];
