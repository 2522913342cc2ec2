//! What was found out about one command, while it is judged.

use crate::types::{Danger, FolderConfig, LinePart, PathTarget, ShellEffect, Verdict};

/// Verdict and effects of a command, without its text.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub verdict: Verdict,
    pub why: Option<String>,
    pub effects: Vec<ShellEffect>,
    pub dangers: Vec<Danger>,
    pub depends_on: Vec<FolderConfig>,
    /// Options that the command is not covered with by a rule that does not name them.
    pub special_options: Vec<String>,
    /// Folders that the program goes to before anything else (`git -C`), in order; `None` for one that is not known.
    pub moves: Vec<Option<String>>,
    /// What it reads if nothing is piped into it.
    pub unless_piped: Vec<PathTarget>,
    /// Commands inside this one: `bash -c`, `find -exec`.
    pub inner: Vec<LinePart>,
}

impl Finding {
    pub(crate) fn read_only() -> Self {
        Self {
            verdict: Verdict::ReadOnly,
            why: None,
            effects: Vec::new(),
            dangers: Vec::new(),
            depends_on: Vec::new(),
            special_options: Vec::new(),
            moves: Vec::new(),
            unless_piped: Vec::new(),
            inner: Vec::new(),
        }
    }

    pub(crate) fn unknown(why: impl Into<String>) -> Self {
        let mut finding = Self::read_only();
        finding.mark_unknown(why);
        finding
    }

    /// Lowers the verdict to unknown, unless it is worse already.
    pub(crate) fn mark_unknown(&mut self, why: impl Into<String>) {
        let why = why.into();
        self.effects.push(ShellEffect::Unknown { why: why.clone() });
        if self.verdict == Verdict::ReadOnly {
            self.verdict = Verdict::Unknown;
            self.why = Some(why);
        }
    }

    pub(crate) fn mark_changes(&mut self, why: impl Into<String>) {
        if self.verdict != Verdict::Changes {
            self.verdict = Verdict::Changes;
            self.why = Some(why.into());
        }
    }

    pub(crate) fn write(&mut self, path: PathTarget, why: impl Into<String>) {
        self.effects.push(ShellEffect::Write { path });
        self.mark_changes(why);
    }

    pub(crate) fn read(&mut self, path: PathTarget) {
        self.effects.push(ShellEffect::Read { path });
    }

    /// Makes the paths relative to the folder that the shell is in, for a program that goes elsewhere first.
    pub(crate) fn relocate(&mut self, moves: &[Option<String>]) {
        for effect in &mut self.effects {
            if let ShellEffect::Read { path } | ShellEffect::Look { path } | ShellEffect::Write { path } =
                effect
            {
                *path = moves.iter().rev().fold(path.clone(), |path, folder| joined(folder.as_deref(), path));
            }
        }
    }

    /// Takes over what a program does for which variables are set. What runs says more than what is set for it.
    pub(crate) fn merge_program(&mut self, other: Self, only_set: bool) {
        if only_set && self.verdict == Verdict::Unknown && other.verdict == Verdict::Unknown {
            self.why.clone_from(&other.why);
        }
        self.merge(other);
    }

    /// Takes over what another look at the same command found.
    pub(crate) fn merge(&mut self, other: Self) {
        if other.verdict > self.verdict {
            self.verdict = other.verdict;
            self.why = other.why;
        }
        self.effects.extend(other.effects);
        self.dangers.extend(other.dangers);
        self.depends_on.extend(other.depends_on);
        self.special_options.extend(other.special_options);
        self.moves.extend(other.moves);
        self.unless_piped.extend(other.unless_piped);
        self.inner.extend(other.inner);
    }
}

/// A path below a folder; `None` for a folder that is not known.
fn joined(folder: Option<&str>, path: PathTarget) -> PathTarget {
    let join = |path: String| match folder {
        _ if path.starts_with(['/', '~']) => Some(path),
        Some("") => Some(path),
        Some(folder) => Some(format!("{}/{path}", folder.trim_end_matches('/'))),
        None => None,
    };
    let known = match path {
        PathTarget::Path(path) => join(path).map(PathTarget::Path),
        PathTarget::Begins(path) => join(path).map(PathTarget::Begins),
        PathTarget::Below(path) => join(path).map(PathTarget::Below),
        PathTarget::Tree(path) => join(path).map(PathTarget::Tree),
        PathTarget::Tracked(path) => join(path).map(PathTarget::Tracked),
        PathTarget::Somewhere => None,
    };
    known.unwrap_or(PathTarget::Somewhere)
}
