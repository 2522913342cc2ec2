//! Rules for files, grouped by the folder that their patterns start from, so that one pass finds all that match.

use std::sync::OnceLock;

use forelook_protocol::AbsPath;
use globset::{Glob, GlobSet};

use crate::path_pattern::{Bases, PathPattern};

/// Rules that say the same about the same kind of access.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileRules {
    /// Rules for every file.
    all: Vec<usize>,
    groups: Vec<Group>,
}

#[derive(Debug, Clone)]
struct Group {
    base: AbsPath,
    globs: Vec<Glob>,
    /// The rule of each glob.
    rules: Vec<usize>,
    /// Made when it is first needed. Nothing if it could not be made: then each glob is asked by itself.
    set: OnceLock<Option<GlobSet>>,
}

impl FileRules {
    /// Adds a rule; without a pattern it is for every file.
    pub(crate) fn add(&mut self, rule: usize, pattern: Option<&PathPattern>, bases: &Bases) {
        let Some(pattern) = pattern else { return self.all.push(rule) };
        // A pattern below a home folder that nobody has matches nothing.
        let Some(base) = pattern.base(bases) else { return };
        let at = self.groups.iter().position(|group| group.base == base).unwrap_or_else(|| {
            self.groups.push(Group { base, globs: Vec::new(), rules: Vec::new(), set: OnceLock::new() });
            self.groups.len() - 1
        });
        if let Some(group) = self.groups.get_mut(at) {
            group.globs.extend(pattern.globs().iter().cloned());
            group.rules.extend(pattern.globs().iter().map(|_| rule));
        }
    }

    /// The rules that match this path, in the order they were added.
    pub(crate) fn matching(&self, path: &AbsPath) -> Vec<usize> {
        let mut found = self.all.clone();
        for group in &self.groups {
            if let Ok(relative) = path.as_path().strip_prefix(&group.base) {
                let at = match group.set() {
                    Some(set) => set.matches(relative),
                    None => group.one_by_one(relative),
                };
                found.extend(at.into_iter().filter_map(|at| group.rules.get(at)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A rule that may match something below this folder. Errs on the side of yes.
    pub(crate) fn below(&self, folder: &AbsPath) -> Option<usize> {
        let near = |group: &&Group| folder.is_inside(&group.base) || group.base.is_inside(folder);
        let grouped = || self.groups.iter().find(near).and_then(|group| group.rules.first());
        self.all.first().or_else(grouped).copied()
    }
}

impl Group {
    fn set(&self) -> Option<&GlobSet> {
        let make = || GlobSet::new(&self.globs).ok();
        self.set.get_or_init(make).as_ref()
    }

    fn one_by_one(&self, relative: &std::path::Path) -> Vec<usize> {
        let matches = |glob: &Glob| glob.compile_matcher().is_match(relative);
        self.globs.iter().enumerate().filter(|(_, glob)| matches(glob)).map(|(at, _)| at).collect()
    }
}
