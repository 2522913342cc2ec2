//! Running things as somebody who may not do everything, and on a disk that is nearly full.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Whether this process may do anything it likes; then a test of permissions proves nothing.
pub fn is_root() -> bool {
    let out = Command::new("id").arg("-u").output().expect("`id`");
    out.stdout.trim_ascii() == b"0"
}

/// Copies a program to where an unprivileged user can reach it.
///
/// Not by this process: what another test starts meanwhile would have the copy open for writing, and it could not be run.
pub fn copy_program(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg(from).arg(to).status();
    assert!(copied.expect("`cp`").success(), "{} is copied", from.display());
}

/// Words to put before a command so that it runs unprivileged. `folders` are handed over to that user.
pub fn unprivileged(folders: &[&Path]) -> Vec<String> {
    if !is_root() {
        return Vec::new();
    }
    for folder in folders {
        let done = Command::new("chown").args(["-R", "65534:65534"]).arg(folder).status().expect("`chown`");
        assert!(done.success());
    }
    let words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs", "--"];
    words.map(str::to_owned).to_vec()
}

/// Words to put before a command so that `folder` is an empty disk of this size for it, in a mount namespace of
/// its own. Commands in `fill` run first, in that folder.
pub fn small_disk(folder: &Path, kilobytes: u32, fill: &str) -> Vec<String> {
    let folder = folder.to_str().expect("a plain path").replace('\'', "'\\''");
    let script = format!(
        "mount -t tmpfs -o size={kilobytes}k,mode=1777 none '{folder}' && (cd '{folder}' && {fill}) && exec \"$@\""
    );
    let unshare = if is_root() { "-m" } else { "-rm" };
    ["unshare", unshare, "bash", "-c", &script, "bash"].map(str::to_owned).to_vec()
}

/// Whether this process may do anything anywhere, which would hide what a test of permissions shows. If so, the test of
/// this name was run once more as nobody, and passed.
pub fn passed_as_nobody(test: &str) -> bool {
    if !is_root() {
        return false;
    }
    let said = tests_as_nobody(&["--exact", test]);
    assert!(said.contains("1 passed"), "{said}");
    true
}

/// Runs tests of this program as nobody, and returns what they said; all must pass.
pub fn tests_as_nobody(words: &[&str]) -> String {
    // A copy: the build folder may be closed to others.
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("tests");
    copy_program(&std::env::current_exe().unwrap(), &program);
    let ran = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&program)
        .args(words)
        .current_dir("/")
        .output()
        .expect("as root this test needs `setpriv`");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    said
}
