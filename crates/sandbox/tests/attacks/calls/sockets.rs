//! Daemons outside that would do what they are told.

use std::io;

use crate::attack::{Attack, call, refused};
use crate::sys::{Done, known, number, open, read, sys, write, write_to};

const STREAM: i32 = libc::SOCK_STREAM;
const MESSAGE: i32 = libc::SOCK_DGRAM;

const TAKEN: &str =
    "the kernel does not let one of a pair connect elsewhere; if it once does, a fence must not";

pub(crate) const ATTACKS: &[Attack] = &[
    call("unix-stream", || said_to(socket(libc::AF_UNIX, STREAM)?, &unix("stream.sock", false))),
    call("unix-stream-by-path-of-process", || {
        said_to(socket(libc::AF_UNIX, STREAM)?, &unix("/proc/self/cwd/stream.sock", false))
    }),
    call("unix-message", || sent_to(socket(libc::AF_UNIX, MESSAGE)?, &unix("message.sock", false))),
    call("unix-message-connected", || said_to(socket(libc::AF_UNIX, MESSAGE)?, &unix("message.sock", false))),
    call("unix-pair-sends", || sent_to(pair(MESSAGE)?, &unix("message.sock", false))),
    call("unix-raw-pair-sends", || sent_to(pair(libc::SOCK_RAW)?, &unix("message.sock", false))),
    call("unix-pair-connects", || said_to(pair(MESSAGE)?, &unix("message.sock", false))),
    call("unix-stream-pair-connects", || said_to(pair(STREAM)?, &unix("stream.sock", false))).untried(TAKEN),
    call("unix-stream-pair-connects-again", || {
        let fd = pair(STREAM)?;
        let nowhere = [0; 16];
        let _ = connect(fd, &nowhere);
        // SAFETY: it is ours.
        unsafe { libc::shutdown(fd, libc::SHUT_RDWR) };
        said_to(fd, &unix("stream.sock", false))
    })
    .untried(TAKEN),
    call("unix-pair-sends-many", || {
        let (fd, address) = (pair(MESSAGE)?, unix("message.sock", false));
        let piece = libc::iovec { iov_base: c"attacked".as_ptr().cast_mut().cast(), iov_len: 8 };
        // SAFETY: all zero is a whole structure.
        let mut message: libc::mmsghdr = unsafe { std::mem::zeroed() };
        message.msg_hdr.msg_name = address.as_ptr().cast_mut().cast();
        message.msg_hdr.msg_namelen = address.len() as u32;
        message.msg_hdr.msg_iov = (&raw const piece).cast_mut();
        message.msg_hdr.msg_iovlen = 1;
        sys!(libc::SYS_sendmmsg, fd, &raw mut message, 1, 0).map(drop)
    }),
    call("abstract-stream", || said_to(socket(libc::AF_UNIX, STREAM)?, &unix("stream", true))),
    call("abstract-message", || sent_to(socket(libc::AF_UNIX, MESSAGE)?, &unix("message", true))),
    call("abstract-pair-sends", || sent_to(pair(MESSAGE)?, &unix("message", true))),
    call("given-descriptor", || {
        let fd = socket(libc::AF_UNIX, STREAM)?;
        connect(fd, &unix("giver.sock", false))?;
        write(receive_file(fd)?)
    }),
    call("bind-makes-file", || {
        let address = unix("new.sock", false);
        sys!(libc::SYS_bind, socket(libc::AF_UNIX, STREAM)?, address.as_ptr(), address.len()).map(drop)
    }),
    call("bind-pair-makes-file", || {
        let address = unix("new.sock", false);
        sys!(libc::SYS_bind, pair(STREAM)?, address.as_ptr(), address.len()).map(drop)
    }),
    call("tcp", || said_to(socket(libc::AF_INET, STREAM)?, &internet("TCP"))),
    call("tcp-fast-open", || {
        let (fd, address) = (socket(libc::AF_INET, STREAM)?, internet("TCP"));
        let flags = libc::MSG_FASTOPEN;
        sys!(libc::SYS_sendto, fd, c"x".as_ptr(), 1usize, flags, address.as_ptr(), address.len()).map(drop)
    }),
    call("udp", || sent_to(socket(libc::AF_INET, MESSAGE)?, &internet("UDP"))),
    call("udp-connected", || said_to(socket(libc::AF_INET, MESSAGE)?, &internet("UDP"))),
    call("udp-six", || {
        // ::ffff:127.0.0.1
        let port = (number("UDP") as u16).to_be_bytes();
        let mut address = [0u8; 28];
        address[..2].copy_from_slice(&(libc::AF_INET6 as u16).to_ne_bytes());
        address[2..4].copy_from_slice(&port);
        address[18..24].copy_from_slice(&[255, 255, 127, 0, 0, 1]);
        sent_to(socket(libc::AF_INET6, MESSAGE)?, &address)
    }),
    call("fifo", || write_to("fifo", libc::O_WRONLY | libc::O_NONBLOCK)),
    call("fifo-read", || read(open("fifo", libc::O_RDONLY | libc::O_NONBLOCK)?)),
    refused("socket-unix", || socket(libc::AF_UNIX, STREAM).map(drop)),
    refused("socket-vsock", || socket(libc::AF_VSOCK, STREAM).map(drop)),
    refused("socket-packet", || socket(libc::AF_PACKET, libc::SOCK_RAW).map(drop)),
    refused("socket-alg", || socket(libc::AF_ALG, libc::SOCK_SEQPACKET).map(drop)),
    refused("socket-bluetooth", || socket(libc::AF_BLUETOOTH, libc::SOCK_RAW).map(drop)),
    refused("socket-key", || socket(libc::AF_KEY, libc::SOCK_RAW).map(drop)),
    refused("pair-of-messages", || pair(MESSAGE).map(drop)),
];

fn socket(family: i32, kind: i32) -> io::Result<i32> {
    sys!(libc::SYS_socket, family, kind, 0).map(|fd| fd as i32)
}

fn pair(kind: i32) -> io::Result<i32> {
    let mut both = [0; 2];
    sys!(libc::SYS_socketpair, libc::AF_UNIX, kind, 0, both.as_mut_ptr())?;
    Ok(both[0])
}

fn unix(name: &str, is_abstract: bool) -> Vec<u8> {
    let mut address = (libc::AF_UNIX as u16).to_ne_bytes().to_vec();
    match is_abstract {
        true => address.extend(format!("\0{}-{name}", known("NAME")).bytes()),
        false => address.extend(format!("{name}\0").bytes()),
    }
    address
}

fn internet(port: &str) -> [u8; 16] {
    let mut address = [0; 16];
    address[..2].copy_from_slice(&(libc::AF_INET as u16).to_ne_bytes());
    address[2..4].copy_from_slice(&(number(port) as u16).to_be_bytes());
    address[4..8].copy_from_slice(&[127, 0, 0, 1]);
    address
}

fn connect(fd: i32, address: &[u8]) -> Done {
    sys!(libc::SYS_connect, fd, address.as_ptr(), address.len()).map(drop)
}

fn said_to(fd: i32, address: &[u8]) -> Done {
    connect(fd, address)?;
    write(fd)
}

fn sent_to(fd: i32, address: &[u8]) -> Done {
    sys!(libc::SYS_sendto, fd, c"attacked".as_ptr(), 8usize, 0, address.as_ptr(), address.len()).map(drop)
}

/// Room for one descriptor with its head.
#[repr(C)]
struct Control {
    head: libc::cmsghdr,
    fd: i32,
}

fn message(control: &mut Control, piece: &mut libc::iovec) -> libc::msghdr {
    // SAFETY: all zero is a whole structure.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    (message.msg_iov, message.msg_iovlen) = (&raw mut *piece, 1);
    (message.msg_control, message.msg_controllen) = ((&raw mut *control).cast(), size_of::<Control>() as _);
    message
}

/// Gives a descriptor to whoever is at the other end.
pub(crate) fn send_file(socket: i32, fd: i32) {
    // SAFETY: the length of the head takes no pointer.
    let length = unsafe { libc::CMSG_LEN(4) };
    let head =
        libc::cmsghdr { cmsg_len: length as _, cmsg_level: libc::SOL_SOCKET, cmsg_type: libc::SCM_RIGHTS };
    let (mut control, mut byte) = (Control { head, fd }, 0u8);
    let mut piece = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    let message = message(&mut control, &mut piece);
    let _ = sys!(libc::SYS_sendmsg, socket, &raw const message, libc::MSG_NOSIGNAL);
}

fn receive_file(socket: i32) -> io::Result<i32> {
    let head = libc::cmsghdr { cmsg_len: 0, cmsg_level: 0, cmsg_type: 0 };
    let (mut control, mut byte) = (Control { head, fd: -1 }, 0u8);
    let mut piece = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    let mut message = message(&mut control, &mut piece);
    sys!(libc::SYS_recvmsg, socket, &raw mut message, 0)?;
    Ok(control.fd)
}
