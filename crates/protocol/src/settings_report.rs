//! The settings of a session and the trust of its folder, as front ends show them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AbsPath, Source};

/// A value of a setting, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingInfo {
    /// The key, such as `model.main`.
    pub key: String,
    /// The value, in words.
    pub value: String,
    /// Where it comes from.
    pub origin: SettingOrigin,
    /// Whether it is in effect. A value that another source overrides is not.
    pub counts: bool,
}

/// Where a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SettingOrigin {
    /// Nobody set it.
    Default,
    /// A settings file, or the text of `--settings`.
    Settings {
        /// Whose.
        source: Source,
        /// The file; absent for text on the command line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<AbsPath>,
        /// The line.
        line: usize,
    },
    /// An environment variable.
    Variable {
        /// Its name.
        name: String,
    },
    /// A flag on the command line.
    Flag {
        /// Its name.
        name: String,
    },
    /// Forelook looked for it: a key in the environment, a local server.
    Found,
}

/// What the user trusts in the folder of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrustReport {
    /// The folder.
    pub folder: AbsPath,
    /// Whether it is trusted.
    pub state: FolderTrust,
    /// What in it has power if the folder is trusted, in words. What the user saved there is theirs, and not listed.
    pub contents: Vec<String>,
}

/// Whether a folder is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FolderTrust {
    /// There is nothing that needs trust.
    NotNeeded,
    /// The user has not said so: what is listed has no effect.
    NotYet,
    /// The user said so.
    Trusted,
    /// The user trusted it, and it changed since: what is listed has no effect.
    Changed {
        /// The differences, in words.
        differences: Vec<String>,
    },
    /// Nobody can trust it as it is.
    Impossible {
        /// The reasons, in words.
        reasons: Vec<String>,
    },
}

impl TrustReport {
    /// Whether what is listed waits for the user's trust.
    pub fn waits(&self) -> bool {
        match self.state {
            FolderTrust::NotNeeded | FolderTrust::Trusted => false,
            FolderTrust::NotYet | FolderTrust::Changed { .. } | FolderTrust::Impossible { .. } => true,
        }
    }
}
