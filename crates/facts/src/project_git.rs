//! Whether what git runs in a folder is the person's own: that of the project's repository, in a folder that they trust, as it
//! was when the session began.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use forelook_protocol::AbsPath;

use crate::git_config::{GitPart, GitPartKind, GitReach, GitRuns, Unchecked, git_runs};

/// A look takes no longer: a call waits for it.
const MAX_TIME: Duration = Duration::from_millis(500);

/// The repository of a session's project.
#[derive(Debug)]
pub struct ProjectGit {
    /// The folder that the session works in.
    pub folder: AbsPath,
    /// The person's home folder.
    pub home: Option<AbsPath>,
    /// Whether the person trusts the folder with what it runs.
    pub trusted: bool,
    /// What it ran at first.
    at_first: OnceLock<GitRuns>,
    /// Whether something was changed that nobody was asked about.
    changed_unasked: AtomicBool,
}

impl ProjectGit {
    /// The repository of this folder.
    pub fn new(folder: AbsPath, home: Option<AbsPath>, trusted: bool) -> Arc<Self> {
        let (at_first, changed_unasked) = (OnceLock::new(), AtomicBool::new(false));
        Arc::new(Self { folder, home, trusted, at_first, changed_unasked })
    }

    /// Remembers what the repository runs now, if nobody did yet. It reads the disk.
    pub fn remember(&self) {
        self.at_first();
    }

    /// Whether that was done.
    pub fn is_remembered(&self) -> bool {
        self.at_first.get().is_some()
    }

    /// From now on files of the project may be what nobody was asked about.
    pub fn note_unasked_change(&self) {
        self.changed_unasked.store(true, Ordering::Relaxed);
    }

    fn at_first(&self) -> &GitRuns {
        self.at_first.get_or_init(|| self.now(&self.folder))
    }

    fn now(&self, folder: &AbsPath) -> GitRuns {
        let real = forelook_disk::resolve(folder).unwrap_or_else(|_| folder.clone());
        git_runs(&real, self.home.as_ref(), GitReach::Nested { time: MAX_TIME })
    }

    /// Why a rule for git does not speak for git in this folder; nothing if it does. It reads the disk.
    pub fn objection(&self, folder: &AbsPath) -> Option<String> {
        let at_first = self.at_first();
        let now = self.now(folder);
        let first = first_in_words(&now)?;
        if now.repository.is_none() || now.repository != at_first.repository {
            return Some(format!("{first}, in a repository that is not the project's own"));
        }
        if !self.trusted {
            return Some(format!("{first}, and you have not trusted this folder"));
        }
        if let Some(changed) = first_difference(&now.parts, &at_first.parts) {
            return Some(format!(
                "git would follow or run `{changed}`, which changed since the session began"
            ));
        }
        if let Some(what) = now.unchecked.difference(&at_first.unchecked).next() {
            let what = in_words(what);
            return Some(format!(
                "{what}, which Forelook cannot check and did not find when the session began"
            ));
        }
        let unasked = self.changed_unasked.load(Ordering::Relaxed);
        let what = now.unchecked.first().filter(|_| unasked).map(in_words)?;
        Some(format!("{what}, which Forelook cannot check, after changes that nobody was asked about"))
    }
}

/// The first of what runs; nothing if nothing does.
fn first_in_words(runs: &GitRuns) -> Option<String> {
    let part = runs.parts.first().map(|part| match part.kind {
        GitPartKind::Setting => {
            format!("git would follow `{}` in the repository's configuration", part.name)
        }
        GitPartKind::File => format!("git would run `{}`", part.name),
    });
    part.or_else(|| runs.unchecked.first().map(in_words))
}

fn in_words(unchecked: &Unchecked) -> String {
    match unchecked {
        Unchecked::Command(command) => format!("git would run `{command}`"),
        Unchecked::File(path) => format!("git would run files that `{path}` runs"),
        Unchecked::Place(path) => format!("git would follow or run what is in `{path}`"),
    }
}

fn first_difference<'a>(now: &'a BTreeSet<GitPart>, then: &'a BTreeSet<GitPart>) -> Option<&'a str> {
    now.symmetric_difference(then).next().map(|part| part.name.as_str())
}
