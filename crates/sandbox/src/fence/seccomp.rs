//! Seccomp: calls that nothing inside a fence has any business with.
#![expect(unsafe_code, reason = "the system call that no library makes without allocating")]

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

use super::raw::{Errno, errno};
use super::{KernelLayers, NetworkAccess, calls};

/// A filter, ready for the kernel.
pub(super) struct Filter(BpfProgram);

/// By the number of the call; one without rules is meant whatever its arguments are.
type SyscallRules = BTreeMap<i64, Vec<SeccompRule>>;

/// The filters for these layers.
pub(super) fn filters(layers: KernelLayers, network: NetworkAccess) -> io::Result<Vec<Filter>> {
    let mut denied: SyscallRules =
        calls::NEVER.iter().chain(calls::NEVER_OLD).map(|call| (*call, Vec::new())).collect();
    denied.insert(libc::SYS_clone, any(calls::CLONES.map(|flag| flag as u64), |flag| has(0, flag))?);
    denied.insert(libc::SYS_fcntl, any(calls::ON_FILES, |command| is(1, command))?);
    let pairs = calls::LOOSE_PAIRS.map(|kind| kind as u64);
    denied.insert(libc::SYS_socketpair, any(pairs, |kind| masked(1, 0xf, kind))?);
    // Oneself is 0; others have limits of their own, and are found by their user alone.
    denied.insert(libc::SYS_prlimit64, vec![all([is_not(0, 0)?])?]);
    run_as_owner(&mut denied)?;
    if layers.namespaces {
        denied.insert(libc::SYS_ioctl, any(calls::REQUESTS, |request| is(1, request))?);
    } else {
        without_namespaces(&mut denied)?;
    }
    match network {
        NetworkAccess::Host => {
            denied.remove(&libc::SYS_connect);
            // Other kinds of netlink reach more of the machine than its addresses and routes.
            let netlink = [is(0, libc::AF_NETLINK as u64)?, is_not(2, libc::NETLINK_ROUTE as u64)?];
            denied.insert(libc::SYS_socket, vec![other_families()?, all(netlink)?]);
        }
        NetworkAccess::None | NetworkAccess::Loopback | NetworkAccess::Gate if layers.namespaces => {
            denied.insert(libc::SYS_socket, vec![other_families()?]);
        }
        // All sockets are closed.
        NetworkAccess::None | NetworkAccess::Loopback | NetworkAccess::Gate => {}
    }
    // Flags and mode are behind a pointer, where no filter can look; programs fall back to `clone` and `openat`.
    let unknown = SyscallRules::from([(libc::SYS_clone3, Vec::new()), (libc::SYS_openat2, Vec::new())]);
    Ok(vec![
        compiled(denied, libc::EPERM)?,
        compiled(unknown, libc::ENOSYS)?,
        compiled(core_limit()?, 0)?,
        block_x32_calls(),
    ])
}

/// Sockets that nothing inside may make, whatever the network.
fn other_families() -> io::Result<SeccompRule> {
    all(calls::FAMILIES.iter().map(|family| is_not(0, *family as u64)).collect::<io::Result<Vec<_>>>()?)
}

/// No file is made to run as its owner.
fn run_as_owner(denied: &mut SyscallRules) -> io::Result<()> {
    for (call, mode) in calls::WITH_MODE.iter().chain(calls::WITH_MODE_OLD) {
        denied.insert(*call, any(calls::RUN_AS_OWNER, |bit| has(*mode, bit))?);
    }
    for (call, flags, mode) in calls::OPENING.iter().chain(calls::OPENING_OLD) {
        let pairs = calls::MAKING.into_iter().flat_map(|flag| calls::RUN_AS_OWNER.map(|bit| (flag, bit)));
        let rules = pairs.map(|(flag, bit)| all([has(*flags, flag)?, has(*mode, bit)?]));
        denied.insert(*call, rules.collect::<io::Result<_>>()?);
    }
    Ok(())
}

/// What namespaces would hold.
fn without_namespaces(denied: &mut SyscallRules) -> io::Result<()> {
    for call in calls::UNGUARDED.iter().chain(calls::UNGUARDED_OLD) {
        denied.insert(*call, Vec::new());
    }
    for call in calls::ON_PROCESSES {
        denied.insert(*call, vec![all([is_not(0, 0)?])?]);
    }
    for (call, user) in calls::ON_KINDS_OF_PROCESSES {
        denied.insert(*call, vec![all([is_not(1, 0)?])?, all([is(0, *user)?])?]);
    }
    let others =
        calls::HARMLESS_REQUESTS.iter().map(|request| is_not(1, *request)).collect::<io::Result<Vec<_>>>()?;
    denied.insert(libc::SYS_ioctl, vec![all(others)?]);
    Ok(())
}

/// A limit of 1 is the one that also keeps the kernel from handing a crash to a program outside (a limit of 0 does
/// not). It may not be lowered therefore; whoever tries to has what they wanted already, and is told so.
fn core_limit() -> io::Result<SyscallRules> {
    let core = libc::RLIMIT_CORE as u64;
    let set =
        SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0).map_err(io::Error::other)?;
    Ok(SyscallRules::from([
        (libc::SYS_setrlimit, vec![all([is(0, core)?])?]),
        (libc::SYS_prlimit64, vec![all([is(1, core)?, set])?]),
    ]))
}

/// x86-64 has a second table of the same calls under other numbers, which a list of numbers does not see. What is newer
/// than our lists is not there either.
fn block_x32_calls() -> Filter {
    let step = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    let unknown = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    Filter(vec![
        // The number of the call is the first word.
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, calls::FIRST_UNKNOWN),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, unknown),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ])
}

/// One rule for each value.
fn any<const N: usize>(
    values: [u64; N],
    condition: impl Fn(u64) -> io::Result<SeccompCondition>,
) -> io::Result<Vec<SeccompRule>> {
    values.into_iter().map(|value| all([condition(value)?])).collect()
}

/// A rule that wants all of these.
fn all(conditions: impl Into<Vec<SeccompCondition>>) -> io::Result<SeccompRule> {
    SeccompRule::new(conditions.into()).map_err(io::Error::other)
}

fn is(argument: u8, value: u64) -> io::Result<SeccompCondition> {
    condition(argument, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u64) -> io::Result<SeccompCondition> {
    condition(argument, SeccompCmpOp::Ne, value)
}

fn has(argument: u8, flag: u64) -> io::Result<SeccompCondition> {
    masked(argument, flag, flag)
}

fn masked(argument: u8, mask: u64, value: u64) -> io::Result<SeccompCondition> {
    condition(argument, SeccompCmpOp::MaskedEq(mask), value)
}

/// Of 32 bits: the kernel reads no more of these arguments, and whoever sets the others must not get round the rule.
fn condition(argument: u8, op: SeccompCmpOp, value: u64) -> io::Result<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, op, value).map_err(io::Error::other)
}

fn compiled(calls: SyscallRules, error: i32) -> io::Result<Filter> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
    let action = SeccompAction::Errno(error as u32);
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, action, arch).map_err(io::Error::other)?;
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
        let answer =
            unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) };
        if answer == 0 { Ok(()) } else { Err(errno()) }
    }
}

/// Whether the kernel takes filters at all.
pub(super) fn is_supported() -> bool {
    let action = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the action lives longer than the call, which only looks at it.
    unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action) == 0 }
}
