//! Doors of processes outside that would do what they are told, and what they share with everybody.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::snapshot::Snapshot;
use crate::sys::{c, sys};
use crate::terminal::waiting;

/// A daemon's ways in. What comes is written down when somebody looks: nothing depends on who is faster.
pub(crate) struct Doors {
    name: String,
    streams: Vec<UnixListener>,
    messages: Vec<UnixDatagram>,
    tcp: TcpListener,
    udp: UdpSocket,
    fifo: File,
    giver: UnixListener,
    told: Vec<String>,
}

impl Doors {
    pub(crate) fn open(project: &Path, other: &Path) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("forelook-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let hidden = |kind| SocketAddr::from_abstract_name(format!("{name}-{kind}")).unwrap();
        let streams = vec![
            UnixListener::bind(project.join("stream.sock")).unwrap(),
            UnixListener::bind_addr(&hidden("stream")).unwrap(),
        ];
        let messages = vec![
            UnixDatagram::bind(project.join("message.sock")).unwrap(),
            UnixDatagram::bind_addr(&hidden("message")).unwrap(),
        ];
        streams.iter().for_each(|door| door.set_nonblocking(true).unwrap());
        messages.iter().for_each(|door| door.set_nonblocking(true).unwrap());
        let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        let path = project.join("fifo");
        let fifo = c(&path.display().to_string());
        sys!(libc::SYS_mknodat, libc::AT_FDCWD, fifo.as_ptr(), libc::S_IFIFO | 0o600, 0).unwrap();
        let fifo = File::options().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(path).unwrap();
        (&fifo).write_all(b"kept").unwrap();
        let giver = give(&project.join("giver.sock"), &other.join("given"));
        Self { name, streams, messages, tcp, udp, fifo, giver, told: Vec::new() }
    }

    pub(crate) fn known(&self) -> Vec<(&'static str, String)> {
        vec![
            ("NAME", self.name.clone()),
            ("TCP", self.tcp.local_addr().unwrap().port().to_string()),
            ("UDP", self.udp.local_addr().unwrap().port().to_string()),
        ]
    }

    pub(crate) fn look(&mut self, seen: &mut Snapshot) {
        let mut bytes = [0; 64];
        for door in &self.streams {
            while let Ok((mut visitor, _)) = door.accept() {
                visitor.set_nonblocking(true).unwrap();
                let got = visitor.read(&mut bytes).unwrap_or(0);
                self.told.push(format!("stream {:?}", String::from_utf8_lossy(&bytes[..got])));
            }
        }
        for door in &self.messages {
            while let Ok(got) = door.recv(&mut bytes) {
                self.told.push(format!("message {:?}", String::from_utf8_lossy(&bytes[..got])));
            }
        }
        while self.tcp.accept().is_ok() {
            self.told.push("tcp".into());
        }
        while self.udp.recv(&mut bytes).is_ok() {
            self.told.push("udp".into());
        }
        seen.insert(
            "daemon".into(),
            format!("was told {:?}, {} letters in the pipe", self.told, waiting(&self.fifo)),
        );
    }
}

impl Drop for Doors {
    fn drop(&mut self) {
        // SAFETY: it is ours; whoever waits at it goes on with an error.
        unsafe { libc::shutdown(self.giver.as_raw_fd(), libc::SHUT_RDWR) };
    }
}

/// A daemon that gives everybody a file to write to.
fn give(door: &Path, given: &Path) -> UnixListener {
    let door = UnixListener::bind(door).unwrap();
    let (waiting, given) = (door.try_clone().unwrap(), given.to_owned());
    std::thread::spawn(move || {
        loop {
            match waiting.accept() {
                Ok((visitor, _)) => {
                    let Ok(file) = File::options().read(true).write(true).open(&given) else { return };
                    crate::calls::sockets::send_file(visitor.as_raw_fd(), file.as_raw_fd());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    });
    door
}

/// Memory, queues and semaphores that belong to the user and not to a process.
pub(crate) struct Shared {
    memory: i32,
    place: *mut u8,
    queue: i32,
    semaphore: i32,
    messages: String,
}

impl Shared {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let messages = format!("forelook-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let name = c(&messages);
        let about: [libc::c_long; 8] = [0, 2, 64, 0, 0, 0, 0, 0];
        let flags = libc::O_CREAT | libc::O_RDWR;
        let opened = sys!(libc::SYS_mq_open, name.as_ptr(), flags, 0o600, about.as_ptr()).unwrap() as i32;
        // SAFETY: no pointers but to what lives longer; what is made is taken away again in the end.
        unsafe {
            libc::close(opened);
            let memory = libc::shmget(libc::IPC_PRIVATE, 4096, libc::IPC_CREAT | 0o600);
            let queue = libc::msgget(libc::IPC_PRIVATE, libc::IPC_CREAT | 0o600);
            let semaphore = libc::semget(libc::IPC_PRIVATE, 1, libc::IPC_CREAT | 0o600);
            assert!(memory >= 0 && queue >= 0 && semaphore >= 0, "{}", std::io::Error::last_os_error());
            Self {
                memory,
                place: libc::shmat(memory, std::ptr::null(), 0).cast(),
                queue,
                semaphore,
                messages,
            }
        }
    }

    pub(crate) fn known(&self) -> Vec<(&'static str, String)> {
        vec![
            ("MEMORY", self.memory.to_string()),
            ("QUEUE", self.queue.to_string()),
            ("SEMAPHORE", self.semaphore.to_string()),
            ("MESSAGES", self.messages.clone()),
        ]
    }

    pub(crate) fn look(&self, seen: &mut Snapshot) {
        // SAFETY: the memory is attached; what is asked about queues is filled or stays zero.
        let words = unsafe {
            let mut memory: libc::shmid_ds = std::mem::zeroed();
            let mut queue: libc::msqid_ds = std::mem::zeroed();
            let there = libc::shmctl(self.memory, libc::IPC_STAT, &raw mut memory);
            let queued = libc::msgctl(self.queue, libc::IPC_STAT, &raw mut queue);
            let value = libc::semctl(self.semaphore, 0, libc::GETVAL);
            let mode = (memory.shm_perm.mode, queue.msg_perm.mode);
            format!("{} {there} {queued} {mode:?} {} {value}", *self.place, queue.msg_qnum)
        };
        seen.insert("shared".into(), words);
        let mut about = [0 as libc::c_long; 8];
        let opened = sys!(libc::SYS_mq_open, c(&self.messages).as_ptr(), libc::O_RDONLY, 0, 0);
        if let Ok(opened) = opened {
            let none = std::ptr::null::<u8>();
            sys!(libc::SYS_mq_getsetattr, opened, none, about.as_mut_ptr()).unwrap();
            // SAFETY: it is ours.
            unsafe { libc::close(opened as i32) };
        }
        seen.insert("messages".into(), format!("{} {}", opened.is_ok(), about[3]));
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let _ = sys!(libc::SYS_mq_unlink, c(&self.messages).as_ptr());
        // SAFETY: they are ours, and gone after this.
        unsafe {
            libc::shmdt(self.place.cast());
            libc::shmctl(self.memory, libc::IPC_RMID, std::ptr::null_mut());
            libc::msgctl(self.queue, libc::IPC_RMID, std::ptr::null_mut());
            libc::semctl(self.semaphore, 0, libc::IPC_RMID);
        }
    }
}
