//! A process outside that does no harm to anybody.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use crate::snapshot::Snapshot;
use crate::sys::sys;

/// The number under which it holds a file open for writing.
pub(crate) const HELD: i32 = 50;

static WORD: AtomicU64 = AtomicU64::new(u64::from_ne_bytes(*b"as it is"));
static SIGNALS: AtomicI32 = AtomicI32::new(-1);

/// What it does.
pub(crate) fn live() -> ExitCode {
    let signals = fs::File::options().append(true).open("signals").unwrap();
    let held = fs::File::options().read(true).write(true).open("held").unwrap();
    SIGNALS.store(signals.as_raw_fd(), Ordering::Relaxed);
    let heard: extern "C" fn(i32) = heard;
    // SAFETY: the handler does nothing but write to a file that is open for good.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::dup2(held.as_raw_fd(), HELD);
        for signal in [libc::SIGUSR1, libc::SIGURG, libc::SIGIO, libc::SIGHUP] {
            libc::signal(signal, heard as libc::sighandler_t);
        }
    }
    println!("{}", WORD.as_ptr() as usize);
    loop {
        // SAFETY: it takes nothing.
        unsafe { libc::pause() };
    }
}

extern "C" fn heard(signal: i32) {
    let byte = [b'a' + signal as u8];
    // SAFETY: one byte to a file that is open.
    unsafe { libc::write(SIGNALS.load(Ordering::Relaxed), byte.as_ptr().cast(), 1) };
}

/// It, seen by whoever started it.
pub(crate) struct Victim {
    child: Child,
    /// Where its word lies in its memory.
    pub(crate) word: u64,
}

impl Victim {
    pub(crate) fn start(program: &Path, folder: &Path) -> Self {
        let mut command = Command::new(program);
        command
            .arg("--victim")
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, word: line.trim().parse().unwrap() }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn look(&self, seen: &mut Snapshot) {
        let read =
            |name: &str| fs::read_to_string(format!("/proc/{}/{name}", self.pid())).unwrap_or_default();
        let stat = read("stat");
        // Behind its name, which may have blanks.
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or("").split(' ').collect();
        let state = match fields.first() {
            Some(&"Z") | None => "dead",
            Some(&("T" | "t")) => "stopped",
            Some(_) => "alive",
        };
        let nice_and_policy = (fields.get(16), fields.get(38));
        let status = read("status");
        let kept = ["TracerPid", "Cpus_allowed:", "Uid"];
        let kept: Vec<&str> =
            status.lines().filter(|line| kept.iter().any(|name| line.starts_with(name))).collect();
        let priority = sys!(libc::SYS_ioprio_get, 1, self.pid() as libc::c_long).unwrap_or(-1);
        let words = format!("{state} {nice_and_policy:?} {kept:?} {priority} word {:?}", self.read_word());
        seen.insert("victim".into(), words);
        for name in ["limits", "oom_score_adj", "coredump_filter"] {
            seen.insert(format!("victim's {name}"), read(name));
        }
    }

    fn read_word(&self) -> Option<String> {
        let mut word = [0; 8];
        let memory = fs::File::open(format!("/proc/{}/mem", self.pid())).ok()?;
        memory.read_exact_at(&mut word, self.word).ok()?;
        Some(String::from_utf8_lossy(&word).into_owned())
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
