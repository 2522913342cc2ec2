//! What goes between us and the supervisor, over a socket that keeps messages apart.
#![expect(unsafe_code, reason = "the supervisor's end may not allocate, and libraries do")]

use std::mem::{MaybeUninit, zeroed};
use std::os::fd::{FromRawFd, OwnedFd};

/// How far something came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(super) enum SetupStage {
    /// In namespaces of its own; who it is there must be written.
    Unshared = 1,
    Ready,
    Spawned,
    SpawnFailed,
    // Where it failed.
    Namespaces,
    Network,
    Mounts,
    Processes,
    Landlock,
}

impl SetupStage {
    fn from_number(number: i32) -> Option<Self> {
        use SetupStage::{
            Landlock, Mounts, Namespaces, Network, Processes, Ready, SpawnFailed, Spawned, Unshared,
        };
        [Unshared, Ready, Spawned, SpawnFailed, Namespaces, Network, Mounts, Processes, Landlock]
            .into_iter()
            .find(|stage| *stage as i32 == number)
    }
}

/// What the supervisor says, and the number of a process or of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StageReport {
    pub(super) stage: SetupStage,
    pub(super) number: i32,
    /// A child of ours that died before its program began, for us to wait for; or 0.
    pub(super) dead: i32,
}

impl StageReport {
    pub(super) fn new(stage: SetupStage, number: i32) -> Self {
        Self { stage, number, dead: 0 }
    }
}

/// A request: the program, its three streams and one more, or -1.
pub(super) struct SpawnRequest {
    pub(super) fds: [i32; 5],
}

const FDS: usize = 5;
/// Room for five descriptors with their head.
const CONTROL: usize = 64;

#[repr(align(8))]
struct Control([u8; CONTROL]);

/// Whether it went out.
pub(super) fn send_report(socket: i32, report: StageReport) -> bool {
    send_report_with_fds(socket, report, &[])
}

/// The same, with a descriptor.
pub(super) fn send_report_with_fds(socket: i32, report: StageReport, fds: &[i32]) -> bool {
    let [a, b, c, d] = (report.stage as i32).to_ne_bytes();
    let [e, f, g, h] = report.number.to_ne_bytes();
    let [i, j, k, l] = report.dead.to_ne_bytes();
    send(socket, &mut [a, b, c, d, e, f, g, h, i, j, k, l], fds)
}

/// What the supervisor says, nothing if it is gone; and the descriptor that it hands over.
pub(super) fn receive_report(socket: i32) -> (Option<StageReport>, Option<OwnedFd>) {
    let mut bytes = [0u8; 12];
    let Some(fds) = receive_message(socket, &mut bytes) else { return (None, None) };
    let [a, b, c, d, e, f, g, h, i, j, k, l] = bytes;
    let (stage, number) = (i32::from_ne_bytes([a, b, c, d]), i32::from_ne_bytes([e, f, g, h]));
    let dead = i32::from_ne_bytes([i, j, k, l]);
    let given = fds.first().filter(|fd| **fd >= 0);
    // SAFETY: it came just now, and nobody else knows of it.
    let given = given.map(|fd| unsafe { OwnedFd::from_raw_fd(*fd) });
    (SetupStage::from_number(stage).map(|stage| StageReport { stage, number, dead }), given)
}

/// Tells the supervisor to go on.
pub(super) fn send_continue(socket: i32) -> bool {
    send(socket, &mut [1], &[])
}

/// Waits for that; false if nobody will say it.
pub(super) fn wait_for_continue(socket: i32) -> bool {
    receive_message(socket, &mut [0]).is_some()
}

/// Sends a request. The fifth descriptor may be left out.
pub(super) fn send_request(socket: i32, fds: &[i32]) -> bool {
    send(socket, &mut [1], fds)
}

/// The next request; nothing when there will be none.
pub(super) fn receive_request(socket: i32) -> Option<SpawnRequest> {
    receive_message(socket, &mut [0]).map(|fds| SpawnRequest { fds })
}

fn send(socket: i32, bytes: &mut [u8], fds: &[i32]) -> bool {
    let mut control = Control([0; CONTROL]);
    let mut piece = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    // SAFETY: every pointer is to something that lives longer than the call, and there is room for all descriptors.
    let sent = unsafe {
        let mut message: libc::msghdr = zeroed();
        message.msg_iov = &raw mut piece;
        message.msg_iovlen = 1;
        if !fds.is_empty() {
            message.msg_control = control.0.as_mut_ptr().cast();
            message.msg_controllen = libc::CMSG_SPACE(size_of_val(fds) as u32) as _;
            let head = libc::CMSG_FIRSTHDR(&raw const message);
            (*head).cmsg_level = libc::SOL_SOCKET;
            (*head).cmsg_type = libc::SCM_RIGHTS;
            (*head).cmsg_len = libc::CMSG_LEN(size_of_val(fds) as u32) as _;
            std::ptr::copy_nonoverlapping(fds.as_ptr(), libc::CMSG_DATA(head).cast(), fds.len());
        }
        libc::sendmsg(socket, &raw const message, libc::MSG_NOSIGNAL)
    };
    sent == bytes.len() as isize
}

/// A message of exactly this length and its descriptors, -1 for each that did not come; nothing when none will come.
fn receive_message(socket: i32, bytes: &mut [u8]) -> Option<[i32; FDS]> {
    let mut control = MaybeUninit::<Control>::zeroed();
    let mut piece = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let mut fds = [-1; FDS];
    // SAFETY: as above; what is read of the control data is what the kernel says that it wrote.
    unsafe {
        let mut message: libc::msghdr = zeroed();
        message.msg_iov = &raw mut piece;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = CONTROL as _;
        loop {
            match libc::recvmsg(socket, &raw mut message, libc::MSG_CMSG_CLOEXEC) {
                -1 if super::raw::errno() == libc::EINTR => {}
                got if got == bytes.len() as isize => break,
                _ => return None,
            }
        }
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        if !head.is_null() {
            let size = (*head).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
            let count = (size / size_of::<i32>()).min(FDS);
            std::ptr::copy_nonoverlapping(libc::CMSG_DATA(head).cast(), fds.as_mut_ptr(), count);
        }
    }
    Some(fds)
}
