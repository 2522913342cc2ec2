//! Attacks on the fence: each is shown to change something outside, and to change nothing from inside any fence.
//!
//! This program is its own helper. Started with `--call` it makes one attack by raw system calls; with `--victim` it is
//! the process that others attack; with `--one` it checks one attack, as whoever it runs as.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    unsafe_code,
    reason = "an attacker makes raw calls; tests make what the crate must cope with and stop at the first surprise"
)]

mod attack;
mod calls;
mod check;
mod fixture;
mod guardian;
mod held;
mod layer;
mod life;
mod lines;
mod load;
mod masks;
mod might;
mod network;
mod outside;
mod snapshot;
mod sys;
mod terminal;
mod victim;
mod work;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{OnceLock, RwLock};

use attack::{Attack, How};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    match words.get(1).map(String::as_str) {
        Some("--call") => call(&words[2]),
        Some("--victim") => victim::live(),
        Some("--one") => told(check::all(&find(&words[2]), Path::new(&words[3]))),
        Some("--life") => told(life(&words[2], Path::new(&words[3]))),
        Some("--sealed") => told(sealed(&words[2], Path::new(&words[3]))),
        Some("--refused") => told(work::namespaces_refused(Path::new(&words[2]))),
        Some("--layers") => told(layer::where_they_can_be(Path::new(&words[2]))),
        Some("--raise") => life::parent(&words[2], &words[3], Path::new(&words[4])),
        Some("--guarded") => guardian::parent(&words[2], &words[3], Path::new(&words[4])),
        Some("--bomb") => might::bomb(),
        Some("--append") => might::append(&words[2]),
        _ => test(),
    }
}

/// Most of the time is spent waiting for the kernel to take namespaces down: more at once than there are processors.
fn test() -> ExitCode {
    let mut arguments = Arguments::from_args();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.test_threads.get_or_insert(4 * processors);
    libtest_mimic::run(&arguments, trials()).exit_code()
}

fn attacks() -> impl Iterator<Item = Attack> {
    lines::LINES.iter().copied().chain(calls::tables().into_iter().flatten().copied())
}

fn find(name: &str) -> Attack {
    attacks().find(|attack| attack.name == name).expect("an attack of this name")
}

/// Makes the attack. What the kernel said is the last line of the output.
fn call(name: &str) -> ExitCode {
    let How::Call(call) = find(name).how else { panic!("`{name}` is a line for the shell") };
    match call() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            match error.raw_os_error() {
                Some(libc::EPERM | libc::ENOSYS) => ExitCode::from(attack::REFUSED),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

fn told(checked: Result<(), String>) -> ExitCode {
    let Err(words) = checked else { return ExitCode::SUCCESS };
    println!("{words}");
    ExitCode::FAILURE
}

/// Every attack as whoever we are. `cargo xtask test` runs them as an ordinary user and, where root started it, as root too.
fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    let is_root = sys::is_root();
    let own = if is_root { "root" } else { "user" };
    for attack in attacks() {
        trials.push(Trial::test(format!("{own}::{}", attack.name), move || as_ourselves(&attack)));
    }
    for (name, _) in life::TESTS {
        trials.push(Trial::test(format!("{own}::{name}"), || alone(&[], "--life", name)));
    }
    if is_root {
        // Only root makes programs that everybody may run as root.
        let both = || alone(&[], "--life", ROOTS).and_then(|()| alone(NOBODY, "--life", ROOTS));
        trials.push(Trial::test(format!("both::{ROOTS}"), both));
    }
    for name in life::TESTS.iter().map(|test| test.0).filter(|name| is_root && name.starts_with("masks-")) {
        // Who may mount masks by right, and who by namespaces alone: root without that right, and somebody else.
        trials.push(Trial::test(format!("nobody::{name}"), move || alone(NOBODY, "--life", name)));
        trials.push(Trial::test(format!("bounded::{name}"), move || alone(BOUNDED, "--life", name)));
    }
    // The program itself seals its process, and as an ordinary user its forks cannot write who is who.
    for (name, _) in life::TESTS {
        let before = if is_root { NOBODY } else { &[] };
        trials.push(Trial::test(format!("sealed::{name}"), || alone(before, "--sealed", name)));
    }
    for name in ELSEWHERE {
        trials.push(Trial::test(format!("elsewhere::{name}"), || elsewhere(name)));
    }
    trials.push(Trial::test("namespaces-refused", refused));
    trials.push(Trial::test("where-layers-can-be", where_layers_can_be));
    trials.push(Trial::test("names are different and there are many", enough));
    trials
}

fn enough() -> Result<(), Failed> {
    let mut names: Vec<&str> = attacks().map(|attack| attack.name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    if all == names.len() && all >= 150 {
        Ok(())
    } else {
        Err(format!("{all} attacks, {} names", names.len()).into())
    }
}

/// Attacks on everybody at once would be seen by the victims of others.
static CROWD: RwLock<()> = RwLock::new(());

fn in_turn(attack: &Attack, check: impl FnOnce() -> Result<(), String>) -> Result<(), Failed> {
    let (_alone, _among);
    match attack.alone {
        true => _alone = CROWD.write(),
        false => _among = CROWD.read(),
    }
    check().map_err(Failed::from)
}

fn as_ourselves(attack: &Attack) -> Result<(), Failed> {
    in_turn(attack, || check::all(attack, &base()))
}

const NOBODY: &[&str] = &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

/// Root as in most containers.
const BOUNDED: &[&str] = &["setpriv", "--bounding-set=-sys_admin"];

/// In a process of its own, started by these words.
fn alone(before: &[&str], what: &str, name: &str) -> Result<(), Failed> {
    let program = base().join("bin/attacks");
    let mut command = match before {
        [] => Command::new(program),
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(program);
            command
        }
    };
    succeeds(command.args([what, name]).arg(base()))
}

fn succeeds(command: &mut Command) -> Result<(), Failed> {
    let output = command.output()?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(()) } else { Err(format!("{out}{err}\n{}", output.status).into()) }
}

/// Tried once more in a project that does not lie where scratch files do: nothing is put back there, so the mounts
/// themselves must hold, and Landlock closes pipes that have names.
const ELSEWHERE: [&str; 6] = [
    "fifo",
    "fifo-line",
    "write-through-node-in-project",
    "open-write-only",
    "fchmodat",
    "rename-out-of-project",
];

fn elsewhere(name: &str) -> Result<(), Failed> {
    let unshare = if sys::is_root() { "-m" } else { "-Urm" };
    let line = "mount -t tmpfs -o mode=1777 none /mnt && mkdir -p /mnt/base/bin && cp \"$0\" /mnt/base/bin/attacks \
        && exec /mnt/base/bin/attacks --one \"$1\" /mnt/base";
    succeeds(
        Command::new("unshare").args([unshare, "sh", "-c", line]).arg(base().join("bin/attacks")).arg(name),
    )
}

/// Where no namespaces are allowed: a setting that holds in these only.
fn refused() -> Result<(), Failed> {
    let line = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0/bin/attacks\" --refused \"$0\"";
    succeeds(Command::new("unshare").args(["-Ur", "sh", "-c", line]).arg(base()))
}

/// On a disk, on an overlay as in a container, and where nothing can be written. The mounts are gone with whoever made them.
fn where_layers_can_be() -> Result<(), Failed> {
    let line = "mount -t tmpfs none /mnt && cd /mnt && mkdir disk lower upper work overlay closed \
        && mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr none overlay \
        && mount -t tmpfs -o ro none closed && exec \"$0/bin/attacks\" --layers /mnt";
    for before in [&[][..], NOBODY].into_iter().filter(|before| before.is_empty() || sys::is_root()) {
        let words: Vec<&str> = before.iter().copied().chain(["unshare", "-Urm", "sh", "-c", line]).collect();
        succeeds(Command::new(words[0]).args(&words[1..]).arg(base()))?;
    }
    Ok(())
}

const ROOTS: &str = "set-user-id";

fn life(name: &str, base: &Path) -> Result<(), String> {
    if name == ROOTS {
        return might::set_user_id(base);
    }
    let test = life::TESTS.iter().find(|test| test.0 == name).expect("a test of this name");
    test.1(base)
}

/// The same in a process that nobody can look into.
fn sealed(name: &str, base: &Path) -> Result<(), String> {
    match forelook_sandbox::seal_process() {
        true => life(name, base),
        false => Err("The process could not be sealed".to_owned()),
    }
}

/// A folder that anybody may use, with a copy of this program: others may not reach the folder it was built in.
fn base() -> PathBuf {
    static BASE: OnceLock<PathBuf> = OnceLock::new();
    BASE.get_or_init(|| {
        let base = std::env::temp_dir().join(format!("forelook-attacks-{}", std::process::id()));
        let line = "mkdir -p \"$0/bin\" && chmod 1777 \"$0\" && chmod 755 \"$0/bin\" && cp \"$1\" \"$0/bin/attacks\" \
            && chmod 755 \"$0/bin/attacks\"";
        let mut made = Command::new("sh");
        made.args(["-c", line]).arg(&base).arg(std::env::current_exe().unwrap());
        assert!(made.status().unwrap().success());
        // Whoever ends this program ends it before it could tidy up; so somebody waits for that.
        let line = "cat > /dev/null; chmod -R u+rwx \"$0\"; rm -rf \"$0\"";
        let mut broom = Command::new("sh");
        broom.args(["-c", line]).arg(&base).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
        let broom = Box::leak(Box::new(broom.spawn().unwrap()));
        assert!(broom.stdin.is_some());
        base
    })
    .clone()
}
