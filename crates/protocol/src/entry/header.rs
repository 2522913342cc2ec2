//! The first entry of a journal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AbsPath, SessionId};

/// The journal format that this version writes.
pub const FORMAT: u32 = 1;

/// The session that a journal belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionHeader {
    /// The format of the lines that follow.
    pub format: u32,
    /// The session.
    pub session: SessionId,
    /// The working directory.
    pub folder: AbsPath,
    /// The version of Forelook that started it.
    pub program: String,
    /// The session that this one was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<SessionId>,
}
