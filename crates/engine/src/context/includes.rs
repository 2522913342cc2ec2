//! Reads an instruction file and what it includes with `@path`.
//!
//! A repository is a stranger's text, and this stands before the first request: nobody was asked anything yet. So
//! everything is read through [`ProjectFiles`]: an include that leads out of the project, means a secret or a file that a
//! rule denies, or belongs to another user is left out, and a note stands in its place.

use std::collections::HashSet;

use forelook_disk::{FileStart, ProjectFiles, ReadError};
use forelook_protocol::AbsPath;

/// How deep includes may include.
const DEPTH: usize = 5;

/// How much of one file is read. A longer one would push the conversation out of the model's window.
const MAX_FILE: u64 = 64 * 1024;

/// How much of a file with all its includes is read.
const MAX_TOTAL: u64 = 1024 * 1024;

/// How many includes are looked at: a file of names alone must not hold up a start.
const MAX_INCLUDES: usize = 1000;

/// What stands for an include that was not read.
const LEFT_OUT: &str = "(left out by Forelook; the user was told why)";

/// Reads one file with its includes.
pub(super) struct IncludeReader<'a> {
    files: &'a ProjectFiles,
    seen: HashSet<(u64, u64)>,
    /// What may still be read.
    room: u64,
    /// How many includes may still be looked at.
    includes: usize,
    pub(super) problems: Vec<String>,
}

/// Why a file was not read.
enum Unread {
    /// It was read before.
    Seen,
    /// The user should know.
    Told(String),
}

impl<'a> IncludeReader<'a> {
    pub(super) fn new(files: &'a ProjectFiles) -> Self {
        let (room, includes) = (MAX_TOTAL, MAX_INCLUDES);
        Self { files, seen: HashSet::new(), room, includes, problems: Vec::new() }
    }

    /// The text of the file, and after it the texts of what it includes; nothing if it was not read, which is a problem.
    pub(super) fn read(&mut self, path: &AbsPath) -> Option<String> {
        match self.read_at(path, 0) {
            Ok(text) => Some(text),
            Err(Unread::Seen) => None,
            Err(Unread::Told(problem)) => {
                self.problems.push(problem);
                None
            }
        }
    }

    fn read_at(&mut self, path: &AbsPath, depth: usize) -> Result<String, Unread> {
        let mut text = self.contents(path)?;
        let folder = path.parent().unwrap_or_else(|| path.clone());
        for include in include_paths(&text) {
            let target = folder.join(&include);
            if self.includes == 0 || !target.as_path().is_file() {
                continue; // an `@name` that is no file is just a word
            }
            self.includes -= 1;
            if depth >= DEPTH {
                self.problems
                    .push(format!("`@{include}` in `{path}` was not read: includes are nested too deeply"));
                continue;
            }
            let more = match self.read_at(&target, depth + 1) {
                Err(Unread::Seen) => continue,
                Ok(more) => more,
                Err(Unread::Told(problem)) => {
                    self.problems.push(problem);
                    LEFT_OUT.to_owned()
                }
            };
            text.push_str(&format!("\n\n[{include}]\n{}", more.trim_end()));
        }
        Ok(text)
    }

    fn contents(&mut self, path: &AbsPath) -> Result<String, Unread> {
        if self.room == 0 {
            return Err(Unread::Told(format!(
                "`{path}` was not read: with its includes the file is longer than {} KiB",
                MAX_TOTAL / 1024
            )));
        }
        let read = self.files.start(path, MAX_FILE.min(self.room));
        let FileStart { bytes, truncated, identity } =
            read.map_err(|error| Unread::Told(unread(path, &error)))?;
        if !self.seen.insert(identity) {
            return Err(Unread::Seen);
        }
        self.room -= bytes.len() as u64;
        if truncated {
            self.problems
                .push(format!("`{path}` is longer than {} KiB; the rest was left out", MAX_FILE / 1024));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Why a file was not read, with what to do about it.
fn unread(path: &AbsPath, error: &ReadError) -> String {
    let hint = match error {
        ReadError::Owner(_) => {
            "\nIf the folder is that user's and you trust it, start `forelook` there; else remove the file"
        }
        ReadError::Withheld(_) => "\nRemove the `@` before its name if it is not meant for the model",
        _ => "",
    };
    format!("`{path}` was not read: {error}{hint}")
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
