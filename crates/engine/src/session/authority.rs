//! What may be done in this session: rules from every source, working folders, and the conditions of modes.

use std::sync::Arc;

use forelook_fences::Fences;
use forelook_permissions::{
    AgentKind, Bases, Conditions, Kernel, Policy, Rule, RuleEntry, RuleSet, works_at_home,
};
use forelook_protocol::{AbsPath, Behavior, Destination, PermissionUpdate, RuleOrigin, RuleValue, Standing};

use crate::config::{Permissions, RuleKeeper};

/// Who wants something done.
pub(crate) struct Asker {
    pub(crate) standing: Standing,
    pub(crate) kind: AgentKind,
    pub(crate) plan_file: Option<AbsPath>,
}

/// The permissions as they are now.
pub(crate) struct Authority {
    given: Permissions,
    project: AbsPath,
    entries: Vec<RuleEntry>,
    rules: Arc<RuleSet>,
    folders: Vec<AbsPath>,
    /// Counts every change, so that an approval can be bound to what it was given under.
    pub(crate) revision: u64,
}

impl Authority {
    /// The permissions of a session whose journal holds these changes.
    pub(crate) fn new(given: Permissions, project: &AbsPath, updates: &[PermissionUpdate]) -> Self {
        let entries = given.rules.clone();
        let mut folders = vec![project.clone()];
        folders.extend(given.folders.iter().cloned());
        let mut authority =
            Self { given, project: project.clone(), entries, rules: Arc::default(), folders, revision: 0 };
        for update in updates {
            // It was checked before it was written; what a later version cannot read any more adds nothing.
            let _ = authority.change(update);
        }
        authority.rebuild();
        authority
    }

    pub(crate) fn conditions(&self) -> &Conditions {
        &self.given.conditions
    }

    /// The settings say something else now; whether it makes a difference.
    pub(crate) fn set_conditions(&mut self, conditions: Conditions) -> bool {
        let differs = self.given.conditions != conditions;
        self.given.conditions = conditions;
        differs
    }

    pub(crate) fn keeper(&self) -> Arc<dyn RuleKeeper> {
        Arc::clone(&self.given.keeper)
    }

    /// The rules in force, with where they stand.
    pub(crate) fn rules(&self) -> Vec<RuleOrigin> {
        self.rules.entries().iter().map(|entry| entry.origin.clone()).collect()
    }

    /// Whether the home folder is worked in.
    pub(crate) fn works_at_home(&self) -> bool {
        works_at_home(&self.folders, self.given.user_home.as_ref())
    }

    /// What a decision about this asker is made by.
    pub(crate) fn held(&self, asker: Asker, fences: &Fences) -> Policy {
        self.policy(asker).held(self.given.workspace.as_ref(), || fences.holds())
    }

    /// The same, as if the kernel held nothing.
    pub(crate) fn policy(&self, asker: Asker) -> Policy {
        Policy {
            standing: asker.standing,
            rules: Arc::clone(&self.rules),
            folders: self.folders.clone(),
            user_home: self.given.user_home.clone(),
            own: self.given.own.clone(),
            agent: asker.kind,
            plan_file: asker.plan_file,
            kernel: Kernel::default(),
        }
    }

    /// Whether a change can be made; `Err` says what is wrong with it.
    pub(crate) fn check(&self, update: &PermissionUpdate) -> Result<(), String> {
        match update {
            PermissionUpdate::AddRules { rules, .. } | PermissionUpdate::ReplaceRules { rules, .. } => {
                rules.iter().try_for_each(|rule| parse(rule).map(drop))
            }
            PermissionUpdate::AddDirectories { directories, .. } => {
                let missing = directories.iter().find(|folder| !self.folder(folder).as_path().is_dir());
                missing.map_or(Ok(()), |folder| Err(format!("`{folder}` is not a folder")))
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
    pub(crate) fn touch(&mut self) {
        self.revision += 1;
    }

    fn rebuild(&mut self) {
        let rules = RuleSet::new(self.entries.clone(), self.given.strictness);
        self.rules = Arc::new(rules.with_network_commands(self.given.network_commands.clone()));
        self.touch();
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
                let new = directories.iter().map(|folder| self.folder(folder)).collect::<Vec<_>>();
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
            let bases = Bases {
                home: self.given.user_home.clone(),
                working: self.project.clone(),
                written: self.project.clone(),
            };
            self.entries.push(RuleEntry { rule, origin, bases });
        }
        Ok(())
    }

    fn folder(&self, text: &str) -> AbsPath {
        let path = self.project.join(text);
        path.as_path().canonicalize().ok().and_then(|real| AbsPath::new(real).ok()).unwrap_or(path)
    }
}

fn parse(rule: &RuleValue) -> Result<Rule, String> {
    Rule::parse(&rule.to_string()).map_err(|error| error.to_string())
}
