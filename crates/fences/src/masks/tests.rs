//! What is found, whatever there is beside it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use super::*;
use crate::GuardSearch;

/// `.env` is a secret, `.vscode` is held, `denied` is forbidden; and how often somebody asked.
fn inputs(folder: &Path) -> (FenceInputs, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let guards = move |path: &AbsPath| {
        count.fetch_add(1, Ordering::Relaxed);
        match path.as_path().file_name().and_then(|name| name.to_str()) {
            Some(".env" | ".ssh") => PathGuard::Masked,
            Some(".git" | ".vscode") => PathGuard::Protected,
            Some("denied") => PathGuard::Denied,
            _ => PathGuard::Unguarded,
        }
    };
    let names = |name: &str| name.starts_with('.') || name == "denied";
    let search = GuardSearch { names: Arc::new(names), ..GuardSearch::default() };
    let folders = vec![AbsPath::new(folder).unwrap()];
    (FenceInputs { folders, home: None, guards: Arc::new(guards), search }, asked)
}

fn lay(root: &Path, files: &[&str]) {
    for file in files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
}

fn names(root: &Path, found: &[PathBuf]) -> Vec<String> {
    found.iter().map(|path| path.strip_prefix(root).unwrap().display().to_string()).collect()
}

fn search(root: &Path) -> Guarded {
    inside(&[root.to_owned()], &inputs(root).0, &mut FolderCache::default()).unwrap()
}

fn masked(root: &Path) -> Vec<String> {
    names(root, &search(root).masked(Confinement::ReadOnly).unwrap())
}

fn protected(root: &Path) -> Vec<String> {
    names(root, &search(root).protected().unwrap())
}

#[test]
fn what_is_masked_and_what_is_held() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    lay(root, &[".env", "a/b/.env", ".vscode/.env", "node_modules/x/.env", "src/main.rs", ".git/config"]);
    lay(root, &[".git/hooks/x", ".git/objects/.env", "target/x/.env", "target/y/.vscode/z", "denied/.env"]);
    assert_eq!(masked(root), [".env", ".vscode/.env", "a/b/.env", "denied", "target/x/.env"]);
    assert_eq!(protected(root), [".git", ".vscode", "denied"]);
    let only_denied = search(root).masked(Confinement::Masked).unwrap();
    assert_eq!(names(root, &only_denied), ["denied"]);
}

/// However many names there are, and however deep.
#[test]
fn floods_of_names_hide_nothing() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    for name in 0..30_000 {
        fs::File::create(root.join(format!("{name}"))).unwrap();
    }
    for folder in 0..3000 {
        fs::create_dir(root.join(format!("d{folder}"))).unwrap();
    }
    let deep = (0..60).map(|at| format!("deep{at}/")).collect::<String>();
    lay(root, &[".env", "d2999/.env", "zz/.vscode/x", &format!("{deep}.env"), &format!("{deep}.vscode/x")]);
    assert_eq!(masked(root), [".env".to_owned(), "d2999/.env".to_owned(), format!("{deep}.env")]);
    assert_eq!(protected(root), [format!("{deep}.vscode"), "zz/.vscode".to_owned()]);
}

/// A folder that did not change is not read again; one that did is.
#[test]
fn a_folder_is_read_again_only_when_it_changed() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    lay(root, &["a/.env", "b/.hidden"]);
    let (inputs, asked) = inputs(root);
    let mut cache = FolderCache::default();
    let mut look = || {
        asked.store(0, Ordering::Relaxed);
        let found = inside(&[root.to_owned()], &inputs, &mut cache).unwrap();
        (names(root, &found.masked(Confinement::ReadOnly).unwrap()), asked.load(Ordering::Relaxed))
    };
    // The working folder itself is asked for each time.
    let found = vec!["a/.env".to_owned()];
    assert_eq!(look(), (found.clone(), 3));
    assert_eq!(look(), (found.clone(), 3), "a change of a moment ago may not be the last one");
    std::thread::sleep(Duration::from_secs(5));
    assert_eq!(look(), (found.clone(), 3));
    assert_eq!(look(), (found, 1));
    // Not even if the time of the change is set back.
    lay(root, &["b/.env"]);
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    fs::File::open(root.join("b")).unwrap().set_modified(old).unwrap();
    assert_eq!(look(), (vec!["a/.env".to_owned(), "b/.env".to_owned()], 3));
    // Other rules find other files.
    let mut other = inputs.clone();
    other.search.rules = 1;
    other.guards = Arc::new(|_: &AbsPath| PathGuard::Unguarded);
    assert_eq!(inside(&[root.to_owned()], &other, &mut cache).unwrap(), Guarded::default());
}

/// A folder with a secret in it that gets the name of one which nobody looks into.
#[test]
fn a_folder_that_was_searched_is_searched_by_every_name() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    lay(root, &["config/.env", "config/.vscode/x"]);
    let (inputs, mut cache) = (inputs(root).0, FolderCache::default());
    inside(&[root.to_owned()], &inputs, &mut cache).unwrap();
    fs::rename(root.join("config"), root.join("node_modules")).unwrap();
    let found = inside(&[root.to_owned()], &inputs, &mut cache).unwrap();
    assert_eq!(names(root, &found.masked(Confinement::ReadOnly).unwrap()), ["node_modules/.env"]);
    assert!(found.protected().unwrap().is_empty());
}

/// What cannot be searched is closed: too deep to be named, not to be listed, or behind the last folder.
#[test]
fn what_cannot_be_searched_is_closed() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    lay(&root, &["a/x/y", "b/y/.env", "c"]);
    let folders = [root.clone()];
    let inputs = inputs(&root).0;
    let mut cache = FolderCache::default();
    let walk = Walk {
        inputs: &inputs,
        cache: &mut cache,
        not: &[],
        may_open: &|_| false,
        guarded: Guarded::default(),
        limit: 1,
    };
    let found = walk.run(folders.to_vec()).unwrap();
    assert_eq!(names(&root, &found.masked(Confinement::ReadOnly).unwrap()), ["a", "b"]);
    assert_eq!(names(&root, &found.protected().unwrap()), ["a", "b"]);
    let walk = Walk {
        inputs: &inputs,
        cache: &mut cache,
        not: &[],
        may_open: &|_| false,
        guarded: Guarded::default(),
        limit: 0,
    };
    assert!(walk.run(folders.to_vec()).unwrap_err().to_string().contains("cannot be searched"));
    // Each name is as long as names can be.
    let (mut at, name) = (root.clone(), "n".repeat(250));
    let mut folder = rustix::fs::open(&at, rustix::fs::OFlags::PATH, rustix::fs::Mode::empty()).unwrap();
    for _ in 0..20 {
        rustix::fs::mkdirat(&folder, &name, rustix::fs::Mode::RWXU).unwrap();
        folder =
            rustix::fs::openat(&folder, &name, rustix::fs::OFlags::PATH, rustix::fs::Mode::empty()).unwrap();
        if at.as_os_str().len() <= MAX_PATH {
            at.push(&name);
        }
    }
    let found = masked(&root);
    assert!(found.iter().any(|found| root.join(found) == at), "{at:?}");
    fs::set_permissions(root.join("b"), fs::Permissions::from_mode(0o311)).unwrap();
    let found = masked(&root);
    let expected = if rustix::process::geteuid().is_root() { "b/y/.env" } else { "b" };
    assert!(found.iter().any(|found| found == expected), "{found:?}");
    fs::set_permissions(root.join("b"), fs::Permissions::from_mode(0o755)).unwrap();
}

/// A mask must not hide the working folder itself.
#[test]
fn places_are_masked_around_a_working_folder() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    lay(root, &["home/.ssh/key", "home/.ssh/project/a", "home/other/.env", "home/not/yet", "far/a/.env"]);
    let (mut inputs, _) = inputs(&root.join("home/.ssh/project"));
    let places = ["home/.ssh", "home/other", "home/gone/.env", "far", "far/a"]
        .map(|it| AbsPath::new(root.join(it)).unwrap());
    inputs.search.places = Arc::new(move || places.to_vec());
    let find = |folder: &str| {
        let folders = [root.join(folder)];
        let mut found =
            outside(&folders, &inputs, Confinement::ReadOnly, &mut FolderCache::default()).unwrap();
        found.sort();
        names(root, &found)
    };
    assert_eq!(find("home/.ssh/project"), ["far/a/.env", "home/gone/.env", "home/other/.env"]);
    assert_eq!(find("home/not"), ["far/a/.env", "home/.ssh", "home/gone/.env", "home/other/.env"]);
}

/// Nobody looks into `node_modules` for files that decide what runs; a hook may name one there all the same.
#[test]
fn a_file_that_is_named_is_found_wherever_it_lies() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    lay(root, &["node_modules/.bin/fmt", "node_modules/.bin/other"]);
    let mut inputs = inputs(root).0;
    let fmt = AbsPath::new(root.join("node_modules/.bin/fmt")).unwrap();
    let elsewhere = AbsPath::new("/elsewhere/fmt").unwrap();
    inputs.search.files = Arc::new(vec![fmt.clone(), elsewhere]);
    inputs.guards = Arc::new(move |path: &AbsPath| match path.as_path().ends_with("fmt") {
        true => PathGuard::Protected,
        false => PathGuard::Unguarded,
    });
    let found = inside(&[root.to_owned()], &inputs, &mut FolderCache::default()).unwrap();
    assert_eq!(names(root, &found.protected().unwrap()), ["node_modules/.bin/fmt"]);
    assert_eq!(found.id(fmt.as_path()), FileId::at(&fmt));
}

/// What was found before is looked for again, as long as it may only have been moved.
#[test]
fn what_is_gone_is_looked_for_and_then_given_up() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    lay(root, &["a/.env", "b/.env"]);
    let (inputs, asked) = inputs(root);
    let mut cache = FolderCache::default();
    let mut look = || {
        let before = asked.load(Ordering::Relaxed);
        let found = inside(&[root.to_owned()], &inputs, &mut cache).unwrap();
        (
            names(root, &found.masked(Confinement::ReadOnly).unwrap()).len(),
            asked.load(Ordering::Relaxed) - before,
        )
    };
    assert_eq!(look(), (2, 3));
    fs::rename(root.join("a"), root.join("c")).unwrap();
    assert_eq!(look(), (2, 3), "it is only called otherwise");
    fs::remove_file(root.join("b/.env")).unwrap();
    assert_eq!(look(), (1, 2 * MAX_TRIES));
    assert_eq!(look(), (1, 2));
}

/// What a working folder is decides over what is in it, whatever that is called.
#[test]
fn a_working_folder_that_is_special_itself() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    lay(root, &["home/aws/credentials", "home/aws/plain", "home/aws/sub/x", "home/git/hooks/update", "p/x"]);
    let mut inputs = inputs(root).0;
    let (secret, held, public) = (root.join("home/aws"), root.join("home/git"), root.join("home/aws/plain"));
    inputs.guards = Arc::new(move |path: &AbsPath| match path.as_path() {
        path if path == public => PathGuard::Protected,
        path if path.starts_with(&secret) => PathGuard::Both,
        path if path.starts_with(&held) => PathGuard::Protected,
        _ => PathGuard::Unguarded,
    });
    inputs.search.names = Arc::new(|_: &str| false);
    let place = AbsPath::new(root.join("home/aws")).unwrap();
    inputs.search.places = Arc::new(move || vec![place.clone()]);
    for (folder, hidden, held) in [
        ("home/aws", &["home/aws/credentials", "home/aws/sub"][..], &["home/aws"][..]),
        ("home/aws/sub", &["home/aws/credentials", "home/aws/sub/x"], &["home/aws/sub"]),
        ("home/git", &["home/aws"], &["home/git"]),
        ("home/git/hooks", &["home/aws"], &["home/git/hooks"]),
        ("p", &["home/aws"], &[]),
    ] {
        let folders = [root.join(folder)];
        let mut cache = FolderCache::default();
        let found = inside(&folders, &inputs, &mut cache).unwrap();
        let around = outside(&folders, &inputs, Confinement::ReadOnly, &mut cache).unwrap();
        let mut masked = [around, found.masked(Confinement::ReadOnly).unwrap()].concat();
        masked.sort();
        assert_eq!(names(root, &masked), hidden, "{folder}");
        assert_eq!(names(root, &found.protected().unwrap()), held, "{folder}");
    }
}

#[test]
fn what_git_would_run_by_too_long_a_configuration_cannot_be_held() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    lay(root, &["r/.git/HEAD", "r/.git/objects/x", "r/.git/refs/x", ".env", "target/r/.git/config"]);
    let includes: String = (0..100).map(|at| format!("[include]\npath = ../../i{at}\n")).collect();
    // In what builds made nothing is held.
    fs::write(root.join("target/r/.git/config"), &includes).unwrap();
    assert!(search(root).protected().is_ok());
    fs::write(root.join("r/.git/config"), &includes).unwrap();
    assert!(search(root).protected().is_err());
    // What is hidden is known all the same, and what a command made can be moved away.
    assert_eq!(masked(root), [".env"]);
    assert!(search(root).named_protected().contains(&root.join("r/.git")));
}
