//! What is read of a folder that strangers had their hands on, and that each check is what keeps the rest out.

use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::PathBuf;

use super::*;

/// A folder with a project `p` in it, open to everybody.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.open(".");
        std::fs::create_dir_all(place.at("p/sub")).unwrap();
        place.lay("p/plain.md", "plain");
        place.lay("p/sub/below.md", "below");
        place.lay("outside.md", "OUTSIDE");
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn lay(&self, name: &str, text: &str) {
        std::fs::write(self.at(name), text).unwrap();
    }

    fn open(&self, name: &str) {
        std::fs::set_permissions(self.at(name), std::fs::Permissions::from_mode(0o1777)).unwrap();
    }

    fn path(&self, name: &str) -> AbsPath {
        AbsPath::new(self.at(name)).unwrap()
    }

    fn files(&self) -> ProjectFiles {
        let guard = |path: &AbsPath| path.as_path().ends_with(".env").then(|| "it is a secret".to_owned());
        ProjectFiles::new(&self.path("p"), Owners::of_process(None)).guarded(Arc::new(guard))
    }
}

/// What a reader makes of a file.
fn said(files: &ProjectFiles, path: &AbsPath) -> String {
    files.text(path, 1024).unwrap_or_else(|error| error.to_string())
}

#[test]
fn what_is_inside_is_read() {
    let place = Place::new();
    symlink("../plain.md", place.at("p/sub/link.md")).unwrap();
    symlink("sub", place.at("p/folder")).unwrap();
    symlink(place.at("p"), place.at("q")).unwrap();
    for (name, expected) in [
        ("p/plain.md", "plain"),
        ("p/sub/link.md", "plain"),
        ("p/folder/below.md", "below"),
        ("q/plain.md", "plain"),
        ("p/none", "it does not exist"),
        ("p/sub", "it is not a regular file"),
    ] {
        assert_eq!(said(&place.files(), &place.path(name)), expected, "{name}");
    }
}

/// Each row fails if its check is taken out: the last column reads the file without that check, and must succeed.
#[test]
fn every_check_keeps_something_out() {
    let place = Place::new();
    place.lay("p/.env", "SECRET");
    place.lay("p/shared.md", "anybody's");
    std::fs::set_permissions(place.at("p/shared.md"), std::fs::Permissions::from_mode(0o666)).unwrap();
    symlink("../outside.md", place.at("p/out.md")).unwrap();
    symlink("..", place.at("p/up")).unwrap();
    symlink(".env", place.at("p/notes.md")).unwrap();
    std::fs::hard_link(place.at("p/.env"), place.at("p/hard.md")).unwrap();
    let unguarded = ProjectFiles { guard: None, ..place.files() };
    let anyones = ProjectFiles { owners: Owners::Anyone, ..place.files() };
    let anywhere = ProjectFiles { reach: Reach::Anywhere, ..place.files() };
    for (name, expected, without, text) in [
        ("p/out.md", "it is outside `", &anywhere, "OUTSIDE"),
        ("p/up/outside.md", "it is outside `", &anywhere, "OUTSIDE"),
        ("outside.md", "it is outside `", &anywhere, "OUTSIDE"),
        ("p/.env", "it is a secret", &unguarded, "SECRET"),
        ("p/notes.md", "it is a secret", &unguarded, "SECRET"),
        ("p/hard.md", "it has several names", &unguarded, "SECRET"),
        ("p/shared.md", "every user can write to it", &anyones, "anybody's"),
    ] {
        let path = place.path(name);
        assert!(said(&place.files(), &path).starts_with(expected), "{name}: {}", said(&place.files(), &path));
        assert_eq!(said(without, &path), text, "{name}");
    }
}

#[test]
fn what_nobody_else_reaches_may_have_any_mode() {
    let place = Place::new();
    place.lay("p/shared.md", "mine");
    std::fs::set_permissions(place.at("p/shared.md"), std::fs::Permissions::from_mode(0o666)).unwrap();
    std::fs::set_permissions(place.at("p"), std::fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(said(&place.files(), &place.path("p/shared.md")), "mine");
}

/// Files, folders and links of another user. Only root can give files away.
#[test]
fn another_users_words_are_not_believed() {
    const MALLORY: u32 = 4711;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let place = Place::new();
    place.open("p");
    place.lay("p/theirs.md", "THEIRS");
    std::fs::create_dir(place.at("p/folder")).unwrap();
    place.lay("p/folder/moved.md", "MOVED");
    symlink("sub/below.md", place.at("p/link.md")).unwrap();
    for name in ["p/theirs.md", "p/folder"] {
        chown(place.at(name), Some(MALLORY), None).unwrap();
    }
    std::os::unix::fs::lchown(place.at("p/link.md"), Some(MALLORY), None).unwrap();
    let accepted = ProjectFiles { owners: place.files().owners().with(MALLORY), ..place.files() };
    for (name, text) in [("p/theirs.md", "THEIRS"), ("p/folder/moved.md", "MOVED"), ("p/link.md", "below")] {
        assert!(said(&place.files(), &place.path(name)).contains("4711"), "{name}");
        assert_eq!(said(&accepted, &place.path(name)), text, "{name}");
    }
    assert!(matches!(place.files().check_folder(&place.path("p/folder")), Err(ReadError::Owner(MALLORY))));
    assert!(place.files().check_folder(&place.path("p/sub")).is_ok());
}
