//! Every revision of a plan, in a folder beside it, so that a plan is never lost by overwriting.
//!
//! `{slug}.history/0001.md` is the text itself, and is never written twice. `revisions.jsonl` has a line for each
//! with its time, title and length: the time of the file would not survive a copy of the folder. The line is a
//! convenience: a revision without one has the time of its file.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::time::Duration;

use forelook_disk::{ConfinedDir, DiskError};
use forelook_protocol::{AbsPath, PlanRevision};
use jiff::Timestamp;
use similar::TextDiff;

use crate::store::check;
use crate::{PlanError, PlanStore};

const INDEX: &str = "revisions.jsonl";
/// Far more than anyone writes; beyond it there is something wrong.
pub(crate) const MAX_NUMBER: u32 = 999_999;
/// How often another may be faster before we give up.
const MAX_TRIES: usize = 1000;
/// A title is one line of a list.
const MAX_TITLE: usize = 80;
/// A diff need not be the shortest: after this time a rough one will do.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);

impl PlanStore {
    /// Keeps a revision, and returns its number. A text that is the newest one already is not kept again.
    pub fn save_revision(&self, slug: &str, text: &str, now: Timestamp) -> Result<u32, PlanError> {
        self.save_bytes(slug, text.as_bytes(), now)
    }

    /// Keeps what stands in the plan file now, whoever wrote it, and returns its number; nothing if there is no file.
    /// To be called before something else is written there.
    pub fn save_current(&self, slug: &str, now: Timestamp) -> Result<Option<u32>, PlanError> {
        check(slug)?;
        match self.load_bytes(&self.path_of(slug))? {
            Some(bytes) => self.save_bytes(slug, &bytes, now).map(Some),
            None => Ok(None),
        }
    }

    /// Bytes, since what a person left in the file need not be text, and is not to be lost either.
    fn save_bytes(&self, slug: &str, bytes: &[u8], now: Timestamp) -> Result<u32, PlanError> {
        let root = self.open_history(slug)?;
        for _ in 0..MAX_TRIES {
            let newest = self.revision_numbers(slug)?.last().copied().unwrap_or(0);
            if newest > 0 && self.revision_bytes(&root, slug, newest).is_ok_and(|kept| kept == bytes) {
                return Ok(newest);
            }
            if newest >= MAX_NUMBER {
                break;
            }
            let number = newest + 1;
            let subpath = self.history_subpath(slug).join(file_name(number));
            match root.create_new_beneath(&subpath, bytes, self.permissions()) {
                Ok(()) => {
                    self.append_index(
                        &root,
                        slug,
                        &revision_of(number, now, &String::from_utf8_lossy(bytes)),
                    );
                    return Ok(number);
                }
                // Another was faster: look again, it may even have kept the same text.
                Err(DiskError::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(PlanError::RevisionLimit { slug: slug.to_owned(), folder: self.history_folder(slug) })
    }

    /// All revisions, oldest first.
    pub fn revisions(&self, slug: &str) -> Result<Vec<PlanRevision>, PlanError> {
        let numbers = self.revision_numbers(slug)?;
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let root = self.open_root()?;
        let mut index = self.index(&root, slug);
        let found = numbers.into_iter().filter_map(|number| {
            index.remove(&number).or_else(|| {
                let text = self.revision_bytes(&root, slug, number).ok()?;
                let time = modified(&self.history_folder(slug).join(file_name(number)))?;
                Some(revision_of(number, time, &String::from_utf8_lossy(&text)))
            })
        });
        Ok(found.collect())
    }

    /// The text of a revision. Bytes that were no text are replaced by `�`.
    pub fn revision(&self, slug: &str, number: u32) -> Result<String, PlanError> {
        check(slug)?;
        let missing = |plans: &Self| -> Result<String, PlanError> {
            Err(PlanError::RevisionNotFound {
                slug: slug.to_owned(),
                number,
                existing: plans.revision_numbers(slug)?,
            })
        };
        match self.open_root().and_then(|root| self.revision_bytes(&root, slug, number)) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(PlanError::Disk(DiskError::Missing { .. })) => missing(self),
            Err(error) => Err(error),
        }
    }

    /// Holds the root open, with a folder for the history in it.
    pub(crate) fn open_history(&self, slug: &str) -> Result<ConfinedDir, PlanError> {
        check(slug)?;
        let folder = self.history_subpath(slug);
        let root = match self.open_root() {
            Err(PlanError::Disk(DiskError::Missing { .. })) => {
                self.ensure_folder()?;
                self.open_root()?
            }
            root => root?,
        };
        self.create_folder(&root, &folder)?;
        Ok(root)
    }

    /// The numbers that there are, in order. Other files are not ours to mind.
    fn revision_numbers(&self, slug: &str) -> Result<Vec<u32>, PlanError> {
        check(slug)?;
        let folder = self.history_folder(slug);
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => {
                let path = folder.as_path().to_path_buf();
                return Err(PlanError::Disk(DiskError::Other { doing: "read the folder", path, source }));
            }
        };
        let mut numbers: Vec<u32> = entries
            .filter_map(Result::ok)
            .filter_map(|entry| number_of(entry.file_name().to_str()?))
            .collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn revision_bytes(&self, root: &ConfinedDir, slug: &str, number: u32) -> Result<Vec<u8>, PlanError> {
        self.bytes_at(root, &self.history_subpath(slug).join(file_name(number)))
    }

    /// Adds the line of a revision. The text is safe already, so a failure is only told to the log.
    fn append_index(&self, root: &ConfinedDir, slug: &str, revision: &PlanRevision) {
        let Ok(line) = serde_json::to_string(revision) else { return };
        let subpath = self.history_subpath(slug).join(INDEX);
        if let Err(error) = root.append_beneath(subpath, &line, self.permissions()) {
            tracing::warn!(slug, error = %error, "saved a revision, but not its time");
        }
    }

    /// The lines of revisions, by number; one that cannot be read is passed over.
    fn index(&self, root: &ConfinedDir, slug: &str) -> HashMap<u32, PlanRevision> {
        let bytes = self.bytes_at(root, &self.history_subpath(slug).join(INDEX)).unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n');
        let read = lines.filter_map(|line| serde_json::from_slice::<PlanRevision>(line).ok());
        read.map(|revision| (revision.number, revision)).collect()
    }
}

/// What changed between two texts, as a unified diff; empty if nothing did. Not cut: a reviewer sees all of it.
pub fn diff(old: &str, new: &str) -> String {
    let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(old, new);
    diff.unified_diff().context_radius(3).to_string()
}

/// The title of a plan: its first heading, else its first line; one short line that can be shown as it is.
pub fn title(text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut in_code = false;
    let heading = lines().find_map(|line| {
        in_code ^= line.starts_with("```") || line.starts_with("~~~");
        heading(line).filter(|_| !in_code)
    });
    let line = heading.or_else(|| lines().next()).unwrap_or_default();
    let mut shown: String = line.chars().filter(|char| !char.is_control()).collect();
    if shown.trim().is_empty() {
        return "(empty)".to_owned();
    }
    if shown.chars().count() > MAX_TITLE {
        let cut: String = shown.chars().take(MAX_TITLE - 1).collect();
        shown = format!("{}…", cut.trim_end());
    }
    shown
}

/// The words of a Markdown heading.
fn heading(line: &str) -> Option<&str> {
    let words = line.trim_start_matches('#');
    let is_heading = (1..=6).contains(&(line.len() - words.len())) && words.starts_with([' ', '\t']);
    let words = words.trim().trim_end_matches('#').trim_end();
    (is_heading && !words.is_empty()).then_some(words)
}

fn revision_of(number: u32, time: Timestamp, text: &str) -> PlanRevision {
    PlanRevision { number, time, title: title(text), lines: text.lines().count() }
}

/// When a file was last changed.
pub(crate) fn modified(path: &AbsPath) -> Option<Timestamp> {
    let time = std::fs::symlink_metadata(path).and_then(|found| found.modified()).ok()?;
    Timestamp::try_from(time).ok()
}

fn file_name(number: u32) -> String {
    format!("{number:04}.md")
}

fn number_of(name: &str) -> Option<u32> {
    let number = name.strip_suffix(".md")?.parse().ok()?;
    // Only as we write it: `1.md` is another file than `0001.md`.
    ((1..=MAX_NUMBER).contains(&number) && file_name(number) == name).then_some(number)
}

#[cfg(test)]
mod tests;
