//! What belongs to the machine itself. None of it is touched: inside it must not even open.

use crate::attack::{Attack, call};
use crate::sys::{Done, low_page, open, sys};

const REAL: &str = "it is the machine's own: outside it would be real";

pub(crate) const ATTACKS: &[Attack] = &[
    closed("core-pattern", || writable("/proc/sys/kernel/core_pattern")),
    closed("hostname-file", || writable("/proc/sys/kernel/hostname")),
    closed("modprobe-path", || writable("/proc/sys/kernel/modprobe")),
    closed("pid-max", || writable("/proc/sys/kernel/pid_max")),
    closed("port-range", || writable("/proc/sys/net/ipv4/ip_local_port_range")),
    closed("drop-caches", || writable("/proc/sys/vm/drop_caches")),
    closed("sysrq", || writable("/proc/sysrq-trigger")),
    closed("binfmt", || writable("/proc/sys/fs/binfmt_misc/register")),
    closed("kernel-log", || writable("/dev/kmsg")),
    closed("memory-device", || writable("/dev/mem")),
    closed("loop-control", || writable("/dev/loop-control")),
    closed("fuse-device", || writable("/dev/fuse")),
    closed("tunnel-device", || writable("/dev/net/tun")),
    closed("terminal-multiplexer", || writable("/dev/ptmx")),
    closed("first-console", || writable("/dev/tty0")),
    closed("fault-device", || open("/dev/userfaultfd", libc::O_RDWR).map(drop)),
    closed("first-disk", || {
        let disks = ["/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/xvda", "/dev/loop0"];
        disks.iter().map(|disk| writable(disk)).find(Result::is_ok).unwrap_or_else(|| writable("/dev/none"))
    }),
    closed("disk-by-number", || {
        // Only made and opened, and the number is that of a loop without a file.
        let (path, number) = (c"/tmp/disk".as_ptr(), libc::makedev(7, 0));
        sys!(libc::SYS_mknodat, libc::AT_FDCWD, path, libc::S_IFBLK | 0o600, number)?;
        writable("/tmp/disk")
    }),
    closed("passwords", || writable("/etc/passwd")),
    closed("file-in-etc", || open("/etc", libc::O_TMPFILE | libc::O_WRONLY).map(drop)),
    closed("file-in-root", || open("/", libc::O_TMPFILE | libc::O_WRONLY).map(drop)),
    closed("file-in-run", || open("/run", libc::O_TMPFILE | libc::O_WRONLY).map(drop)),
    closed("cgroup-release-agent", || writable("/sys/fs/cgroup/systemd/release_agent")),
    closed("cgroup-move", || {
        let tables = ["/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/pids/cgroup.procs"];
        tables
            .iter()
            .map(|table| writable(table))
            .find(Result::is_ok)
            .unwrap_or_else(|| writable("/sys/none"))
    }),
    closed("kernel-module-parameter", || writable("/sys/module/kernel/parameters/panic")),
    closed("power-state", || writable("/sys/power/state")),
    #[cfg(target_arch = "x86_64")]
    closed("second-table-of-calls", || {
        // `openat` with its number in the table that most kernels are built without.
        const TABLE: libc::c_long = 0x4000_0000;
        sys!(TABLE + libc::SYS_openat, libc::AT_FDCWD, c"file".as_ptr(), libc::O_RDONLY).map(drop)
    }),
    #[cfg(target_arch = "x86_64")]
    call("old-calls-chmod", || old_call(15, low_page(b"file\0")? as u64, 0o777)),
    #[cfg(target_arch = "x86_64")]
    call("old-calls-open", || {
        old_call(5, low_page(b"file\0")? as u64, (libc::O_WRONLY | libc::O_TRUNC) as u64)
    }),
    #[cfg(target_arch = "x86_64")]
    call("old-calls-kill", || old_call(37, crate::sys::victim() as u64, libc::SIGUSR1 as u64)),
];

const fn closed(name: &'static str, attack: fn() -> Done) -> Attack {
    call(name, attack).untried(REAL)
}

/// Opens it, and that is all.
fn writable(path: &str) -> Done {
    open(path, libc::O_WRONLY | libc::O_NONBLOCK | libc::O_NOCTTY).map(drop)
}

/// A call of the 32-bit table, which a filter for 64 bits would take for another one.
#[cfg(target_arch = "x86_64")]
fn old_call(number: u64, first: u64, second: u64) -> Done {
    let answer: i32;
    // SAFETY: the kernel keeps all registers but the answer's; `rbx` is put back since the compiler needs it.
    unsafe {
        std::arch::asm!(
            "push rbx",
            "mov ebx, {first:e}",
            "int 0x80",
            "pop rbx",
            first = in(reg) first,
            inlateout("eax") number as i32 => answer,
            in("ecx") second as i32,
            in("edx") 0,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        );
    }
    if answer < 0 { Err(std::io::Error::from_raw_os_error(-answer)) } else { Ok(()) }
}
