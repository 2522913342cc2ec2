//! What the tests need on the machine, and how it comes there.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::run::{Done, run};

/// A program that tests start, and the Debian package that has it.
struct Need {
    program: &'static str,
    package: &'static str,
}

const NEEDS: &[Need] = &[
    // Tests of files that may not be read or written run without root's rights.
    Need { program: "setpriv", package: "util-linux" },
    // A full disk is a small tmpfs in a mount namespace.
    Need { program: "unshare", package: "util-linux" },
    Need { program: "git", package: "git" },
    Need { program: "bash", package: "bash" },
    Need { program: "tmux", package: "tmux" },
    // Projects in scenarios have tests in it.
    Need { program: "python3", package: "python3" },
];

/// Installs what is missing, or says what to install.
pub(crate) fn provide() -> Done {
    let missing = missing_packages(NEEDS, on_path);
    if missing.is_empty() {
        return Ok(());
    }
    let words = missing.join(" ");
    let by_hand = || format!("The tests need more programs\nInstall them: apt-get install {words}");
    if !on_path("apt-get") {
        return Err(format!(
            "The tests need more programs\nInstall the equivalents of these Debian packages: {words}"
        ));
    }
    let before: &[&str] = if is_root() {
        &[]
    } else if may_sudo() {
        &["sudo", "-n"]
    } else {
        return Err(by_hand());
    };
    println!("installing {words}");
    apt(before, &["update", "-q"]).map_err(|error| format!("{error}\n{}", by_hand()))?;
    let mut install = vec!["install", "-y", "-q", "--no-install-recommends"];
    install.extend(&missing);
    apt(before, &install).map_err(|error| format!("{error}\n{}", by_hand()))?;
    let still = missing_packages(NEEDS, on_path);
    if still.is_empty() { Ok(()) } else { Err(format!("Installed, but still missing: {}", still.join(" "))) }
}

fn missing_packages(needs: &[Need], present: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let mut packages: Vec<_> =
        needs.iter().filter(|need| !present(need.program)).map(|need| need.package).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

pub(crate) fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| Path::new(&folder).join(program).is_file())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
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

fn apt(before: &[&str], arguments: &[&str]) -> Done {
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
        assert_eq!(missing_packages(NEEDS, |_| true), Vec::<&str>::new());
        assert_eq!(
            missing_packages(NEEDS, |program| !matches!(program, "setpriv" | "unshare")),
            ["util-linux"]
        );
        assert_eq!(missing_packages(NEEDS, |program| program != "tmux"), ["tmux"]);
    }
}
