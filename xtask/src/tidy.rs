//! The house rules, as tests. Each rule gives a list of sentences; an empty list is a kept rule.

mod code;
mod commits;
mod cycles;
mod map;
mod modeless;
mod pages;
mod paths;
mod planning;
mod pure;
mod reads;
mod sources;
mod unused;

use std::path::PathBuf;
use std::process::Command;

use crate::docs;
use crate::run::{XtaskResult, output, root};

/// A rule: what it is called, and what breaks it.
type Rule = (&'static str, fn(&[TextFile]) -> XtaskResult<Vec<String>>);

const RULES: &[Rule] = &[
    ("every source file starts with a description", |files| Ok(sources::without_module_docs(files))),
    ("no test is disabled", |files| Ok(sources::ignored_tests(files))),
    ("`unsafe` appears only in the sandbox", |files| Ok(sources::unsafe_outside_sandbox(files))),
    ("no snapshot is pending", |files| Ok(sources::undecided_snapshots(files))),
    ("no public function is unused", |files| Ok(unused::check(files))),
    ("the crate table is correct", map::check),
    ("front ends have few dependencies, and chains are short", |files| Ok(map::shape(files))),
    ("pure crates are pure", pure::check),
    ("files are read through `disk`", |files| Ok(reads::check(files))),
    ("tools see no mode", |files| Ok(modeless::check(files))),
    ("modules import each other without a cycle", |files| Ok(cycles::check(files))),
    ("few files mention plan mode", |files| Ok(planning::check(files))),
    ("paths in the documentation exist", |files| {
        Ok(pages::dead_paths(files, |path| root().join(path).exists()))
    }),
    ("no machine-specific paths, no foreign registry", |files| Ok(paths::check(files))),
    ("commit subjects are short and imperative", |_| commits::check()),
    ("generated pages are up to date", |_| docs::stale()),
];

/// A text file of the repository.
pub(crate) struct TextFile {
    /// Its path from the root, with `/`.
    pub(crate) path: String,
    /// What it holds.
    pub(crate) text: String,
}

/// Checks every rule and tells of all that are broken.
pub(crate) fn tidy() -> XtaskResult {
    let files = text_files()?;
    let mut broken = Vec::new();
    for (name, rule) in RULES {
        let found = rule(&files)?;
        println!("{} {name}", if found.is_empty() { "ok     " } else { "BROKEN " });
        broken.extend(found);
    }
    if broken.is_empty() {
        return Ok(());
    }
    Err(format!("House rules are broken in {} places:\n  {}", broken.len(), broken.join("\n  ")))
}

/// Every file that git knows or would take up, if it is text.
fn text_files() -> XtaskResult<Vec<TextFile>> {
    let mut list = Command::new("git");
    list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root());
    let mut paths: Vec<String> =
        output(&mut list)?.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    // Ignored by git, but a forgotten one means an undecided test.
    paths.extend(pending_snapshots());
    paths.sort();
    paths.dedup();
    // What cannot be read as text (a picture, a file just removed) has no lines to judge.
    let file =
        |path: String| Some(TextFile { text: std::fs::read_to_string(root().join(&path)).ok()?, path });
    Ok(paths.into_iter().filter_map(file).collect())
}

fn pending_snapshots() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from("crates"), PathBuf::from("xtask")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(root().join(&folder)) else { continue };
        for entry in entries.flatten() {
            let path = folder.join(entry.file_name());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if sources::is_undecided(&path.to_string_lossy()) {
                found.push(path.to_string_lossy().into_owned());
            }
        }
    }
    found
}

/// For tests of rules: files from pairs of path and text.
#[cfg(test)]
pub(crate) fn files(pairs: &[(&str, &str)]) -> Vec<TextFile> {
    pairs.iter().map(|(path, text)| TextFile { path: (*path).into(), text: (*text).into() }).collect()
}
