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
    pub simple_file_command: bool,
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
            simple_file_command: false,
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

    /// Takes over what another look at the same command found.
    pub(crate) fn merge(&mut self, other: Self) {
        if other.verdict > self.verdict {
            self.verdict = other.verdict;
            self.why = other.why;
        }
        self.effects.extend(other.effects);
        self.dangers.extend(other.dangers);
        self.depends_on.extend(other.depends_on);
        self.inner.extend(other.inner);
    }
}
