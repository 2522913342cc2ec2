//! Reads an instruction file and what it includes with `@path`.
//!
//! A repository is a stranger's text: an include that leads out of the project, by `..` or through a link, is
//! refused, or a cloned project could have the person's keys read to a model.

use std::collections::HashSet;
use std::path::PathBuf;

use forelook_disk::{FileStart, read_real_start};
use forelook_protocol::AbsPath;

/// How deep includes may include.
const DEPTH: usize = 5;

/// How much of one file is read. A longer one would push the conversation out of the model's window.
const MAX_FILE: u64 = 64 * 1024;

/// How much of a file with all its includes is read.
const MAX_TOTAL: u64 = 1024 * 1024;

/// Reads one file with its includes.
pub(super) struct IncludeReader<'a> {
    root: &'a AbsPath,
    seen: HashSet<PathBuf>,
    /// What may still be read.
    room: u64,
    pub(super) problems: Vec<String>,
}

impl<'a> IncludeReader<'a> {
    pub(super) fn new(root: &'a AbsPath) -> Self {
        Self { root, seen: HashSet::new(), room: MAX_TOTAL, problems: Vec::new() }
    }

    /// The text of the file, and after it the texts of what it includes.
    pub(super) fn read(&mut self, path: &AbsPath) -> Result<String, String> {
        self.read_at(path, 0)
    }

    fn read_at(&mut self, path: &AbsPath, depth: usize) -> Result<String, String> {
        let unread = |error: std::io::Error| format!("`{path}` was not read: {error}");
        let real = path.as_path().canonicalize().map_err(unread)?;
        let root = self.root.as_path().canonicalize().unwrap_or_else(|_| self.root.as_path().to_path_buf());
        if !real.starts_with(&root) {
            return Err(format!("`{path}` was not read: it is outside `{}`", self.root));
        }
        if !self.seen.insert(real.clone()) {
            return Ok(String::new());
        }
        let real = AbsPath::new(&real).map_err(|error| unread(std::io::Error::other(error)))?;
        let mut text = self.contents(&real, path)?;
        let folder = path.parent().unwrap_or_else(|| path.clone());
        for include in include_paths(&text) {
            if depth >= DEPTH {
                self.problems
                    .push(format!("`@{include}` in `{path}` was not read: includes are nested too deeply"));
                continue;
            }
            let target = folder.join(&include);
            if !target.as_path().is_file() {
                continue; // an `@name` that is no file is just a word
            }
            match self.read_at(&target, depth + 1) {
                Ok(more) if more.is_empty() => {}
                Ok(more) => text.push_str(&format!("\n\n[{include}]\n{}", more.trim_end())),
                Err(problem) => self.problems.push(problem),
            }
        }
        Ok(text)
    }

    fn contents(&mut self, real: &AbsPath, shown: &AbsPath) -> Result<String, String> {
        if self.room == 0 {
            return Err(format!(
                "`{shown}` was not read: with its includes the file is longer than {} KiB",
                MAX_TOTAL / 1024
            ));
        }
        let read = read_real_start(real, MAX_FILE.min(self.room));
        let FileStart { bytes, truncated, .. } =
            read.map_err(|error| format!("`{shown}` was not read: {error}"))?;
        self.room -= bytes.len() as u64;
        if truncated {
            self.problems
                .push(format!("`{shown}` is longer than {} KiB; the rest was left out", MAX_FILE / 1024));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Every `@path` that stands in running text: after white space or at the start of a line, not in code.
fn include_paths(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced {
            let prose = line.split('`').step_by(2);
            let words = prose.flat_map(str::split_whitespace).filter_map(|word| word.strip_prefix('@'));
            found.extend(words.map(|word| word.trim_end_matches([',', '.', ';', ':', ')']).to_owned()));
        }
    }
    found.retain(|path| !path.is_empty());
    found
}
