//! What a session changed: the first state of each file, and how it differs now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AbsPath, RehearsedFile};

/// A tool is about to change this file for the first time in the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileBefore {
    /// The file, with all links resolved.
    pub path: AbsPath,
    /// What it was.
    pub content: ContentBefore,
}

/// What a file was before the session changed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentBefore {
    /// There was no file.
    Missing,
    /// It had this text.
    Text {
        /// The text.
        text: String,
    },
    /// It was too long to keep, or could not be read as text.
    NotKept,
}

/// What the session changed. [`crate::Query::Changes`] returns it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionChanges {
    /// The files that tools changed and that differ from what they were, sorted by path.
    pub files: Vec<RehearsedFile>,
    /// The changes to each of them as a unified diff, in the same order.
    pub diffs: Vec<String>,
    /// Files that were changed and whose first state is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<AbsPath>,
    /// Whether commands ran that may have changed more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub commands_ran: bool,
}
