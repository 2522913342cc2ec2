//! Rehearsals: changes tried out on a layer over the working directories, and what they would change for real.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::AbsPath;

/// The contents of a planning session's overlay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rehearsal {
    /// The files that would change, sorted by path.
    pub files: Vec<RehearsedFile>,
    /// The number of changed files that git ignores, such as build output. They are neither shown nor applied.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ignored: usize,
    /// All changes to text files as one unified diff. Files that are not text or too long are only named in it.
    pub diff: String,
    /// SHA-256, in hex, of the files before and after the change. An approval must repeat it to apply the changes.
    pub hash: String,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A file that would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RehearsedFile {
    /// Its path, even if it does not exist yet.
    pub path: AbsPath,
    /// How it would change.
    pub change: FileChange,
    /// The number of added lines.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub added: usize,
    /// The number of removed lines.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub removed: usize,
    /// Whether it decides what runs later, such as a CI workflow or a git hook. Such files are applied only by a yes of their
    /// own ([`Approval::apply_protected`](crate::Approval::apply_protected)).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub protected: bool,
}

/// How a file would change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// It would be created.
    Added,
    /// Its contents or its executable permission would change.
    Changed,
    /// It would be deleted.
    Removed,
}

/// The result of applying a rehearsal after the plan was approved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RehearsalApplied {
    /// The hash of the rehearsal that was shown and approved.
    pub hash: String,
    /// The files that were changed as rehearsed.
    pub files: Vec<AbsPath>,
    /// The files that were not changed, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<(AbsPath, String)>,
}
