//! Runs a test once more in a process of its own: as nobody, or on a small disk.
//!
//! A test that cannot be run as it must fails; none is passed over in silence.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const INSIDE: &str = "FORELOOK_TEST_INSIDE";

/// What a child of this test binary was given, if we are one.
pub(crate) fn given() -> Option<PathBuf> {
    std::env::var_os(INSIDE).map(PathBuf::from)
}

/// A command that runs one test of this binary, or of a copy, and hands it a path.
pub(crate) fn child(before: &[&str], test: &str, path: &Path, binary: &Path) -> Command {
    let mut words: Vec<&std::ffi::OsStr> = before.iter().map(std::ffi::OsStr::new).collect();
    words.push(binary.as_os_str());
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command.env(INSIDE, path).stdin(Stdio::null());
    command
}

pub(crate) fn own_binary() -> PathBuf {
    std::env::current_exe().unwrap()
}

/// Runs the rest of the test as a user without privileges: here if we are one, else in a child.
/// Returns a folder that this user owns where the rest is to run, and nothing where it already has.
pub(crate) fn as_nobody(test: &str) -> Option<(Option<tempfile::TempDir>, PathBuf)> {
    if let Some(path) = given() {
        assert!(!rustix::process::geteuid().is_root());
        return Some((None, path));
    }
    let home = tempfile::tempdir().unwrap();
    let path = home.path().to_path_buf();
    if !rustix::process::geteuid().is_root() {
        return Some((Some(home), path));
    }
    // A copy, since other users may not reach the folder it was built in. Made by `cp`: were it open for writing
    // here, a child that another test starts meanwhile would hold it too, and it could not be run ("text file busy").
    let binary = home.path().join("test");
    assert!(Command::new("cp").arg(own_binary()).arg(&binary).status().unwrap().success());
    open_to_all(&binary);
    open_to_all(home.path());
    let inside = home.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    std::os::unix::fs::chown(&inside, Some(65534), Some(65534)).unwrap();
    let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    passes(child(&nobody, test, &inside, &binary));
    None
}

/// Runs the rest of the test with a disk of 64 KiB, whose folder is returned, in a child.
pub(crate) fn on_small_disk(test: &str) -> Option<PathBuf> {
    if let Some(path) = given() {
        return Some(path);
    }
    let home = tempfile::tempdir().unwrap();
    let unshare = if rustix::process::geteuid().is_root() { "-m" } else { "-rm" };
    let script = "mount -t tmpfs -o size=64k tmpfs \"$FORELOOK_TEST_INSIDE\" && exec \"$@\"";
    passes(child(&["unshare", unshare, "sh", "-c", script, "sh"], test, home.path(), &own_binary()));
    None
}

fn passes(mut command: Command) {
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{command:?}\n{out}\n{err}");
}

fn open_to_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
