//! A set of rules from all sources. The time of a lookup does not depend on the number of rules.

use std::collections::HashMap;

use forelook_protocol::{AbsPath, Behavior, RuleOrigin, Shell};
use forelook_shell::LinePart;

use crate::file_rules::{FileRules, TreePatterns};
use crate::path_pattern::PatternBases;
use crate::rule::{Access, Matcher, Rule};
use crate::shell_pattern::ShellPattern;
use crate::strip::{Strictness, is_dangerous};

/// A rule with where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleEntry {
    /// The rule.
    pub rule: Rule,
    /// Where it stands and what it says.
    pub origin: RuleOrigin,
    /// What its paths are relative to.
    pub bases: PatternBases,
}

impl RuleEntry {
    /// Whether it is for every line of a shell, whatever it says: `Bash`.
    pub(crate) fn is_for_every_command(&self) -> bool {
        matches!(&self.rule.matcher, Matcher::Shell(_, ShellPattern::Any))
    }
}

/// All rules.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    entries: Vec<RuleEntry>,
    /// Allow rules that do not count while the classifier is on. Derived from the rules, never stored: what is only
    /// passed over can be neither lost nor doubled.
    dangerous: Vec<bool>,
    /// Rules for shell lines, by the first word that they fix; under the empty word those that fix none.
    shell: HashMap<(Behavior, &'static str), HashMap<String, Vec<usize>>>,
    files: HashMap<(Behavior, Access), FileRules>,
    others: HashMap<Behavior, Vec<usize>>,
    /// Commands that the person declared to be reads that need the network.
    network: Vec<ShellPattern>,
}

/// Which allow rules count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleFilter {
    /// All.
    All,
    /// Those that leave the classifier its judgement.
    ClassifierSafe,
}

impl RuleSet {
    /// Makes a set. Later entries are found first, as later sources are shown first.
    pub fn new(mut entries: Vec<RuleEntry>, strictness: Strictness) -> Self {
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.origin.source));
        let mut set = Self::default();
        for (at, entry) in entries.iter().enumerate() {
            let behavior = entry.origin.behavior;
            match &entry.rule.matcher {
                Matcher::Shell(shell, pattern) => {
                    let word = pattern.first_word().unwrap_or_default().to_owned();
                    set.shell.entry((behavior, name(*shell))).or_default().entry(word).or_default().push(at);
                }
                Matcher::Files { access, pattern, .. } => {
                    let rules = set.files.entry((behavior, *access)).or_default();
                    rules.add(at, pattern.as_ref(), &entry.bases);
                }
                _ => set.others.entry(behavior).or_default().push(at),
            }
            let dangerous = behavior == Behavior::Allow && is_dangerous(&entry.rule.matcher, strictness);
            set.dangerous.push(dangerous);
        }
        set.entries = entries;
        set
    }

    /// The same set, with commands that the person declared to be reads that need the network: nobody can tell that
    /// from their text, and plan mode lets them through (`plan.networkCommands`).
    pub fn with_network_commands(mut self, patterns: Vec<ShellPattern>) -> Self {
        self.network = patterns;
        // "Every command only reads" is nothing that anybody can declare.
        self.network.retain(|pattern| *pattern != ShellPattern::Any);
        self
    }

    /// A set of these rules alone, with the same declared commands.
    pub(crate) fn of_entries(&self, entries: Vec<RuleEntry>) -> Self {
        Self::new(entries, Strictness::default()).with_network_commands(self.network.clone())
    }

    /// Whether one of these texts of a command was declared to be a read that needs the network.
    pub(crate) fn reads_network(&self, forms: &[String]) -> bool {
        self.network.iter().any(|pattern| forms.iter().any(|form| pattern.matches(form)))
    }

    /// All rules.
    pub fn entries(&self) -> &[RuleEntry] {
        &self.entries
    }

    /// Whether there are rules that allow commands.
    pub fn allows_commands(&self) -> bool {
        self.shell.keys().any(|(behavior, _)| *behavior == Behavior::Allow)
    }

    /// A rule that matches one of these texts of a command.
    pub(crate) fn shell(&self, query: RuleQuery, shell: Shell, forms: &[String]) -> Option<&RuleEntry> {
        self.shell_entries(query, shell, forms).find(|entry| {
            matches!(&entry.rule.matcher, Matcher::Shell(_, pattern) if forms.iter().any(|form| pattern.matches(form)))
        })
    }

    /// The rules that begin with the first word of one of these texts, or with any.
    fn shell_entries<'a, 'f>(
        &'a self,
        query: RuleQuery,
        shell: Shell,
        forms: &'f [String],
    ) -> impl Iterator<Item = &'a RuleEntry> + use<'a, 'f> {
        let by_word = self.shell.get(&(query.behavior, name(shell)));
        let words = forms.iter().map(|form| form.split(' ').next().unwrap_or_default());
        let candidates = words.chain([""]).filter_map(move |word| by_word?.get(word)).flatten().copied();
        candidates
            .filter(move |at| self.passes_filter(*at, query.rule_filter))
            .filter_map(|at| self.entries.get(at))
    }

    /// A rule for some command of this shell.
    pub(crate) fn any_shell(&self, query: RuleQuery, shell: Shell) -> Option<&RuleEntry> {
        let rules = self.shell.get(&(query.behavior, name(shell)))?.values().flatten();
        // The first in order, whatever order the map has.
        rules
            .filter(|at| self.passes_filter(**at, query.rule_filter))
            .min()
            .and_then(|at| self.entries.get(*at))
    }

    /// A rule that covers this part of a command: it matches, and its own text names every option that does more than the
    /// command without it. `Bash(git log:*)` does not speak for `git log --output=f`, nor `Bash(sh)` for what is piped into
    /// it.
    pub(crate) fn covering_shell(
        &self,
        query: RuleQuery,
        shell: Shell,
        part: &LinePart,
    ) -> Option<&RuleEntry> {
        self.shell_entries(query, shell, &part.allow_forms).find(|entry| {
            let Matcher::Shell(_, pattern) = &entry.rule.matcher else { return false };
            // What runs is not even in the text of the command.
            let known = *pattern == ShellPattern::Any || !part.runs_input();
            known
                && pattern.names_options(&part.special_options)
                && part.allow_forms.iter().any(|form| pattern.matches(form))
        })
    }

    /// A rule for every line of this shell, whatever it says.
    pub(crate) fn whole_shell(&self, query: RuleQuery, shell: Shell) -> Option<&RuleEntry> {
        let by_word = self.shell.get(&(query.behavior, name(shell)))?.get("")?;
        by_word
            .iter()
            .filter(|at| self.passes_filter(**at, query.rule_filter))
            .filter_map(|at| self.entries.get(*at))
            .find(|entry| entry.is_for_every_command())
    }

    /// A rule that matches this path. `tool` narrows an allow to the tool it names.
    pub(crate) fn file(
        &self,
        query: RuleQuery,
        access: Access,
        path: &AbsPath,
        tool: &str,
    ) -> Option<&RuleEntry> {
        let found = self.files.get(&(query.behavior, access))?.matching(path);
        found.into_iter().filter_map(|at| self.entries.get(at)).find(|entry| match &entry.rule.matcher {
            Matcher::Files { tool: named, .. } => query.behavior != Behavior::Allow || covers(named, tool),
            _ => false,
        })
    }

    /// Whether there are rules of this kind.
    pub(crate) fn has_files(&self, behavior: Behavior, access: Access) -> bool {
        self.files.contains_key(&(behavior, access))
    }

    /// A rule for files: any of them may match a path that is not known.
    pub(crate) fn any_file(&self, behavior: Behavior, access: Access) -> Option<&RuleEntry> {
        let matches = |entry: &&RuleEntry| {
            let files =
                matches!(&entry.rule.matcher, Matcher::Files { access: named, .. } if *named == access);
            files && entry.origin.behavior == behavior
        };
        self.has_files(behavior, access).then(|| self.entries.iter().find(matches)).flatten()
    }

    /// A rule that may match something below this folder.
    pub(crate) fn below(&self, behavior: Behavior, access: Access, folder: &AbsPath) -> Option<&RuleEntry> {
        self.entries.get(self.files.get(&(behavior, access))?.below(folder)?)
    }

    /// A rule that may match something in this folder, if it is one, by patterns of this kind.
    pub(crate) fn in_tree(
        &self,
        behavior: Behavior,
        access: Access,
        folder: &AbsPath,
        patterns: TreePatterns,
    ) -> Option<&RuleEntry> {
        self.entries.get(self.files.get(&(behavior, access))?.in_tree(folder, patterns)?)
    }

    /// A rule of another kind that `matches` says yes to.
    pub(crate) fn other(&self, query: RuleQuery, matches: impl Fn(&Matcher) -> bool) -> Option<&RuleEntry> {
        let at = self.others.get(&query.behavior)?;
        let counted = at.iter().filter(|at| self.passes_filter(**at, query.rule_filter));
        counted.filter_map(|at| self.entries.get(*at)).find(|entry| matches(&entry.rule.matcher))
    }

    fn passes_filter(&self, at: usize, rule_filter: RuleFilter) -> bool {
        rule_filter == RuleFilter::All || !self.dangerous.get(at).copied().unwrap_or_default()
    }
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RuleQuery {
    pub(crate) behavior: Behavior,
    pub(crate) rule_filter: RuleFilter,
}

fn name(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => "bash",
        Shell::PowerShell => "powershell",
    }
}

/// Whether an allow for `named` covers `tool`: `Edit` and `Read` speak for all that edit and read, another name for
/// itself alone.
fn covers(named: &str, tool: &str) -> bool {
    matches!(named, "Edit" | "Read") || named == tool
}
