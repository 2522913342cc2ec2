//! What the tests need on the machine, and how it comes there.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::run::{XtaskResult, cargo, output, run};
use crate::test_user::{find_in_path, is_root, open_path};

/// Something that tests use, and the Debian package that has it.
#[derive(Clone, Copy)]
struct Requirement {
    kind: RequirementKind,
    package: &'static str,
}

#[derive(Clone, Copy)]
enum RequirementKind {
    /// A program that they start.
    Program(&'static str),
    /// A module that Python must find.
    PythonModule(&'static str),
}

use RequirementKind::{Program, PythonModule};

const TEST_REQUIREMENTS: &[Requirement] = &[
    // Tests of files that may not be read or written run without root's rights.
    Requirement { kind: Program("setpriv"), package: "util-linux" },
    // A full disk is a small tmpfs in a mount namespace.
    Requirement { kind: Program("unshare"), package: "util-linux" },
    Requirement { kind: Program("git"), package: "git" },
    Requirement { kind: Program("bash"), package: "bash" },
    // Completions are tried in the shells that they are for.
    Requirement { kind: Program("zsh"), package: "zsh" },
    Requirement { kind: Program("fish"), package: "fish" },
    // The picture is made in it, and windows of every size are tried.
    Requirement { kind: Program("tmux"), package: "tmux" },
    // Scenarios look at JSON with it, and the SDK that drives the program is written in it.
    Requirement { kind: Program("python3"), package: "python3" },
    // Debian's Python cannot make an environment of its own without this.
    Requirement { kind: PythonModule("ensurepip"), package: "python3-venv" },
    // Tests look whether a child was left behind.
    Requirement { kind: Program("pgrep"), package: "procps" },
    // What people do in a fence is done in ours: these read, build and generate there.
    Requirement { kind: Program("cc"), package: "gcc" },
    Requirement { kind: Program("make"), package: "make" },
    Requirement { kind: Program("node"), package: "nodejs" },
    Requirement { kind: Program("npm"), package: "npm" },
    Requirement { kind: Program("rg"), package: "ripgrep" },
    // Hostile models are tried with these.
    Requirement { kind: Program("curl"), package: "curl" },
    Requirement { kind: Program("less"), package: "less" },
    Requirement { kind: Program("pip"), package: "python3-pip" },
    // The fence is measured against it.
    Requirement { kind: Program("bwrap"), package: "bubblewrap" },
];

/// What the real engine of the long run needs. It is compiled; CMake and Ninja come with it from PyPI.
const ENGINE_REQUIREMENTS: &[Requirement] = &[
    Requirement { kind: Program("g++"), package: "g++" },
    Requirement { kind: Program("python3"), package: "python3" },
    Requirement { kind: PythonModule("ensurepip"), package: "python3-venv" },
];

/// What the long run tries beside what every run does: too large for each.
const SOAK_REQUIREMENTS: &[Requirement] = &[Requirement { kind: Program("go"), package: "golang-go" }];

/// Packages whose programs stand in the corpus of shell lines: `crates/shell/tests/executed.rs` runs them.
const CORPUS: &str = include_str!("../../crates/shell/tests/packages.txt");

/// Packages of the corpus that have no program of their own name, and one that they do have.
const PROGRAM_NAMES: &[(&str, &str)] = &[
    ("bat", "batcat"),
    ("bsdmainutils", "hexdump"),
    ("fd-find", "fdfind"),
    ("man-db", "man"),
    ("moreutils", "sponge"),
    ("procps", "pgrep"),
    ("ripgrep", "rg"),
    ("util-linux", "unshare"),
    ("xz-utils", "xz"),
];

/// Everything that tests use.
fn requirements() -> Vec<Requirement> {
    let packages = CORPUS.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let corpus = packages.map(|package| {
        let other = PROGRAM_NAMES.iter().find(|(name, _)| *name == package);
        Requirement { kind: Program(other.map_or(package, |(_, program)| program)), package }
    });
    TEST_REQUIREMENTS.iter().copied().chain(corpus).collect()
}

/// Installs what the tests need and is missing. What is missing still is told, all of it at once, before anything is built.
pub(crate) fn install_requirements() -> XtaskResult {
    let packages = install_missing(&requirements());
    let told: Vec<String> =
        [packages, components(), namespaces()].into_iter().filter_map(Result::err).collect();
    if told.is_empty() { Ok(()) } else { Err(told.join("\n\n")) }
}

/// The same for the real engine of the long run.
pub(crate) fn install_engine_requirements() -> XtaskResult {
    install_missing(ENGINE_REQUIREMENTS)
}

/// The same for what only the long run tries in a fence.
pub(crate) fn install_soak_requirements() -> XtaskResult {
    install_missing(SOAK_REQUIREMENTS)
}

/// What the toolchain must have beside the compiler.
fn components() -> XtaskResult {
    let starts = |tool: &str| output(&mut cargo(&[tool, "--version"])).is_ok();
    let missing: Vec<&str> = [("fmt", "rustfmt"), ("clippy", "clippy")]
        .into_iter()
        .filter(|(tool, _)| !starts(tool))
        .map(|it| it.1)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let words = missing.join(" ");
    Err(format!("The toolchain lacks {words}\nInstall it: rustup component add {words}"))
}

/// The corpus of shell lines, full disks and the fence itself need namespaces of users. No package brings them.
fn namespaces() -> XtaskResult {
    // Root may have what others are refused; the tests run without rights.
    let nobody: &[&str] = &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let before = if is_root() { nobody } else { &["env"] };
    let mut tried = Command::new(before[0]);
    output(tried.args(&before[1..]).args(["unshare", "-Urm", "true"])).map(drop).map_err(|error| {
        format!(
            "This machine does not allow user namespaces: {error}\n\
             On your own machine: sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000 \
             kernel.apparmor_restrict_unprivileged_userns=0 (those that exist)\n\
             In a container: start it with --privileged"
        )
    })
}

fn install_missing(requirements: &[Requirement]) -> XtaskResult {
    let missing = missing_packages(requirements, is_installed);
    if missing.is_empty() {
        return Ok(());
    }
    if !on_path("apt-get") {
        return Err(format!(
            "The tests need more programs\nInstall the equivalents of these Debian packages: {}",
            missing.join(" ")
        ));
    }
    let before: Option<&[&str]> = match () {
        () if is_root() => Some(&[]),
        () if may_sudo() => Some(&["sudo", "-n"]),
        () => None,
    };
    // What went wrong is on the screen; what counts is what is there then.
    if let Some(before) = before {
        let _ = install(before, &missing);
    }
    let still = missing_packages(requirements, is_installed);
    if still.is_empty() {
        return Ok(());
    }
    let sudo = if is_root() { "" } else { "sudo " };
    Err(format!("The tests need more programs\nInstall them: {sudo}apt-get install {}", still.join(" ")))
}

fn install(before: &[&str], packages: &[&str]) -> XtaskResult {
    println!("installing {}", packages.join(" "));
    apt(before, &["update", "-q"])?;
    let install = ["install", "-y", "-q", "--no-install-recommends"];
    if apt(before, &[&install[..], packages].concat()).is_ok() {
        return Ok(());
    }
    // One that is not to be had keeps all from being installed; so each for itself.
    packages.iter().try_for_each(|package| apt(before, &[&install[..], &[package]].concat()).or(Ok(())))
}

fn missing_packages(
    requirements: &[Requirement],
    present: impl Fn(RequirementKind) -> bool,
) -> Vec<&'static str> {
    let mut packages: Vec<_> = requirements
        .iter()
        .filter(|requirement| !present(requirement.kind))
        .map(|requirement| requirement.package)
        .collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

fn is_installed(kind: RequirementKind) -> bool {
    match kind {
        Program(program) => on_path(program),
        PythonModule(module) => {
            let import = ["-c", &format!("import {module}")];
            let python = place("python3").unwrap_or_else(|| "python3".into());
            Command::new(python).args(import).stderr(Stdio::null()).status().is_ok_and(|end| end.success())
        }
    }
}

/// Whether those who run the tests find it.
fn on_path(program: &str) -> bool {
    place(program).is_some()
}

fn place(program: &str) -> Option<PathBuf> {
    find_in_path(&open_path(None), program)
}

fn may_sudo() -> bool {
    let quiet = || Stdio::null();
    Command::new("sudo")
        .args(["-n", "true"])
        .stdout(quiet())
        .stderr(quiet())
        .status()
        .is_ok_and(|end| end.success())
}

fn apt(before: &[&str], arguments: &[&str]) -> XtaskResult {
    let words: Vec<&str> =
        before.iter().chain(&["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]).copied().collect();
    let Some((program, rest)) = words.split_first() else { return Ok(()) };
    run(Command::new(program).args(rest).args(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_asked_for_once_and_only_when_missing() {
        let requirements = requirements();
        assert_eq!(missing_packages(&requirements, |_| true), Vec::<&str>::new());
        let without = |missing: &[&str]| {
            missing_packages(&requirements, |kind| {
                let (Program(name) | PythonModule(name)) = kind;
                !missing.contains(&name)
            })
        };
        assert_eq!(without(&["setpriv", "unshare"]), ["util-linux"]);
        assert_eq!(without(&["tmux"]), ["tmux"]);
        assert_eq!(without(&["ensurepip"]), ["python3-venv"]);
        assert_eq!(without(&["rg", "jq"]), ["jq", "ripgrep"]);
        assert_eq!(without(&["bwrap", "npm"]), ["bubblewrap", "npm"]);
    }

    #[test]
    fn the_compiler_is_for_the_engine_alone() {
        let without_compiler = |kind| !matches!(kind, Program("g++"));
        assert_eq!(missing_packages(ENGINE_REQUIREMENTS, without_compiler), ["g++"]);
        assert_eq!(missing_packages(&requirements(), without_compiler), Vec::<&str>::new());
    }

    #[test]
    fn every_other_name_is_that_of_a_package_of_the_corpus() {
        for (package, _) in PROGRAM_NAMES {
            assert!(CORPUS.lines().any(|line| line == *package), "{package}");
        }
    }
}
