//! A terminal outside.

use crate::attack::{Attack, call};
use crate::sys::{Done, in_child, known, open, read, sys, write};

pub(crate) const ATTACKS: &[Attack] = &[
    call("terminal-write", || write(open(&known("TERMINAL"), libc::O_WRONLY | libc::O_NOCTTY)?)),
    call("terminal-type", || type_word(libc::TIOCSTI, libc::O_RDWR)),
    call("terminal-type-read-only", || type_word(libc::TIOCSTI, libc::O_RDONLY)),
    call("terminal-type-high-bits", || type_word(libc::TIOCSTI | 0x1_0000_0000, libc::O_RDONLY)),
    call("terminal-own-then-write", || {
        own(libc::O_RDONLY)?;
        write(open("/dev/tty", libc::O_WRONLY)?)
    }),
    call("terminal-read", || {
        read(open(&known("TERMINAL"), libc::O_RDONLY | libc::O_NOCTTY | libc::O_NONBLOCK)?)
    }),
    call("terminal-forget", || {
        sys!(libc::SYS_ioctl, own(libc::O_RDONLY)?, libc::TCFLSH, libc::TCIFLUSH).map(drop)
    }),
    call("terminal-settings", || {
        let fd = own(libc::O_RDONLY)?;
        // SAFETY: all zero is a whole structure; so is what the call fills in.
        let mut settings: libc::termios = unsafe { std::mem::zeroed() };
        sys!(libc::SYS_ioctl, fd, libc::TCGETS, &raw mut settings)?;
        settings.c_lflag ^= libc::ECHO;
        sys!(libc::SYS_ioctl, fd, libc::TCSETS, &raw const settings).map(drop)
    }),
    call("terminal-size", || {
        let size = [7u16, 7, 0, 0];
        sys!(libc::SYS_ioctl, own(libc::O_RDONLY)?, libc::TIOCSWINSZ, size.as_ptr()).map(drop)
    }),
];

/// In a session of its own whoever opens a terminal that nobody has makes it its own.
fn own(access: i32) -> std::io::Result<i32> {
    in_child()?;
    sys!(libc::SYS_setsid)?;
    open(&known("TERMINAL"), access)
}

fn type_word(request: u64, access: i32) -> Done {
    let fd = own(access)?;
    b"rm\n".iter().try_for_each(|byte| sys!(libc::SYS_ioctl, fd, request, &raw const *byte).map(drop))
}
