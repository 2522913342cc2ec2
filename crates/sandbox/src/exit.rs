//! How a child ended.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::Signal;

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildExit {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// Nobody knows. SIGKILL was sent, but the kernel still holds it, as in a read from a server that is gone.
    Unknown,
}

impl ChildExit {
    /// Whether it exited with code 0.
    pub fn is_success(self) -> bool {
        self == ChildExit::Exited(0)
    }
}

impl From<ExitStatus> for ChildExit {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => ChildExit::Exited(code),
            (None, Some(signal)) => ChildExit::Signalled(signal),
            (None, None) => ChildExit::Unknown,
        }
    }
}

impl fmt::Display for ChildExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChildExit::Exited(code) => write!(f, "exit code {code}"),
            ChildExit::Signalled(number) => match signal_name(*number) {
                Some(name) => write!(f, "ended by signal {name}"),
                None => write!(f, "ended by signal {number}"),
            },
            ChildExit::Unknown => f.write_str("was killed; its exit status is unknown"),
        }
    }
}

/// The signals that end programs in practice; any other is told by its number.
fn signal_name(number: i32) -> Option<&'static str> {
    let table = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::SYS, "SIGSYS"),
    ];
    table.iter().find(|(signal, _)| signal.as_raw() == number).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_read_well() {
        for (ending, text) in [
            (ChildExit::Exited(3), "exit code 3"),
            (ChildExit::Signalled(9), "ended by signal SIGKILL"),
            (ChildExit::Signalled(62), "ended by signal 62"),
        ] {
            assert_eq!(ending.to_string(), text);
        }
    }
}
