//! Nothing leaves the folder, by either way of asking the kernel.

use super::*;
use rustix::fs::CWD;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

/// A folder `in` to stay in and a folder `out` that must stay as it is.
struct House {
    _home: tempfile::TempDir,
    inside: AbsPath,
    outside: PathBuf,
}

fn house() -> House {
    let home = tempfile::tempdir().unwrap();
    let base = home.path().canonicalize().unwrap();
    std::fs::create_dir_all(base.join("in/folder/deep")).unwrap();
    std::fs::create_dir(base.join("out")).unwrap();
    std::fs::write(base.join("in/folder/file"), "inside").unwrap();
    std::fs::write(base.join("out/secret"), "secret").unwrap();
    let link = |target: &str, name: &str| symlink(target, base.join("in").join(name)).unwrap();
    link("../out", "to_out");
    link("../out/secret", "to_secret");
    link("../out/new", "to_new");
    link("folder", "to_folder");
    link("folder/file", "to_file");
    symlink(base.join("out"), base.join("in/absolute_out")).unwrap();
    symlink(base.join("in/folder"), base.join("in/absolute_in")).unwrap();
    let inside = AbsPath::new(base.join("in")).unwrap();
    House { _home: home, inside, outside: base.join("out") }
}

/// The folder held, for either way of asking the kernel.
fn roots(house: &House) -> [ConfinedDir; 2] {
    let beneath = ConfinedDir::open_without_links(&house.inside).unwrap();
    assert_eq!(
        beneath.strategy,
        Strategy::Openat2,
        "this kernel has no openat2, so it cannot be tested here"
    );
    let walk =
        ConfinedDir { strategy: Strategy::Walk, ..ConfinedDir::open_without_links(&house.inside).unwrap() };
    [beneath, walk]
}

#[test]
fn looking_tells_inside_from_outside() {
    let house = house();
    for (path, expected) in [
        ("folder/file", Some("folder/file")),
        ("folder/../folder/new", Some("folder/new")),
        ("new/er/est", Some("new/er/est")),
        ("to_folder/file", Some("folder/file")),
        ("absolute_in/new", Some("folder/new")),
        ("", Some("")),
        ("..", None),
        ("../in/folder", Some("folder")),
        ("../inn", None),
        ("to_out", None),
        ("to_out/secret", None),
        ("to_out/../in/folder", Some("folder")),
        ("to_new", None),
        ("absolute_out/x", None),
        ("/etc/passwd", None),
    ] {
        let found = confine(&house.inside, path);
        match expected {
            Some(expected) => {
                assert_eq!(found.unwrap().as_path(), house.inside.join(expected).as_path(), "{path}")
            }
            None => assert!(matches!(found, Err(DiskError::Outside { .. })), "{path}: {found:?}"),
        }
    }
}

#[test]
fn what_leads_out_is_neither_read_nor_written() {
    let house = house();
    for root in roots(&house) {
        let out = ["to_out/secret", "to_secret", "../out/secret", "absolute_out/secret", "/etc/passwd"];
        for path in out {
            let strategy = root.strategy;
            assert!(root.open_beneath(path, OpenMode::Read).is_err(), "{strategy:?} {path}");
            assert!(root.open_beneath(path, OpenMode::CreateNew).is_err(), "{strategy:?} {path}");
            assert!(root.replace_beneath(path, b"x", Permissions::Keep).is_err(), "{strategy:?} {path}");
        }
        assert!(root.open_beneath("to_new", OpenMode::CreateNew).is_err());
        assert!(root.replace_beneath("to_new", b"x", Permissions::Keep).is_err());
        assert!(root.make_folders_beneath("to_out/a").is_err());
        assert!(root.make_folders_beneath("../a").is_err());
        assert!(root.make_folders_beneath("to_new").is_err());
        assert!(matches!(root.open_beneath("..", OpenMode::Read), Err(DiskError::Outside { .. })));
    }
    assert_eq!(std::fs::read(house.outside.join("secret")).unwrap(), b"secret");
    assert_eq!(std::fs::read_dir(&house.outside).unwrap().count(), 1);
}

#[test]
fn what_stays_inside_works() {
    let house = house();
    for (at, root) in roots(&house).into_iter().enumerate() {
        let mut text = String::new();
        root.open_beneath("folder/./deep/../file", OpenMode::Read)
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "inside");
        let new = format!("a/b{at}");
        root.make_folders_beneath(&new).unwrap();
        root.make_folders_beneath(&new).unwrap();
        root.replace_beneath(format!("{new}/file"), b"one", Permissions::Keep).unwrap();
        root.replace_beneath(format!("{new}/file"), b"two", Permissions::Private).unwrap();
        assert_eq!(std::fs::read(house.inside.join(&new).join("file")).unwrap(), b"two");
        let missing = root.replace_beneath("no/file", b"", Permissions::Keep);
        assert!(matches!(missing, Err(DiskError::NoFolder { .. })), "{missing:?}");
        assert!(matches!(root.open_beneath("folder", OpenMode::Read), Err(DiskError::NotAFile { .. })));
        assert!(matches!(root.replace_beneath("", b"", Permissions::Keep), Err(DiskError::NotAFile { .. })));
    }
}

#[test]
fn a_folder_swapped_for_a_link_in_the_meantime_never_leads_out() {
    let house = house();
    symlink(&house.outside, house.inside.join("evil")).unwrap();
    symlink("../out", house.inside.join("evil_relative")).unwrap();
    let stop = AtomicBool::new(false);
    let swap = |name: &str| {
        let (a, b) = (house.inside.join("folder"), house.inside.join(name));
        let flags = rustix::fs::RenameFlags::EXCHANGE;
        rustix::fs::renameat_with(CWD, a.as_path(), CWD, b.as_path(), flags).unwrap();
    };
    let (mut inside, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for name in ["evil", "evil", "evil_relative", "evil_relative"] {
                    swap(name);
                }
            }
        });
        for root in roots(&house) {
            for turn in 0..3000 {
                let new = format!("folder/new-{:?}-{turn}", root.strategy);
                let mut text = String::new();
                let read = root.open_beneath("folder/file", OpenMode::Read);
                let written = [
                    root.open_beneath(&new, OpenMode::CreateNew).is_ok(),
                    root.replace_beneath("folder/file", b"inside", Permissions::Keep).is_ok(),
                    root.replace_beneath("folder/secret", b"inside", Permissions::Keep).is_ok(),
                    root.make_folders_beneath("folder/made").is_ok(),
                ];
                if let Ok(mut file) = read {
                    file.read_to_string(&mut text).unwrap();
                    assert_eq!(text, "inside");
                }
                inside += written.iter().filter(|ok| **ok).count();
                refused += written.iter().filter(|ok| !**ok).count();
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(inside > 0 && refused > 0, "the race was not run: {inside} inside, {refused} refused");
    assert_eq!(std::fs::read(house.outside.join("secret")).unwrap(), b"secret");
    assert_eq!(std::fs::read_dir(&house.outside).unwrap().count(), 1);
}

#[test]
fn without_links_not_even_one_that_stays_inside_is_followed() {
    let house = house();
    for (at, root) in roots(&house).into_iter().enumerate() {
        for path in ["to_file", "to_folder/file", "absolute_in/file", "to_secret", "to_out/secret", "to_new"]
        {
            let strategy = root.strategy;
            assert!(root.open_beneath(path, OpenMode::Read).is_err(), "{strategy:?} {path}");
            assert!(root.replace_beneath(path, b"x", Permissions::Keep).is_err(), "{strategy:?} {path}");
            assert!(root.create_new_beneath(path, b"x", Permissions::Keep).is_err(), "{strategy:?} {path}");
            assert!(root.append_beneath(path, "x", Permissions::Keep).is_err(), "{strategy:?} {path}");
            assert!(root.make_folders_beneath(format!("{path}/a")).is_err(), "{strategy:?} {path}");
        }
        let new = format!("folder/new{at}");
        root.create_new_beneath(&new, b"one", Permissions::Keep).unwrap();
        let again = root.create_new_beneath(&new, b"two", Permissions::Keep);
        assert!(matches!(again, Err(DiskError::Exists { .. })), "{again:?}");
        root.replace_beneath(&new, b"three\n", Permissions::Keep).unwrap();
        root.append_beneath(&new, "four", Permissions::Keep).unwrap();
        assert!(root.append_beneath(&new, "a\nb", Permissions::Keep).is_err());
        assert_eq!(std::fs::read(house.inside.join(&new)).unwrap(), b"three\nfour\n");
    }
    let link = ConfinedDir::open_without_links(&house.inside).unwrap().replace_beneath(
        "to_file",
        b"",
        Permissions::Keep,
    );
    assert!(matches!(link, Err(DiskError::Links { .. })), "{link:?}");
    assert_eq!(std::fs::read(house.inside.join("folder/file")).unwrap(), b"inside");
    assert_eq!(std::fs::read(house.outside.join("secret")).unwrap(), b"secret");
    assert_eq!(std::fs::read_dir(&house.outside).unwrap().count(), 1);
}

#[test]
fn without_links_the_way_to_the_folder_has_none_either() {
    let house = house();
    for path in ["to_folder", "to_folder/deep", "absolute_in", "to_out"] {
        assert!(ConfinedDir::open_without_links(&house.inside.join(path)).is_err(), "{path}");
    }
    assert!(matches!(
        ConfinedDir::open_without_links(&house.inside.join("none")),
        Err(DiskError::Missing { .. })
    ));
}

#[test]
fn private_folders_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let house = house();
    let root = ConfinedDir::open_without_links(&house.inside).unwrap();
    root.make_private_beneath("p/q").unwrap();
    root.append_beneath("p/q/lines", "one", Permissions::Private).unwrap();
    let mode = |path: &str| std::fs::metadata(house.inside.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("p"), mode("p/q"), mode("p/q/lines")), (0o700, 0o700, 0o600));
}

#[test]
fn links_are_made_and_names_taken_away_inside_only() {
    for number in 0..2 {
        let house = house();
        let root = &roots(&house)[number];
        root.link_beneath("new_link", Path::new("folder/file")).unwrap();
        root.link_beneath("folder/file", Path::new("/nowhere")).unwrap();
        let read = |name: &str| std::fs::read_link(house.inside.join(name)).unwrap();
        assert_eq!(read("new_link"), Path::new("folder/file"));
        assert_eq!(read("folder/file"), Path::new("/nowhere"));
        assert!(root.link_beneath("to_out/link", Path::new("x")).is_err());
        // The link itself goes, and not what it leads to.
        assert!(root.remove_beneath("to_secret").unwrap());
        assert!(!root.remove_beneath("to_secret").unwrap());
        assert!(!root.remove_beneath("none/such").unwrap());
        assert!(root.remove_beneath("to_out/secret").is_err());
        assert!(!root.remove_empty_beneath("folder").unwrap());
        assert!(root.remove_empty_beneath("folder/deep").unwrap());
        assert_eq!(std::fs::read(house.outside.join("secret")).unwrap(), b"secret");
        assert_eq!(std::fs::read_dir(&house.outside).unwrap().count(), 1);
    }
}

#[test]
fn bits_are_set_whatever_was_there() {
    use std::os::unix::fs::PermissionsExt as _;
    let house = house();
    let root = ConfinedDir::open_without_links(&house.inside).unwrap();
    for (name, bits) in [("folder/file", 0o755), ("folder/new", 0o750)] {
        root.replace_beneath(name, b"x", Permissions::Bits(bits)).unwrap();
        let mode = std::fs::metadata(house.inside.join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, bits, "{name}");
    }
}
