//! The loopback inside, and the gate: a port of it that we answer from outside. There is no other way out of that network.
#![expect(unsafe_code, reason = "the supervisor makes it, and may not allocate")]

use super::raw::{self, Errno};

/// Brings the loopback up. The network must be the supervisor's own.
pub(super) fn loopback() -> Result<(), Errno> {
    let socket = socket()?;
    let up = loopback_up(socket);
    raw::close(socket);
    up
}

/// The same, and listens at a free port of it.
pub(super) fn open() -> Result<i32, Errno> {
    let socket = socket()?;
    let listening = loopback_up(socket).and_then(|()| listen(socket));
    if listening.is_err() {
        raw::close(socket);
    }
    listening.map(|()| socket)
}

fn socket() -> Result<i32, Errno> {
    // SAFETY: no pointer is passed.
    let socket = unsafe { libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) };
    raw::checked(libc::c_long::from(socket)).map(|socket| socket as i32)
}

fn loopback_up(socket: i32) -> Result<(), Errno> {
    // SAFETY: all zeros are a request without a name; the kernel reads the name and the flags.
    let answer = unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
            *to = *from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
        libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw const request)
    };
    raw::checked(libc::c_long::from(answer)).map(drop)
}

fn listen(socket: i32) -> Result<(), Errno> {
    // How many may come before we answer the first.
    const WAITING: i32 = 256;
    let address = libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        // Any that is free.
        sin_port: 0,
        sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes([127, 0, 0, 1]) },
        sin_zero: [0; 8],
    };
    let size = size_of::<libc::sockaddr_in>() as libc::socklen_t;
    // SAFETY: the address lives longer than the call, and the size is its own.
    let bound = unsafe { libc::bind(socket, (&raw const address).cast(), size) };
    raw::checked(libc::c_long::from(bound))?;
    // SAFETY: no pointer is passed.
    raw::checked(libc::c_long::from(unsafe { libc::listen(socket, WAITING) })).map(drop)
}
