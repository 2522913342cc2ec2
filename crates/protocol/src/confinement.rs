//! How the kernel confines child processes, and what this machine supports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the kernel confines a child process, whatever its command says.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Confinement {
    /// Not confined: it can do what the user can.
    #[default]
    Off,
    /// Not confined, except that it cannot see the contents of files and folders that a rule denies reading.
    Masked,
    /// It can change only its own scratch folders and has no network.
    ReadOnly,
    /// It can change only its own scratch folders and has the user's network.
    ReadOnlyOnline,
    /// As `ReadOnly`, for a command that is known to only read: it sees the machine's temporary folders as they are.
    Inspect,
    /// As `Inspect`, for a command that names a secret and that the user approved: it sees secrets.
    InspectSecrets,
    /// It can change only the working directories; the settings decide about the network.
    Workspace,
    /// Its changes to the working directories go to an overlay that is discarded; no network.
    Rehearsal,
}

impl Confinement {
    /// All of them.
    pub const ALL: [Confinement; 8] = [
        Confinement::Off,
        Confinement::Masked,
        Confinement::ReadOnly,
        Confinement::ReadOnlyOnline,
        Confinement::Inspect,
        Confinement::InspectSecrets,
        Confinement::Workspace,
        Confinement::Rehearsal,
    ];

    /// Whether the process is not confined at all.
    pub fn is_off(&self) -> bool {
        *self == Confinement::Off
    }

    /// Whether the process can do what the user can, apart from reading files that a rule denies.
    pub fn is_unconfined(&self) -> bool {
        match self {
            Confinement::Off | Confinement::Masked => true,
            Confinement::ReadOnly
            | Confinement::ReadOnlyOnline
            | Confinement::Inspect
            | Confinement::InspectSecrets
            | Confinement::Workspace
            | Confinement::Rehearsal => false,
        }
    }

    /// Whether the process can change nothing but its scratch folders, not even on a layer.
    pub fn is_read_only(&self) -> bool {
        match self {
            Confinement::ReadOnly
            | Confinement::ReadOnlyOnline
            | Confinement::Inspect
            | Confinement::InspectSecrets => true,
            Confinement::Off | Confinement::Masked | Confinement::Workspace | Confinement::Rehearsal => false,
        }
    }

    /// Whether the process can change anything besides scratch folders and a layer.
    pub fn can_change(&self) -> bool {
        match self {
            Confinement::Off | Confinement::Masked | Confinement::Workspace => true,
            Confinement::ReadOnly
            | Confinement::ReadOnlyOnline
            | Confinement::Inspect
            | Confinement::InspectSecrets
            | Confinement::Rehearsal => false,
        }
    }
}

/// The kinds of confinement that this machine supports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SandboxSupport {
    /// [`Confinement::Masked`].
    pub masked: bool,
    /// [`Confinement::ReadOnly`], [`Confinement::ReadOnlyOnline`], [`Confinement::Inspect`] and
    /// [`Confinement::InspectSecrets`].
    pub read_only: bool,
    /// [`Confinement::Rehearsal`].
    pub rehearsal: bool,
    /// [`Confinement::Workspace`], whether or not the settings ask for it.
    pub workspace: bool,
}

/// What this machine enforces, for people to read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FenceReport {
    /// Whether the kernel confines commands in plan mode.
    pub enforced: bool,
    /// One line per layer: whether it is active, or why not.
    pub layers: Vec<String>,
    /// What is confined in this session, and how.
    pub policies: Vec<String>,
}

/// A background command that was already running when plan mode started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunningShell {
    /// Such as `shell_1`; absent for a call that is still running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its command, shortened to one line.
    pub command: String,
}
