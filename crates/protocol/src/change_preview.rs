//! What a call would change in a file, worked out before anybody is asked about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::AbsPath;

/// What a call would change in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangePreview {
    /// The file, with all links resolved.
    pub path: AbsPath,
    /// Whether the file does not exist yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub creates: bool,
    /// The change as a unified diff without a header; empty if no line changes. For a notebook, the change of the cell.
    pub diff: String,
    /// Whether the diff is only the beginning of the change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}
