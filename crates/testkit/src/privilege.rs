//! Running things as somebody who may not do everything, and on a disk that is nearly full.

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
