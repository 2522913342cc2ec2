//! Ways into folders that only root may enter, for a user without rights: in mounts of that user's own.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::run::XtaskResult;

/// Everybody may go through.
const OTHERS_EXECUTE: u32 = 0o001;

/// Folders that are to be reached, by the closed folder that they lie in. That one is covered by an empty folder which holds
/// nothing but the ways to them, so that what else is in it stays closed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BindMounts(Vec<(PathBuf, Vec<PathBuf>)>);

impl BindMounts {
    /// The ways to these folders. None is needed where everybody may go.
    pub(crate) fn to(folders: &[PathBuf]) -> XtaskResult<Self> {
        let mut real = Vec::new();
        for folder in folders {
            let found = folder.canonicalize();
            real.push(found.map_err(|error| format!("Cannot find `{}`: {error}", folder.display()))?);
        }
        Ok(Self::plan(&real, is_enterable))
    }

    fn plan(folders: &[PathBuf], enterable: impl Fn(&Path) -> bool) -> Self {
        let mut folders = folders.to_vec();
        folders.sort();
        let mut mounts: Vec<(PathBuf, Vec<PathBuf>)> = Vec::new();
        for folder in folders {
            let Some(closed) = first_closed_ancestor(&folder, &enterable) else { continue };
            let here = match mounts.iter().position(|(other, _)| *other == closed) {
                Some(here) => here,
                None => {
                    mounts.push((closed, Vec::new()));
                    mounts.len() - 1
                }
            };
            // What lies in another one comes with it.
            if !mounts[here].1.iter().any(|other| folder.starts_with(other)) {
                mounts[here].1.push(folder);
            }
        }
        Self(mounts)
    }

    /// Lines for a shell that has mounts of its own. They are put aside in `/mnt` while they are covered.
    pub(crate) fn script(&self) -> String {
        let mut lines = String::new();
        for (closed, folders) in &self.0 {
            let aside = |number: usize| format!("/mnt/{number}");
            lines.push_str("mount -t tmpfs -o mode=755 none /mnt\n");
            for (number, folder) in folders.iter().enumerate() {
                let (from, aside) = (quoted(folder), aside(number));
                let _ = writeln!(lines, "mkdir {aside}; mount --rbind {from} {aside}");
            }
            let _ = writeln!(lines, "mount -t tmpfs -o mode=755 none {}", quoted(closed));
            for (number, folder) in folders.iter().enumerate() {
                let (to, aside) = (quoted(folder), aside(number));
                let _ = writeln!(lines, "mkdir -p {to}; mount --move {aside} {to}");
            }
            lines.push_str("umount /mnt\n");
        }
        lines
    }
}

/// Whether everybody may go to where this really lies, and through it.
pub(crate) fn is_reachable(path: &Path) -> bool {
    let Ok(real) = path.canonicalize() else { return false };
    is_enterable(&real) && first_closed_ancestor(&real, is_enterable).is_none()
}

fn is_enterable(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| about.permissions().mode() & OTHERS_EXECUTE != 0)
}

/// The uppermost folder on the way that is closed; not the last one itself.
fn first_closed_ancestor(path: &Path, enterable: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
    above.reverse();
    above.into_iter().find(|folder| !enterable(folder)).map(Path::to_owned)
}

/// One word for a shell.
pub(crate) fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mounts(folders: &[&str], closed: &[&str]) -> Vec<(String, Vec<String>)> {
        let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
        let BindMounts(mounts) =
            BindMounts::plan(&folders, |folder| !closed.iter().any(|it| folder == Path::new(it)));
        let text = |path: &PathBuf| path.display().to_string();
        mounts.iter().map(|(closed, folders)| (text(closed), folders.iter().map(text).collect())).collect()
    }

    #[test]
    fn a_way_leads_only_where_nobody_could_go() {
        assert_eq!(mounts(&["/src/clone", "/src/clone/target", "/opt/rust"], &["/shut"]), []);
        let through = |folders: &[&str]| {
            vec![("/shut".to_owned(), folders.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())]
        };
        assert_eq!(mounts(&["/src", "/shut/rust"], &["/shut"]), through(&["/shut/rust"]));
        // The uppermost counts, and what lies in another one comes with it.
        let folders = ["/shut/clone/target", "/shut/rust/stable", "/shut/clone"];
        let expected = through(&["/shut/clone", "/shut/rust/stable"]);
        assert_eq!(mounts(&folders, &["/shut", "/shut/rust"]), expected);
        // The folder itself is for its owner to open.
        assert_eq!(mounts(&["/src"], &["/src"]), []);
    }

    #[test]
    fn what_is_covered_was_put_aside() {
        let script = BindMounts(vec![("/r".into(), vec!["/r/a b".into()])]).script();
        let lines: Vec<&str> = script.lines().collect();
        assert_eq!(
            lines,
            [
                "mount -t tmpfs -o mode=755 none /mnt",
                "mkdir /mnt/0; mount --rbind '/r/a b' /mnt/0",
                "mount -t tmpfs -o mode=755 none '/r'",
                "mkdir -p '/r/a b'; mount --move /mnt/0 '/r/a b'",
                "umount /mnt",
            ]
        );
    }
}
