//! What may be done in this session: rules from every source, working folders, and the conditions of modes.

use std::path::Path;
use std::sync::Arc;

use forelook_disk::find_link;
use forelook_fences::WorkspaceScope;
use forelook_permissions::{
    AgentKind, ModeConditions, PatternBases, PermissionPolicy, Rule, RuleEntry, RuleSet, WorkspaceModes,
    includes_home,
};
use forelook_protocol::{AbsPath, Behavior, Destination, ModeState, PermissionUpdate, RuleOrigin, RuleValue};

use tokio::sync::watch;

use crate::config::{PermissionConfig, PolicyStore};

/// Who wants something done.
pub(crate) struct PolicySubject {
    pub(crate) mode_state: ModeState,
    pub(crate) kind: AgentKind,
    pub(crate) plan_file: Option<AbsPath>,
}

/// The permissions as they are now.
pub(crate) struct PermissionState {
    config: PermissionConfig,
    project: AbsPath,
    entries: Vec<RuleEntry>,
    rules: Arc<RuleSet>,
    folders: Vec<AbsPath>,
    /// Counts every change, so that an approval can be bound to what it was given under.
    revision: watch::Sender<u64>,
}

impl PermissionState {
    /// The permissions of a session whose journal holds these changes.
    pub(crate) fn new(config: PermissionConfig, project: &AbsPath, updates: &[PermissionUpdate]) -> Self {
        let entries = config.rules.clone();
        let mut folders = vec![project.clone()];
        folders.extend(config.folders.iter().cloned());
        let (rules, revision) = (Arc::default(), watch::Sender::new(0));
        let mut permission_state =
            Self { config, project: project.clone(), entries, rules, folders, revision };
        for update in updates {
            // It was checked before it was written; what a later version cannot read any more adds nothing.
            let _ = permission_state.change(update);
        }
        permission_state.rebuild();
        permission_state
    }

    pub(crate) fn conditions(&self) -> &ModeConditions {
        &self.config.conditions
    }

    /// The settings say something else now; whether it makes a difference.
    pub(crate) fn set_conditions(&mut self, conditions: ModeConditions) -> bool {
        let differs = self.config.conditions != conditions;
        self.config.conditions = conditions;
        differs
    }

    pub(crate) fn policy_store(&self) -> Arc<dyn PolicyStore> {
        Arc::clone(&self.config.policy_store)
    }

    /// The rules in force, with where they stand.
    pub(crate) fn rules(&self) -> Vec<RuleOrigin> {
        self.rules.entries().iter().map(|entry| entry.origin.clone()).collect()
    }

    /// Where the workspace fence holds, for a report.
    pub(crate) fn workspace_scope(&self) -> WorkspaceScope {
        let at_home = includes_home(&self.folders, self.config.user_home.as_ref());
        let modes = match self.config.workspace.as_ref().map(|workspace| workspace.modes) {
            Some(WorkspaceModes::All) => "Other modes",
            Some(WorkspaceModes::AcceptEdits) | None => "Mode `acceptEdits`",
        };
        WorkspaceScope { modes, at_home }
    }

    /// What a decision about this asker is made by.
    pub(crate) fn policy(&self, policy_subject: PolicySubject) -> PermissionPolicy {
        PermissionPolicy {
            mode_state: policy_subject.mode_state,
            rules: Arc::clone(&self.rules),
            folders: self.folders.clone(),
            user_home: self.config.user_home.clone(),
            own: self.config.own.clone(),
            agent: policy_subject.kind,
            plan_file: policy_subject.plan_file,
            workspace: self.config.workspace.clone(),
        }
    }

    /// Whether a change can be made; `Err` says what is wrong with it.
    pub(crate) fn check(&self, update: &PermissionUpdate) -> Result<(), String> {
        match update {
            PermissionUpdate::AddRules { rules, .. } | PermissionUpdate::ReplaceRules { rules, .. } => {
                rules.iter().try_for_each(|rule| match Rule::parse_typed(&rule.to_string()) {
                    Ok(_) => Ok(()),
                    Err(error) => Err(error.to_string()),
                })
            }
            PermissionUpdate::AddDirectories { directories, .. } => {
                directories.iter().try_for_each(|folder| self.new_folder(folder).map(drop))
            }
            PermissionUpdate::RemoveRules { .. }
            | PermissionUpdate::RemoveDirectories { .. }
            | PermissionUpdate::SetMode { .. } => Ok(()),
        }
    }

    /// Makes a change.
    pub(crate) fn apply(&mut self, update: &PermissionUpdate) {
        let _ = self.change(update);
        self.rebuild();
    }

    /// Something that decisions depend on has changed.
    pub(crate) fn bump_revision(&mut self) {
        self.revision.send_modify(|revision| *revision += 1);
    }

    /// How often that was.
    pub(crate) fn revision(&self) -> u64 {
        *self.revision.borrow()
    }

    /// The same, for somebody who waits for the next change.
    pub(crate) fn watch_revision(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    fn rebuild(&mut self) {
        let rules = RuleSet::new(self.entries.clone(), self.config.strictness);
        self.rules = Arc::new(rules.with_network_commands(self.config.network_commands.clone()));
        self.bump_revision();
    }

    fn change(&mut self, update: &PermissionUpdate) -> Result<(), String> {
        match update {
            PermissionUpdate::AddRules { rules, behavior, destination } => {
                self.add(rules, *behavior, *destination)?
            }
            PermissionUpdate::ReplaceRules { rules, behavior, destination } => {
                let same = |entry: &RuleEntry| {
                    entry.origin.behavior == *behavior && entry.origin.source == destination.source()
                };
                self.entries.retain(|entry| !same(entry));
                self.add(rules, *behavior, *destination)?;
            }
            PermissionUpdate::RemoveRules { rules, behavior, destination } => {
                let texts: Vec<String> = rules.iter().map(RuleValue::to_string).collect();
                let named = |entry: &RuleEntry| {
                    entry.origin.behavior == *behavior
                        && entry.origin.source == destination.source()
                        && texts.contains(&entry.rule.text)
                };
                self.entries.retain(|entry| !named(entry));
            }
            PermissionUpdate::AddDirectories { directories, .. } => {
                // What was a folder when it was added may be a link by the time the session is resumed.
                let new = directories.iter().filter_map(|folder| self.new_folder(folder).ok());
                let new = new.collect::<Vec<_>>();
                self.folders.extend(new);
            }
            PermissionUpdate::RemoveDirectories { directories, .. } => {
                let gone: Vec<AbsPath> = directories.iter().map(|folder| self.folder(folder)).collect();
                self.folders.retain(|folder| *folder == self.project || !gone.contains(folder));
            }
            PermissionUpdate::SetMode { .. } => {}
        }
        Ok(())
    }

    fn add(&mut self, rules: &[RuleValue], behavior: Behavior, to: Destination) -> Result<(), String> {
        for value in rules {
            let rule = parse(value)?;
            let origin =
                RuleOrigin { rule: rule.text.clone(), behavior, source: to.source(), file: None, line: None };
            let bases = PatternBases {
                home: self.config.user_home.clone(),
                working: self.project.clone(),
                written: self.project.clone(),
            };
            self.entries.push(RuleEntry { rule, origin, bases });
        }
        Ok(())
    }

    /// A folder to work in. A link in a working folder leads to none: a command may have made it.
    fn new_folder(&self, text: &str) -> Result<AbsPath, String> {
        let name = self.project.join(text);
        let is_in_ours = |link: &Path| self.folders.iter().any(|folder| link.starts_with(folder));
        if let Some(link) = find_link(&name, is_in_ours) {
            return Err(format!(
                "`{name}` leads through `{link}`, a link in a working directory; give the folder's own path"
            ));
        }
        let real = self.folder(text);
        if real.as_path().is_dir() { Ok(real) } else { Err(format!("`{text}` is not a folder")) }
    }

    fn folder(&self, text: &str) -> AbsPath {
        let path = self.project.join(text);
        path.as_path().canonicalize().ok().and_then(|real| AbsPath::new(real).ok()).unwrap_or(path)
    }
}

fn parse(rule: &RuleValue) -> Result<Rule, String> {
    Rule::parse(&rule.to_string()).map_err(|error| error.to_string())
}
