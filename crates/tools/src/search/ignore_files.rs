//! The files that a walk reads by itself to learn what is ignored.
//!
//! The walk opens and reads them whole, whatever they are: a pipe would be waited for, and a device never ends. A folder
//! that has such a thing is found out before the walk goes in.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use forelook_disk::read_bounded;

/// A hundred times the longest list of ignored files that anybody wrote.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// More than any path.
const MAX_LINK: u64 = 64 * 1024;

/// Whether every such file of this folder can be read, or is not there.
pub(super) fn are_plain(folder: &Path) -> bool {
    is_plain(&folder.join(".ignore"))
        && is_plain(&folder.join(".gitignore"))
        && is_plain_git(&folder.join(".git"))
}

/// The same for this folder and all above it.
pub(super) fn are_plain_above(folder: &Path) -> bool {
    folder.ancestors().all(are_plain)
}

fn is_plain(path: &Path) -> bool {
    path.metadata().map_or(true, |found| is_short_file(&found, MAX_BYTES))
}

fn is_short_file(found: &Metadata, most: u64) -> bool {
    found.is_file() && found.len() <= most
}

/// Git has such a file of its own, in a linked worktree in the folder of the main one.
fn is_plain_git(dot_git: &Path) -> bool {
    match dot_git.metadata() {
        Ok(found) if found.is_dir() => is_plain(&dot_git.join("info/exclude")),
        Ok(found) if found.is_file() => is_plain_worktree(dot_git),
        // Anything else is not opened.
        Ok(_) | Err(_) => true,
    }
}

fn is_plain_worktree(dot_git: &Path) -> bool {
    let Ok(link) = read_bounded(dot_git, MAX_LINK) else { return false };
    let Some(git) = link.strip_prefix(b"gitdir: ").map(first_line) else { return true };
    let common = git.join("commondir");
    match common.metadata() {
        Err(_) => true,
        Ok(_) => match read_bounded(&common, MAX_LINK) {
            Ok(text) => is_plain(&git.join(first_line(&text)).join("info/exclude")),
            Err(_) => false,
        },
    }
}

fn first_line(text: &[u8]) -> PathBuf {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    OsStr::from_bytes(line.strip_suffix(b"\r").unwrap_or(line)).into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use serde_json::json;

    use crate::search::testing::lay;
    use crate::search::{StopFlag, project_files};
    use crate::testing::Bench;

    /// A project with a file that is found, and one thing more: a link (`@`), a pipe (`|`), or a huge file (`*`).
    fn bench(name: &str, what: &str) -> Bench {
        let bench = Bench::new();
        for (name, text) in [(".git/HEAD", "x"), ("a.txt", "needle"), ("sub/b.txt", "needle")] {
            lay(&bench, name, text);
        }
        if name == ".git" {
            std::fs::remove_dir_all(bench.path(".git")).unwrap();
        }
        let path = bench.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        match what.split_at(1) {
            ("@", target) => symlink(target, &path).unwrap(),
            ("|", _) => {
                assert!(std::process::Command::new("mkfifo").arg(path.as_path()).status().unwrap().success());
            }
            ("*", _) => std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap(),
            _ => std::fs::write(&path, what).unwrap(),
        }
        bench
    }

    /// Nothing here waits: a test that hangs is one that failed.
    #[tokio::test]
    async fn a_file_of_ignored_names_that_is_none_holds_nobody_up() {
        for name in [
            ".gitignore",
            ".ignore",
            ".git/info/exclude",
            "sub/.gitignore",
            "sub/.ignore",
            "sub/.git/info/exclude",
        ] {
            for what in ["|", "@/dev/zero", "*"] {
                let mut bench = bench(name, what);
                let text = bench.ok("Grep", json!({"pattern": "needle"})).await;
                assert!(text.contains("a.txt"), "{name} {what}: {text}");
                assert_eq!(text.contains("b.txt"), !name.starts_with("sub/"), "{name} {what}: {text}");
                assert!(bench.ok("Glob", json!({"pattern": "*.txt"})).await.contains("a.txt"));
                let root = bench.cx.place.project.clone();
                assert!(project_files(&root, &StopFlag::default()).contains(&"a.txt".to_owned()));
            }
        }
    }

    #[tokio::test]
    async fn what_a_worktree_names_holds_nobody_up_either() {
        for what in ["|", "@/dev/zero", "*"] {
            let mut bench = bench("other/commondir", what);
            std::fs::remove_dir_all(bench.path(".git")).unwrap();
            bench.file(".git", format!("gitdir: {}\n", bench.path("other")));
            assert!(bench.ok("Grep", json!({"pattern": "needle"})).await.contains("a.txt"), "{what}");
            let mut bench = self::bench(".git", what);
            assert!(bench.ok("Grep", json!({"pattern": "needle"})).await.contains("a.txt"), "{what}");
        }
    }
}
