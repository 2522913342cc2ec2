//! Rules for files, grouped by the folder that their patterns start from, so that one pass finds all that match.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

use forelook_protocol::AbsPath;
use globset::{Glob, GlobSet};

use crate::path_pattern::{PathPattern, PatternBases};

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
    /// The first names of all globs, so that a path elsewhere is passed over at once. Nothing if a glob begins with a
    /// wildcard: then any path may be meant.
    firsts: Option<HashSet<OsString>>,
    /// Made when it is first needed. Nothing if it could not be made: then each glob is asked by itself.
    set: OnceLock<Option<GlobSet>>,
}

impl FileRules {
    /// Adds a rule; without a pattern it is for every file.
    pub(crate) fn add(&mut self, rule: usize, pattern: Option<&PathPattern>, bases: &PatternBases) {
        let Some(pattern) = pattern else { return self.all.push(rule) };
        // A pattern below a home folder that nobody has matches nothing.
        let Some(base) = pattern.base(bases) else { return };
        let at = self.groups.iter().position(|group| group.base == base).unwrap_or_else(|| {
            self.groups.push(Group::new(base));
            self.groups.len() - 1
        });
        if let Some(group) = self.groups.get_mut(at) {
            pattern.globs().iter().for_each(|glob| group.add(rule, glob));
        }
    }

    /// The rules that match this path, in the order they were added.
    pub(crate) fn matching(&self, path: &AbsPath) -> Vec<usize> {
        let mut found = self.all.clone();
        for group in &self.groups {
            if let Ok(relative) = path.as_path().strip_prefix(&group.base)
                && group.may_match(relative)
            {
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

    /// A rule that may match something in this folder, by patterns of this kind. What matches the folder itself, or all that
    /// could be in it, is found by its path.
    pub(crate) fn in_tree(&self, folder: &AbsPath, patterns: TreePatterns) -> Option<usize> {
        self.groups.iter().find_map(|group| group.in_tree(folder, patterns))
    }

    /// A rule that may match something below this folder. Errs on the side of yes.
    pub(crate) fn below(&self, folder: &AbsPath) -> Option<usize> {
        let near = |group: &&Group| folder.is_inside(&group.base) || group.base.is_inside(folder);
        let grouped = || self.groups.iter().find(near).and_then(|group| group.rules.first());
        self.all.first().or_else(grouped).copied()
    }
}

/// Which patterns count for what is in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TreePatterns {
    /// Those that lead into the folder by name.
    Fixed,
    /// Those for files at any depth, too.
    All,
}

/// Whether a glob may match something in the folder that these names lead to from where the glob starts.
fn reaches_into(glob: &str, mut names: std::path::Iter<'_>, patterns: TreePatterns) -> bool {
    // A slash between braces parts no names.
    if glob.contains(['{', '\\']) {
        return patterns == TreePatterns::All;
    }
    for step in glob.split('/') {
        if step == "**" {
            return patterns == TreePatterns::All;
        }
        let Some(name) = names.next() else { return true };
        if !Glob::new(step).is_ok_and(|step| step.compile_matcher().is_match(name)) {
            return false;
        }
    }
    // The folder itself is matched, or something that it is in.
    false
}

impl Group {
    /// The rule of a glob that may match something in this folder.
    fn in_tree(&self, folder: &AbsPath, patterns: TreePatterns) -> Option<usize> {
        let names = match folder.as_path().strip_prefix(&self.base) {
            Ok(relative) => relative,
            Err(_) if self.base.is_inside(folder) => Path::new(""),
            Err(_) => return None,
        };
        let mut globs = self.globs.iter().zip(&self.rules);
        globs.find(|(glob, _)| reaches_into(glob.glob(), names.iter(), patterns)).map(|(_, rule)| *rule)
    }

    fn new(base: AbsPath) -> Self {
        Self {
            base,
            globs: Vec::new(),
            rules: Vec::new(),
            firsts: Some(HashSet::new()),
            set: OnceLock::new(),
        }
    }

    fn add(&mut self, rule: usize, glob: &Glob) {
        let first = glob.glob().split('/').next().unwrap_or_default();
        match &mut self.firsts {
            Some(firsts) if !first.contains(['*', '?', '[', '{', '\\']) => _ = firsts.insert(first.into()),
            _ => self.firsts = None,
        }
        self.globs.push(glob.clone());
        self.rules.push(rule);
    }

    fn may_match(&self, relative: &Path) -> bool {
        let Some(firsts) = &self.firsts else { return true };
        relative.iter().next().is_some_and(|first| firsts.contains(first))
    }

    fn set(&self) -> Option<&GlobSet> {
        let make = || GlobSet::new(&self.globs).ok();
        self.set.get_or_init(make).as_ref()
    }

    fn one_by_one(&self, relative: &Path) -> Vec<usize> {
        let matches = |glob: &Glob| glob.compile_matcher().is_match(relative);
        self.globs.iter().enumerate().filter(|(_, glob)| matches(glob)).map(|(at, _)| at).collect()
    }
}
