//! What to look for before a fence is created: where secrets are, and what rules forbid to read.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::hash::{Hash as _, Hasher as _};

use forelook_protocol::{AbsPath, Behavior, Source};
use globset::{Glob, GlobSet, GlobSetBuilder};

use crate::path_pattern::{PathPattern, PatternBases};
use crate::paths::{has_protected_files, is_credentials, machine_secrets, may_be_guarded, secret_places};
use crate::policy::{PRIVATE, PermissionPolicy};
use crate::rule::{Access, Matcher};
use crate::rules::{RuleEntry, RuleQuery};

/// How a rule denies an access to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileDenial {
    /// The rule names it.
    Named,
    /// The rule denies the tool Read altogether.
    AllReads,
}

/// From which commands a fence hides the contents of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileVisibility {
    /// From none.
    Visible,
    /// From all except commands that the user declared to be reads: a service's own client signs in with it. Each part of
    /// such a command is declared or known to be read-only, so nothing in it must be kept from the file.
    Credentials,
    /// From all commands in a fence that confines them: it is a secret.
    Hidden,
    /// From all, also from those that are not confined otherwise: a rule denies reading it.
    Denied,
}

/// A name that no pattern means in particular: what matches it in a folder matches every name there.
pub(crate) const ANY_NAME: &str = "\u{1}";

/// Names that may be guarded, for all that a name says.
#[derive(Debug, Clone)]
pub struct GuardedNames {
    /// The last names of patterns; nothing if any name fits.
    last_names: Option<GlobSet>,
    exact: Vec<OsString>,
}

impl GuardedNames {
    /// Whether there may be anything special about a file of this name. Yes is never wrong.
    pub fn may_guard(&self, name: &str) -> bool {
        may_be_guarded(name)
            || self.exact.iter().any(|exact| exact == name)
            || self.last_names.as_ref().is_none_or(|names| !names.is_empty() && names.is_match(name))
    }

    /// Whether something in a folder of this name is guarded, so that a link of this name is too.
    pub fn may_guard_link(&self, name: &str) -> bool {
        has_protected_files(name)
    }
}

/// The last name in a glob that does not stand for whatever is in a folder; nothing if any name fits.
fn last_name(glob: &str) -> Option<Glob> {
    // A slash between braces or brackets parts no names.
    if glob.contains(['{', '[', '\\']) {
        return None;
    }
    let last = glob.rsplit('/').find(|name| *name != "**")?;
    Glob::new(last).ok()
}

impl PermissionPolicy {
    /// From which commands a fence hides the contents of this file.
    pub fn visibility(&self, path: &AbsPath) -> FileVisibility {
        match self.denial(Access::Read, path) {
            Some(FileDenial::Named) => FileVisibility::Denied,
            Some(FileDenial::AllReads) => FileVisibility::Hidden,
            None if self.own.keys.contains(path) => FileVisibility::Hidden,
            None if self.names_of(path).any(|name| is_credentials(&name, self.user_home.as_ref())) => {
                FileVisibility::Credentials
            }
            None if self.is_secret(path) => FileVisibility::Hidden,
            None => FileVisibility::Visible,
        }
    }

    /// Whether a rule that names files denies changing this one. What denies reading a file denies changing it too.
    pub fn denies_editing(&self, path: &AbsPath) -> bool {
        let denied = |access| self.denial(access, path) == Some(FileDenial::Named);
        denied(Access::Edit) || denied(Access::Read)
    }

    /// Whether a rule that names files denies reading any: else no file is [`FileVisibility::Denied`]. Reads no files.
    pub fn has_read_denials(&self) -> bool {
        self.rules.has_files(Behavior::Deny, Access::Read)
            && self.denials(Access::Read).any(|(pattern, _)| pattern.is_some())
    }

    /// How a rule denies this: itself, or everything that could be in it. Then files that come later are denied too.
    fn denial(&self, access: Access, path: &AbsPath) -> Option<FileDenial> {
        let all_in_it = |path: &AbsPath| {
            self.file_denial(access, &path.join(ANY_NAME)).filter(|it| *it == FileDenial::Named)
        };
        self.names_of(path).find_map(|name| self.file_denial(access, &name).or_else(|| all_in_it(&name)))
    }

    /// The rule that denies this. One that names no files turns off a tool and is about no file in particular: masks for it
    /// would leave no command anything to work with. But who denies Read altogether wants nothing read, so what nobody
    /// judged reads nothing either.
    fn file_denial(&self, access: Access, path: &AbsPath) -> Option<FileDenial> {
        let query = RuleQuery { behavior: Behavior::Deny, rule_filter: self.rule_filter() };
        let found = self.rules.file(query, access, path, "")?;
        match &found.rule.matcher {
            Matcher::Files { pattern: Some(_), .. } => Some(FileDenial::Named),
            // It was found first; others may name the file.
            _ => {
                let names = |(pattern, bases): (Option<&PathPattern>, _)| {
                    pattern.is_some_and(|pattern| pattern.matches(path, bases))
                };
                let all_reads = || access == Access::Read && self.denies_all_reads();
                match self.denials(access).any(names) {
                    true => Some(FileDenial::Named),
                    false => all_reads().then_some(FileDenial::AllReads),
                }
            }
        }
    }

    fn denies_all_reads(&self) -> bool {
        let is_read = |entry: &RuleEntry| {
            let denies = entry.origin.behavior == Behavior::Deny;
            denies
                && matches!(&entry.rule.matcher, Matcher::Files { tool, pattern: None, .. } if tool == "Read")
        };
        self.rules.entries().iter().any(is_read)
    }

    /// Whether a file of this name may be a secret, be protected, or be forbidden by a rule, for all that its name says.
    /// Rules go by whole paths, but the last name of a pattern must fit: what is in a folder is forbidden with the folder.
    pub fn guarded_names(&self) -> GuardedNames {
        let mut last_names = GlobSetBuilder::new();
        let mut any = self.denies_all_reads();
        for access in [Access::Read, Access::Edit] {
            // What is in a working folder is forbidden one by one: the folder itself stays.
            any |= self.folders.iter().any(|folder| self.denial(access, folder).is_some());
            for (pattern, _) in self.denials(access) {
                for glob in pattern.iter().flat_map(|pattern| pattern.globs()) {
                    match last_name(glob.glob()) {
                        Some(name) => _ = last_names.add(name),
                        None => any = true,
                    }
                }
            }
        }
        let last_names = last_names.build().ok().filter(|_| !any);
        let keys = self.guarded_files();
        let keys = keys.filter_map(|file| file.as_path().file_name()).map(Into::into);
        GuardedNames { last_names, exact: keys.chain(self.own_names()).collect() }
    }

    /// Files that are secret or protected wherever they lie.
    pub fn guarded_files(&self) -> impl Iterator<Item = &AbsPath> {
        self.own.keys.iter().chain(&self.own.runs)
    }

    /// Our own home folder, wherever it is, what is private in it, and what links with special names lead to.
    fn own_names(&self) -> impl Iterator<Item = OsString> {
        let files = self.own.links.iter().map(|link| &link.real).chain([&self.own.home]);
        let names = files.filter_map(|file| file.as_path().file_name()).map(Into::into);
        names.chain(PRIVATE.iter().map(Into::into))
    }

    /// Tells what is guarded by one state of the rules from what is by another.
    pub fn guard_fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for access in [Access::Read, Access::Edit] {
            for (pattern, bases) in self.denials(access) {
                format!("{access:?} {:?} {bases:?}", pattern.map(PathPattern::text)).hash(&mut hasher);
            }
        }
        let own = (
            &self.own.keys,
            &self.own.runs,
            &self.own.links,
            &self.own.home,
            &self.user_home,
            self.rule_filter(),
        );
        format!("{own:?} {}", self.denies_all_reads()).hash(&mut hasher);
        hasher.finish()
    }

    /// Where secrets and forbidden files may be, outside the working directories.
    ///
    /// A project's rule about whatever lies around the project (`//**/x`) would have the whole machine searched at every
    /// start: such files are denied where they are named, and searched for in the working directories alone.
    pub fn guarded_paths(&self) -> Vec<AbsPath> {
        let is_around = |path: &AbsPath| self.folders.iter().any(|folder| folder.is_inside(path));
        let of_project = |entry: &RuleEntry| {
            matches!(entry.origin.source, Source::ProjectSettings | Source::LocalSettings)
        };
        let denied = self.rules.entries().iter().filter_map(|entry| match &entry.rule.matcher {
            Matcher::Files { access: Access::Read, pattern: Some(pattern), .. }
                if entry.origin.behavior == Behavior::Deny =>
            {
                pattern.base_path(&entry.bases).filter(|path| !(of_project(entry) && is_around(path)))
            }
            _ => None,
        });
        let keys = self.own.keys.iter().cloned().chain(self.own.private()).chain(machine_secrets());
        self.user_home.iter().flat_map(secret_places).chain(keys).chain(denied).collect()
    }

    fn denials(&self, to: Access) -> impl Iterator<Item = (Option<&PathPattern>, &PatternBases)> {
        let denials = self.rules.entries().iter().filter(|entry| entry.origin.behavior == Behavior::Deny);
        denials.filter_map(move |RuleEntry { rule, bases, .. }| match &rule.matcher {
            Matcher::Files { access, pattern, .. } if *access == to => Some((pattern.as_ref(), bases)),
            _ => None,
        })
    }
}
