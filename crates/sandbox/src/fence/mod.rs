//! A fence: what runs inside cannot change anything outside, because the kernel does not let it.

mod birth;
mod calls;
mod cell;
mod end;
mod found;
mod landlock;
mod layer;
mod limits;
mod paths;
mod plan;
mod raw;
mod request;
mod seccomp;
mod wire;

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, Shutdown, SocketFlags, SocketType, shutdown, socketpair};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::Program;
use crate::spawn::{Leader, Streams, has_terminal};
pub use found::Available;
pub use layer::{OPAQUE, remove_layer, upper};
use plan::Plan;
use wire::{Report, Stage};

/// What is held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// The working folders, which stay where they are.
    pub folders: Vec<PathBuf>,
    /// Folders that may be written to.
    pub writable: Vec<PathBuf>,
    /// Files and folders that may not be written to although they lie in one that may. Only namespaces hold this.
    pub held: Vec<PathBuf>,
    /// Where scratch is kept if there are no namespaces, which give scratch folders of their own.
    pub scratch: Option<PathBuf>,
    /// How far the network reaches.
    pub network: Network,
    /// Files that show nothing, and folders that are empty. Only namespaces hold this: Landlock alone lets them be read.
    pub masked: Vec<PathBuf>,
    /// Where what is written to the working folders is kept instead: they seem to change and do not. It must be a folder
    /// of its own, on a file system that keeps attributes. Without namespaces no fence is raised.
    pub layer: Option<PathBuf>,
}

/// How far the network reaches inside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Network {
    /// Nowhere.
    #[default]
    None,
    /// As outside, but for sockets of the machine itself (those with a path, and abstract ones).
    Host,
    /// To us and nobody else: [`Fence::gate`] is what is listened at. Only namespaces hold this.
    Gate,
}

/// What holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layers {
    /// Namespaces: of users, mounts, processes, network and messages. Without Landlock a pipe with a name (`mkfifo`) can be
    /// written to if somebody outside reads it; a project below `/tmp` has such pipes open even with Landlock.
    pub namespaces: bool,
    /// Landlock. Alone it lets the time change when a file was last read, and root may start any number of processes.
    pub landlock: bool,
    /// Seccomp.
    pub seccomp: bool,
}

impl Layers {
    /// All that there are.
    pub const ALL: Self = Self { namespaces: true, landlock: true, seccomp: true };

    /// Whether nothing at all gets through.
    pub fn hold(self) -> bool {
        self.seccomp && (self.namespaces || self.landlock)
    }
}

/// A fence that stands. It falls, and ends all that runs in it, when this is dropped.
#[derive(Debug)]
pub struct Fence {
    socket: Mutex<OwnedFd>,
    cell: Pid,
    layers: Layers,
}

impl Fence {
    /// Raises a fence with these layers, all or none.
    pub fn raise(policy: &Policy, layers: Layers) -> io::Result<Self> {
        let plan = Plan::new(policy, layers)?;
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let pid = raw::fork().map_err(io::Error::from_raw_os_error)?;
        let Some(cell) = Pid::from_raw(pid) else { cell::run(&plan, theirs.as_raw_fd()) };
        drop(theirs);
        let fence = Self { socket: Mutex::new(ours), cell, layers };
        fence.settle()?;
        Ok(fence)
    }

    /// What holds.
    pub fn layers(&self) -> Layers {
        self.layers
    }

    /// Where programs inside come to who want to reach the network, if that is [`Network::Gate`]: a port of the loopback
    /// inside, which we answer from outside. It can be taken once.
    pub fn gate(&self) -> Option<std::net::TcpListener> {
        None
    }

    fn settle(&self) -> io::Result<()> {
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match wire::hear(socket.as_raw_fd()) {
                Some(Report { stage: Stage::Apart, .. }) => {
                    self.name_users()?;
                    wire::let_go(socket.as_raw_fd());
                }
                Some(Report { stage: Stage::Ready, .. }) => return Ok(()),
                Some(Report { stage, number }) => {
                    let error = io::Error::from_raw_os_error(number);
                    return Err(io::Error::new(error.kind(), format!("{stage:?}: {error}")));
                }
                None => {
                    return Err(io::Error::other(
                        "The process that holds the fence ended before it was ready",
                    ));
                }
            }
        }
    }

    /// Inside everybody is who they are outside: files keep their owners. Root maps all, others only themselves.
    fn name_users(&self) -> io::Result<()> {
        let cell = format!("/proc/{}", self.cell.as_raw_nonzero());
        let same = |map: &str, own: u32| -> io::Result<String> {
            if !rustix::process::geteuid().is_root() {
                return Ok(format!("{own} {own} 1\n"));
            }
            let lines = fs::read_to_string(format!("/proc/self/{map}"))?;
            let line = |line: &str| {
                let mut words = line.split_whitespace();
                let (inside, count) = (words.next()?, words.nth(1)?);
                Some(format!("{inside} {inside} {count}\n"))
            };
            Ok(lines.lines().filter_map(line).collect())
        };
        if !rustix::process::geteuid().is_root() {
            fs::write(format!("{cell}/setgroups"), "deny")?;
        }
        fs::write(format!("{cell}/uid_map"), same("uid_map", rustix::process::geteuid().as_raw())?)?;
        fs::write(format!("{cell}/gid_map"), same("gid_map", rustix::process::getegid().as_raw())?)
    }

    /// Starts a program inside.
    pub(crate) fn start(&self, program: &Program, streams: &Streams) -> io::Result<Leader> {
        let number = streams.side.as_ref().map(|(_, number)| *number);
        let request = request::written(program, number, has_terminal())?;
        let mut fds = vec![
            request.as_raw_fd(),
            streams.stdin.as_raw_fd(),
            streams.stdout.as_raw_fd(),
            streams.stderr.as_raw_fd(),
        ];
        fds.extend(streams.side.as_ref().map(|(side, _)| side.as_raw_fd()));
        // One at a time: an answer belongs to the last question.
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let report = wire::ask(socket.as_raw_fd(), &fds).then(|| wire::hear(socket.as_raw_fd())).flatten();
        match report {
            Some(Report { stage: Stage::Begun, number }) => Leader::known(number),
            Some(Report { number, .. }) => Err(io::Error::from_raw_os_error(number)),
            None => Err(io::Error::other("The fence is gone: the process that holds it was ended")),
        }
    }
}

/// How long the cell may take to end what runs inside; it takes a few milliseconds.
const SWEEPING: Duration = Duration::from_secs(2);

impl Fence {
    /// Where only the cell can end what runs inside, it must not be killed before it has.
    fn swept(&self) -> bool {
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = shutdown(&*socket, Shutdown::Both);
        let patience = Instant::now() + SWEEPING;
        while Instant::now() < patience {
            match waitpid(Some(self.cell), WaitOptions::NOHANG) {
                Ok(None) | Err(rustix::io::Errno::INTR) => std::thread::sleep(Duration::from_millis(1)),
                Ok(Some(_)) | Err(_) => return true,
            }
        }
        false
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        if !self.layers.namespaces && self.swept() {
            return;
        }
        // The first process of the table ends with the cell, and all others with that.
        let _ = kill_process(self.cell, Signal::KILL);
        while matches!(waitpid(Some(self.cell), WaitOptions::empty()), Err(rustix::io::Errno::INTR)) {}
    }
}

#[cfg(test)]
mod tests;
