//! Changes to the permission mode and to the permissions of the session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ModeState, PermissionUpdate};

/// The mode changed. This is the complete new state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModeChanged {
    /// The new state.
    pub mode_state: ModeState,
    /// The reason, if the user did not ask for the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The permissions of this session changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionsChanged {
    /// The change.
    pub update: PermissionUpdate,
}
