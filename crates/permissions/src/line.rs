//! A shell command as a decision sees it: its parts, with their file names resolved.

use std::collections::BTreeSet;

use forelook_protocol::{AbsPath, ConfigKind, Fact, Facts, FileRef};
use forelook_shell::{
    Analysis, Danger, FolderConfig, LinePart, PathTarget, ShellEffect, Verdict, WorkingFolder, analyse,
};

/// A parsed command, and what is known about its files.
pub(crate) struct ResolvedLine {
    pub(crate) analysis: Analysis,
    pub(crate) parts: Vec<ResolvedPart>,
}

/// What a decision needs to know about one part, besides its text.
pub(crate) struct ResolvedPart {
    pub(crate) reads: Vec<ResolvedTarget>,
    /// Files that the command itself writes.
    pub(crate) writes: Vec<ResolvedTarget>,
    /// Files that its redirections write.
    pub(crate) redirected: Vec<ResolvedTarget>,
    /// The verdict, with what the folder's configuration adds.
    pub(crate) verdict: Verdict,
    /// The same without redirections.
    pub(crate) command_verdict: Verdict,
    pub(crate) why: Option<String>,
    /// Whether `git` would discard work; `None` if the command does nothing like that.
    pub(crate) discards: Option<bool>,
}

/// A file in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResolvedTarget {
    /// This one.
    File(FileRef),
    /// Some path with this prefix.
    Below { folder: AbsPath, begins: String },
    /// Unknown.
    Unknown,
}

impl ResolvedTarget {
    /// The file, where it is known.
    pub(crate) fn file(&self) -> Option<&FileRef> {
        match self {
            ResolvedTarget::File(file) => Some(file),
            ResolvedTarget::Below { .. } | ResolvedTarget::Unknown => None,
        }
    }
}

impl ResolvedLine {
    /// Reads a line. `Err` names the facts that are missing.
    pub(crate) fn resolve(
        command: &str,
        folder: &AbsPath,
        user_home: Option<&AbsPath>,
        facts: &Facts,
    ) -> Result<Self, BTreeSet<Fact>> {
        let analysis = analyse(command);
        let mut resolver = LineResolver { folder, user_home, facts, missing: BTreeSet::new() };
        let parts = analysis.parts.iter().map(|part| resolver.part(part)).collect();
        if resolver.missing.is_empty() { Ok(Self { analysis, parts }) } else { Err(resolver.missing) }
    }

    /// The worst verdict of all parts.
    pub(crate) fn verdict(&self) -> Verdict {
        match self.analysis.parsed {
            true => self.parts.iter().map(|part| part.verdict).max().unwrap_or(Verdict::ReadOnly),
            false => Verdict::Unknown,
        }
    }

    /// Why it is not read-only: the analysis' own sentence, or what a folder's configuration added.
    pub(crate) fn why(&self) -> String {
        let added = || self.parts.iter().find_map(|part| part.why.clone());
        if self.analysis.why.is_empty() { added().unwrap_or_default() } else { self.analysis.why.clone() }
    }

    /// Parts with what is known of them.
    pub(crate) fn zip_parts(&self) -> impl Iterator<Item = (&LinePart, &ResolvedPart)> {
        self.analysis.parts.iter().zip(&self.parts)
    }
}

/// Whether every git command in this line is read-only. Then git may run with everything turned off that a repository's
/// configuration could make it run; if there is a commit among them, the user's own hooks must run.
pub fn git_only_reads(command: &str) -> bool {
    let analysis = analyse(command);
    let mut git =
        analysis.parts.iter().filter(|part| part.depends_on.contains(&FolderConfig::Git)).peekable();
    git.peek().is_some() && git.all(|part| part.command_verdict == Verdict::ReadOnly)
}

struct LineResolver<'a> {
    folder: &'a AbsPath,
    user_home: Option<&'a AbsPath>,
    facts: &'a Facts,
    missing: BTreeSet<Fact>,
}

impl LineResolver<'_> {
    fn part(&mut self, part: &LinePart) -> ResolvedPart {
        let base = self.base(&part.folder);
        let redirected: Vec<&PathTarget> = match part.words.is_empty() {
            // A compound command has nothing but its redirections.
            true => part.writes().collect(),
            false => part.redirects.iter().filter_map(|redirect| written(redirect.effect.as_ref())).collect(),
        };
        let own = part
            .writes()
            .filter(|target| !redirected.iter().any(|one| std::ptr::eq(*one, *target) || one == target));
        let config_base = self.base(&part.config_folder);
        let config = self.config(part, config_base.as_ref());
        let raise = |verdict: Verdict| if config.is_some() { verdict.max(Verdict::Unknown) } else { verdict };
        ResolvedPart {
            reads: part.reads().map(|target| self.place(target, base.as_ref())).collect(),
            writes: own.map(|target| self.place(target, base.as_ref())).collect(),
            redirected: redirected.into_iter().map(|target| self.place(target, base.as_ref())).collect(),
            verdict: raise(part.verdict),
            command_verdict: raise(part.command_verdict),
            why: part.why.clone().or(config),
            discards: self.discards(part, config_base.as_ref()),
        }
    }

    /// The folder that a part runs in. `cd` goes by names, so the names are joined before links are followed.
    fn base(&mut self, folder: &WorkingFolder) -> Option<AbsPath> {
        match folder {
            WorkingFolder::Start => Some(self.folder.clone()),
            WorkingFolder::Moved(to) => {
                let named = self.absolute(to, Some(self.folder))?;
                self.real(&named)
            }
            WorkingFolder::Elsewhere => None,
        }
    }

    fn place(&mut self, target: &PathTarget, base: Option<&AbsPath>) -> ResolvedTarget {
        match target {
            PathTarget::Path(path) if !climbs_inside(path) => match self.absolute(path, base) {
                Some(named) => match self.real(&named) {
                    Some(real) => ResolvedTarget::File(FileRef { named, real }),
                    None => ResolvedTarget::Unknown,
                },
                None => ResolvedTarget::Unknown,
            },
            PathTarget::Begins(prefix) if !climbs_inside(prefix) => self.below(prefix, base),
            PathTarget::Below(folder) if !climbs_inside(folder) => self.below(&format!("{folder}/"), base),
            PathTarget::Path(_) | PathTarget::Begins(_) | PathTarget::Below(_) | PathTarget::Somewhere => {
                ResolvedTarget::Unknown
            }
        }
    }

    fn below(&mut self, prefix: &str, base: Option<&AbsPath>) -> ResolvedTarget {
        let (folder, begins) = match prefix.rsplit_once('/') {
            Some(("", begins)) => ("/", begins),
            Some((folder, begins)) => (folder, begins),
            None => (".", prefix),
        };
        match self.absolute(folder, base).and_then(|folder| self.real(&folder)) {
            Some(folder) => ResolvedTarget::Below { folder, begins: begins.to_owned() },
            None => ResolvedTarget::Unknown,
        }
    }

    fn absolute(&self, path: &str, base: Option<&AbsPath>) -> Option<AbsPath> {
        match path.strip_prefix('~') {
            Some("") => self.user_home.cloned(),
            Some(rest) => rest.strip_prefix('/').and_then(|rest| self.user_home.map(|home| home.join(rest))),
            None if path.starts_with('/') => AbsPath::new(path).ok(),
            None => base.map(|base| base.join(path)),
        }
    }

    /// Where a path leads, if that is known; else it is asked for, and for now leads nowhere.
    fn real(&mut self, path: &AbsPath) -> Option<AbsPath> {
        let known = self.facts.real.get(path).cloned();
        if known.is_none() {
            self.missing.insert(Fact::RealPath(path.clone()));
        }
        known
    }

    /// What in the folder's configuration could make this part run code. Only asked for what would else be read-only.
    fn config(&mut self, part: &LinePart, base: Option<&AbsPath>) -> Option<String> {
        if part.verdict == Verdict::Changes && part.command_verdict == Verdict::Changes {
            return None;
        }
        let mut found = None;
        for kind in part.depends_on.iter().map(|config| kind(*config)) {
            let Some(base) = base else {
                return Some("It reads configuration in a folder that is unknown until it runs".to_owned());
            };
            match self.facts.config.get(&(kind, base.clone())) {
                Some(hazard) => found = found.or_else(|| hazard.clone()),
                None => _ = self.missing.insert(Fact::FolderConfig(kind, base.clone())),
            }
        }
        found
    }

    fn discards(&mut self, part: &LinePart, base: Option<&AbsPath>) -> Option<bool> {
        part.dangers.iter().find(|danger| matches!(danger, Danger::IrreversibleGit { .. }))?;
        // Where it runs is not known: there may be work.
        let Some(base) = base else { return Some(true) };
        let known = self.facts.uncommitted.get(base).copied();
        if known.is_none() {
            self.missing.insert(Fact::Uncommitted(base.clone()));
        }
        known.or(Some(true))
    }
}

fn written(effect: Option<&ShellEffect>) -> Option<&PathTarget> {
    match effect {
        Some(ShellEffect::Write { path }) => Some(path),
        _ => None,
    }
}

/// `a/../b` is not `b` if `a` is a link. Names alone cannot tell, so such a path is unknown.
fn climbs_inside(path: &str) -> bool {
    let mut inside = false;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if inside => return true,
            ".." => {}
            _ => inside = true,
        }
    }
    false
}

fn kind(config: FolderConfig) -> ConfigKind {
    match config {
        FolderConfig::Git => ConfigKind::Git,
        FolderConfig::Cargo => ConfigKind::Cargo,
        FolderConfig::Npm => ConfigKind::Npm,
        FolderConfig::Go => ConfigKind::Go,
        FolderConfig::Python => ConfigKind::Python,
        FolderConfig::Make => ConfigKind::Make,
        FolderConfig::Docker => ConfigKind::Docker,
        FolderConfig::Ripgrep => ConfigKind::Ripgrep,
    }
}
