//! The supervisor: a small process inside of the namespaces that starts programs there for us.
//!
//! It is forked once, before our heap has grown, and lives as long as the fence. What it starts is a child of ours and not
//! of its own (`CLONE_PARENT`), so that waiting and killing work as for any other; and it starts them as `vfork` does, so
//! that nothing is copied. Nothing here may allocate: see `raw.rs`.
#![expect(unsafe_code, reason = "a process of its own, made of system calls")]

use std::os::fd::AsRawFd;

use super::capabilities::MountRight;
use super::place::Place;
use super::raw::{self, Errno};
use super::setup_plan::{Enclosure, MountStep, SetupPlan};
use super::wire::{self, SetupStage, StageReport};
use super::{NetworkAccess, child_setup, gate, landlock, limits};
use crate::own_process::oom_score;

/// Becomes the supervisor. It ends when the other end of the socket does.
pub(super) fn run(plan: &SetupPlan, socket: i32) -> ! {
    let users = plan.users.as_ref().map_or(socket, AsRawFd::as_raw_fd);
    let guardian = plan.guardian.as_ref().map_or(socket, AsRawFd::as_raw_fd);
    close_all_but([socket, users, guardian]);
    reset_signals();
    // A key at our terminal is for us: it must not end the supervisor.
    // SAFETY: it takes nothing.
    unsafe { libc::setsid() };
    if plan.enclosure == Enclosure::Confined {
        // Where the process is sealed it is set already, and this fails.
        raw::write_file(c"/proc/self/oom_score_adj", oom_score::FIRST);
    }
    match set_up(plan, socket) {
        Ok(ready_state) => {
            let ready = StageReport::new(SetupStage::Ready, ready_state.init);
            match ready_state.gate {
                Some(gate) => {
                    wire::send_report_with_fds(socket, ready, &[gate]);
                    raw::close(gate);
                }
                None => drop(wire::send_report(socket, ready)),
            }
            serve(plan, socket, ready_state.rules);
            if ready_state.can_kill_all {
                kill_all();
            }
            raw::exit(0)
        }
        Err((stage, errno)) => {
            wire::send_report(socket, StageReport::new(stage, errno));
            raw::exit(1)
        }
    }
}

/// Makes the namespaces and the view of the machine in them.
fn set_up(plan: &SetupPlan, socket: i32) -> Result<SupervisorState, (SetupStage, Errno)> {
    match plan.enclosure {
        Enclosure::Confined => confine(plan, socket),
        Enclosure::MasksOnly(right) => {
            match right {
                MountRight::Real => raw::unshare(libc::CLONE_NEWNS),
                MountRight::OwnUsers => own_users(plan, libc::CLONE_NEWNS, socket),
            }
            .map_err(|errno| (SetupStage::Namespaces, errno))?;
            mask_all(plan).map_err(|errno| (SetupStage::Mounts, errno))?;
            Ok(SupervisorState { init: 0, rules: None, can_kill_all: false, gate: None })
        }
    }
}

/// Leaves these descriptors open, and none that a program could need.
fn close_all_but(mut kept: [i32; 3]) {
    kept.sort_unstable();
    let mut first = 3;
    for fd in kept.map(|fd| fd as u32) {
        raw::close_between(first, fd.saturating_sub(1));
        first = first.max(fd + 1);
    }
    raw::close_between(first, u32::MAX);
}

/// Goes into the user namespace that was made for it, or makes one and waits until somebody who may has written who is who
/// in there; and makes these other namespaces in it.
fn own_users(plan: &SetupPlan, flags: i32, socket: i32) -> Result<(), Errno> {
    if let Some(users) = &plan.users {
        raw::join_namespace(users.as_raw_fd(), libc::CLONE_NEWUSER)?;
        raw::close(users.as_raw_fd());
        return raw::unshare(flags);
    }
    raw::unshare(libc::CLONE_NEWUSER | flags)?;
    wire::send_report(socket, StageReport::new(SetupStage::Unshared, 0));
    if !wire::wait_for_continue(socket) {
        raw::exit(0);
    }
    Ok(())
}

fn confine(plan: &SetupPlan, socket: i32) -> Result<SupervisorState, (SetupStage, Errno)> {
    let (mut gate, mut init) = (None, 0);
    if plan.layers.namespaces {
        let network = if plan.network == NetworkAccess::Host { 0 } else { libc::CLONE_NEWNET };
        own_users(plan, libc::CLONE_NEWNS | libc::CLONE_NEWIPC | network, socket)
            .map_err(|errno| (SetupStage::Namespaces, errno))?;
        gate = match plan.network {
            NetworkAccess::None | NetworkAccess::Host => Ok(None),
            NetworkAccess::Loopback => gate::loopback().map(|()| None),
            NetworkAccess::Gate => gate::open().map(Some),
        }
        .map_err(|errno| (SetupStage::Network, errno))?;
        mount_all(plan).map_err(|errno| (SetupStage::Mounts, errno))?;
        raw::unshare(libc::CLONE_NEWPID).map_err(|errno| (SetupStage::Processes, errno))?;
        init = start_init(plan).map_err(|errno| (SetupStage::Processes, errno))?;
    }
    let rules = plan.landlock.as_ref().map(landlock::LandlockRules::make).transpose();
    let rules = rules.map_err(|errno| (SetupStage::Landlock, errno))?;
    let can_kill_all = match rules {
        Some(rules) if !plan.layers.namespaces => {
            restrict_kill_scope(rules).map_err(|errno| (SetupStage::Landlock, errno))?
        }
        _ => false,
    };
    Ok(SupervisorState { init, rules, can_kill_all, gate })
}

/// What the supervisor has when it is ready.
struct SupervisorState {
    /// The first process of the table inside, or 0.
    init: i32,
    /// The rules of Landlock, if there are any.
    rules: Option<i32>,
    /// Whether it can end all that runs inside and nobody else.
    can_kill_all: bool,
    /// What we answer from outside.
    gate: Option<i32>,
}

/// Without a table of processes of their own nothing ends what runs inside with the supervisor. But a process that Landlock
/// holds reaches those that came from it and nobody else: so the supervisor holds itself, and "everybody" means them. They
/// hold themselves once more, so that they do not reach the supervisor.
fn restrict_kill_scope(rules: i32) -> Result<bool, Errno> {
    raw::prctl(libc::PR_SET_NO_NEW_PRIVS, 1)?;
    landlock::enforce(rules)?;
    // Made sure of, since "everybody" would else be the whole machine: whoever started us cannot be reached any more.
    // SAFETY: no pointers; a signal of 0 only asks.
    let reached = unsafe { libc::kill(libc::getppid(), 0) };
    Ok(reached != 0 && raw::errno() == libc::EPERM)
}

/// Ends all that runs inside. No process escapes by forking: the kernel signals all of them in one go.
fn kill_all() {
    // SAFETY: no pointers. `restrict_kill_scope` has made sure of whom it reaches.
    unsafe { libc::kill(-1, libc::SIGKILL) };
}

fn mount_all(plan: &SetupPlan) -> Result<(), Errno> {
    let none = c"";
    raw::mount(none, c"/", none, libc::MS_REC | libc::MS_PRIVATE, none)?;
    plan.before.iter().try_for_each(|step| apply_step(plan, step))?;
    raw::restrict(c"/", raw::READ_ONLY | raw::NO_DEVICES)?;
    plan.after.iter().try_for_each(|step| apply_step(plan, step))
}

/// What is mounted outside is seen inside, and not the other way round: the masks are ours alone.
fn mask_all(plan: &SetupPlan) -> Result<(), Errno> {
    let none = c"";
    raw::mount(none, c"/", none, libc::MS_REC | libc::MS_SLAVE, none)?;
    plan.after.iter().try_for_each(|step| apply_step(plan, step))
}

/// What is only memory has no devices and gives no privileges.
const TMPFS_FLAGS: libc::c_ulong = libc::MS_NOSUID | libc::MS_NODEV;

/// Attaches what `make` makes of what lies at a place, if there is anything.
fn mount_at(
    place: &Place,
    flags: i32,
    attributes: u64,
    make: impl Fn(i32) -> Result<i32, Errno>,
) -> Result<(), Errno> {
    let Some(held) = place.hold(flags)? else { return Ok(()) };
    let attached = make(held).and_then(|tree| {
        let attached = raw::attach(tree, held, attributes);
        raw::close(tree);
        attached
    });
    raw::close(held);
    attached
}

fn apply_step(plan: &SetupPlan, step: &MountStep) -> Result<(), Errno> {
    let saved = |slot: &usize| plan.saved.get(*slot);
    match step {
        MountStep::SaveMount { from, slot } => {
            // What cannot be kept is not put back: so less can be seen or written than was wanted, and never more.
            let held = match from.hold(0) {
                Err(libc::ESTALE) => return Err(libc::ESTALE),
                held => held.ok().flatten(),
            };
            if let (Some(held), Some(saved)) = (held, saved(slot)) {
                saved.set(raw::copy_tree(held).unwrap_or(-1));
                raw::close(held);
            }
            Ok(())
        }
        MountStep::MountOverlay { lower, upper, work, slot } => {
            let tree = raw::mount_overlay(lower, upper, work)?;
            saved(slot).map(|saved| saved.set(tree)).ok_or(libc::EINVAL)
        }
        MountStep::Scratch { at, options } => raw::mount(c"tmpfs", at, c"tmpfs", TMPFS_FLAGS, options),
        MountStep::Folder { at } => raw::mkdir(at, 0o755),
        MountStep::File { at } => raw::open(at, libc::O_CREAT | libc::O_WRONLY).map(raw::close),
        MountStep::RestoreMount { slot, at, attributes } => {
            match saved(slot).map(|saved| saved.replace(-1)) {
                Some(tree @ 0..) => mount_at(at, 0, *attributes, |_| Ok(tree)),
                _ => Ok(()),
            }
        }
        MountStep::MaskFolder { at, mode } => {
            mount_at(at, 0, raw::READ_ONLY | raw::NO_DEVICES, |_| raw::mount_empty(mode))
        }
        MountStep::MaskFile { at, attributes } => mount_at(at, 0, *attributes, |_| {
            let null = raw::open(c"/dev/null", libc::O_PATH)?;
            let tree = raw::copy_tree(null);
            raw::close(null);
            tree
        }),
        MountStep::Pin { at, attributes } => mount_at(at, libc::O_NOFOLLOW, *attributes, raw::copy_tree),
        MountStep::Link { to, at } => {
            // SAFETY: both texts end with zero and live as long as the plan. A link less is no harm.
            let _ = unsafe { libc::symlink(to.as_ptr(), at.as_ptr()) };
            Ok(())
        }
    }
}

/// The first process of the new table: it shows the table, takes in orphans, and when it ends all end.
fn start_init(plan: &SetupPlan) -> Result<i32, Errno> {
    let mut ready = [0; 2];
    // SAFETY: there is room for two numbers.
    if unsafe { libc::pipe2(ready.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(raw::errno());
    }
    let [read, write] = ready;
    let init = raw::fork()?;
    if init != 0 {
        raw::close(write);
        let mut byte = 0u8;
        // SAFETY: there is room for one byte. Its end without a byte is the end of the first process.
        let got = unsafe { libc::read(read, (&raw mut byte).cast(), 1) };
        raw::close(read);
        return if got == 1 { Ok(init) } else { Err(libc::ECHILD) };
    }
    // It goes with the supervisor, whatever ends that.
    let _ = raw::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong);
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    // Inside of containers that hide parts of theirs this is refused; then the old one is seen, read-only.
    if raw::mount(c"proc", c"/proc", c"proc", flags, c"").is_ok() {
        if plan.limits.as_ref().is_some_and(|limits| limits.sets_pid_max) {
            raw::write_file(c"/proc/sys/kernel/pid_max", limits::PID_MAX);
        }
        // Root owns `/proc/sys` in every namespace, and needs no capability to write there.
        if raw::restrict(c"/proc", raw::READ_ONLY).is_err() {
            raw::exit(1);
        }
    }
    // SAFETY: one byte is there to be written.
    if unsafe { libc::write(write, c"x".as_ptr().cast(), 1) } != 1 {
        // The supervisor ended before it could have taken us with it.
        raw::exit(1);
    }
    raw::close_between(0, u32::MAX);
    // Whoever does not care for its children leaves no dead ones, and need not wake up for them.
    raw::handle(libc::SIGCHLD, libc::SIG_IGN);
    loop {
        // SAFETY: it takes nothing.
        unsafe { libc::pause() };
    }
}

fn serve(plan: &SetupPlan, socket: i32, rules: Option<i32>) {
    while let Some(request) = wire::receive_request(socket) {
        let spawned = child_setup::spawn_child(plan, &request, rules);
        for fd in request.fds {
            if fd >= 0 {
                raw::close(fd);
            }
        }
        let report = match spawned {
            Ok(pid) => StageReport::new(SetupStage::Spawned, pid),
            Err((errno, dead)) => StageReport { stage: SetupStage::SpawnFailed, number: errno, dead },
        };
        if !wire::send_report(socket, report) {
            break;
        }
    }
}

/// As every program expects them when it begins.
fn reset_signals() {
    for signal in 1..=64 {
        raw::handle(signal, libc::SIG_DFL);
    }
    raw::unblock_signals();
}
