//! Processes outside: signals, memory, limits and how they are scheduled.

use std::io;

use crate::attack::{Attack, call};
use crate::sys::{Done, known, number, open, pipe, sys, victim, write_to};

const USER: i32 = libc::SIGUSR1;

pub(crate) const ATTACKS: &[Attack] = &[
    call("kill", || sys!(libc::SYS_kill, victim(), USER).map(drop)),
    call("kill-for-good", || sys!(libc::SYS_kill, victim(), libc::SIGKILL).map(drop)),
    call("kill-stop", || sys!(libc::SYS_kill, victim(), libc::SIGSTOP).map(drop)),
    call("kill-group", || sys!(libc::SYS_kill, -victim(), USER).map(drop)),
    // A signal that is ignored by everybody who did not ask for it.
    call("kill-everybody", || sys!(libc::SYS_kill, -1, libc::SIGURG).map(drop)).alone(),
    call("tkill", || sys!(libc::SYS_tkill, victim(), USER).map(drop)),
    call("tgkill", || sys!(libc::SYS_tgkill, victim(), victim(), USER).map(drop)),
    call("sigqueue", || sys!(libc::SYS_rt_sigqueueinfo, victim(), USER, queued().as_ptr()).map(drop)),
    call("thread-sigqueue", || {
        sys!(libc::SYS_rt_tgsigqueueinfo, victim(), victim(), USER, queued().as_ptr()).map(drop)
    }),
    call("pidfd-send-signal", || {
        let process = sys!(libc::SYS_pidfd_open, victim(), 0)?;
        sys!(libc::SYS_pidfd_send_signal, process, USER, 0usize, 0).map(drop)
    }),
    call("signal-by-folder", || {
        let process = open(&format!("/proc/{}", victim()), libc::O_RDONLY | libc::O_DIRECTORY)?;
        sys!(libc::SYS_pidfd_send_signal, process, USER, 0usize, 0).map(drop)
    }),
    call("signal-by-owner-of-pipe", || {
        let (read, write) = pipe()?;
        sys!(libc::SYS_fcntl, read, libc::F_SETOWN, victim())?;
        sys!(libc::SYS_fcntl, read, libc::F_SETFL, libc::O_ASYNC | libc::O_NONBLOCK)?;
        crate::sys::write(write)
    }),
    call("ptrace-attach", || {
        ptrace(libc::PTRACE_ATTACH)?;
        poke()
    }),
    call("ptrace-seize", || {
        ptrace(libc::PTRACE_SEIZE)?;
        sys!(libc::SYS_ptrace, libc::PTRACE_INTERRUPT, victim(), 0usize, 0usize)?;
        poke()
    }),
    call("process-vm-writev", || {
        let own = libc::iovec { iov_base: c"attacked".as_ptr().cast_mut().cast(), iov_len: 8 };
        let theirs = libc::iovec { iov_base: number("WORD") as *mut libc::c_void, iov_len: 8 };
        sys!(libc::SYS_process_vm_writev, victim(), &raw const own, 1, &raw const theirs, 1, 0).map(drop)
    }),
    call("victims-memory-file", || {
        let memory = open(&format!("/proc/{}/mem", victim()), libc::O_RDWR)?;
        sys!(libc::SYS_pwrite64, memory, c"attacked".as_ptr(), 8usize, number("WORD")).map(drop)
    }),
    call("prlimit", || {
        let limit = [64u64, 64];
        sys!(libc::SYS_prlimit64, victim(), libc::RLIMIT_NOFILE, limit.as_ptr(), 0usize).map(drop)
    }),
    call("setpriority", || sys!(libc::SYS_setpriority, libc::PRIO_PROCESS, victim(), 19).map(drop)),
    call("setpriority-group", || sys!(libc::SYS_setpriority, libc::PRIO_PGRP, victim(), 19).map(drop)),
    call("ioprio-set", || sys!(libc::SYS_ioprio_set, 1, victim(), (3 << 13) | 7).map(drop)),
    call("sched-setscheduler", || {
        let priority = 0i32;
        sys!(libc::SYS_sched_setscheduler, victim(), libc::SCHED_IDLE, &raw const priority).map(drop)
    }),
    call("sched-setattr", || {
        // Size and policy, then flags and "nice".
        let about = [48u32, libc::SCHED_BATCH as u32, 0, 0, 19, 0, 0, 0, 0, 0, 0, 0];
        sys!(libc::SYS_sched_setattr, victim(), about.as_ptr(), 0).map(drop)
    }),
    call("sched-setaffinity", || {
        let first = 1u64;
        sys!(libc::SYS_sched_setaffinity, victim(), 8usize, &raw const first).map(drop)
    }),
    call("oom-score", || proc_file("oom_score_adj", "777")),
    call("coredump-filter", || proc_file("coredump_filter", "0x7f")),
    call("own-filter-then-kill", || {
        // A filter that allows everything: the strictest of all that are there counts.
        let allow = libc::sock_filter { code: 6, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW };
        let filter = libc::sock_fprog { len: 1, filter: (&raw const allow).cast_mut() };
        sys!(libc::SYS_prctl, libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)?;
        sys!(libc::SYS_prctl, libc::PR_SET_SECCOMP, 2, &raw const filter, 0, 0)?;
        sys!(libc::SYS_kill, victim(), USER)?;
        sys!(libc::SYS_fchmodat, libc::AT_FDCWD, c"file".as_ptr(), 0o777).map(drop)
    }),
    call("fork-then-kill", || {
        crate::sys::in_child()?;
        sys!(libc::SYS_setsid)?;
        sys!(libc::SYS_kill, victim(), USER).map(drop)
    }),
    call("double-fork-then-write", || {
        crate::sys::in_child()?;
        sys!(libc::SYS_setsid)?;
        crate::sys::in_child()?;
        write_to("file", libc::O_WRONLY)
    }),
];

/// What goes with a signal: its number and that it was queued.
fn queued() -> [i32; 32] {
    let mut about = [0; 32];
    about[0] = USER;
    about[2] = -1;
    about
}

fn ptrace(request: libc::c_uint) -> Done {
    sys!(libc::SYS_ptrace, request, victim(), 0usize, 0usize).map(drop)
}

fn poke() -> Done {
    let mut status = 0;
    // SAFETY: there is room for the status.
    unsafe { libc::waitpid(victim() as i32, &raw mut status, libc::__WALL) };
    sys!(libc::SYS_ptrace, libc::PTRACE_POKEDATA, victim(), number("WORD"), 0x6b63_6174_7461i64).map(drop)
}

fn proc_file(name: &str, text: &str) -> Done {
    assert!(!known("VICTIM").is_empty());
    let fd = open(&format!("/proc/{}/{name}", victim()), libc::O_WRONLY)?;
    let wrote = sys!(libc::SYS_write, fd, text.as_ptr(), text.len())?;
    if wrote == 0 { Err(io::ErrorKind::WriteZero.into()) } else { Ok(()) }
}
