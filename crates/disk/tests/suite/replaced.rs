//! A file replaced: content, mode, links, and what stands in the way.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use forelook_disk::{DiskError, Permissions, copy_new, create_new, replace};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn mode_and_owner_stay() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("file");
    std::fs::write(&path, "old").unwrap();
    for wanted in [0o600, 0o644, 0o755, 0o4755, 0o666] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(wanted)).unwrap();
        replace(&path, b"new", Permissions::Keep).unwrap();
        assert_eq!(mode(&path), wanted, "{wanted:o}");
    }
    replace(&path, b"new", Permissions::Private).unwrap();
    assert_eq!(mode(&path), 0o600);
    // Only root can give a file away; the others keep their own.
    let own = rustix::process::geteuid();
    let owner = if own.is_root() { 65534 } else { own.as_raw() };
    std::os::unix::fs::chown(&path, Some(owner), None).unwrap();
    replace(&path, b"newer", Permissions::Keep).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().uid(), owner);
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
}

#[test]
fn a_new_file_is_open_or_private_as_told() {
    let home = tempfile::tempdir().unwrap();
    let (open, private) = (home.path().join("open"), home.path().join("private"));
    replace(&open, b"", Permissions::Keep).unwrap();
    replace(&private, b"", Permissions::Private).unwrap();
    assert_eq!(mode(&open) & !0o644, 0, "{:o}", mode(&open));
    assert_eq!(mode(&private), 0o600);
}

#[test]
fn a_link_stays_and_its_file_is_replaced() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("there")).unwrap();
    for target in ["there/file", "there/new"] {
        let link = home.path().join(target.replace('/', "-"));
        symlink(target, &link).unwrap();
        replace(&link, b"through", Permissions::Keep).unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(home.path().join(target)).unwrap(), b"through");
    }
}

#[test]
fn what_is_no_file_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("folder");
    std::fs::create_dir(&folder).unwrap();
    for (path, check) in [
        (folder.clone(), (|error| matches!(error, DiskError::NotAFile { .. })) as fn(&DiskError) -> bool),
        ("/".into(), |error| matches!(error, DiskError::NotAFile { .. })),
        ("/dev/null".into(), |error| matches!(error, DiskError::NotAFile { .. })),
        (folder.join("no/file"), |error| matches!(error, DiskError::NoFolder { .. })),
        ("file".into(), |error| matches!(error, DiskError::Relative { .. })),
        (folder.join("x".repeat(300)), |error| matches!(error, DiskError::TooLong { .. })),
        ("/proc/file".into(), |error| !error.to_string().is_empty()),
    ] {
        let error = replace(&path, b"x", Permissions::Keep).unwrap_err();
        assert!(check(&error), "{}: {error:?}", path.display());
    }
}

#[test]
fn odd_names_are_names() {
    use std::os::unix::ffi::OsStrExt as _;
    let home = tempfile::tempdir().unwrap();
    for name in [b"with space".as_slice(), b"new\nline", b"\xff\xfe", b"-rf", b"~"] {
        let path = home.path().join(std::ffi::OsStr::from_bytes(name));
        replace(&path, name, Permissions::Keep).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), name);
    }
}

#[test]
fn a_new_file_takes_nobodys_place() {
    let home = tempfile::tempdir().unwrap();
    let (from, to, dead) = (home.path().join("from"), home.path().join("to"), home.path().join("dead"));
    std::fs::write(&from, "content").unwrap();
    symlink("nothing", &dead).unwrap();
    copy_new(&from, &to, Permissions::Private).unwrap();
    assert_eq!((std::fs::read(&to).unwrap().as_slice(), mode(&to)), (b"content".as_slice(), 0o600));
    for taken in [&to, &dead] {
        assert!(matches!(copy_new(&from, taken, Permissions::Keep), Err(DiskError::Exists { .. })));
        assert!(matches!(create_new(taken, &[b"x"], Permissions::Keep), Err(DiskError::Exists { .. })));
    }
    create_new(home.path().join("pieces"), &[b"a", b"", b"b"], Permissions::Keep).unwrap();
    assert_eq!(std::fs::read(home.path().join("pieces")).unwrap(), b"ab");
    assert!(matches!(
        copy_new(home.path().join("none"), home.path().join("x"), Permissions::Keep),
        Err(DiskError::Missing { .. })
    ));
}
