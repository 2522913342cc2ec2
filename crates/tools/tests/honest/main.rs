//! Honest use: what people and agents do every day works in a fence as it does outside, and changes nothing.
//!
//! This program is its own helper: started with `--one` it tries one line of the table, as whoever it runs as, in a place
//! that this person can reach: the folder that it was built in may be closed to others.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "tests make what the crate must cope with and stop at the first surprise"
)]

mod snapshot;
mod table;
mod trial;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;

use libtest_mimic::{Arguments, Failed, Trial};
use trial::{Held, What};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    match words.get(1).map(String::as_str) {
        Some("--one") => {
            let (held, what) = (Held::named(&words[2]), What::named(&words[3], &words[4]));
            match trial::check(held, &what, Path::new(&words[5])) {
                Ok(()) => ExitCode::SUCCESS,
                Err(said) => {
                    println!("{said}");
                    ExitCode::FAILURE
                }
            }
        }
        _ => libtest_mimic::run(&Arguments::from_args(), trials()).exit_code(),
    }
}

/// Every line as whoever we are, in every fence that is one. `cargo xtask test` runs them as an ordinary user and,
/// where root started it, as root too.
fn trials() -> Vec<Trial> {
    let who = if is_root() { Who::Root } else { Who::User };
    let mut trials = Vec::new();
    for what in What::all() {
        for held in what.fences().iter().copied() {
            let name = format!("{}::{}::{}::{}", who.name(), held.name(), what.kind(), what.name());
            trials.push(Trial::test(name, move || who.tries(held, what)));
        }
    }
    trials
}

fn is_root() -> bool {
    id("-u") == "0"
}

/// Our own number, or our group's.
fn id(which: &str) -> String {
    let output = Command::new("id").arg(which).output().expect("there is `id`");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[derive(Clone, Copy)]
enum Who {
    Root,
    User,
}

impl Who {
    fn name(self) -> &'static str {
        match self {
            Who::Root => "root",
            Who::User => "user",
        }
    }

    /// Tries it in mounts of its own, where the place and the compiler lie below `/mnt`: everybody can reach that, and no
    /// fence puts a scratch folder over it, as over `/tmp`.
    fn tries(self, held: Held, what: What) -> Result<(), Failed> {
        let line = r#"mount --bind "$1" /mnt && mount --bind "$2" /mnt/toolchain && shift 2 && exec "$@""#;
        let mut command = Command::new("unshare");
        command.arg(if matches!(self, Who::User) { "-Urm" } else { "-m" });
        command.args(["sh", "-c", line, "sh"]).arg(base()).arg(compiler());
        if matches!(self, Who::User) {
            // Whoever makes mounts is root in there; who works in them is nobody special again.
            let (user, group) = (format!("--map-user={}", id("-u")), format!("--map-group={}", id("-g")));
            command.args(["unshare", "-U"]).args([user, group]);
        }
        let place = format!("/mnt/{}-{}-{}-{}", self.name(), held.name(), what.kind(), what.name());
        command.args(["/mnt/bin/honest", "--one", held.name(), what.kind(), what.name(), &place]);
        command
            .env_clear()
            .env("PATH", trial::PATH)
            .envs(std::env::var_os(trial::WITH_GO).map(|it| (trial::WITH_GO, it)));
        let output = command.output()?;
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if output.status.success() { Ok(()) } else { Err(format!("{out}{err}\n{}", output.status).into()) }
    }
}

/// The compiler itself, not what chooses one: that wants a home.
fn compiler() -> &'static Path {
    static COMPILER: OnceLock<PathBuf> = OnceLock::new();
    COMPILER.get_or_init(|| {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let output = Command::new(rustc).args(["--print", "sysroot"]).output().expect("there is a `rustc`");
        PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
    })
}

/// A folder for everybody with a copy of this program. It lies on a disk: a rehearsal keeps its changes beside the project.
fn base() -> &'static Path {
    static BASE: OnceLock<PathBuf> = OnceLock::new();
    BASE.get_or_init(|| {
        let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("honest-{}", std::process::id()));
        let line = r#"rm -rf "$1" && mkdir -p "$1/bin" "$1/toolchain" && chmod 1777 "$1" && chmod 755 "$1/bin" "$1/toolchain" &&
            cp "$2" "$1/bin/honest" && chmod 755 "$1/bin/honest""#;
        let made = Command::new("sh").args(["-c", line, "sh"]).arg(&base).arg(std::env::current_exe().unwrap()).status();
        assert!(made.unwrap().success());
        // Whoever ends this program ends it before it could tidy up; so somebody waits for that.
        let line = r#"cat > /dev/null; chmod -R u+rwx "$1"; rm -rf "$1""#;
        let mut broom = Command::new("sh");
        broom.args(["-c", line, "sh"]).arg(&base).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Box::leak(Box::new(broom.spawn().unwrap()));
        base
    })
}
