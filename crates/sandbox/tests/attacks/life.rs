//! How a fence lives and ends: with its parent and with its owner.
//!
//! Each runs in a process of its own, so that its children are the fence's.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_sandbox::{Child, ChildEnv, ChildEvent, ChildExit, Fence, FencePolicy, KernelLayers, Program};

use crate::check::FENCES;
use crate::guardian;
use crate::held;
use crate::layer;
use crate::load;
use crate::masks;
use crate::might;
use crate::network;
use crate::sys::sys;
use crate::work;

pub(crate) type Test = fn(&Path) -> Result<(), String>;

pub(crate) const TESTS: &[(&str, Test)] = &[
    ("ends-with-its-parent", ends_with_its_parent),
    ("ends-with-its-owner", ends_with_its_owner),
    ("groups-end-with-their-parent", guardian::ends_plain),
    ("masks-end-with-their-parent", guardian::ends_masked),
    ("starts-from-many-threads", load::starts_from_many_threads),
    ("lasts", load::lasts),
    ("large-requests", load::large_requests),
    ("failed-starts-leave-nothing", load::failed_starts_leave_nothing),
    ("only-its-own-descriptors", only_its_own_descriptors),
    ("a-killed-cell-is-told", a_killed_cell_is_told),
    ("inside-cannot-end-the-fence", inside_cannot_end_the_fence),
    ("ordinary-work", work::ordinary_work),
    ("scratch-without-namespaces", work::scratch_without_namespaces),
    ("limits", might::limits),
    ("no-more-rights", might::no_more_rights),
    ("fork-bomb", might::fork_bomb),
    ("locks-end-with-the-fence", might::locks_end_with_the_fence),
    ("network-as-outside", network::as_outside),
    ("network-through-the-gate", network::through_the_gate),
    ("network-nowhere", network::nowhere),
    ("network-among-themselves", network::among_themselves),
    ("what-is-held", held::is_held),
    ("what-is-held-is-replaced", held::is_replaced),
    ("runs-as-its-starter", held::runs_as_starter),
    ("what-a-layer-keeps", layer::what_is_kept),
    ("a-layer-goes-whole", layer::goes_whole),
    ("masks-hide", masks::hide),
    ("masks-change-nothing-else", masks::change_nothing_else),
    ("masks-cannot-be-lifted", masks::cannot_be_lifted),
    ("masks-end-nobody", masks::end_nobody),
    ("masks-need-namespaces", masks::need_namespaces),
];

pub(crate) fn raise(base: &Path, layers: KernelLayers) -> Result<Arc<Fence>, String> {
    let policy = FencePolicy { folders: vec![base.to_owned()], ..FencePolicy::default() };
    Fence::raise(&policy, layers).map(Arc::new).map_err(|error| format!("{layers:?}: {error}"))
}

pub(crate) fn shell(fence: Option<&Arc<Fence>>, line: &str) -> Program {
    let mut env = ChildEnv::default();
    env.set("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
    let mut program = Program::new("/bin/sh", env, "/").arg("-c").arg(line);
    program.fence = fence.cloned();
    program
}

pub(crate) fn run(program: &Program) -> Result<(String, ChildExit), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut child = Child::spawn(program).map_err(|error| error.to_string())?;
        let mut output = String::new();
        loop {
            match child.next().await {
                ChildEvent::Output(chunk) => output.push_str(&String::from_utf8_lossy(&chunk.bytes)),
                ChildEvent::Ended(ending) => return Ok((output, ending)),
            }
        }
    })
}

pub(crate) fn same<T: PartialEq + std::fmt::Debug>(what: &str, left: &T, right: &T) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{what}: {left:?} is not {right:?}")) }
}

/// Processes that sleep for so long, which is nobody else's number.
pub(crate) fn sleepers(seconds: &str) -> usize {
    let is_one = |entry: std::fs::DirEntry| {
        let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        words.starts_with(b"sleep\0") && words.split(|byte| *byte == 0).any(|word| word == seconds.as_bytes())
    };
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().join("cmdline").exists())
        .map(is_one)
        .filter(|one| *one)
        .count()
}

/// One in the group, one in a session of its own, one whose parent is gone.
fn sleeping(seconds: &str) -> String {
    format!("setsid sleep {seconds} & (sleep {seconds} &); sleep {seconds} & echo ready; wait")
}

pub(crate) fn until(what: &str, holds: impl Fn() -> bool) -> Result<(), String> {
    let patience = Instant::now() + Duration::from_secs(10);
    while Instant::now() < patience {
        if holds() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(format!("It never came to this: {what}"))
}

fn ends_with_its_parent(base: &Path) -> Result<(), String> {
    for (number, (name, _)) in FENCES.iter().enumerate() {
        let seconds = format!("7{number}{}", std::process::id());
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--raise", &number.to_string(), &seconds]).arg(base).stdout(Stdio::piped());
        let mut parent = command.spawn().map_err(|error| error.to_string())?;
        let mut line = String::new();
        BufReader::new(parent.stdout.take().unwrap())
            .read_line(&mut line)
            .map_err(|error| error.to_string())?;
        same(name, &line.trim(), &"ready")?;
        until("all sleep", || sleepers(&seconds) == 3)?;
        parent.kill().map_err(|error| error.to_string())?;
        parent.wait().map_err(|error| error.to_string())?;
        until(&format!("nothing is left of `{name}`"), || sleepers(&seconds) == 0)?;
    }
    Ok(())
}

/// The parent of that test.
pub(crate) fn parent(number: &str, seconds: &str, base: &Path) -> ExitCode {
    let fence = raise(base, FENCES[number.parse::<usize>().unwrap()].1).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut child = Child::spawn(&shell(Some(&fence), &sleeping(seconds))).unwrap();
        while let ChildEvent::Output(chunk) = child.next().await {
            std::io::stdout().write_all(&chunk.bytes).unwrap();
        }
    });
    ExitCode::FAILURE
}

/// A program keeps its fence, whoever else lets go of it; what it leaves behind goes with the last that has it.
fn ends_with_its_owner(base: &Path) -> Result<(), String> {
    for (number, (name, layers)) in FENCES.into_iter().enumerate() {
        let seconds = format!("8{number}{}", std::process::id());
        let line =
            format!("{}; sleep 0.2; echo still; exit 4", sleeping(&seconds).trim_end_matches("; wait"));
        let program = shell(Some(&raise(base, layers)?), &line);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let ending = runtime.block_on(async {
            let mut child = Child::spawn(&program).unwrap();
            child.next().await;
            until("all sleep", || sleepers(&seconds) == 3)?;
            // The last that has the fence, but for the child itself.
            drop(program);
            let ChildEvent::Output(chunk) = child.next().await else { return Err("It was ended".to_owned()) };
            same(name, &chunk.bytes.as_slice(), &b"still\n".as_slice())?;
            same(name, &sleepers(&seconds), &3)?;
            Ok(child.ended().await)
        })?;
        same(name, &ending, &ChildExit::Exited(4))?;
        until(&format!("nothing is left of `{name}`"), || sleepers(&seconds) == 0)?;
    }
    Ok(())
}

fn only_its_own_descriptors(base: &Path) -> Result<(), String> {
    let file = std::fs::File::open("/dev/null").unwrap();
    // SAFETY: it is ours; children would have it from now on.
    unsafe { libc::fcntl(std::os::fd::AsRawFd::as_raw_fd(&file), libc::F_SETFD, 0) };
    for (name, layers) in FENCES {
        let mut program = shell(
            Some(&raise(base, layers)?),
            "for n in $(seq 0 99); do [ ! -L /proc/$$/fd/$n ] || echo $n; done",
        );
        same(name, &run(&program)?.0.as_str(), &"0\n1\n2\n")?;
        // Any number: some are those that the cell has for something else.
        for side in 3..20 {
            program.side = Some(side);
            same(name, &run(&program)?.0.as_str(), &format!("0\n1\n2\n{side}\n").as_str())?;
        }
    }
    Ok(())
}

/// The process that holds the only fence of this thread.
pub(crate) fn cell() -> Result<i32, String> {
    let children =
        std::fs::read_to_string("/proc/thread-self/children").map_err(|error| error.to_string())?;
    children.split_whitespace().next().and_then(|word| word.parse().ok()).ok_or_else(|| "no cell".to_owned())
}

fn a_killed_cell_is_told(base: &Path) -> Result<(), String> {
    for (name, layers) in FENCES {
        let fence = raise(base, layers)?;
        let cell = cell()?;
        same(name, &fence.is_active(), &true)?;
        sys!(libc::SYS_kill, cell, libc::SIGKILL).map_err(|error| error.to_string())?;
        let told = run(&shell(Some(&fence), "true"));
        until("the fence is known to be gone", || !fence.is_active())?;
        same(name, &told, &Err("The fence is gone: its process was killed".to_owned()))?;
    }
    Ok(())
}

/// The cell is outside; so is whoever holds the fence. Only those that this test started are aimed at.
fn inside_cannot_end_the_fence(base: &Path) -> Result<(), String> {
    for (name, layers) in FENCES {
        let fence = raise(base, layers)?;
        let children = "cat /proc/$P/task/*/children";
        let line = format!("for p in $({children}); do [ $p = $$ ] || kill -9 $p; done; kill -9 $P; exit 5");
        let mut program = shell(Some(&fence), &line);
        program.env.set("P", std::process::id().to_string());
        same(name, &run(&program)?.1, &ChildExit::Exited(5))?;
        // The first process of its own table.
        if layers.namespaces {
            same(name, &run(&shell(Some(&fence), "kill -9 1; exit 6"))?.1, &ChildExit::Exited(6))?;
        }
        same(name, &run(&shell(Some(&fence), "exit 7"))?.1, &ChildExit::Exited(7))?;
    }
    Ok(())
}
