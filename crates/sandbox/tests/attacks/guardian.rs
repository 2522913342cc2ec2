//! What runs outside a fence ends with whoever started it, however that one ends; what made a session of its own goes on.
//!
//! Each test kills a process of its own: this program, started again with `--guarded`.

use std::io::BufRead as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use forelook_sandbox::{Child, ChildEvent, Fence, FencePolicy, FenceScope, KernelLayers};

use crate::life::{run, same, shell, sleepers, until};
use crate::sys::sys;

/// How long anything may take that should happen at once.
const LONG: Duration = Duration::from_secs(20);

pub(crate) fn ends_plain(base: &Path) -> Result<(), String> {
    ends_with_its_parent("plain", base)
}

pub(crate) fn ends_masked(base: &Path) -> Result<(), String> {
    ends_with_its_parent("masked", base)
}

/// Two are in the group, and one of them has lost its parent; two are in groups of their own; one has a session of its own.
fn sleeping(seconds: &str) -> String {
    format!(
        "setsid sleep {seconds} & (sleep {seconds} &); sleep {seconds} & timeout 1000 sleep {seconds} & \
         bash -c 'set -m; sleep {seconds} & exec sleep 1' & echo ready; wait"
    )
}

fn ends_with_its_parent(kind: &str, base: &Path) -> Result<(), String> {
    let seconds = format!("6{}", std::process::id());
    // It does not hear the keys of a terminal; whoever watches over its groups must not either.
    let line = "trap '' INT HUP TERM; exec \"$0\" --guarded \"$@\"";
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).arg(std::env::current_exe().unwrap()).args([kind, &seconds]).arg(base);
    let started = command.process_group(0).stdout(Stdio::piped()).spawn();
    let mut parent = Killed(started.map_err(|error| error.to_string())?);
    let output = parent.0.stdout.take().unwrap();
    match kind {
        // The supervisor of a fence holds it too, for as long as the parent lives.
        "masked" => same("what it said", &first_line(output)?.as_str(), &"ready\n")?,
        _ => same("what it said, until nobody held its output", &read_to_end(output)?.as_str(), &"ready\n")?,
    }
    until("all sleep", || sleepers(&seconds) == 5)?;
    for signal in [libc::SIGINT, libc::SIGHUP, libc::SIGTERM] {
        let group = -i64::from(parent.0.id());
        sys!(libc::SYS_kill, group, signal).map_err(|error| error.to_string())?;
    }
    drop(parent);
    until("its session is gone", || sleepers(&seconds) <= 1)?;
    same("the session of its own goes on", &sleepers(&seconds), &1)?;
    run(&shell(None, &format!("pkill -f '^sleep {seconds}$'"))).map(drop)
}

/// Dropped, it is killed: also by a test that fails.
struct Killed(std::process::Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn first_line(from: impl std::io::Read) -> Result<String, String> {
    let mut line = String::new();
    std::io::BufReader::new(from).read_line(&mut line).map(|_| line).map_err(|error| error.to_string())
}

/// Everything, until nobody can write there any more; an error if that takes too long.
fn read_to_end(mut from: impl std::io::Read + Send + 'static) -> Result<String, String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut all = String::new();
        sender.send(from.read_to_string(&mut all).map(|_| all))
    });
    match receiver.recv_timeout(LONG) {
        Ok(read) => read.map_err(|error| error.to_string()),
        Err(_) => Err("Somebody still holds the output".to_owned()),
    }
}

/// The parent of these tests. It says `ready`, lets go of its output, and waits to be killed.
pub(crate) fn parent(kind: &str, seconds: &str, base: &Path) -> ExitCode {
    let policy = FencePolicy {
        scope: FenceScope::MasksOnly,
        masked: vec![base.join("not-there")],
        ..FencePolicy::default()
    };
    let fence = (kind == "masked").then(|| Arc::new(Fence::raise(&policy, KernelLayers::ALL).unwrap()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        // One that fails to start and one that ends leave nothing.
        let mut missing = shell(fence.as_ref(), "true");
        missing.path = "/no/such/program".into();
        assert!(Child::spawn(&missing).is_err());
        Child::spawn(&shell(fence.as_ref(), "exit 0")).unwrap().ended().await;
        let mut child = Child::spawn(&shell(fence.as_ref(), &sleeping(seconds))).unwrap();
        while let ChildEvent::Output(chunk) = child.next().await {
            print!("{}", String::from_utf8_lossy(&chunk.bytes));
            if has_zombie() {
                println!("A child was left unreaped");
            }
            std::io::Write::flush(&mut std::io::stdout()).unwrap();
            let null = std::fs::File::open("/dev/null").unwrap();
            sys!(libc::SYS_dup3, std::os::fd::AsRawFd::as_raw_fd(&null), 1, 0).unwrap();
        }
    });
    ExitCode::FAILURE
}

fn has_zombie() -> bool {
    let look = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
    // SAFETY: zeros are a whole structure, and the call fills it.
    unsafe {
        let mut found: libc::siginfo_t = std::mem::zeroed();
        libc::waitid(libc::P_ALL, 0, &raw mut found, look) == 0 && found.si_pid() != 0
    }
}
