//! A terminal outside: what is typed there, and what it shows.

use std::ffi::CStr;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::unix::fs::OpenOptionsExt as _;

use crate::snapshot::Snapshot;

pub(crate) struct Terminal {
    screen: File,
    keys: File,
    pub(crate) path: String,
    shown: String,
}

impl Terminal {
    pub(crate) fn new() -> Self {
        // SAFETY: a new descriptor, which is ours; the name is read while nobody else asks for one of this descriptor.
        let (screen, path) = unsafe {
            let fd = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_NONBLOCK | libc::O_CLOEXEC);
            assert!(fd >= 0 && libc::grantpt(fd) == 0 && libc::unlockpt(fd) == 0, "a terminal");
            let mut name = [0; 64];
            assert_eq!(libc::ptsname_r(fd, name.as_mut_ptr(), name.len()), 0);
            (File::from_raw_fd(fd), CStr::from_ptr(name.as_ptr()).to_str().unwrap().to_owned())
        };
        let flags = libc::O_NOCTTY | libc::O_NONBLOCK;
        let keys = File::options().read(true).write(true).custom_flags(flags).open(&path).unwrap();
        // SAFETY: the settings are read whole before they are changed.
        unsafe {
            let mut settings = std::mem::zeroed();
            libc::tcgetattr(keys.as_raw_fd(), &raw mut settings);
            libc::cfmakeraw(&raw mut settings);
            libc::tcsetattr(keys.as_raw_fd(), libc::TCSANOW, &raw const settings);
        }
        (&screen).write_all(b"typed before").unwrap();
        // The kernel takes it over when it has time.
        while waiting(&keys) < 12 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Self { screen, keys, path, shown: String::new() }
    }

    pub(crate) fn look(&mut self, seen: &mut Snapshot) {
        let mut bytes = [0; 256];
        if let Ok(count) = self.screen.read(&mut bytes) {
            self.shown += &String::from_utf8_lossy(&bytes[..count]);
        }
        // SAFETY: both are filled by their calls, or stay zero.
        let (settings, size, typed) = unsafe {
            let mut settings: libc::termios = std::mem::zeroed();
            let mut size: libc::winsize = std::mem::zeroed();
            libc::tcgetattr(self.keys.as_raw_fd(), &raw mut settings);
            libc::ioctl(self.keys.as_raw_fd(), libc::TIOCGWINSZ, &raw mut size);
            ((settings.c_lflag, settings.c_oflag), (size.ws_row, size.ws_col), waiting(&self.keys))
        };
        let words = format!("typed {typed} letters, shown {:?} {settings:?} {size:?}", self.shown);
        seen.insert("terminal".into(), words);
    }
}

/// How much there is to be read, which stays there.
pub(crate) fn waiting(file: &File) -> i32 {
    let mut count = 0;
    // SAFETY: there is room for the number.
    unsafe { libc::ioctl(file.as_raw_fd(), libc::FIONREAD, &raw mut count) };
    count
}
