//! What goes between us and the cell, over a socket that keeps messages apart.
#![expect(unsafe_code, reason = "the cell's end may not allocate, and libraries do")]

use std::mem::{MaybeUninit, zeroed};

/// How far something came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(super) enum Stage {
    /// In namespaces of its own; who it is there must be written.
    Apart = 1,
    Ready,
    Begun,
    NotBegun,
    // Where it failed.
    Namespaces,
    Mounts,
    Processes,
    Landlock,
}

impl Stage {
    fn of(number: i32) -> Option<Self> {
        use Stage::{Apart, Begun, Landlock, Mounts, Namespaces, NotBegun, Processes, Ready};
        [Apart, Ready, Begun, NotBegun, Namespaces, Mounts, Processes, Landlock]
            .into_iter()
            .find(|stage| *stage as i32 == number)
    }
}

/// What the cell says, and the number of a process or of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) stage: Stage,
    pub(super) number: i32,
}

/// A request: the program, its three streams and one more, or -1.
pub(super) struct Received {
    pub(super) fds: [i32; 5],
}

const FDS: usize = 5;
/// Room for five descriptors with their head.
const CONTROL: usize = 64;

#[repr(align(8))]
struct Control([u8; CONTROL]);

/// Whether it went out.
pub(super) fn report(socket: i32, report: Report) -> bool {
    let words = [report.stage as i32, report.number];
    send(socket, &words)
}

/// What the cell says; nothing if it is gone.
pub(super) fn hear(socket: i32) -> Option<Report> {
    let mut words = [0i32; 2];
    // SAFETY: there is room for two words.
    let got = unsafe { libc::recv(socket, words.as_mut_ptr().cast(), size_of_val(&words), 0) };
    let [stage, number] = words;
    (got == size_of_val(&words) as isize)
        .then(|| Stage::of(stage))
        .flatten()
        .map(|stage| Report { stage, number })
}

fn send(socket: i32, words: &[i32]) -> bool {
    // SAFETY: the words live longer than the call.
    let sent = unsafe { libc::send(socket, words.as_ptr().cast(), size_of_val(words), libc::MSG_NOSIGNAL) };
    sent == size_of_val(words) as isize
}

/// Tells the cell to go on.
pub(super) fn let_go(socket: i32) -> bool {
    send(socket, &[1])
}

/// Waits for that; false if nobody will say it.
pub(super) fn go_on(socket: i32) -> bool {
    let mut word = 0i32;
    // SAFETY: there is room for one word.
    unsafe { libc::recv(socket, (&raw mut word).cast(), size_of_val(&word), 0) > 0 }
}

/// Sends a request. The fifth descriptor may be left out.
pub(super) fn ask(socket: i32, fds: &[i32]) -> bool {
    let mut byte = [fds.len() as u8];
    let mut control = Control([0; CONTROL]);
    let mut piece = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    // SAFETY: every pointer is to something that lives longer than the call, and there is room for all descriptors.
    unsafe {
        let mut message: libc::msghdr = zeroed();
        message.msg_iov = &raw mut piece;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(size_of_val(fds) as u32) as _;
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        (*head).cmsg_level = libc::SOL_SOCKET;
        (*head).cmsg_type = libc::SCM_RIGHTS;
        (*head).cmsg_len = libc::CMSG_LEN(size_of_val(fds) as u32) as _;
        std::ptr::copy_nonoverlapping(fds.as_ptr(), libc::CMSG_DATA(head).cast(), fds.len());
        libc::sendmsg(socket, &raw const message, libc::MSG_NOSIGNAL) == 1
    }
}

/// The next request; nothing when there will be none.
pub(super) fn receive(socket: i32) -> Option<Received> {
    let mut byte = [0u8];
    let mut control = MaybeUninit::<Control>::zeroed();
    let mut piece = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let mut fds = [-1; FDS];
    // SAFETY: as above; what is read of the control data is what the kernel says that it wrote.
    unsafe {
        let mut message: libc::msghdr = zeroed();
        message.msg_iov = &raw mut piece;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = CONTROL as _;
        loop {
            let got = libc::recvmsg(socket, &raw mut message, libc::MSG_CMSG_CLOEXEC);
            match got {
                1 => break,
                -1 if super::raw::errno() == libc::EINTR => {}
                _ => return None,
            }
        }
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        if head.is_null() {
            return None;
        }
        let bytes = (*head).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
        let count = (bytes / size_of::<i32>()).min(FDS);
        std::ptr::copy_nonoverlapping(libc::CMSG_DATA(head).cast(), fds.as_mut_ptr(), count);
    }
    Some(Received { fds })
}
