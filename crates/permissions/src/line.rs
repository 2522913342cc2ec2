//! A shell line as a decision sees it: its parts, with the files they name resolved.

use std::collections::BTreeSet;

use forelook_protocol::{AbsPath, ConfigKind, Fact, Facts, FileRef};
use forelook_shell::{Analysis, Config, Danger, Effect, Folder, Part, Target, Verdict, analyse};

/// A line that was read, and whatever is known of the files in it.
pub(crate) struct Line {
    pub(crate) analysis: Analysis,
    pub(crate) parts: Vec<PartView>,
}

/// What a decision needs of one part besides its text.
pub(crate) struct PartView {
    pub(crate) reads: Vec<Where>,
    /// Files that the command itself writes.
    pub(crate) writes: Vec<Where>,
    /// Files that its redirections write.
    pub(crate) redirected: Vec<Where>,
    /// The verdict, with what the folder's configuration adds.
    pub(crate) verdict: Verdict,
    /// The same without redirections.
    pub(crate) command_verdict: Verdict,
    pub(crate) why: Option<String>,
    /// Whether there is work that `git` would throw away; nothing if the line does no such thing.
    pub(crate) discards: Option<bool>,
}

/// A file in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Where {
    /// This one.
    File(FileRef),
    /// Something that begins so.
    Below { folder: AbsPath, begins: String },
    /// Nobody can tell.
    Unknown,
}

impl Where {
    /// The file, where it is known.
    pub(crate) fn file(&self) -> Option<&FileRef> {
        match self {
            Where::File(file) => Some(file),
            Where::Below { .. } | Where::Unknown => None,
        }
    }
}

impl Line {
    /// Reads a line. `Err` names the facts that are missing.
    pub(crate) fn read(
        command: &str,
        folder: &AbsPath,
        user_home: Option<&AbsPath>,
        facts: &Facts,
    ) -> Result<Self, BTreeSet<Fact>> {
        let analysis = analyse(command);
        let mut reader = Reader { folder, user_home, facts, missing: BTreeSet::new() };
        let parts = analysis.parts.iter().map(|part| reader.part(part)).collect();
        if reader.missing.is_empty() { Ok(Self { analysis, parts }) } else { Err(reader.missing) }
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
    pub(crate) fn both(&self) -> impl Iterator<Item = (&Part, &PartView)> {
        self.analysis.parts.iter().zip(&self.parts)
    }
}

/// Whether every git command in this line only reads. Then git may be run with everything switched off that a
/// repository's configuration could make it run; with a commit among them the person's own hooks must run.
pub fn git_only_reads(command: &str) -> bool {
    let analysis = analyse(command);
    let mut git = analysis.parts.iter().filter(|part| part.depends_on.contains(&Config::Git)).peekable();
    git.peek().is_some() && git.all(|part| part.command_verdict == Verdict::ReadOnly)
}

struct Reader<'a> {
    folder: &'a AbsPath,
    user_home: Option<&'a AbsPath>,
    facts: &'a Facts,
    missing: BTreeSet<Fact>,
}

impl Reader<'_> {
    fn part(&mut self, part: &Part) -> PartView {
        let base = self.base(&part.folder);
        let redirected: Vec<&Target> = match part.words.is_empty() {
            // A compound command has nothing but its redirections.
            true => part.writes().collect(),
            false => part.redirects.iter().filter_map(|redirect| written(redirect.effect.as_ref())).collect(),
        };
        let own = part
            .writes()
            .filter(|target| !redirected.iter().any(|one| std::ptr::eq(*one, *target) || one == target));
        let config = self.config(part, base.as_ref());
        let raise = |verdict: Verdict| if config.is_some() { verdict.max(Verdict::Unknown) } else { verdict };
        PartView {
            reads: part.reads().map(|target| self.place(target, base.as_ref())).collect(),
            writes: own.map(|target| self.place(target, base.as_ref())).collect(),
            redirected: redirected.into_iter().map(|target| self.place(target, base.as_ref())).collect(),
            verdict: raise(part.verdict),
            command_verdict: raise(part.command_verdict),
            why: part.why.clone().or(config),
            discards: self.discards(part, base.as_ref()),
        }
    }

    /// The folder that a part runs in. `cd` goes by names, so the names are joined before links are followed.
    fn base(&mut self, folder: &Folder) -> Option<AbsPath> {
        match folder {
            Folder::Start => Some(self.folder.clone()),
            Folder::Moved(to) => {
                let named = self.absolute(to, Some(self.folder))?;
                self.real(&named)
            }
            Folder::Elsewhere => None,
        }
    }

    fn place(&mut self, target: &Target, base: Option<&AbsPath>) -> Where {
        match target {
            Target::Path(path) if !climbs_inside(path) => match self.absolute(path, base) {
                Some(named) => match self.real(&named) {
                    Some(real) => Where::File(FileRef { named, real }),
                    None => Where::Unknown,
                },
                None => Where::Unknown,
            },
            Target::Begins(prefix) if !climbs_inside(prefix) => self.below(prefix, base),
            Target::Path(_) | Target::Begins(_) | Target::Somewhere => Where::Unknown,
        }
    }

    fn below(&mut self, prefix: &str, base: Option<&AbsPath>) -> Where {
        let (folder, begins) = match prefix.rsplit_once('/') {
            Some(("", begins)) => ("/", begins),
            Some((folder, begins)) => (folder, begins),
            None => (".", prefix),
        };
        match self.absolute(folder, base).and_then(|folder| self.real(&folder)) {
            Some(folder) => Where::Below { folder, begins: begins.to_owned() },
            None => Where::Unknown,
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
    fn config(&mut self, part: &Part, base: Option<&AbsPath>) -> Option<String> {
        if part.verdict == Verdict::Changes && part.command_verdict == Verdict::Changes {
            return None;
        }
        let mut found = None;
        for kind in part.depends_on.iter().map(|config| kind(*config)) {
            let Some(base) = base else {
                return Some("It reads configuration of a folder that the line does not tell".to_owned());
            };
            match self.facts.config.get(&(kind, base.clone())) {
                Some(hazard) => found = found.or_else(|| hazard.clone()),
                None => _ = self.missing.insert(Fact::FolderConfig(kind, base.clone())),
            }
        }
        found
    }

    fn discards(&mut self, part: &Part, base: Option<&AbsPath>) -> Option<bool> {
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

fn written(effect: Option<&Effect>) -> Option<&Target> {
    match effect {
        Some(Effect::Write { path }) => Some(path),
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

fn kind(config: Config) -> ConfigKind {
    match config {
        Config::Git => ConfigKind::Git,
        Config::Cargo => ConfigKind::Cargo,
        Config::Npm => ConfigKind::Npm,
        Config::Go => ConfigKind::Go,
        Config::Python => ConfigKind::Python,
        Config::Make => ConfigKind::Make,
        Config::Docker => ConfigKind::Docker,
    }
}
