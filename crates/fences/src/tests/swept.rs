//! Nothing is left on the disk of sessions that are over.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;

use forelook_protocol::AbsPath;
use forelook_sandbox::KernelLayers;

use crate::{FenceSetup, Fences, sweep};

const LANDLOCK: KernelLayers = KernelLayers { namespaces: false, ..KernelLayers::ALL };

fn names(folder: &AbsPath) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn folders_of_sessions_that_are_over_are_swept() {
    let place = tempfile::tempdir().unwrap();
    let root = AbsPath::new(place.path().canonicalize().unwrap()).unwrap();
    let parent = root.join("fences");
    for session in ["kept", "old", "older"] {
        fs::create_dir_all(parent.join(session).join("layer/0/upper/deep")).unwrap();
        fs::write(parent.join(session).join("layer/0/upper/deep/x"), "x").unwrap();
        fs::create_dir_all(parent.join(session).join("scratch-1-0")).unwrap();
    }
    // Closed to us, and leading away.
    fs::create_dir(root.join("mine")).unwrap();
    fs::write(root.join("mine/file"), "mine").unwrap();
    symlink(root.join("mine"), parent.join("old/layer/0/upper/link")).unwrap();
    symlink(root.join("mine"), parent.join("link")).unwrap();
    fs::write(parent.join("note"), "not ours").unwrap();
    fs::set_permissions(parent.join("old/layer/0/upper/deep"), fs::Permissions::from_mode(0o000)).unwrap();
    sweep(&parent, |name| name == "kept");
    assert_eq!(names(&parent), ["kept", "link", "note"]);
    assert_eq!(fs::read(parent.join("kept/layer/0/upper/deep/x")).unwrap(), b"x");
    assert_eq!(fs::read(root.join("mine/file")).unwrap(), b"mine");
    // Through a link nothing is swept, and what is not there is no matter.
    sweep(&parent.join("link"), |_| false);
    sweep(&root.join("nowhere"), |_| false);
    symlink(&root, root.join("all")).unwrap();
    sweep(&root.join("all"), |_| false);
    assert_eq!(names(&root), ["all", "fences", "mine"]);
}

#[test]
fn very_many_are_swept_bit_by_bit() {
    let place = tempfile::tempdir().unwrap();
    let parent = AbsPath::new(place.path().canonicalize().unwrap()).unwrap();
    (0..260).for_each(|at| fs::create_dir(parent.join(format!("s{at}"))).unwrap());
    sweep(&parent, |_| false);
    assert_eq!(names(&parent).len(), 4);
    sweep(&parent, |_| false);
    assert!(names(&parent).is_empty());
}

/// Where the kernel gives no scratch it is a folder of ours, and goes with the session.
#[tokio::test]
async fn scratch_goes_with_the_session() {
    let (mut bench, mut other) = (super::held(), super::held());
    let folder = bench.keeps();
    let fences = |layers| Arc::new(Fences::new(FenceSetup { layers, ..FenceSetup::plain(&folder) }));
    bench.fences = fences(LANDLOCK);
    bench.ok("mkdir -p $TMPDIR/a/b && echo x > $TMPDIR/a/b/c").await;
    assert_eq!(names(&folder).len(), 1);
    // Another one of the same session has its own.
    other.fences = fences(LANDLOCK);
    other.ok("echo kept > $TMPDIR/d").await;
    assert_eq!(names(&folder).len(), 2);
    bench.fences = Arc::clone(&other.fences);
    assert_eq!(other.ok("cat $TMPDIR/d").await, "kept");
    drop(other);
    bench.fences = fences(KernelLayers::ALL);
    assert!(!folder.as_path().exists());
}
