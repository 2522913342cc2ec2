//! The same attempts without Forelook. Each must work: one that does nothing anyway shows nothing.

use std::path::Path;
use std::process::{Command, Stdio};

use forelook_testkit::tree::Tree;

use crate::Outcome;
use crate::place::{Group, Place, Setup};
use crate::verdict::{canary, hits_outside, is_guarded};

/// Runs all attempts of a group with plain bash.
pub(crate) fn run(group: Group) -> Outcome {
    let place = Place::new(Setup::new(group));
    let saved = tempfile::tempdir().unwrap();
    copy(&place.lab.root(), saved.path());
    let before = Tree::of(&place.lab.root());
    // Reading leaves nothing behind, and a mark can be told from all others.
    let is_kept = !matches!(group, Group::Reads | Group::Folders | Group::Here);
    let mut idle = Vec::new();
    let mut missing = 0;
    let tries = group.tries();
    for (at, attempt) in tries.iter().enumerate() {
        if !is_installed(attempt.needs, &place) {
            missing += 1;
            continue;
        }
        // Git writes an index only where a file looks changed.
        bash(&place, "touch clones/*/sub/x.txt README.md src/main.rs");
        let said = bash(&place, &place.fill(&attempt.control, at));
        let changed = match is_kept {
            true => {
                before.changes(&Tree::of(&place.lab.root())).iter().any(|change| is_guarded(&place, change))
            }
            false => remove_marks(&place.lab.root()) > 0,
        };
        let outside = hits_outside(&place);
        if canary(&said).is_none() && !changed && outside.is_empty() {
            idle.push(format!("{}\n      {}\n      {}", attempt.name, attempt.words(), said.trim()));
        }
        if changed && is_kept {
            copy(saved.path(), &place.lab.root());
        }
        for path in outside {
            let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
        }
    }
    println!("{}: {} attempts, {missing} of them for programs that are missing", group.name(), tries.len());
    match idle.is_empty() {
        true => Ok(()),
        false => {
            Err(format!("{} attempts do nothing without Forelook:\n    {}", idle.len(), idle.join("\n    ")))
        }
    }
}

/// Removes what a stranger's programs left in the home and in the folders of the project; how many there were.
fn remove_marks(home: &Path) -> usize {
    let mut removed = 0;
    for folder in [home.to_owned(), home.join("project"), home.join("project/clones/config")] {
        for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
            if entry.file_name().to_string_lossy().starts_with("mark-") {
                std::fs::remove_file(entry.path()).unwrap();
                removed += 1;
            }
        }
    }
    removed
}

fn is_installed(program: &str, place: &Place) -> bool {
    program.is_empty() || place.path.split(':').any(|folder| Path::new(folder).join(program).exists())
}

/// Makes one folder what another one is.
fn copy(from: &Path, to: &Path) {
    let from = format!("{}/", from.display());
    let done = Command::new("rsync").args(["-a", "--delete", &from]).arg(to).status().expect("`rsync`");
    assert!(done.success(), "{from} is copied");
}

/// What a line prints.
pub(crate) fn bash(place: &Place, line: &str) -> String {
    let output = Command::new("timeout")
        .args(["-k", "1", "20", "bash", "-c", line])
        .current_dir(place.lab.project())
        .env_clear()
        .envs([("HOME", place.lab.root()), ("TMPDIR", place.lab.root().join("temp"))])
        .env("PATH", &place.path)
        .stdin(Stdio::null())
        .output()
        .expect("`timeout`");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}
