//! Proof by running: every nasty line changes the folder, every harmless one leaves it alone.
//!
//! Runs in namespaces of its own (mounts, network, processes, host name, IPC) on a tmpfs, with everything else read-only
//! and without the rights that namespaces do not part, such as setting the clock (`corpus/drive.sh`). Without the right
//! to make namespaces the tests say so and pass, unless `FORELOOK_REQUIRE_NAMESPACES` is set.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a failure here is a failed test, and what was not run is said"
)]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use common::Line;

/// More than cores: lines sleep and wait for time-outs.
const WORKERS: usize = 4;

/// Seconds that a line may take, and may take when it is tried again alone: a busy machine is slow.
const LIMIT: u32 = 5;
const LONG_LIMIT: u32 = 30;

/// What a line did: `Ok` for nothing.
type Outcome = Result<(), String>;

/// The tests wait for time-outs; side by side they would wait for each other.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn labels_are_proven() {
    if !namespaces_work() {
        return;
    }
    let _alone = ALONE.lock();
    let cases = cases();
    let mut results = run_all(&texts(&cases), WORKERS, LIMIT);
    // Whoever changed something has proven it. Whoever did not may have been too slow.
    let again: Vec<(usize, String)> = texts(&cases)
        .into_iter()
        .filter(|(index, _)| {
            wrong(&cases, &results, *index).is_some() && !matches!(results.get(index), Some(Err(_)))
        })
        .collect();
    results.extend(run_all(&again, 1, LONG_LIMIT));
    let wrong: Vec<String> = (0..cases.len()).filter_map(|index| wrong(&cases, &results, index)).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Each line sets what is there already, so that even a broken harness would leave the machine as it is; a file says
/// that it could have been set.
const REACHES_OUT: &[&str] = &[
    "date -s \"@$(date +%s)\" && touch canary",
    "hostname \"$(cat /proc/sys/kernel/hostname)\" && touch canary",
    "cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness && touch canary",
    "cat /proc/sys/kernel/hostname > /proc/sys/kernel/hostname && touch canary",
    "dmesg -n 7 && touch canary",
    "mount -t tmpfs none /mnt && touch canary",
    "mount -o remount,rw / && touch canary",
    "umount /proc && touch canary",
    "mknod node b 7 0; test -b node && touch canary",
    ": >> /etc/hostname && touch canary",
    ": >> /dev/kmsg && touch canary",
    "renice -n -1 1 && touch canary",
    "unshare -m true && touch canary",
    "nsenter -t 1 -m true && touch canary",
    "test -w /proc/sysrq-trigger && touch canary",
    "test -w /sys/power/state && touch canary",
];

#[test]
fn the_machine_is_out_of_reach() {
    if !namespaces_work() {
        return;
    }
    let _alone = ALONE.lock();
    let (before, clock) = (machine(), Clock::now());
    let mut lines: Vec<(usize, String)> = numbered(REACHES_OUT.iter().map(|l| (*l).to_owned()));
    let control = lines.len();
    lines.push((control, "touch canary".to_owned()));
    let results = run_all(&lines, 1, LONG_LIMIT);
    for (index, line) in &lines {
        let changed = results.get(index).is_some_and(Result::is_err);
        assert_eq!(changed, *index == control, "{line}: {:?}", results.get(index));
    }
    assert_eq!(before, machine());
    assert!(clock.drift() < Duration::from_secs(2), "the clock was set by {:?}", clock.drift());
}

/// What the lines above aim at.
fn machine() -> Vec<String> {
    [
        "/proc/sys/kernel/hostname",
        "/proc/sys/vm/swappiness",
        "/proc/sys/kernel/printk",
        "/proc/self/mounts",
        "/proc/swaps",
    ]
    .iter()
    .map(|path| std::fs::read_to_string(path).unwrap_or_default())
    .collect()
}

/// The clock on the wall beside one that nobody can set.
struct Clock(SystemTime, Instant);

impl Clock {
    fn now() -> Self {
        Self(SystemTime::now(), Instant::now())
    }

    fn drift(&self) -> Duration {
        let wall = self.0.elapsed().unwrap_or_else(|before| before.duration());
        wall.abs_diff(self.1.elapsed())
    }
}

/// The lines that can be run here, and whether they change something.
fn cases() -> Vec<(Line, bool)> {
    let mut skipped = Vec::new();
    let mut cases = Vec::new();
    let nasty = common::nasty().into_iter().map(|l| (l, true));
    for (line, changes) in
        nasty.chain(common::read_only().into_iter().chain(common::machine()).map(|l| (l, false)))
    {
        match (&line.unproven, &line.needs) {
            (Some(why), _) => skipped.push(format!("{:?} ({why})", line.text)),
            (None, Some(tool)) if !installed(tool) => skipped.push(format!("{:?} (no {tool})", line.text)),
            _ => cases.push((line, changes)),
        }
    }
    println!("{} lines not run:\n{}", skipped.len(), skipped.join("\n"));
    cases
}

fn texts(cases: &[(Line, bool)]) -> Vec<(usize, String)> {
    numbered(cases.iter().map(|(line, _)| line.text.clone()))
}

fn numbered(lines: impl Iterator<Item = String>) -> Vec<(usize, String)> {
    lines.enumerate().collect()
}

/// What is wrong with the outcome of a case.
fn wrong(cases: &[(Line, bool)], results: &BTreeMap<usize, Outcome>, index: usize) -> Option<String> {
    let (line, changes) = cases.get(index)?;
    match results.get(&index) {
        Some(Ok(())) if *changes => Some(format!("labelled nasty, changed nothing: {:?}", line.text)),
        Some(Err(what)) if !changes => Some(format!("labelled read-only, changed: {:?}: {what}", line.text)),
        Some(_) => None,
        None => Some(format!("no result: {:?}", line.text)),
    }
}

/// What each line did, by its number.
fn run_all(lines: &[(usize, String)], workers: usize, limit: u32) -> BTreeMap<usize, Outcome> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let workers: Vec<_> = (0..workers)
        .map(|worker| {
            let mine: Vec<(usize, String)> = lines.iter().skip(worker).step_by(workers).cloned().collect();
            let list = folder.join(format!("run-{}-{worker}.list", std::process::id()));
            std::thread::spawn(move || run_some(&list, &mine, limit))
        })
        .collect();
    workers.into_iter().flat_map(|w| w.join().unwrap()).collect()
}

fn run_some(list: &Path, lines: &[(usize, String)], limit: u32) -> Vec<(usize, Outcome)> {
    if lines.is_empty() {
        return Vec::new();
    }
    std::fs::write(list, lines.iter().flat_map(|(_, l)| [l.as_bytes(), &[0]].concat()).collect::<Vec<u8>>())
        .unwrap();
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/drive.sh");
    let home = std::env::var("HOME").unwrap_or_default();
    let output = namespace()
        .args(["bash".as_ref(), driver.as_os_str(), list.as_os_str(), limit.to_string().as_ref()])
        .env("CARGO_HOME", std::env::var("CARGO_HOME").unwrap_or(format!("{home}/.cargo")))
        .env("RUSTUP_HOME", std::env::var("RUSTUP_HOME").unwrap_or(format!("{home}/.rustup")))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let _ = std::fs::remove_file(list);
    text.lines()
        .filter_map(|row| {
            let mut fields = row.splitn(3, '\t');
            let index: usize = fields.next()?.parse().ok()?;
            let same = fields.next()? == "same";
            let what = fields.next().unwrap_or("").to_owned();
            Some((lines.get(index)?.0, if same { Ok(()) } else { Err(what) }))
        })
        .collect()
}

fn namespace() -> Command {
    let mut command = Command::new("unshare");
    let root = Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout.starts_with(b"0"));
    if !root {
        command.arg("-r");
    }
    command.args(["-mnpui", "--fork", "--kill-child", "--mount-proc"]);
    command
}

fn namespaces_work() -> bool {
    let works = installed("setpriv")
        && namespace()
            .args(["mount", "-t", "tmpfs", "tmpfs", "/tmp"])
            .output()
            .is_ok_and(|o| o.status.success());
    assert!(works || std::env::var_os("FORELOOK_REQUIRE_NAMESPACES").is_none(), "no namespaces here");
    if !works {
        println!("no namespaces here: nothing was run");
    }
    works
}

fn installed(tool: &str) -> bool {
    Command::new("sh").args(["-c", &format!("command -v {tool}")]).output().is_ok_and(|o| o.status.success())
}
