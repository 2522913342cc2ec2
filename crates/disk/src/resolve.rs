//! Where a path really leads, even when its end is not there yet.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use forelook_protocol::AbsPath;

use crate::DiskError;

/// As many links in a row as the kernel follows.
const MAX_LINKS: usize = 40;

/// The path with every `..` and every link resolved, in the order the kernel would: `link/..` is the
/// folder above what the link points to, not the one that holds the link.
///
/// What does not exist yet keeps its name, so the result is where a new file would come to lie; a link
/// to something missing leads to that. `std::fs::canonicalize` was no choice: it fails on both.
pub fn resolve(path: impl AsRef<Path>) -> Result<AbsPath, DiskError> {
    follow(path.as_ref(), &mut |_| {})
}

/// The first link on the way to a path of which this is so.
pub fn find_link(path: impl AsRef<Path>, is_meant: impl Fn(&Path) -> bool) -> Option<AbsPath> {
    let mut found = None;
    // A way without an end has links on it all the same.
    let _ = follow(path.as_ref(), &mut |link| {
        if found.is_none() && is_meant(link) {
            found = AbsPath::new(link).ok();
        }
    });
    found
}

/// Where a link leads: to another link perhaps, and from there on, whether there is something in the end or not. Folders on
/// the way are real ones. Nothing if this is no link.
pub fn link_targets(link: &AbsPath) -> Vec<AbsPath> {
    let mut found: Vec<AbsPath> = Vec::new();
    let mut next = one_link(link);
    while let Some(target) = next.filter(|target| found.len() < MAX_LINKS && !found.contains(target)) {
        next = one_link(&target);
        found.push(target);
    }
    found
}

fn one_link(link: &AbsPath) -> Option<AbsPath> {
    let folder = resolve(link.parent()?).ok()?;
    let target = link_at(&folder.as_path().join(link.as_path().file_name()?)).ok()??;
    let target = folder.as_path().join(target);
    match (target.parent(), target.file_name()) {
        (Some(parent), Some(name)) => Some(resolve(parent).ok()?.join(name)),
        _ => resolve(&target).ok(),
    }
}

/// Goes the way of the kernel, and names each link on it by its real place.
fn follow(path: &Path, on_link: &mut dyn FnMut(&Path)) -> Result<AbsPath, DiskError> {
    if !path.is_absolute() {
        return Err(DiskError::Relative { path: path.to_path_buf() });
    }
    let mut done = PathBuf::from("/");
    let mut rest = parts(path);
    let mut links = 0;
    while let Some(part) = rest.pop() {
        if part == ".." {
            done.pop();
            continue;
        }
        let next = done.join(&part);
        match link_at(&next).map_err(DiskError::of("inspect", path))? {
            None => done = next,
            Some(target) => {
                on_link(&next);
                links += 1;
                if links > MAX_LINKS {
                    return Err(DiskError::Links { path: path.to_path_buf() });
                }
                if target.is_absolute() {
                    done = PathBuf::from("/");
                }
                rest.append(&mut parts(&target));
            }
        }
    }
    AbsPath::new(&done).map_err(|_| DiskError::Relative { path: done })
}

/// The names of a path, last one first, so that the next one can be popped.
fn parts(path: &Path) -> Vec<OsString> {
    path.components()
        .rev()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_os_string()),
            Component::ParentDir => Some("..".into()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}

/// Where the link at this path points to; nothing if there is no link, or nothing at all.
fn link_at(path: &Path) -> std::io::Result<Option<PathBuf>> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => std::fs::read_link(path).map(Some),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn check(given: &str, expected: &str) {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        std::fs::create_dir_all(home.join("a/deep")).unwrap();
        std::fs::write(home.join("a/file"), "").unwrap();
        symlink(home.join("a/deep"), home.join("absolute")).unwrap();
        symlink("a/deep", home.join("relative")).unwrap();
        symlink("a/not yet", home.join("dangling")).unwrap();
        let found = resolve(home.join(given)).unwrap();
        assert_eq!(found.as_path(), home.join(expected), "{given}");
    }

    #[test]
    fn the_first_link_that_is_meant_is_named_by_its_real_place() {
        let home = tempfile::tempdir().unwrap();
        let home = AbsPath::new(home.path().canonicalize().unwrap()).unwrap();
        std::fs::create_dir_all(home.join("outer/real/deep")).unwrap();
        symlink("real", home.join("outer/link")).unwrap();
        symlink("outer", home.join("above")).unwrap();
        symlink("round", home.join("outer/round")).unwrap();
        let outer = home.join("outer");
        for (path, expected) in [
            ("outer/real/deep", None),
            ("outer/link/deep", Some("outer/link")),
            ("outer/link", Some("outer/link")),
            ("above", None),
            ("above/real", None),
            ("above/link/deep", Some("outer/link")),
            ("outer/../above/link", Some("outer/link")),
            ("outer/round", Some("outer/round")),
            ("outer/nowhere/x", None),
        ] {
            let found = find_link(home.join(path), |link| link.starts_with(&outer));
            assert_eq!(found, expected.map(|link| home.join(link)), "{path}");
        }
    }

    #[test]
    fn a_link_leads_to_all_that_it_stands_for() {
        let home = tempfile::tempdir().unwrap();
        let home = AbsPath::new(home.path().canonicalize().unwrap()).unwrap();
        std::fs::create_dir_all(home.join("real/deep")).unwrap();
        for (to, link) in [
            ("real", "folder"),
            ("folder/second", "first"),
            ("../gone/x", "real/second"),
            ("round", "round"),
            ("folder/deep/..", "up"),
        ] {
            symlink(to, home.join(link)).unwrap();
        }
        for (link, expected) in [
            ("first", &["real/second", "gone/x"][..]),
            ("round", &["round"]),
            ("up", &["real"]),
            ("real", &[]),
            ("missing", &[]),
        ] {
            let expected: Vec<AbsPath> = expected.iter().map(|path| home.join(path)).collect();
            assert_eq!(link_targets(&home.join(link)), expected, "{link}");
        }
    }

    #[test]
    fn links_and_dots_go_the_way_of_the_kernel() {
        for (given, expected) in [
            ("a/file", "a/file"),
            ("a/./deep/../file", "a/file"),
            ("absolute", "a/deep"),
            ("relative/../file", "a/file"),
            ("absolute/new/leaf", "a/deep/new/leaf"),
            ("dangling", "a/not yet"),
            ("missing/../a", "a"),
        ] {
            check(given, expected);
        }
    }

    #[test]
    fn what_leads_nowhere_says_so() {
        let home = tempfile::tempdir().unwrap();
        symlink("round", home.path().join("round")).unwrap();
        std::fs::write(home.path().join("file"), "").unwrap();
        assert!(matches!(resolve(home.path().join("round")), Err(DiskError::Links { .. })));
        assert!(matches!(resolve(home.path().join("file/x")), Err(DiskError::NotAFolder { .. })));
        assert!(matches!(resolve("a"), Err(DiskError::Relative { .. })));
        let long = format!("/{}", "x".repeat(5000));
        assert!(matches!(resolve(long), Err(DiskError::TooLong { .. })));
    }
}
