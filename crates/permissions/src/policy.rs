//! The inputs of a decision: the state of the permission system at one moment.

use std::sync::Arc;

use forelook_protocol::{AbsPath, FileRef, Mode, ModeState};

use crate::paths;
use crate::rules::{RuleFilter, RuleSet};
use crate::shell_pattern::ShellPattern;

/// The state of the permission system.
#[derive(Debug, Clone)]
pub struct PermissionPolicy {
    /// Mode and classifier.
    pub mode_state: ModeState,
    /// All rules.
    pub rules: Arc<RuleSet>,
    /// The working directories, with links resolved.
    pub folders: Vec<AbsPath>,
    /// The user's home folder.
    pub user_home: Option<AbsPath>,
    /// Forelook's own files.
    pub own: ProgramFiles,
    /// The kind of agent that calls.
    pub agent: AgentKind,
    /// The calling agent's plan file; `None` before there is one.
    pub plan_file: Option<AbsPath>,
    /// The workspace fence; `None` if the user turned it off.
    pub workspace: Option<WorkspacePolicy>,
}

/// The fence that confines commands to the working directories: in which modes, and how far they may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspacePolicy {
    /// In which modes commands run in it.
    pub modes: WorkspaceModes,
    /// Commands that run outside, after asking.
    pub outside: Vec<ShellPattern>,
    /// Folders that may be written to, in addition to the working directories.
    pub writable: Vec<AbsPath>,
    /// Whether any of the network can be reached.
    pub online: bool,
}

/// The modes in which commands run in the workspace fence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WorkspaceModes {
    /// Only in `acceptEdits`: the settings say nothing.
    #[default]
    AcceptEdits,
    /// In all modes that run commands outside of planning, except `bypassPermissions`: the settings turn the fence on.
    All,
}

impl WorkspaceModes {
    /// Whether the user wants commands of this mode in the fence.
    pub fn includes(self, mode: Mode) -> bool {
        self == WorkspaceModes::All || mode == Mode::AcceptEdits
    }
}

/// Whether a working directory is the home folder or a parent of it. Then the workspace policy is no protection: nearly
/// everything that controls what runs later could be written.
pub fn includes_home(folders: &[AbsPath], home: Option<&AbsPath>) -> bool {
    home.is_some_and(|home| folders.iter().any(|folder| home.is_inside(folder)))
}

/// Where Forelook's own files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramFiles {
    /// Files with keys that the settings name, wherever they are; each as it is named and where it really is.
    pub keys: Vec<AbsPath>,
    /// Its home folder: settings, sessions, trust. Where it really is.
    pub home: AbsPath,
    /// The administrator's settings, their folder.
    pub managed: AbsPath,
    /// Files that hooks and the status line run, and folders that they take code from: each as it is named and where it
    /// really is. These commands run outside of every fence, so who may write such a file could do anything.
    pub runs: Vec<AbsPath>,
    /// Links whose names may be those of secrets, of denied or of protected files, and where they lead, be it to nothing yet.
    /// What holds for the name holds for the file.
    pub links: Vec<FileRef>,
}

/// What in our home folder is nobody else's to read: keys, and what was said in sessions (journals, todos, prompts).
pub(crate) const PRIVATE: [&str; 6] = ["key", "keys.json", "projects", "todos", "history", "logs"];

impl ProgramFiles {
    /// What in its home folder is private, wherever that folder is. A session need not read others, nor its own.
    pub(crate) fn private(&self) -> impl Iterator<Item = AbsPath> {
        PRIVATE.iter().map(|name| self.home.join(name))
    }
}

/// The kind of agent that calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AgentKind {
    /// The main agent.
    #[default]
    Main,
    /// A subagent, with its parent's mode or a narrower one.
    Sub,
    /// A read-only agent, whatever the mode.
    ReadOnly,
}

impl PermissionPolicy {
    /// Which allow rules are in effect now.
    pub(crate) fn rule_filter(&self) -> RuleFilter {
        if self.mode_state.classifier_on() { RuleFilter::ClassifierSafe } else { RuleFilter::All }
    }

    /// The workspace fence, if commands should run in it in this mode.
    pub(crate) fn wanted_workspace(&self) -> Option<&WorkspacePolicy> {
        let at_home = includes_home(&self.folders, self.user_home.as_ref());
        let mode = self.mode_state.mode();
        let applies = !at_home && mode != Mode::BypassPermissions && !self.mode_state.is_planning();
        self.workspace.as_ref().filter(|workspace| applies && workspace.modes.includes(mode))
    }

    /// This path, and those that lead to it by a link.
    pub(crate) fn names_of(&self, path: &AbsPath) -> impl Iterator<Item = AbsPath> {
        let by_link = |link: &FileRef| {
            let rest = path.as_path().strip_prefix(&link.real).ok()?;
            Some(if rest.as_os_str().is_empty() { link.named.clone() } else { link.named.join(rest) })
        };
        [path.clone()].into_iter().chain(self.own.links.iter().filter_map(by_link))
    }

    /// Whether a file is known to hold a secret.
    pub(crate) fn is_secret(&self, path: &AbsPath) -> bool {
        self.names_of(path).any(|name| paths::is_secret(&name, self.user_home.as_ref()))
            || self.own.keys.contains(path)
            || self.own.private().any(|private| path.is_inside(&private))
    }

    /// Whether a file decides what runs later: by its name, by that of a link to it, or because a hook or the status line
    /// runs it.
    pub fn is_protected(&self, path: &AbsPath) -> bool {
        self.names_of(path).any(|name| paths::is_protected(&name, self.user_home.as_ref()))
            || self.own.runs.iter().any(|run| path.is_inside(run))
    }

    /// Whether something in this folder may decide what runs later.
    pub(crate) fn may_hold_protected(&self, folder: &AbsPath) -> bool {
        paths::may_hold_protected(folder, self.user_home.as_ref())
            || self.own.runs.iter().any(|file| file.is_inside(folder))
    }

    /// Whether this path is in a working directory.
    pub(crate) fn is_working(&self, path: &AbsPath) -> bool {
        self.folders.iter().any(|folder| path.is_inside(folder))
    }
}
