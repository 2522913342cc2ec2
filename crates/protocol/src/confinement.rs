//! What the kernel holds a child process to, and what it can hold at all.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a child process is held to by the kernel, whatever its text says.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Confinement {
    /// Nothing: it may do what the person may.
    #[default]
    Off,
    /// It changes nothing but scratch folders of its own, and reaches no network.
    ReadOnly,
    /// It changes nothing but scratch folders of its own; the network is the person's.
    ReadOnlyOnline,
    /// It changes the working folders and no other; the network as the settings say.
    Workspace,
    /// What it changes in the working folders goes to a layer over them that is thrown away; no network.
    Rehearsal,
}

impl Confinement {
    /// Every one.
    pub const ALL: [Confinement; 5] = [
        Confinement::Off,
        Confinement::ReadOnly,
        Confinement::ReadOnlyOnline,
        Confinement::Workspace,
        Confinement::Rehearsal,
    ];

    /// Whether it is the machine as it is.
    pub fn is_off(&self) -> bool {
        *self == Confinement::Off
    }

    /// Whether nothing at all is changed: not even on a layer.
    pub fn is_read_only(&self) -> bool {
        match self {
            Confinement::ReadOnly | Confinement::ReadOnlyOnline => true,
            Confinement::Off | Confinement::Workspace | Confinement::Rehearsal => false,
        }
    }

    /// Whether what is held to this could change anything but scratch and a layer.
    pub fn can_change(&self) -> bool {
        match self {
            Confinement::Off | Confinement::Workspace => true,
            Confinement::ReadOnly | Confinement::ReadOnlyOnline | Confinement::Rehearsal => false,
        }
    }
}

/// What this machine can hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Holds {
    /// [`Confinement::ReadOnly`] and [`Confinement::ReadOnlyOnline`].
    pub read_only: bool,
    /// [`Confinement::Rehearsal`].
    pub rehearsal: bool,
    /// [`Confinement::Workspace`], whether or not it is wanted.
    pub workspace: bool,
}

/// What holds on this machine, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FenceReport {
    /// Whether the kernel holds what runs while planning.
    pub holds: bool,
    /// Layer by layer, a line each: what is in force, or why it is not.
    pub layers: Vec<String>,
    /// What is confined in this session, and how.
    pub policies: Vec<String>,
}

/// A command that runs beside the conversation since before planning began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunningShell {
    /// Such as `shell_1`; nothing for a call that is still under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its command, shortened to a line.
    pub command: String,
}
