//! An action with everything known about it, and the questions that the steps ask about it.

use std::collections::BTreeSet;

use forelook_protocol::{AbsPath, Action, Behavior, Fact, Facts, FileRef, HookDecision, Mode, Shell};
use forelook_shell::{LinePart, Word, WordValue};

use crate::confine::{self, KernelEnforcement};
use crate::explain;
use crate::file_rules::TreePatterns;
use crate::guards::ANY_NAME;
use crate::line::{GitFolder, LineContext, ResolvedLine, ResolvedPart, ResolvedTarget};
use crate::policy::PermissionPolicy;
use crate::rule::{Access, Matcher};
use crate::rules::{RuleEntry, RuleFilter, RuleQuery};
use crate::walls;

/// One action, parsed and resolved.
pub(crate) struct DecisionInput<'a> {
    pub(crate) policy: &'a PermissionPolicy,
    pub(crate) tool: &'a str,
    pub(crate) action: &'a Action,
    pub(crate) facts: &'a Facts,
    /// For a bash command.
    pub(crate) line: Option<ResolvedLine>,
    /// What the kernel enforces, if commands are started.
    pub(crate) kernel: KernelEnforcement<'a>,
}

impl<'a> DecisionInput<'a> {
    /// Looks at an action. `Err` names the facts that are missing.
    pub(crate) fn new(
        policy: &'a PermissionPolicy,
        tool: &'a str,
        action: &'a Action,
        facts: &'a Facts,
    ) -> Result<Self, BTreeSet<Fact>> {
        let mut missing = BTreeSet::new();
        let kernel = KernelEnforcement::new(policy, action, facts).unwrap_or_else(|fact| {
            missing.insert(fact);
            KernelEnforcement::default()
        });
        let line = match action {
            Action::Shell { shell: Shell::Bash, command, folder }
            | Action::Rehearse { command: Some(command), folder, .. } => {
                let context = LineContext {
                    folder,
                    user_home: policy.user_home.as_ref(),
                    facts,
                    fenced: kernel.read_only || policy.mode_state.mode() == Mode::BypassPermissions,
                };
                ResolvedLine::resolve(command, context).map_err(|more| missing.extend(more)).ok()
            }
            _ => None,
        };
        if !missing.is_empty() {
            return Err(missing);
        }
        let input = Self { policy, tool, action, facts, line, kernel };
        let missing = input.missing_repositories();
        if missing.is_empty() { Ok(input) } else { Err(missing) }
    }

    /// What must be known about repositories before a rule or a hook may take git out of the fence.
    fn missing_repositories(&self) -> BTreeSet<Fact> {
        let allowed =
            || matches!(self.facts.hook, Some(HookDecision::Allow(_))) || self.matching_rule().is_some();
        let folders = self.unfenced_git().filter_map(|folder| match folder {
            GitFolder::Known(folder) if !self.facts.git_runs.contains_key(folder) => Some(folder.clone()),
            _ => None,
        });
        let missing: BTreeSet<Fact> = folders.map(Fact::GitRuns).collect();
        if missing.is_empty() || !allowed() { BTreeSet::new() } else { missing }
    }

    /// What must be known about files that are written to: git runs what it finds in its folder and configuration, whatever these are called.
    pub(crate) fn missing_git_files(&self) -> BTreeSet<Fact> {
        let files = walls::written(self);
        let unknown =
            |path: &&AbsPath| !self.policy.is_protected(path) && !self.facts.governs_git.contains_key(*path);
        let paths = files.iter().flat_map(FileRef::paths).filter(unknown);
        paths.cloned().map(Fact::GovernsGit).collect()
    }

    /// Whether a file decides what runs later: by its name, or because git goes by it.
    pub(crate) fn is_protected(&self, path: &AbsPath) -> bool {
        self.policy.is_protected(path) || self.facts.governs_git.get(path) == Some(&true)
    }

    /// The folders in which git would run where nothing confines it, although a mode does not let everything run.
    fn unfenced_git(&self) -> impl Iterator<Item = &GitFolder> {
        let held = self.policy.mode_state.mode() == Mode::BypassPermissions
            || !matches!(self.action, Action::Shell { .. })
            || !confine::confinement(self).is_unconfined();
        let parts = self.line.iter().flat_map(|line| &line.parts).filter(move |_| !held);
        parts.flat_map(|part| &part.git_folders)
    }

    /// Why neither a rule nor a hook speaks for this command: git would run what is not known to be the user's own.
    pub(crate) fn strange_repository(&self) -> Option<String> {
        self.unfenced_git().find_map(|folder| match folder {
            GitFolder::Known(folder) => {
                self.facts.git_runs.get(folder).cloned().flatten().map(explain::git_runs)
            }
            GitFolder::Unknown => Some(explain::unknown_repository()),
        })
    }

    /// A rule that says this about any part of the action. For deny and ask: one part, one path is enough.
    pub(crate) fn any_rule(&self, behavior: Behavior) -> Option<&RuleEntry> {
        let query = RuleQuery { behavior, rule_filter: RuleFilter::All };
        let rules = &self.policy.rules;
        let by_tool =
            rules.other(query, |matcher| matches!(matcher, Matcher::Tool(name) if name == self.tool));
        by_tool.or_else(|| match self.action {
            Action::Read { file } => self.any_path(query, Access::Read, file),
            Action::Edit { file } => self.any_edit(query, file),
            Action::Shell { shell, command, .. } => self.any_shell(query, *shell, command),
            Action::Rehearse { edits, command, .. } => {
                let shell = command.as_ref().and_then(|line| self.any_shell(query, Shell::Bash, line));
                shell.or_else(|| edits.iter().find_map(|file| self.any_edit(query, file)))
            }
            _ => rules.other(query, |matcher| self.names(matcher)),
        })
    }

    fn any_shell(&self, query: RuleQuery, shell: Shell, command: &str) -> Option<&RuleEntry> {
        let rules = &self.policy.rules;
        let whole = rules.shell(query, shell, std::slice::from_ref(&command.trim().to_owned()));
        let Some(line) = &self.line else { return whole };
        let by_text =
            || line.analysis.parts.iter().find_map(|part| rules.shell(query, shell, &part.deny_forms));
        let by_path = || line.parts.iter().find_map(|part| self.any_file_of(query, part));
        // A program that the text does not tell may be any that a rule names.
        let unknown = || line.analysis.parts.iter().any(runs_unknown_program);
        let by_program = || unknown().then(|| rules.any_shell(query, shell)).flatten();
        whole.or_else(by_text).or_else(by_path).or_else(by_program)
    }

    fn any_file_of(&self, query: RuleQuery, part: &ResolvedPart) -> Option<&RuleEntry> {
        let named = part.reads.iter().chain(&part.looks).filter_map(ResolvedTarget::named);
        let named = named.chain(part.loose_reads.iter().cloned());
        let reads = named.into_iter().find_map(|file| self.any_path(query, Access::Read, &file));
        let written = part.writes.iter().chain(&part.redirected).filter_map(ResolvedTarget::file);
        let mut written = written.chain(&part.loose_writes);
        reads.or_else(|| written.find_map(|file| self.any_edit(query, file)))
    }

    fn any_path(&self, query: RuleQuery, access: Access, file: &FileRef) -> Option<&RuleEntry> {
        let rule = |path: &AbsPath| self.policy.rules.file(query, access, path, self.tool);
        // Whoever reads, moves or removes a folder does so to all that is in it.
        let all_in_it =
            |path: &AbsPath| rule(&path.join(ANY_NAME)).filter(|_| query.behavior == Behavior::Deny);
        let mut names = file.paths().flat_map(|path| self.policy.names_of(path));
        names.find_map(|path| rule(&path).or_else(|| all_in_it(&path)))
    }

    /// A rule that denies reading also denies changing.
    fn any_edit(&self, query: RuleQuery, file: &FileRef) -> Option<&RuleEntry> {
        let edit = self.any_path(query, Access::Edit, file);
        edit.or_else(|| match query.behavior {
            Behavior::Deny => self.any_path(query, Access::Read, file),
            Behavior::Ask | Behavior::Allow => None,
        })
    }

    /// An ask rule that may match; or a deny rule, if the command was not understood.
    pub(crate) fn uncertain_ask_rule(&self) -> Option<&RuleEntry> {
        if self.line.as_ref()?.analysis.parsed {
            return self.unnamed_file_rule(Behavior::Ask).or_else(|| self.denied_version_rule());
        }
        let denies = |entry: &&RuleEntry| {
            let shell = matches!(entry.rule.matcher, Matcher::Shell(Shell::Bash, _) | Matcher::Files { .. });
            shell && entry.origin.behavior == Behavior::Deny
        };
        self.policy.rules.entries().iter().find(denies)
    }

    /// A rule that denies editing a file which git may change with all others (`git merge`). Denying that would deny most
    /// of git; so this is asked about, unless the kernel keeps the command from the file.
    fn denied_version_rule(&self) -> Option<&RuleEntry> {
        let parts = self.line.iter().flat_map(|line| &line.parts);
        let mut written = parts.flat_map(|part| &part.writes).filter_map(|place| match place {
            ResolvedTarget::Tracked { folder } => self.rule_for_tracked(Behavior::Deny, folder),
            // A pattern for files at any depth (`*.pem`) may have some in a folder, or none.
            ResolvedTarget::Tree(file) => file.paths().find_map(|path| {
                self.policy.rules.in_tree(Behavior::Deny, Access::Edit, path, TreePatterns::All)
            }),
            _ => None,
        });
        written.next().filter(|_| confine::confinement(self).is_unconfined())
    }

    /// A rule for editing a file of the repository that this folder is in. Where that begins is not known; what matters is
    /// in a working directory.
    fn rule_for_tracked(&self, behavior: Behavior, folder: &AbsPath) -> Option<&RuleEntry> {
        let mut around = self.policy.folders.iter().filter(|around| folder.is_inside(around)).peekable();
        match around.peek() {
            Some(_) => around.find_map(|around| self.policy.rules.below(behavior, Access::Edit, around)),
            None => self.policy.rules.any_file(behavior, Access::Edit),
        }
    }

    /// A rule for a file in a folder that is removed, moved or replaced as a whole. For a whole working directory (`black .`)
    /// a deny rule asks instead, see above.
    fn rule_in_tree(&self, behavior: Behavior, access: Access, file: &FileRef) -> Option<&RuleEntry> {
        let holds_work = |path: &AbsPath| self.policy.folders.iter().any(|folder| folder.is_inside(path));
        if behavior == Behavior::Deny && file.paths().any(holds_work) {
            return None;
        }
        let patterns = if behavior == Behavior::Deny { TreePatterns::Fixed } else { TreePatterns::All };
        file.paths().find_map(|path| self.policy.rules.in_tree(behavior, access, path, patterns))
    }

    /// A rule for files that a command may touch although its text does not name them: what is not known may be
    /// anything. Not where the kernel keeps a command from the files of deny rules; nothing keeps it from those of ask
    /// rules.
    pub(crate) fn unnamed_file_rule(&self, behavior: Behavior) -> Option<&RuleEntry> {
        let held = confine::confinement(self);
        let denies = behavior == Behavior::Deny;
        let hidden = denies && !held.is_off();
        let protected = denies && !held.is_unconfined();
        let parts = &self.line.as_ref()?.parts;
        let read = parts.iter().flat_map(|part| part.reads.iter().chain(&part.looks)).filter(|_| !hidden);
        let mut written =
            parts.iter().flat_map(|part| part.writes.iter().chain(&part.redirected)).filter(|_| !protected);
        let may_match = |access, place: &ResolvedTarget| match place {
            ResolvedTarget::File(_) => None,
            ResolvedTarget::Tree(file) => self.rule_in_tree(behavior, access, file),
            ResolvedTarget::Below { folder, .. } => self.policy.rules.below(behavior, access, folder),
            // Git puts back versions that it has: whoever denies editing one of its files is asked, see below.
            ResolvedTarget::Tracked { .. } if denies => None,
            ResolvedTarget::Tracked { folder } => self.rule_for_tracked(behavior, folder),
            ResolvedTarget::Unknown => self.policy.rules.any_file(behavior, access),
        };
        let edit = |place: &ResolvedTarget| {
            // A rule that denies reading also denies changing.
            let read = || may_match(Access::Read, place).filter(|_| denies);
            may_match(Access::Edit, place).or_else(read)
        };
        read.into_iter().find_map(|place| may_match(Access::Read, place)).or_else(|| written.find_map(edit))
    }

    /// An allow rule that covers the whole action: every part, both paths of every link, and what git runs for it.
    pub(crate) fn covering_rule(&self) -> Option<&RuleEntry> {
        self.matching_rule().filter(|rule| rule.is_for_every_command() || self.strange_repository().is_none())
    }

    /// An allow rule that covers the whole text of the action.
    fn matching_rule(&self) -> Option<&RuleEntry> {
        let query = RuleQuery { behavior: Behavior::Allow, rule_filter: self.policy.rule_filter() };
        let rules = &self.policy.rules;
        match self.action {
            Action::Read { file } => self.covering_path(query, Access::Read, file),
            Action::Edit { file } => self.covering_path(query, Access::Edit, file),
            Action::Shell { shell, command, .. } => self.covering_shell(query, *shell, command),
            _ => rules.other(query, |matcher| {
                self.names(matcher) || matches!(matcher, Matcher::Tool(name) if name == self.tool)
            }),
        }
    }

    fn covering_path(&self, query: RuleQuery, access: Access, file: &FileRef) -> Option<&RuleEntry> {
        let rule = |path: &AbsPath| self.policy.rules.file(query, access, path, self.tool);
        let real = rule(&file.real)?;
        rule(&file.named).map(|_| real)
    }

    fn covering_shell(&self, query: RuleQuery, shell: Shell, command: &str) -> Option<&RuleEntry> {
        let rules = &self.policy.rules;
        if let Some(rule) = rules.whole_shell(query, shell) {
            return Some(rule);
        }
        let Some(line) = self.line.as_ref().filter(|line| line.analysis.parsed) else {
            // Not understood: only a rule that is exactly this text, to the letter, knows what it allows.
            let exact = rules.shell(query, shell, std::slice::from_ref(&command.trim().to_owned()))?;
            let is_exact = matches!(&exact.rule.matcher, Matcher::Shell(_, crate::ShellPattern::Exact(_)));
            return is_exact.then_some(exact);
        };
        let mut matched = None;
        for (part, view) in line.zip_parts() {
            if let Some(rule) = rules.covering_shell(query, shell, part) {
                matched = matched.or(Some(rule));
            } else if !self.reads_by_itself(view) {
                return None;
            }
            if !view.redirected.iter().all(|place| self.may_be_edited(query, place)) {
                return None;
            }
        }
        matched
    }

    /// Whether a part needs no rule beside one that has one: it only reads, and if only the kernel can make sure of that,
    /// the kernel does.
    pub(crate) fn reads_by_itself(&self, part: &ResolvedPart) -> bool {
        let fenced = || !confine::confinement(self).is_unconfined();
        part.command_verdict == forelook_shell::Verdict::ReadOnly && (part.needs_fence.is_none() || fenced())
    }

    /// Whether a redirection may write there: by a rule for edits, or because edits there are accepted anyway.
    fn may_be_edited(&self, query: RuleQuery, place: &ResolvedTarget) -> bool {
        match place {
            ResolvedTarget::File(file) => {
                self.covering_path(query, Access::Edit, file).is_some() || self.edits_are_accepted(file)
            }
            ResolvedTarget::Tree(_)
            | ResolvedTarget::Below { .. }
            | ResolvedTarget::Tracked { .. }
            | ResolvedTarget::Unknown => false,
        }
    }

    /// Whether a redirection may write there without another rule.
    pub(crate) fn redirection_is_accepted(&self, place: &ResolvedTarget) -> bool {
        let query = RuleQuery { behavior: Behavior::Allow, rule_filter: self.policy.rule_filter() };
        self.may_be_edited(query, place)
    }

    /// A rule that covers this part of a command.
    pub(crate) fn covering_part(&self, part: &LinePart) -> Option<&RuleEntry> {
        let query = RuleQuery { behavior: Behavior::Allow, rule_filter: self.policy.rule_filter() };
        self.policy.rules.covering_shell(query, Shell::Bash, part)
    }

    /// The rules that cover parts of a command, and files that its redirections write.
    pub(crate) fn covering_parts(&self) -> impl Iterator<Item = &RuleEntry> {
        let query = RuleQuery { behavior: Behavior::Allow, rule_filter: self.policy.rule_filter() };
        let by_file = move |place: &ResolvedTarget| match place {
            ResolvedTarget::File(file) => self.policy.rules.file(query, Access::Edit, &file.real, self.tool),
            _ => None,
        };
        let parts = self.line.iter().flat_map(ResolvedLine::zip_parts);
        parts.flat_map(move |(part, view)| {
            self.covering_part(part).into_iter().chain(view.redirected.iter().filter_map(by_file))
        })
    }

    /// Whether the mode lets this file be changed without asking.
    pub(crate) fn edits_are_accepted(&self, file: &FileRef) -> bool {
        use forelook_protocol::Mode;
        matches!(self.policy.mode_state.mode(), Mode::AcceptEdits | Mode::Auto)
            && file.paths().all(|path| self.policy.is_working(path))
    }

    /// Whether a rule of another kind names what this action is about.
    fn names(&self, matcher: &Matcher) -> bool {
        match (self.action, matcher) {
            (Action::Fetch { host }, Matcher::Host(pattern)) => {
                pattern.as_ref().is_none_or(|it| it.matches(host))
            }
            (Action::Mcp { server, tool, .. }, Matcher::Mcp { server: named, tool: pattern }) => {
                server == named && pattern.as_ref().is_none_or(|pattern| mcp_tool(pattern, tool))
            }
            (Action::Agent { kind, .. }, Matcher::Agent(named)) => {
                named.as_ref().is_none_or(|named| named == kind)
            }
            (Action::Skill { name }, Matcher::Skill(named)) => {
                named.as_ref().is_none_or(|named| named == name)
            }
            _ => false,
        }
    }
}

/// Whether a part runs a command that its text does not tell.
fn runs_unknown_program(part: &LinePart) -> bool {
    let is_open = |word: &Word| !matches!(word.value, WordValue::Literal(_));
    match part.words.as_slice() {
        [program, ..] if is_open(program) => true,
        [_, words @ ..] if part.program() == Some("eval") => words.iter().any(is_open),
        _ => false,
    }
}

fn mcp_tool(pattern: &str, tool: &str) -> bool {
    crate::ShellPattern::parse(pattern).is_ok_and(|pattern| pattern.matches(tool))
}
