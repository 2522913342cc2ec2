//! The mark of every program that runs for a model, and of all that come from it.
//!
//! It must stay whatever such a program does: clear its environment, start a session of its own, outlive its parents. So it
//! is a hard limit: those are inherited, and only who has `CAP_SYS_RESOURCE` can raise one again, which programs of a model
//! do not have. The limit on file locks is one that no kernel has enforced since Linux 2.4, and that nobody sets.
#![cfg_attr(target_os = "linux", expect(unsafe_code, reason = "one system call"))]

/// The variable by which a program that runs for a model can know it. It can be removed; the mark cannot.
pub const MODEL_MARK: &str = "FORELOOK_IN_TOOL";

/// A hard limit of so many locks, or of fewer, is the mark: a program can lower it further.
#[cfg(target_os = "linux")]
const LOCKS: u64 = 1_718_579_307;

/// Marks this process and what it becomes.
#[cfg(target_os = "linux")]
pub(crate) fn put() {
    let at_most = |_, most: u64| (most.min(LOCKS), most.min(LOCKS));
    crate::fence::raw::limit(libc::RLIMIT_LOCKS as _, at_most);
}

/// Whether this process was started by a program that runs for a model, however far up.
#[cfg(target_os = "linux")]
pub fn runs_for_model() -> bool {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: there is room for both numbers. If it fails they stay as they are.
    unsafe { libc::getrlimit(libc::RLIMIT_LOCKS, &raw mut limit) };
    limit.rlim_max <= LOCKS
}

/// Whether this process was started by a program that runs for a model: nothing tells here.
#[cfg(not(target_os = "linux"))]
pub fn runs_for_model() -> bool {
    false
}
