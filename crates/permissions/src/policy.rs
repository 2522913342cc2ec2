//! What decides: the state of the permission system at one moment.

use std::sync::Arc;

use forelook_protocol::{AbsPath, Standing};

use crate::rules::{Counting, RuleSet};
use crate::shell_pattern::ShellPattern;

/// The state of the permission system.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Mode and classifier.
    pub standing: Standing,
    /// All rules.
    pub rules: Arc<RuleSet>,
    /// The working folders, links resolved.
    pub folders: Vec<AbsPath>,
    /// The person's home folder.
    pub user_home: Option<AbsPath>,
    /// The program's own files.
    pub own: OwnFiles,
    /// Who asks.
    pub agent: AgentKind,
    /// The plan file of whoever asks; nothing before there is one.
    pub plan_file: Option<AbsPath>,
    /// What the kernel can hold.
    pub kernel: Kernel,
}

/// What the kernel can hold on this machine, as far as it is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kernel {
    /// What runs while planning can be kept from changing anything.
    pub read_only: bool,
    /// Changes can be kept apart on a layer.
    pub rehearsal: bool,
    /// What runs in other modes is kept to the working folders, because the person wants it and it can be done.
    pub workspace: Option<Workspace>,
}

/// How far what runs in other modes may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Workspace {
    /// Commands that run outside, after asking.
    pub outside: Vec<ShellPattern>,
    /// Folders that may be written to beside the working folders.
    pub writable: Vec<AbsPath>,
    /// Whether any of the network can be reached.
    pub online: bool,
}

/// Where the program's own files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnFiles {
    /// Its home folder: settings, sessions, trust.
    pub home: AbsPath,
    /// The administrator's settings, their folder.
    pub managed: AbsPath,
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AgentKind {
    /// The main agent.
    #[default]
    Main,
    /// A subagent, with its parent's mode or a narrower one.
    Sub,
    /// An agent that only reads, whatever the mode.
    ReadOnly,
}

impl Policy {
    /// Which allow rules count now.
    pub(crate) fn counting(&self) -> Counting {
        if self.standing.classifier_on() { Counting::Undangerous } else { Counting::All }
    }

    /// Whether this path lies in a working folder.
    pub(crate) fn is_working(&self, path: &AbsPath) -> bool {
        self.folders.iter().any(|folder| path.is_inside(folder))
    }
}
