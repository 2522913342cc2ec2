//! rustup and cargo for the attempts: copies that every user can run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use forelook_testkit::copy_program;
use tempfile::TempDir;

static TOOLS: Mutex<Option<Option<TempDir>>> = Mutex::new(None);

/// The folder of the copies, which are made once; empty if there is no rustup.
pub(crate) fn folder() -> String {
    let mut tools = TOOLS.lock().unwrap();
    let tools = tools.get_or_insert_with(copies).as_ref();
    tools.map(|folder| folder.path().display().to_string()).unwrap_or_default()
}

/// Removes the copies. Nothing else does: the test program ends without unwinding.
pub(crate) fn remove() {
    TOOLS.lock().unwrap().take();
}

fn copies() -> Option<TempDir> {
    let rustup = find_rustup()?;
    let which = Command::new(&rustup).args(["which", "cargo"]).output().ok()?;
    let cargo = PathBuf::from(String::from_utf8(which.stdout).ok()?.trim());
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("toolchain/bin")).unwrap();
    fs::create_dir_all(folder.path().join("toolchain/lib")).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    copy_program(&rustup, &folder.path().join("rustup"));
    copy_program(&cargo, &folder.path().join("toolchain/bin/cargo"));
    Some(folder)
}

fn find_rustup() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder: PathBuf| folder.join("rustup"))
        .find(|file: &PathBuf| Path::is_file(file))
}
