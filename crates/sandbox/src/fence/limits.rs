//! How much what runs inside may take.
//!
//! Memory that is only reserved is not limited: many runtimes reserve hundreds of gigabytes and use little. Instead the
//! kernel is told to end what runs inside first when memory runs out.

use super::{FencePolicy, KernelLayers, raw};

/// How many processes there may be inside, threads counted. A large build has hundreds.
const PROCESSES: u64 = 4096;
/// Where they are not counted by themselves but with all others of the same user, who may have thousands.
const PROCESSES_OF_USER: u64 = 16384;
const GIB: u64 = 1 << 30;
const SCRATCH: u64 = 2 * GIB;
/// The first version of Linux where each table of processes has a size of its own. In older ones the same file is the
/// whole machine's, and root would change it.
const OWN_PID_MAX: (u32, u32) = (6, 14);

/// The limits of everything inside.
pub(super) struct Limits {
    processes: u64,
    file: Option<u64>,
    /// Whether the table of processes can be made smaller: root is held by no other limit.
    pub(super) sets_pid_max: bool,
}

impl Limits {
    pub(super) fn new(policy: &FencePolicy, layers: KernelLayers) -> Self {
        let scratch_only = policy.writable.is_empty() && policy.overlay.is_none();
        Self {
            processes: if layers.namespaces { PROCESSES } else { PROCESSES_OF_USER },
            // What is real may grow as without a fence. Else this holds files that are only memory.
            file: scratch_only.then_some(SCRATCH),
            sets_pid_max: version().is_some_and(|version| version >= OWN_PID_MAX),
        }
    }

    /// For this process and what it becomes.
    pub(super) fn enforce(&self) {
        let at_most = |limit: u64| move |now: u64, most: u64| (now.min(limit), most.min(limit));
        raw::limit(libc::RLIMIT_NPROC as _, at_most(self.processes));
        if let Some(limit) = self.file {
            raw::limit(libc::RLIMIT_FSIZE as _, at_most(limit));
        }
        // Not 0, even if it was: see `seccomp.rs`.
        raw::limit(libc::RLIMIT_CORE as _, |_, most| (most.min(1), most.min(1)));
    }
}

/// The size of the table of processes, as its file takes it.
pub(super) const PID_MAX: &std::ffi::CStr = c"4096";

fn version() -> Option<(u32, u32)> {
    let name = rustix::system::uname();
    let mut numbers = name.release().to_str().ok()?.split(|char: char| !char.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// The options of a scratch folder. It is memory, and there are three of them.
pub(super) fn scratch() -> String {
    let about = rustix::system::sysinfo();
    let eighth = (about.totalram as u64).saturating_mul(about.mem_unit.into()) / 8;
    format!("mode=1777,size={},nr_inodes=200k", SCRATCH.min(eighth))
}
