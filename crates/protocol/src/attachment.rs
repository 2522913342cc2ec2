//! Files that a prompt names with `@`, and what became of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AbsPath, FileVersion, ResultBlock};

/// What a prompt names with `@`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mentions {
    /// What follows each `@`, as typed: `src/main.rs`, `src/main.rs:10-40`, `../notes.md`, `docs/`.
    pub paths: Vec<String>,
    /// Whether the user typed them just now. If not, as in a prompt on the command line, only what a Read could read
    /// without asking is attached.
    #[serde(default)]
    pub typed: bool,
}

impl Mentions {
    /// What the user typed just now.
    pub fn typed(paths: Vec<String>) -> Self {
        Self { typed: !paths.is_empty(), paths }
    }

    /// What a prompt names that nobody typed just now.
    pub fn given(paths: Vec<String>) -> Self {
        Self { typed: false, paths }
    }

    /// Whether nothing is named.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }
}

/// Files were read for the model without a call: those that a prompt named, or those that a summary made it lose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FilesAttached {
    /// The files, in the order of the prompt.
    pub files: Vec<AttachedFile>,
    /// Why they were read.
    #[serde(default, skip_serializing_if = "AttachReason::is_prompt")]
    pub reason: AttachReason,
}

/// Why files were read for the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttachReason {
    /// The last prompt names them.
    #[default]
    Prompt,
    /// The model read them last before its conversation was replaced by a summary.
    Compaction,
}

impl AttachReason {
    /// Whether a prompt names them.
    pub fn is_prompt(&self) -> bool {
        *self == AttachReason::Prompt
    }
}

/// A file or folder that a prompt named.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttachedFile {
    /// What it was named, with the lines if only some were wanted: `src/main.rs:10-40`.
    pub named: String,
    /// What became of it.
    pub outcome: AttachOutcome,
}

/// What became of a file that a prompt named.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AttachOutcome {
    /// The model gets its content.
    Attached {
        /// Where it is.
        path: AbsPath,
        /// The content, as Read returns it; of a folder, what is in it.
        content: Vec<ResultBlock>,
        /// The version of the file that the model has seen; absent for a folder.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seen: Option<FileVersion>,
    },
    /// It was not read.
    Refused {
        /// The reason.
        why: String,
    },
    /// There is no such file. The model is not told: not every `@` names one.
    Missing,
}
