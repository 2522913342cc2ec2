//! A shell command as a decision sees it: its parts, with their file names resolved.

use std::collections::BTreeSet;

use forelook_protocol::{AbsPath, ConfigKind, Fact, Facts, FileRef};
use forelook_shell::{
    Analysis, Danger, FolderConfig, LinePart, PathTarget, ShellEffect, Verdict, WorkingFolder, analyse,
};

use crate::explain;
use crate::matched::matches;

/// A parsed command, and what is known about its files.
pub(crate) struct ResolvedLine {
    pub(crate) analysis: Analysis,
    pub(crate) parts: Vec<ResolvedPart>,
}

/// What a decision needs to know about one part, besides its text.
pub(crate) struct ResolvedPart {
    pub(crate) reads: Vec<ResolvedTarget>,
    /// Files of which it tells that they are there, but not what is in them.
    pub(crate) looks: Vec<ResolvedTarget>,
    /// Paths that its words may name, although what it does with them is not known.
    pub(crate) mentions: Vec<FileRef>,
    /// Files that the command itself writes.
    pub(crate) writes: Vec<ResolvedTarget>,
    /// Files that its redirections write.
    pub(crate) redirected: Vec<ResolvedTarget>,
    /// The verdict, with what the folder's configuration adds.
    pub(crate) verdict: Verdict,
    /// The same without redirections.
    pub(crate) command_verdict: Verdict,
    pub(crate) why: Option<String>,
    /// Why its text does not show that it only reads, if it seems to: then only the kernel can make sure of it.
    pub(crate) needs_fence: Option<&'static str>,
    /// The folders one of whose git repositories it uses, if it uses one.
    pub(crate) git_folders: Vec<GitFolder>,
    /// What it reads by a name in a folder that is not known, as if that were this one, or the home folder: only names
    /// count there.
    pub(crate) loose_reads: Vec<FileRef>,
    /// The same for what it writes.
    pub(crate) loose_writes: Vec<FileRef>,
    /// Whether `git` would discard work; `None` if the command does nothing like that.
    pub(crate) discards: Option<bool>,
}

/// A folder in which a part looks for a git repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GitFolder {
    /// This one.
    Known(AbsPath),
    /// Nobody knows until it runs.
    Unknown,
}

/// A file in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResolvedTarget {
    /// This one.
    File(FileRef),
    /// This one, or if it is a folder, all that is in it.
    Tree(FileRef),
    /// Some path with this prefix.
    Below { folder: AbsPath, begins: String },
    /// Some file that git tracks, in the repository of this folder.
    Tracked { folder: AbsPath },
    /// Unknown.
    Unknown,
}

impl ResolvedTarget {
    /// The file or folder that the text names, whether or not it means more.
    pub(crate) fn named(&self) -> Option<FileRef> {
        match self {
            ResolvedTarget::File(file) | ResolvedTarget::Tree(file) => Some(file.clone()),
            ResolvedTarget::Below { folder, begins } if begins.is_empty() => {
                Some(FileRef::plain(folder.clone()))
            }
            ResolvedTarget::Below { .. } | ResolvedTarget::Tracked { .. } | ResolvedTarget::Unknown => None,
        }
    }

    /// The file, or the folder that it is somewhere below.
    pub(crate) fn place(&self) -> Option<FileRef> {
        match self {
            ResolvedTarget::File(file) | ResolvedTarget::Tree(file) => Some(file.clone()),
            ResolvedTarget::Below { folder, .. } => Some(FileRef::plain(folder.clone())),
            ResolvedTarget::Tracked { .. } | ResolvedTarget::Unknown => None,
        }
    }

    /// The file, where it is known.
    pub(crate) fn file(&self) -> Option<&FileRef> {
        match self {
            ResolvedTarget::File(file) | ResolvedTarget::Tree(file) => Some(file),
            ResolvedTarget::Below { .. } | ResolvedTarget::Tracked { .. } | ResolvedTarget::Unknown => None,
        }
    }
}

/// Where a line runs, and what is known about that.
#[derive(Clone, Copy)]
pub(crate) struct LineContext<'a> {
    pub(crate) folder: &'a AbsPath,
    pub(crate) user_home: Option<&'a AbsPath>,
    pub(crate) facts: &'a Facts,
    /// Whether a line that only reads runs where it can change nothing, or nobody cares. If not, what its text does not
    /// tell is not known.
    pub(crate) fenced: bool,
}

impl ResolvedLine {
    /// Reads a line. `Err` names the facts that are missing.
    pub(crate) fn resolve(command: &str, context: LineContext<'_>) -> Result<Self, BTreeSet<Fact>> {
        let analysis = analyse(command);
        let mut resolver = LineResolver { context, missing: BTreeSet::new() };
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

    /// Whether it is known to only read.
    pub(crate) fn is_read_only(&self) -> bool {
        self.analysis.parsed && self.verdict() == Verdict::ReadOnly
    }

    /// Why it is not read-only: the worst reason.
    pub(crate) fn why(&self) -> String {
        self.reasons().into_iter().next().unwrap_or_default()
    }

    /// Why it changes something: the worst reason of a part that is known to.
    pub(crate) fn why_changes(&self) -> String {
        let changes = |view: &ResolvedPart| view.verdict == Verdict::Changes;
        let told = self.zip_parts().map(|(part, view)| (part, view.why.as_deref().filter(|_| changes(view))));
        let reasons = forelook_shell::reasons(told);
        reasons.into_iter().next().unwrap_or_else(|| self.why())
    }

    /// Why its parts are not read-only, with what a folder's configuration adds, the worst first.
    pub(crate) fn reasons(&self) -> Vec<String> {
        if !self.analysis.parsed {
            return vec![self.analysis.why.clone()];
        }
        forelook_shell::reasons(self.zip_parts().map(|(part, view)| (part, view.why.as_deref())))
    }

    /// The same without those of parts whose danger this reason tells already.
    pub(crate) fn reasons_beside(&self, told: &str) -> Vec<String> {
        let is_told = |danger: &Danger| match danger {
            Danger::IrreversibleGit { what } => told == explain::discards(what),
            Danger::Root { .. } | Danger::Device { .. } => false,
        };
        if !self.zip_parts().any(|(part, _)| part.dangers.iter().any(is_told)) {
            return self.reasons();
        }
        let why = |part: &LinePart| !part.dangers.iter().any(is_told);
        forelook_shell::reasons(
            self.zip_parts().map(|(part, view)| (part, view.why.as_deref().filter(|_| why(part)))),
        )
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

/// Whether a part of this line shows processes, sockets or services of the machine.
pub fn shows_machine(command: &str) -> bool {
    analyse(command).parts.iter().any(|part| part.effects.contains(&ShellEffect::Machine))
}

struct LineResolver<'a> {
    context: LineContext<'a>,
    missing: BTreeSet<Fact>,
}

impl LineResolver<'_> {
    fn part(&mut self, part: &LinePart) -> ResolvedPart {
        let bases = self.bases(&part.folder);
        let redirected: Vec<&PathTarget> = match part.words.is_empty() {
            // A compound command has nothing but its redirections.
            true => part.writes().collect(),
            false => part.redirects.iter().filter_map(|redirect| written(redirect.effect.as_ref())).collect(),
        };
        let own = part
            .writes()
            .filter(|target| !redirected.iter().any(|one| std::ptr::eq(*one, *target) || one == target));
        let config_bases = self.bases(&part.config_folder);
        let config = self.config(part, &config_bases);
        let reads = self.places(part.reads(), &bases);
        let needs_fence = needs_fence(part, &bases, &reads);
        let unfenced = needs_fence.filter(|_| !self.context.fenced).map(str::to_owned);
        let open = config.or(unfenced);
        let raise = |verdict: Verdict| if open.is_some() { verdict.max(Verdict::Unknown) } else { verdict };
        ResolvedPart {
            reads,
            loose_reads: self.loose(part.reads(), &bases),
            loose_writes: self.loose(part.writes(), &bases),
            looks: self.places(part.looks(), &bases),
            mentions: self.mentions(part, &config_bases),
            writes: self.places(own, &bases),
            redirected: self.places(redirected, &bases),
            verdict: raise(part.verdict),
            command_verdict: raise(part.command_verdict),
            why: part.why.clone().or(open),
            needs_fence,
            discards: self.discards(part, &config_bases),
            git_folders: match part.depends_on.contains(&FolderConfig::Git) {
                false => Vec::new(),
                true if config_bases.is_empty() => vec![GitFolder::Unknown],
                true => config_bases.into_iter().map(GitFolder::Known).collect(),
            },
        }
    }

    /// Where the words of a part lead that may be paths. In a folder that is not known only their names count.
    fn mentions(&mut self, part: &LinePart, bases: &[AbsPath]) -> Vec<FileRef> {
        if part.command_verdict == Verdict::ReadOnly {
            return Vec::new();
        }
        let bases = if bases.is_empty() { std::slice::from_ref(self.context.folder) } else { bases };
        let this = &*self;
        let absolute = |text| bases.iter().filter_map(move |base| this.absolute(text, Some(base)));
        let patterns = part.mentioned_patterns.iter().flat_map(|text| absolute(text.as_str()));
        let home = self.context.user_home;
        let matched: Vec<FileRef> = patterns.flat_map(|pattern| matches(&pattern, home)).collect();
        let texts = part.mentions.iter().enumerate();
        let pairs = texts.flat_map(|(at, text)| bases.iter().map(move |base| (at, text, base)));
        let named = pairs.map(|(at, text, base)| self.mention(text, base, at < MAX_MENTIONS));
        named.chain(matched).collect()
    }

    /// Where a word leads that may be a path. If it is not followed, it counts as the text has it: a wall that looked at a
    /// part of the words only would be passed by whoever writes more of them.
    fn mention(&mut self, text: &str, base: &AbsPath, follows: bool) -> FileRef {
        let found = if follows { self.follow(text, Some(base)) } else { None };
        found.unwrap_or_else(|| {
            FileRef::plain(self.absolute(text, Some(base)).unwrap_or_else(|| base.join(text)))
        })
    }

    /// What is named in a folder that is not known, as if that were this one, or the home folder.
    fn loose<'t>(&self, targets: impl Iterator<Item = &'t PathTarget>, bases: &[AbsPath]) -> Vec<FileRef> {
        if !bases.is_empty() {
            return Vec::new();
        }
        let named = targets.filter_map(|target| match target {
            PathTarget::Path(path) | PathTarget::Tree(path) | PathTarget::Below(path) => {
                // Where `..` leads is not known either.
                let path = path.rsplit_once("../").map_or(path.as_str(), |(_, below)| below);
                Some(path).filter(|path| !path.starts_with(['/', '~']))
            }
            PathTarget::Begins(_) | PathTarget::Tracked(_) | PathTarget::Somewhere => None,
        });
        let folders = || [Some(self.context.folder), self.context.user_home].into_iter().flatten();
        named.flat_map(|path| folders().map(move |folder| FileRef::plain(folder.join(path)))).collect()
    }

    /// The folders that a part may run in; none if that is not known.
    fn bases(&mut self, folder: &WorkingFolder) -> Vec<AbsPath> {
        // All of them are asked for at once, also behind one that is not known yet.
        let bases: Vec<Option<AbsPath>> = folder.possible().iter().map(|folder| self.base(folder)).collect();
        let mut bases: Vec<AbsPath> = bases.into_iter().collect::<Option<_>>().unwrap_or_default();
        bases.dedup();
        bases
    }

    /// One folder. `cd` goes by names, so the names are joined before links are followed.
    fn base(&mut self, folder: &WorkingFolder) -> Option<AbsPath> {
        match folder {
            WorkingFolder::Start => Some(self.context.folder.clone()),
            WorkingFolder::Moved(to) => {
                let named = self.absolute(to, Some(self.context.folder))?;
                self.real(&named)
            }
            WorkingFolder::OneOf(_) | WorkingFolder::Elsewhere => None,
        }
    }

    /// Each file in each of the folders.
    fn places<'t>(
        &mut self,
        targets: impl IntoIterator<Item = &'t PathTarget>,
        bases: &[AbsPath],
    ) -> Vec<ResolvedTarget> {
        let mut places = Vec::new();
        for target in targets {
            let begun = places.len();
            let folders = bases.iter().map(Some).chain(bases.is_empty().then_some(None));
            for folder in folders {
                let place = self.place(target, folder);
                if !places.iter().skip(begun).any(|known| *known == place) {
                    places.push(place);
                }
            }
        }
        places
    }

    fn place(&mut self, target: &PathTarget, base: Option<&AbsPath>) -> ResolvedTarget {
        match target {
            PathTarget::Path(path) => {
                self.follow(path, base).map_or(ResolvedTarget::Unknown, ResolvedTarget::File)
            }
            PathTarget::Tree(path) => {
                self.follow(path, base).map_or(ResolvedTarget::Unknown, ResolvedTarget::Tree)
            }
            PathTarget::Begins(prefix) => self.below(prefix, base),
            PathTarget::Below(folder) => self.below(&format!("{folder}/"), base),
            PathTarget::Tracked(folder) => match self.follow(folder, base) {
                Some(folder) => ResolvedTarget::Tracked { folder: folder.real },
                None => ResolvedTarget::Unknown,
            },
            PathTarget::Somewhere => ResolvedTarget::Unknown,
        }
    }

    /// Where a path leads, as the kernel follows it: `a/../b` is not `b` if `a` is a link. Nothing if that is not known.
    fn follow(&mut self, path: &str, base: Option<&AbsPath>) -> Option<FileRef> {
        let named = self.absolute(path, base)?;
        if depends_on_process(&named) {
            return None;
        }
        let (mut at, mut climbs) = (self.absolute(first_step(path), base)?, 0);
        for step in path.get(first_step(path).len()..)?.split('/') {
            at = match step {
                "" | "." => at,
                ".." => {
                    climbs += 1;
                    if climbs > MAX_CLIMBS {
                        return None;
                    }
                    self.real(&at)?.parent()?
                }
                name => at.join(name),
            };
        }
        let real = self.real(&at)?;
        Some(FileRef { named, real })
    }

    fn below(&mut self, prefix: &str, base: Option<&AbsPath>) -> ResolvedTarget {
        let (folder, begins) = match prefix.rsplit_once('/') {
            Some(("", begins)) => ("/", begins),
            Some((folder, begins)) => (folder, begins),
            None => (".", prefix),
        };
        match self.follow(folder, base) {
            Some(folder) => ResolvedTarget::Below { folder: folder.real, begins: begins.to_owned() },
            None => ResolvedTarget::Unknown,
        }
    }

    fn absolute(&self, path: &str, base: Option<&AbsPath>) -> Option<AbsPath> {
        match path.strip_prefix('~') {
            Some("") => self.context.user_home.cloned(),
            Some(rest) => {
                let rest = rest.strip_prefix('/')?;
                self.context.user_home.map(|home| home.join(rest))
            }
            None if path.starts_with('/') => AbsPath::new(path).ok(),
            None => base.map(|base| base.join(path)),
        }
    }

    /// Where a path leads, if that is known; else it is asked for, and for now leads nowhere.
    fn real(&mut self, path: &AbsPath) -> Option<AbsPath> {
        let known = self.context.facts.real.get(path).cloned();
        if known.is_none() {
            self.missing.insert(Fact::RealPath(path.clone()));
        }
        known
    }

    /// What in the folder's configuration could make this part run code. Only asked for what would else be read-only.
    fn config(&mut self, part: &LinePart, bases: &[AbsPath]) -> Option<String> {
        if part.verdict == Verdict::Changes && part.command_verdict == Verdict::Changes {
            return None;
        }
        let mut found = None;
        let kinds = part.depends_on.iter().map(|config| kind(*config));
        // In a folder that is not known, what is there is not known either; the fence is what holds it then.
        for (kind, base) in kinds.flat_map(|kind| bases.iter().map(move |base| (kind, base))) {
            match self.context.facts.config.get(&(kind, base.clone())) {
                Some(hazard) => found = found.or_else(|| hazard.clone()),
                None => _ = self.missing.insert(Fact::FolderConfig(kind, base.clone())),
            }
        }
        found
    }

    fn discards(&mut self, part: &LinePart, bases: &[AbsPath]) -> Option<bool> {
        part.dangers.iter().find(|danger| matches!(danger, Danger::IrreversibleGit { .. }))?;
        // Where it runs is not known: there may be work.
        let mut discards = bases.is_empty();
        for base in bases {
            let known = self.context.facts.uncommitted.get(base).copied();
            if known.is_none() {
                self.missing.insert(Fact::Uncommitted(base.clone()));
            }
            discards |= known.unwrap_or(true);
        }
        Some(discards)
    }
}

fn written(effect: Option<&ShellEffect>) -> Option<&PathTarget> {
    match effect {
        Some(ShellEffect::Write { path }) => Some(path),
        _ => None,
    }
}

/// How many words of a part are looked up on the disk. The others count by their text alone.
const MAX_MENTIONS: usize = 64;

/// How often a path may go up again before it is not followed: each time takes a look at the disk.
const MAX_CLIMBS: usize = 4;

/// How often at most a line asks for facts, one after the other: where its folder leads, where each step of a path leads
/// that goes up again, and where the path ends.
pub(crate) const FACT_ROUNDS: usize = 1 + MAX_CLIMBS + 1;

/// Where a path starts: the root, the home folder, or the folder of the command.
fn first_step(path: &str) -> &str {
    let starts = |start: &str| path == start || path.starts_with(&format!("{start}/"));
    match () {
        () if path.starts_with('/') => path.get(..1).unwrap_or_default(),
        () if starts("~") => path.get(..1).unwrap_or_default(),
        () => "",
    }
}

/// Whether a path leads elsewhere in another process.
fn depends_on_process(path: &AbsPath) -> bool {
    let mut parts = path.as_path().iter().skip(1).filter_map(|part| part.to_str());
    match (parts.next(), parts.next()) {
        (Some("proc"), Some(which)) => {
            matches!(which, "self" | "thread-self") || which.bytes().all(|byte| byte.is_ascii_digit())
        }
        (Some("dev"), Some("fd")) => true,
        _ => false,
    }
}

/// Programs that take a program of their own language, which can name files in ways that no reading of it finds out.
const LANGUAGES: &[&str] = &["awk", "bc", "dc", "gawk", "jq", "mawk", "nawk", "yq"];

/// Whether a variable is known to change nothing but how output looks.
fn is_plain_variable(name: &str) -> bool {
    matches!(name, "LANG" | "TZ" | "NO_COLOR" | "CLICOLOR" | "COLUMNS" | "LINES") || name.starts_with("LC_")
}

/// Whether it sets variables that could mean something to a program.
fn sets_variables(part: &LinePart) -> bool {
    let assigned = part.assignments.iter().map(|assignment| assignment.name.as_str());
    let by_env = part.wrappers.iter().any(|wrapper| wrapper.name == "env" && !wrapper.harmless);
    by_env || !assigned.chain(part.exported()).all(is_plain_variable)
}

/// Why the text of a part that seems to only read does not tell all that it does.
fn needs_fence(part: &LinePart, bases: &[AbsPath], reads: &[ResolvedTarget]) -> Option<&'static str> {
    match () {
        () if !part.depends_on.is_empty() => {
            Some("It reads configuration in the folder, which could make it run other programs")
        }
        () if sets_variables(part) => Some("It sets variables that could change what the command does"),
        () if part.program().is_some_and(|program| LANGUAGES.contains(&program)) => {
            Some("What it reads depends on a program in its own language")
        }
        () if bases.is_empty() => Some("The folder that it runs in is unknown until it runs"),
        () if reads.iter().any(|place| place.file().is_none()) => {
            Some("The files that it reads are unknown until it runs")
        }
        () => None,
    }
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
