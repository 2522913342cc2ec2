//! All plans: what each is for, what became of it, and finding one by its name.

use std::ffi::OsStr;
use std::path::Path;

use forelook_disk::{ConfinedDir, DiskError, read_bounded, resolve};
use forelook_protocol::{AbsPath, PlanState, PlanSummary, SessionId, nearest_few};
use serde::{Deserialize, Serialize};

use crate::history::{modified, title};
use crate::location::Owner;
use crate::slug::is_generated;
use crate::store::{MAX_BYTES, check};
use crate::{PlanError, PlanStore, is_slug};

/// In the folder of a plan's history.
const METADATA_FILE: &str = "metadata.json";
/// Names that are suggested for one that is not there.
const SUGGESTED: usize = 3;

/// What a plan's text does not say about it. Title and age are not here: the file has them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanMetadata {
    /// The project it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<AbsPath>,
    /// The session that it was written in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// What became of it.
    pub state: PlanState,
}

/// What a name on the command line stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanMatch {
    /// A plan of ours.
    Plan(PlanSummary),
    /// Any other file.
    File(AbsPath),
}

impl PlanMatch {
    /// The file.
    pub fn path(&self) -> &AbsPath {
        match self {
            PlanMatch::Plan(plan) => &plan.path,
            PlanMatch::File(path) => path,
        }
    }
}

impl PlanStore {
    /// Writes down what a plan is for, and what became of it.
    pub fn write_metadata(&self, slug: &str, metadata: &PlanMetadata) -> Result<(), PlanError> {
        let root = self.open_history(slug)?;
        let text = serde_json::to_string_pretty(metadata).unwrap_or_default() + "\n";
        self.replace(&root, &self.history_subpath(slug).join(METADATA_FILE), &text)
    }

    /// Writes down what became of a plan; the rest stays.
    pub fn set_state(&self, slug: &str, state: PlanState) -> Result<(), PlanError> {
        check(slug)?;
        let metadata = self.metadata(slug);
        match metadata.state == state {
            true => Ok(()),
            false => self.write_metadata(slug, &PlanMetadata { state, ..metadata }),
        }
    }

    /// What is known about a plan. A description that cannot be read is logged, and counts as none: a draft.
    pub fn metadata(&self, slug: &str) -> PlanMetadata {
        self.open_root().map(|root| self.metadata_at(&root, slug)).unwrap_or_default()
    }

    fn metadata_at(&self, root: &ConfinedDir, slug: &str) -> PlanMetadata {
        let read = self.bytes_at(root, &self.history_subpath(slug).join(METADATA_FILE));
        let why = match read.map(|bytes| serde_json::from_slice(&bytes)) {
            Ok(Ok(metadata)) => return metadata,
            Err(PlanError::Disk(DiskError::Missing { .. })) => return PlanMetadata::default(),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        tracing::warn!(slug, error = %why, "cannot read what is known about a plan");
        PlanMetadata::default()
    }

    /// All plans, newest first. Agents' own plans are not among them, nor other files that happen to lie there.
    pub fn list(&self) -> Vec<PlanSummary> {
        let (Ok(entries), Ok(root)) = (std::fs::read_dir(self.folder()), self.open_root()) else {
            return Vec::new();
        };
        let mut plans: Vec<PlanSummary> = entries
            .filter_map(Result::ok)
            .filter_map(|entry| self.slug_of(&entry.file_name()))
            .filter(|slug| self.is_ours(slug))
            .filter_map(|slug| self.summary(&root, slug))
            .collect();
        plans.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.slug.cmp(&b.slug)));
        plans
    }

    /// Finds a plan by its name, by the beginning of its name if no other begins so, or by the path of a file, which
    /// may lie anywhere; a relative path begins at `folder`.
    pub fn find(&self, name: &str, folder: &AbsPath) -> Result<PlanMatch, PlanError> {
        let name = name.trim();
        if let Some(plan) = is_slug(name).then(|| self.summary_of(name)).flatten() {
            return Ok(PlanMatch::Plan(plan));
        }
        if let Some(found) = self.find_file(&folder.as_path().join(name)) {
            return Ok(found);
        }
        let begin = name.strip_suffix(".md").unwrap_or(name);
        let mut plans = self.list();
        if let Some(at) = plans.iter().position(|plan| plan.slug == begin) {
            return Ok(PlanMatch::Plan(plans.swap_remove(at)));
        }
        let suggestions = suggestions(begin, &plans);
        let mut found = if begin.is_empty() { Vec::new() } else { plans };
        found.retain(|plan| plan.slug.starts_with(begin));
        match (found.pop(), found.is_empty()) {
            (Some(plan), true) => Ok(PlanMatch::Plan(plan)),
            (Some(last), false) => {
                let found = found.into_iter().chain([last]).map(|plan| plan.slug).collect();
                Err(PlanError::Ambiguous { name: name.to_owned(), found })
            }
            (None, _) => {
                Err(PlanError::NotFound { name: name.to_owned(), suggestions, folder: self.folder().clone() })
            }
        }
    }

    /// The text of what was found. Unlike [`PlanStore::read`] it tells why there is none.
    pub fn text_of(&self, found: &PlanMatch) -> Result<String, PlanError> {
        match found {
            PlanMatch::Plan(plan) => self.load(&plan.path)?.ok_or_else(|| {
                PlanError::Disk(DiskError::Missing { path: plan.path.as_path().to_path_buf() })
            }),
            // Named by the person, so links are the person's own.
            PlanMatch::File(path) => read_bounded(path, MAX_BYTES)
                .map_err(|error| {
                    let source = error.into();
                    let path = path.as_path().to_path_buf();
                    PlanError::Disk(DiskError::Other { doing: "read", path, source })
                })
                .and_then(|bytes| {
                    String::from_utf8(bytes).map_err(|_| PlanError::NotText { path: path.clone() })
                }),
        }
    }

    fn find_file(&self, path: &Path) -> Option<PlanMatch> {
        let real = resolve(path).ok()?;
        if real.parent().as_ref() == Some(self.folder())
            && let Some(slug) = self.slug_of(real.as_path().file_name()?)
            && let Some(plan) = self.summary_of(&slug)
        {
            return Some(PlanMatch::Plan(plan));
        }
        real.as_path().is_file().then_some(PlanMatch::File(real))
    }

    fn slug_of(&self, name: &OsStr) -> Option<String> {
        name.to_str()?.strip_suffix(".md").filter(|slug| is_slug(slug)).map(str::to_owned)
    }

    /// Whether a Markdown file is a plan: in a project, `readme.md` may lie beside one.
    fn is_ours(&self, slug: &str) -> bool {
        self.owner() == Owner::Program || is_generated(slug) || self.history_folder(slug).as_path().is_dir()
    }

    fn summary_of(&self, slug: &str) -> Option<PlanSummary> {
        self.summary(&self.open_root().ok()?, slug.to_owned())
    }

    fn summary(&self, root: &ConfinedDir, slug: String) -> Option<PlanSummary> {
        let path = self.path_of(&slug);
        // Something else in its place (a folder, a link, a pipe) is there all the same, if there was a plan.
        if !self.exists(&path) && !self.history_folder(&slug).as_path().is_dir() {
            return None;
        }
        let time = modified(&path)?;
        let bytes = self.bytes_at(root, &self.subpath(format!("{slug}.md")));
        let text = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let title = text.map_or_else(|| "(unreadable)".to_owned(), |text| title(&text));
        let PlanMetadata { project, state, .. } = self.metadata_at(root, &slug);
        Some(PlanSummary { slug, path, title, project, time, state })
    }
}

/// The names most like this one.
fn suggestions(name: &str, plans: &[PlanSummary]) -> Vec<String> {
    let names = plans.iter().map(|plan| plan.slug.as_str());
    nearest_few(name, names, SUGGESTED).into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
