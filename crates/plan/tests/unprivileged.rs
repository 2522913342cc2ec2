//! What a normal user may not do, which root would never see: run once more as nobody where we are root.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make what the crate must cope with: raw files, other processes; helpers stop at the first surprise"
)]

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use forelook_disk::DiskError;
use forelook_plan::{PlanError, PlanStore};
use forelook_protocol::AbsPath;

const INSIDE: &str = "FORELOOK_TEST_INSIDE";

/// A folder of our own to go on in as a user without privileges; nothing where a child has done that already.
fn as_nobody(test: &str) -> Option<(Option<tempfile::TempDir>, PathBuf)> {
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    if let Some(path) = std::env::var_os(INSIDE) {
        assert!(!is_root);
        return Some((None, path.into()));
    }
    let home = tempfile::tempdir().unwrap();
    let inside = home.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    if !is_root {
        return Some((Some(home), inside));
    }
    // A copy, since other users may not reach the folder it was built in. Made by `cp`: were it open for writing
    // here, a child that another test starts meanwhile would hold it too, and it could not be run ("text file busy").
    let binary = home.path().join("test");
    assert!(
        Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&binary).status().unwrap().success()
    );
    chmod(&binary, 0o755);
    chmod(home.path(), 0o755);
    std::os::unix::fs::chown(&inside, Some(65534), Some(65534)).unwrap();
    let mut child = Command::new("setpriv");
    child.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&binary);
    let output = child.args(["--exact", test, "--nocapture"]).env(INSIDE, &inside).output().unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && out.contains("1 passed"),
        "{out}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    None
}

fn chmod(path: impl AsRef<Path>, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn plans(folder: &Path) -> PlanStore {
    let folder = AbsPath::new(folder.canonicalize().unwrap()).unwrap();
    let (plans, error) = PlanStore::resolve(&folder.join("home"), &folder, None);
    assert!(error.is_none(), "{error:?}");
    plans
}

fn is_not_allowed(error: &PlanError) -> bool {
    matches!(error, PlanError::Disk(DiskError::NotAllowed { .. }))
}

#[test]
fn a_plan_that_may_not_be_read_is_no_plan_and_is_not_overwritten() {
    let test = "a_plan_that_may_not_be_read_is_no_plan_and_is_not_overwritten";
    let Some((_home, folder)) = as_nobody(test) else { return };
    let plans = plans(&folder);
    let (path, now) = (plans.path_of("a"), "2026-01-01T00:00:00Z".parse().unwrap());
    plans.write(&path, "secret").unwrap();
    chmod(&path, 0o200);
    assert_eq!(plans.read(&path), None);
    assert!(plans.exists(&path));
    assert_eq!(plans.list()[0].title, "(unreadable)");
    let error = plans.revise("a", "new", now).unwrap_err();
    assert!(is_not_allowed(&error), "{error}");
    chmod(&path, 0o600);
    assert_eq!(plans.read(&path).as_deref(), Some("secret"));
}

#[test]
fn a_folder_that_may_not_be_written_is_told() {
    let Some((_home, folder)) = as_nobody("a_folder_that_may_not_be_written_is_told") else { return };
    let plans = plans(&folder);
    plans.ensure_folder().unwrap();
    chmod(plans.folder(), 0o500);
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    for error in
        [plans.write(&plans.path_of("a"), "x").unwrap_err(), plans.save_revision("a", "x", now).unwrap_err()]
    {
        assert!(is_not_allowed(&error), "{error}");
        assert!(error.to_string().contains("Check the permissions"), "{error}");
    }
    chmod(plans.folder(), 0o000);
    assert_eq!(plans.read(&plans.path_of("a")), None);
    assert_eq!(plans.list(), []);
    chmod(plans.folder(), 0o700);
}
