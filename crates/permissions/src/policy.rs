//! What decides: the state of the permission system at one moment.

use std::sync::Arc;

use forelook_protocol::{AbsPath, Holds, Standing};

use crate::paths;
use crate::plan_gate::only_looks;
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

/// Whether the home folder is worked in, or one above it. Then the workspace policy is no fence: nearly everything that decides
/// what runs later could be written.
pub fn works_at_home(folders: &[AbsPath], home: Option<&AbsPath>) -> bool {
    home.is_some_and(|home| folders.iter().any(|folder| home.is_inside(folder)))
}

/// Where the program's own files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnFiles {
    /// Files with keys that the settings name, wherever they are; each as it is named and where it really is.
    pub keys: Vec<AbsPath>,
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

    /// The same with what the kernel holds for whoever asks, as far as it is wanted. Finding out takes a moment, so `holds` is
    /// asked only where something comes of it.
    pub fn held(mut self, wanted: Option<&Workspace>, holds: impl FnOnce() -> Holds) -> Self {
        if !only_looks(&self) && wanted.is_none() {
            self.kernel = Kernel::default();
            return self;
        }
        let Holds { read_only, rehearsal, workspace } = holds();
        let at_home = works_at_home(&self.folders, self.user_home.as_ref());
        let workspace = wanted.filter(|_| workspace && !at_home).cloned();
        self.kernel = Kernel { read_only, rehearsal, workspace };
        self
    }

    /// Whether a file is known to hold a secret.
    pub(crate) fn is_secret(&self, path: &AbsPath) -> bool {
        paths::is_secret(path, self.user_home.as_ref()) || self.own.keys.contains(path)
    }

    /// Whether this path lies in a working folder.
    pub(crate) fn is_working(&self, path: &AbsPath) -> bool {
        self.folders.iter().any(|folder| path.is_inside(folder))
    }
}
