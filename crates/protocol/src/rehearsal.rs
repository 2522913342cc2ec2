//! What was tried on a layer over the working folders, and would change if it were done.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::AbsPath;

/// What the layer of a planning session holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rehearsal {
    /// Files that would change, by path.
    pub files: Vec<RehearsedFile>,
    /// Files that git ignores (what builds leave behind): they are counted, neither shown nor applied.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ignored: usize,
    /// All changes as one unified diff, of text; what is no text or too long is named in it.
    pub diff: String,
    /// SHA-256, in hex, of the files as they are and as they would be. Applying must repeat it.
    pub hash: String,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A file that would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RehearsedFile {
    /// Where it is, or would be.
    pub path: AbsPath,
    /// How it would change.
    pub change: FileChange,
    /// Lines that would be added.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub added: usize,
    /// Lines that would go.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub removed: usize,
}

/// How a file would change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// It is new.
    Added,
    /// Its contents, or who may run it, are others.
    Changed,
    /// It is gone.
    Removed,
}

/// What came of applying a rehearsal after the plan was approved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RehearsalApplied {
    /// The hash of what was shown and approved.
    pub hash: String,
    /// Files that are now as they were rehearsed.
    pub files: Vec<AbsPath>,
    /// Files that are not, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<(AbsPath, String)>,
}
