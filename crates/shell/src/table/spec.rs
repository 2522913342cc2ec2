//! What a table says about one command or sub-command.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::flags::{self, Flag, FlagRole};
use super::{Example, Examples};
use crate::types::FolderConfig;

/// What a command does when nothing in its flags says otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CommandEffect {
    #[default]
    Reads,
    Changes,
    Unknown,
    /// Shows processes, sockets or services, which the read-only sandbox hides.
    Hidden,
    Network,
    /// Takes something from another machine and changes files here.
    Fetches,
    /// Changes something on another machine.
    Sends,
}

/// Which operands name files that are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WrittenOperands {
    #[default]
    None,
    All,
    /// The last one; the others are read (`cp`).
    Last,
    /// All but the first (`chmod MODE f…`).
    Rest,
}

/// What is read of a folder that is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadDepth {
    /// Nothing below it.
    File,
    /// Everything below it.
    Below,
    /// Everything below it, and whatever links there lead to.
    ThroughLinks,
}

/// One command. Every field is optional in the file; a table with examples only is a command without flags.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CommandSpec {
    pub does: CommandEffect,
    /// Harmless flags; for the notation see `flags.rs`.
    flags: String,
    /// Flags whose value is a file that is read.
    reads: String,
    /// Flags whose value is the folder that the program goes to first, as `git -C`.
    moves: String,
    /// Flags whose value is a file that is written; without a value, a file in the folder.
    writes: String,
    /// Flags that make the command change something.
    changes: String,
    /// Flags that run a program.
    runs: String,
    /// Flags that use the network.
    network: String,
    /// Flags whose effect depends on something that the text does not tell.
    opaque: String,
    /// With one of these flags an operand stands for everything below it; `*` for always.
    recursive: String,
    /// With one of these flags it goes through links on its way down, so that it can read anything; `*` for always.
    follows: String,
    /// How many operands come before the files (a pattern, a program), unless one of the flags in `pattern_in` is given.
    pub skips: usize,
    pattern_in: String,
    /// Tells names, sizes and times, but no contents: a place that is not known is nothing that it reads.
    pub names_only: bool,
    /// Operands are revisions of git, or files in them.
    pub revisions: bool,
    /// Without a file it reads its input if there is one, and only else the folder.
    pub unless_piped: bool,
    /// Exact single arguments that only inform: `--version`.
    pub informs: Vec<String>,
    /// Every operand must be a known text.
    pub literal: bool,
    /// Lists of harmless flags that sub-commands share, and which of them this one uses.
    lists: BTreeMap<String, String>,
    uses: Vec<String>,
    /// No flag of this command can do harm, so words that are not known are fine.
    pub free: bool,
    /// Long flags may be abbreviated, as `getopt_long` does; only for tables that list every flag.
    pub abbrev: bool,
    pub single_dash: bool,
    /// In a cluster of short flags each value is a word of its own: `tree -Lo 2 f` writes to f.
    pub values_apart: bool,
    /// Flags of which the last one wins, so that two of them say nothing.
    modes: String,
    /// Flags whose value must be one of these; a `*` at the end stands for anything.
    values: BTreeMap<String, Vec<String>>,
    /// Options end at the first operand.
    pub stop: bool,
    /// Options end at this operand instead (`ssh host -v command`).
    pub stop_at: usize,
    /// The most operands that it may have.
    pub max: Option<usize>,
    /// The operands beyond `max` are files that it writes (`uniq in out`).
    pub extra_written: bool,
    pub min: usize,
    /// Every operand must begin with this.
    pub begins: Option<String>,
    /// Every operand must be one of these.
    pub only: Vec<String>,
    /// With one of these flags `max` does not hold: the operands are patterns then, not new names.
    lists_with: String,
    /// Without one of these flags the command is not read-only; `-a&-b` stands for both of them.
    needs: String,
    /// Sub-commands. With some, the flags of this level stand before the sub-command.
    pub sub: BTreeMap<String, CommandSpec>,
    /// A sub-command is one only as the very first word; else the words are operands.
    pub mixed: bool,
    /// The name of a special analyser in `analysers/`.
    pub analyser: Option<String>,
    /// Operands are not files.
    pub no_files: bool,
    pub written: WrittenOperands,
    /// Runs the command that follows; its own flags and operands come first.
    pub wraps: bool,
    /// How many operands a wrapper has before the command.
    pub skip: usize,
    /// An allow rule for the inner command also holds for the wrapped one.
    pub safe: bool,
    pub depends: Vec<FolderConfig>,
    /// Ends the sentence "`x` …" of a refusal.
    pub why: Option<String>,
    /// Texts that no argument may hold (`%G` of `git log --format` runs a program).
    pub refuse_text: Vec<String>,
    /// Other names of the same sub-command.
    pub alias: Vec<String>,
    r#match: Vec<String>,
    not_match: Vec<String>,
    /// All flags, prepared from the lists.
    #[serde(skip)]
    pub all_flags: HashMap<String, Flag>,
}

impl CommandSpec {
    /// Turns the lists into a map and checks them.
    pub(crate) fn prepare(&mut self, name: &str) -> Result<(), String> {
        self.prepare_with(name, &BTreeMap::new())
    }

    fn prepare_with(&mut self, name: &str, shared: &BTreeMap<String, String>) -> Result<(), String> {
        let shared = if self.lists.is_empty() { shared.clone() } else { std::mem::take(&mut self.lists) };
        for used in &self.uses {
            let list = shared
                .get(used)
                .ok_or_else(|| format!("`{name}` uses the list `{used}`, which does not exist"))?;
            self.flags = format!("{} {list}", self.flags);
        }
        let lists = [
            (&self.flags, FlagRole::Harmless),
            (&self.reads, FlagRole::Reads),
            (&self.moves, FlagRole::Moves),
            (&self.writes, FlagRole::Writes),
            (&self.changes, FlagRole::Changes),
            (&self.runs, FlagRole::Runs),
            (&self.network, FlagRole::Network),
            (&self.opaque, FlagRole::Opaque),
        ];
        for (list, role) in lists {
            for flag in flags::parse(list, role, self.single_dash).map_err(|e| format!("`{name}`: {e}"))? {
                let earlier = self.all_flags.insert(flag.name.clone(), flag.clone());
                if earlier.is_some_and(|e| e != flag) {
                    return Err(format!("`{name}`: `{}` is listed twice with different meanings", flag.name));
                }
            }
        }
        for flag in
            [&self.recursive, &self.follows, &self.pattern_in].iter().flat_map(|l| l.split_whitespace())
        {
            if flag != "*" && !self.all_flags.contains_key(flag) {
                return Err(format!(
                    "`{name}`: `{flag}` has a meaning for files, but is not listed as a flag"
                ));
            }
        }
        let mut aliases = Vec::new();
        for (sub_name, sub) in &mut self.sub {
            sub.prepare_with(&format!("{name} {sub_name}"), &shared)?;
            aliases.extend(sub.alias.iter().map(|alias| (alias.clone(), sub.clone())));
        }
        self.sub.extend(aliases);
        Ok(())
    }

    /// Does it change files or other machines whatever its flags are?
    pub(crate) fn changes_anyway(&self) -> bool {
        matches!(self.does, CommandEffect::Changes | CommandEffect::Fetches | CommandEffect::Sends)
    }

    /// How far below its operands it reads, with these flags.
    pub(crate) fn depth(&self, flags: &[String]) -> ReadDepth {
        let given = |list: &str| {
            list.split_whitespace().any(|token| token == "*" || flags.iter().any(|flag| flag == token))
        };
        match () {
            () if given(&self.follows) => ReadDepth::ThroughLinks,
            () if given(&self.recursive) => ReadDepth::Below,
            () => ReadDepth::File,
        }
    }

    /// How many operands are no files.
    pub(crate) fn skipped_operands(&self, flags: &[String]) -> usize {
        let elsewhere =
            self.pattern_in.split_whitespace().any(|token| flags.iter().any(|flag| flag == token));
        if elsewhere { 0 } else { self.skips }
    }

    /// A flag that this one may be an abbreviation of, among those that decide what the command does.
    pub(crate) fn abbreviated(&self, name: &str) -> Option<&Flag> {
        let lists = [&self.recursive, &self.follows, &self.pattern_in];
        let decides = |f: &Flag| {
            let listed = || lists.iter().any(|list| list.split_whitespace().any(|token| token == f.name));
            f.role.is_special(false) || f.role == FlagRole::Reads || listed()
        };
        let special = |f: &&Flag| decides(f) && f.name.starts_with(name);
        (name.len() > 3)
            .then(|| self.all_flags.values().filter(special).min_by_key(|f| f.name.len()))
            .flatten()
    }

    pub(crate) fn lists_with(&self, flag: &str) -> bool {
        self.lists_with.split_whitespace().any(|f| f == flag)
    }

    /// May the flag have this value? `None` stands for a value that is not known.
    pub(crate) fn allows(&self, flag: &str, value: Option<&str>) -> bool {
        let Some(allowed) = self.values.get(flag) else { return true };
        let fits = |text: &str| {
            allowed.iter().any(|a| a.strip_suffix('*').map_or(a == text, |begin| text.starts_with(begin)))
        };
        value.is_some_and(fits)
    }

    /// Two different flags of which only the last one counts.
    pub(crate) fn clash<'a>(&self, given: &'a [String]) -> Option<(&'a str, &'a str)> {
        let mut modes = given.iter().filter(|f| self.modes.split_whitespace().any(|m| m == f.as_str()));
        let first = modes.next()?;
        modes.find(|f| *f != first).map(|other| (first.as_str(), other.as_str()))
    }

    /// The same command when what it would write goes to its output: these flags are harmless then.
    pub(crate) fn printing(&self, flags: &[&str]) -> Self {
        let mut spec = self.clone();
        for flag in flags {
            spec.needs = format!("{} {flag}", spec.needs);
            if let Some(known) = spec.all_flags.get_mut(*flag) {
                known.role = FlagRole::Harmless;
            }
        }
        spec
    }

    pub(crate) fn needs(&self) -> impl Iterator<Item = &str> {
        self.needs.split_whitespace()
    }

    /// The long flag that an abbreviation stands for.
    pub(crate) fn unabbreviated(&self, name: &str) -> Option<&Flag> {
        let mut hits = self.all_flags.values().filter(|f| f.name.starts_with(name));
        let first = hits.next()?;
        (self.abbrev && name.len() > 3 && hits.next().is_none()).then_some(first)
    }

    pub(crate) fn collect_examples(&self, name: &str, out: &mut Vec<Examples>) {
        let example = |read_only: bool| move |line: &String| Example { line: line.clone(), read_only };
        let examples: Vec<Example> =
            self.r#match.iter().map(example(true)).chain(self.not_match.iter().map(example(false))).collect();
        out.push(Examples { command: name.to_owned(), examples });
        for (sub_name, sub) in &self.sub {
            sub.collect_examples(&format!("{name} {sub_name}"), out);
        }
    }
}
