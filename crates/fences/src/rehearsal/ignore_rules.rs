//! What git would not look at: it is counted, and neither shown nor applied.

use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::overlay::OverlaidFolder;

/// The word of a folder's `.gitignore`, and of those above it in the same repository.
pub(super) struct IgnoreRules<'a> {
    above: Option<&'a IgnoreRules<'a>>,
    /// Nothing outside of a repository: there the files mean nothing.
    own: Option<Gitignore>,
}

impl IgnoreRules<'static> {
    /// What holds for a working folder: its own file comes with [`IgnoreRules::below`].
    pub(super) fn around(real: &Path) -> Vec<Gitignore> {
        let Some(repository) = real.ancestors().skip(1).find(|folder| has_git(folder)) else {
            return Vec::new();
        };
        let mut between: Vec<&Path> = real.ancestors().skip(1).take_while(|it| *it != repository).collect();
        between.push(repository);
        let files = between.iter().rev().map(|folder| read(folder, &folder.join(".gitignore")));
        global(repository).into_iter().chain(files).collect()
    }

    /// Nothing is ignored.
    pub(super) fn none() -> Self {
        Self { above: None, own: None }
    }
}

impl<'a> IgnoreRules<'a> {
    /// The word of one more file.
    pub(super) fn then(&'a self, own: Gitignore) -> IgnoreRules<'a> {
        IgnoreRules { above: Some(self), own: Some(own) }
    }

    /// What holds in a folder below: `rest` leads there from the working folder. A `.gitignore` counts as it would be.
    pub(super) fn below(&'a self, overlaid: &OverlaidFolder, rest: &Path) -> Option<Vec<Gitignore>> {
        let real = overlaid.real.as_path().join(rest);
        let begins = has_git(&real) || has_git(&overlaid.upper.join(rest));
        if !begins && !self.is_repository() {
            return None;
        }
        let changed = overlaid.upper.join(rest).join(".gitignore");
        let file = if changed.symlink_metadata().is_ok() { changed } else { real.join(".gitignore") };
        let own = read(&real, &file);
        Some(if begins { global(&real).into_iter().chain([own]).collect() } else { vec![own] })
    }

    fn is_repository(&self) -> bool {
        self.own.is_some() || self.above.is_some_and(IgnoreRules::is_repository)
    }

    /// Whether git passes over this; the nearest file that knows it says so.
    pub(super) fn ignore(&self, path: &Path, is_folder: bool) -> bool {
        match self.own.as_ref().map_or(Match::None, |own| own.matched(path, is_folder)) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            Match::None => self.above.is_some_and(|above| above.ignore(path, is_folder)),
        }
    }
}

fn has_git(folder: &Path) -> bool {
    folder.join(".git").symlink_metadata().is_ok()
}

/// What the person, and the repository for this person, ignore.
fn global(repository: &Path) -> [Gitignore; 2] {
    let (global, _) = GitignoreBuilder::new(repository).build_global();
    [global, read(repository, &repository.join(".git/info/exclude"))]
}

/// A file that is not there, or has a mistake in it, ignores nothing more.
fn read(folder: &Path, file: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    // A pipe would keep us waiting, and a program on the layer may have made one.
    if file.symlink_metadata().is_ok_and(|about| about.is_file()) {
        builder.add(file);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
