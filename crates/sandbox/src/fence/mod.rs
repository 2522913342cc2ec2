//! A fence: what runs inside cannot change anything outside, because the kernel does not let it.

mod activity;
mod calls;
pub(crate) mod capabilities;
mod child_setup;
mod gate;
mod identities;
mod landlock;
mod limits;
mod overlay;
mod overlay_probe;
mod paths;
mod place;
mod probe;
mod protected;
pub(crate) mod raw;
mod readable;
mod request;
mod seccomp;
mod setup_plan;
mod supervisor;
mod teardown;
mod users;
mod wire;

use std::io;
use std::net::TcpListener;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::Pid;

use crate::Program;
use crate::guardian;
use crate::own_process::oom_score;
use crate::policy::{AvailableLayers, FencePolicy, FenceScope, KernelLayers, NetworkAccess};
use crate::spawn::{ChildStreams, SessionLeader};
use activity::Activity;
pub(crate) use activity::FenceUse;
use identities::PathIdentity;
pub use overlay::{OPAQUE, remove_overlay, upper};
pub use overlay_probe::can_overlay;
use setup_plan::SetupPlan;
use wire::{SetupStage, StageReport};

/// How long a fence may take until it stands; it takes a few milliseconds. Whoever waits holds up others.
const RAISE_TIMEOUT: Duration = Duration::from_secs(60);

/// A fence that stands. It falls, and ends all that is left in it, when this is dropped; a [`Child`](crate::Child) that runs
/// in it has a hold of it too. One that only masks ([`FenceScope::MasksOnly`]) ends nobody.
#[derive(Debug)]
pub struct Fence {
    socket: Mutex<OwnedFd>,
    supervisor: Pid,
    layers: KernelLayers,
    gate: Mutex<Option<TcpListener>>,
    identities: Vec<PathIdentity>,
    scratch: Option<PathBuf>,
    activity: Activity,
}

impl Fence {
    /// Raises a fence with these layers, all or none.
    pub fn raise(policy: &FencePolicy, layers: KernelLayers) -> io::Result<Self> {
        // Before anything is looked at: what is replaced in between counts as replaced.
        let mut identities = identities::identities(policy);
        let mut plan = SetupPlan::new(policy, layers)?;
        identities.extend(plan.landlock.iter_mut().flat_map(|rules| std::mem::take(&mut rules.listed)));
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        set_socket_timeout(&ours, Timeout::Recv, Some(RAISE_TIMEOUT))?;
        let forked = match policy.scope {
            // When memory runs out what is inside goes first.
            FenceScope::Confined => oom_score::high_during(raw::fork),
            FenceScope::MasksOnly => raw::fork(),
        };
        let pid = forked.map_err(io::Error::from_raw_os_error)?;
        let Some(supervisor) = Pid::from_raw(pid) else { supervisor::run(&plan, theirs.as_raw_fd()) };
        drop(theirs);
        let (gate, scratch) = (Mutex::default(), scratch(policy, layers));
        let (socket, activity) = (Mutex::new(ours), Activity::default());
        let mut fence = Self { socket, supervisor, layers, gate, identities, scratch, activity };
        fence.activity.init = fence.set_up()?;
        let socket = fence.socket.lock().unwrap_or_else(PoisonError::into_inner);
        set_socket_timeout(&*socket, Timeout::Recv, None)?;
        drop(socket);
        Ok(fence)
    }

    /// Whether it still holds what it was raised for. If not a new one must be raised: either the process that holds it was
    /// ended, and all that ran inside with it; or something that is held or masked was replaced from outside (or made, if
    /// it was not there), which a fence that stands does not see.
    pub fn is_active(&self) -> bool {
        !self.has_ended() && self.identities.iter().all(PathIdentity::is_unchanged)
    }

    /// Where programs inside may write what nobody keeps: what `TMPDIR` should be for them. With namespaces it is theirs
    /// alone, and gone with the fence; without them it is [`FencePolicy::scratch`]; none where files are only masked. It is not `/tmp` if a read-only working folder
    /// lies there: then Landlock closes all of that (`paths.rs` has the reason).
    pub fn scratch(&self) -> Option<&Path> {
        self.scratch.as_deref()
    }

    /// Where programs inside come to who want to reach the network, if that is [`NetworkAccess::Gate`]: a port of the loopback
    /// inside, which we answer from outside. It can be taken once.
    pub fn gate(&self) -> Option<TcpListener> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Waits until it stands; the first process inside, if that has processes of its own.
    fn set_up(&self) -> io::Result<Option<Pid>> {
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let (report, given) = wire::receive_report(socket.as_raw_fd());
            match report {
                Some(StageReport { stage: SetupStage::Unshared, .. }) => {
                    users::write_id_maps(self.supervisor)?;
                    wire::send_continue(socket.as_raw_fd());
                }
                Some(StageReport { stage: SetupStage::Ready, number, .. }) => {
                    *self.gate.lock().unwrap_or_else(PoisonError::into_inner) = given.map(TcpListener::from);
                    return Ok(Pid::from_raw(number));
                }
                Some(StageReport { stage, number, .. }) => {
                    let error = io::Error::from_raw_os_error(number);
                    return Err(io::Error::new(error.kind(), format!("{stage:?}: {error}")));
                }
                None => {
                    return Err(io::Error::other("The fence process exited or did not start in time"));
                }
            }
        }
    }

    /// Starts a program inside. The fence stands at least as long as that runs.
    pub(crate) fn start(
        self: &Arc<Self>,
        program: &Program,
        streams: &ChildStreams,
    ) -> io::Result<SessionLeader> {
        let number = streams.side.as_ref().map(|(_, number)| *number);
        let request = request::encode(program, number)?;
        let mut fds = vec![
            request.as_raw_fd(),
            streams.stdin.as_raw_fd(),
            streams.stdout.as_raw_fd(),
            streams.stderr.as_raw_fd(),
        ];
        fds.extend(streams.side.as_ref().map(|(side, _)| side.as_raw_fd()));
        // Counted before it begins: whoever looks meanwhile must not take the fence for empty.
        let fence_use = FenceUse::begin(self);
        // One at a time: an answer belongs to the last question.
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = wire::send_request(socket.as_raw_fd(), &fds);
        let report = asked.then(|| wire::receive_report(socket.as_raw_fd()).0).flatten();
        match report {
            Some(StageReport { stage: SetupStage::Spawned, number, .. }) => {
                SessionLeader::adopt(number, Some(fence_use))
            }
            Some(StageReport { number, dead, .. }) => {
                // Nobody else waits for it, and the first process inside does not end before that.
                if let Some(dead) = Pid::from_raw(dead) {
                    guardian::forget(dead);
                    teardown::reap(dead);
                }
                Err(io::Error::from_raw_os_error(number))
            }
            None => Err(io::Error::other("The fence is gone: its process was killed")),
        }
    }
}

fn scratch(policy: &FencePolicy, layers: KernelLayers) -> Option<PathBuf> {
    match (policy.scope, layers.namespaces) {
        (FenceScope::MasksOnly, _) => None,
        (FenceScope::Confined, true) => paths::scratch(policy).into_iter().next(),
        (FenceScope::Confined, false) => policy.scratch.clone(),
    }
}

#[cfg(test)]
mod tests;
