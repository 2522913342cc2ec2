//! What a table says about one command or sub-command.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::flags::{self, Flag, FlagRole};
use super::{Example, Examples};
use crate::types::{FolderConfig, PathTarget};

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
    /// The first one; the others are read (`zip x.zip f…`).
    First,
    /// The second one, or what begins so (`split in out`).
    Second,
    /// Files in the folder that are called like the ends of the URLs (`wget`).
    Downloads,
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
    /// Flags whose value is a file of which it tells name, size or times: `date -r f`.
    looks: String,
    /// Flags whose value is data, or names a file with a sign at its beginning: `curl -d @f`.
    data: String,
    /// Flags whose value is data, or names a file with it: `curl -F name=@f`.
    attaches: String,
    /// Flags whose value says what is printed and may send that to a file: `curl -w '%output{f}'`.
    reports: String,
    /// Operands are such data, too (`http POST url a=@f`).
    pub attached_operands: bool,
    /// Flags whose value is the folder that the program goes to first, as `git -C`.
    moves: String,
    /// Flags whose value is a file that is written; without a value, a file in the folder.
    writes: String,
    /// Flags whose value is how the names of files begin that are written (`csplit -f`).
    prefixes: String,
    /// Flags whose value is a folder that is filled with files that only the input names, instead of the working folder.
    fills: String,
    /// Writes files that only its input names, below the folder: with one of these flags, or always with `*`; but not
    /// with those in `spreads_unless`, which also keep the operands from being written.
    spreads: String,
    spreads_unless: String,
    /// These files are those of which git has versions.
    tracked: bool,
    /// With one of these flags the operands are removed or replaced as well.
    takes: String,
    /// The operands end up elsewhere, with what is in them (`mv`).
    pub moves_operands: bool,
    /// With one of these flags an operand that is written stands for all that is in it; `*` for always.
    trees: String,
    /// Flags whose value is added to the name of a file for a backup.
    suffixes: String,
    /// With one of these flags, what was in a file that is written stays under another name.
    backs_up: String,
    /// With one of these flags, its input or a file names more files that it reads, and that it writes if it writes its
    /// operands.
    names_from: String,
    /// The ending of what it packs an operand into, beside it.
    packs: Option<String>,
    /// With one of these flags it leaves the operands that it packs or unpacks as they are.
    keeps: String,
    /// An operand that is written may begin with its format: `txt:out`.
    pub formats: bool,
    /// A rule covers only options that are listed, although the command does more than read.
    closed: bool,
    /// Operands are patterns of git: folders stand for what is in them.
    pub pathspecs: bool,
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
    names_only: bool,
    /// The same, unless one of these flags is given.
    names_unless: String,
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
    /// Long flags may have one dash, as npm and tsc take them.
    pub either_dash: bool,
    /// In a cluster of short flags each value is a word of its own: `tree -Lo 2 f` writes to f.
    pub values_apart: bool,
    /// Flags of which the last one wins, so that two of them say nothing.
    modes: String,
    /// Flags whose value must be one of these; a `*` at the end stands for anything.
    values: BTreeMap<String, Vec<String>>,
    /// Options end at the first operand.
    pub stop: bool,
    /// What follows is given to another program: its options are judged by their names.
    pub hands_on: bool,
    /// Operands that begin with `+` are commands (`vim +cmd f`).
    pub plus_runs: bool,
    /// A packed operand is unpacked to a file without its ending.
    pub unpacks: bool,
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
    /// A wrapper with these flags runs the command as the user whom they name, or as root.
    users: String,
    pub depends: Vec<FolderConfig>,
    /// Settings that it changes, and sub-commands that are not listed may change: files of which no argument says the name.
    pub writes_config: Vec<String>,
    /// The same where the first operand says so: `aws configure`.
    pub config_operands: BTreeMap<String, Vec<String>>,
    /// Ends the sentence "`x` …" of a refusal.
    pub why: Option<String>,
    /// Texts that no argument may hold (`%G` of `git log --format` runs a program); for the notation see
    /// `judge/special.rs`.
    pub refuse_text: Vec<String>,
    /// Commands of the client itself that are harmless, without their dot. With some, no others are (`sqlite3 db .shell`).
    pub dot_commands: Vec<String>,
    /// A word that begins with `@` is a file with more options.
    pub response_files: bool,
    /// Words such as `A=b` are variables of make: all of them, or those after `--`.
    pub make_variables: bool,
    pub make_after_dashes: bool,
    /// With no more operands than these it runs what comes in through its input, unless one of these flags is given.
    pub runs_input: Option<usize>,
    input_unless: String,
    /// Flags whose value is a file that says what it runs; a rule does not cover it if that is its input.
    program_in: String,
    /// Its operands are a command that it runs.
    pub runs_operands: bool,
    /// First operands behind which a command stands that it runs (`yarn exec`): a rule must name them.
    pub runners: Vec<String>,
    /// What follows `--` are options of this command.
    pub hands_to: Option<String>,
    /// How many operands say what a sub-command runs, so that a rule names them too (`npm run build`); under the empty name
    /// those of a command without sub-commands, for which a rule may leave the rest open.
    pub rule_operands: BTreeMap<String, usize>,
    /// Sub-commands that run whatever they are given, or change what others run: a rule for one names a whole command.
    pub exact_rules: Vec<String>,
    /// Sub-commands of the level above that are here as well (`docker container run`).
    includes: Vec<String>,
    /// Other names of the same sub-command.
    pub alias: Vec<String>,
    r#match: Vec<String>,
    not_match: Vec<String>,
    /// Nothing is known about it but some of its flags.
    #[serde(skip)]
    is_stranger: bool,
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
            (&self.looks, FlagRole::Looks),
            (&self.data, FlagRole::Data),
            (&self.attaches, FlagRole::Attaches),
            (&self.reports, FlagRole::Reports),
            (&self.moves, FlagRole::Moves),
            (&self.writes, FlagRole::Writes),
            (&self.prefixes, FlagRole::Prefixes),
            (&self.fills, FlagRole::Fills),
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
        for flag in [
            &self.recursive,
            &self.follows,
            &self.pattern_in,
            &self.spreads,
            &self.spreads_unless,
            &self.takes,
            &self.trees,
            &self.suffixes,
            &self.backs_up,
            &self.names_from,
            &self.keeps,
            &self.names_unless,
            &self.input_unless,
            &self.program_in,
            &self.users,
        ]
        .iter()
        .flat_map(|l| l.split_whitespace())
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
        self.include(name)
    }

    /// Gives sub-commands those of this level that they name.
    fn include(&mut self, name: &str) -> Result<(), String> {
        let level = self.sub.clone();
        for sub in self.sub.values_mut() {
            for wanted in std::mem::take(&mut sub.includes) {
                let found =
                    level.get(&wanted).ok_or_else(|| format!("`{name}` has no `{wanted}` to include"))?;
                sub.sub.entry(wanted).or_insert_with(|| found.clone());
            }
        }
        Ok(())
    }

    /// Whether its arguments are a program of a language that can do more than a rule for it covers.
    pub(crate) fn closed_language(&self) -> bool {
        self.closed && !self.refuse_text.is_empty()
    }

    /// Whether it runs a command as another user.
    pub(crate) fn changes_user(&self) -> bool {
        !self.users.is_empty()
    }

    /// Whether the value of this flag is the user as whom it runs a command.
    pub(crate) fn names_user(&self, flag: &str) -> bool {
        self.users.split_whitespace().any(|f| f == flag)
    }

    /// Whether the value of this flag is a file that says what it runs.
    pub(crate) fn program_in(&self, flag: &str) -> bool {
        self.program_in.split_whitespace().any(|f| f == flag)
    }

    /// Whether it does not run its input if this flag is given.
    pub(crate) fn input_unless(&self, flag: &str) -> bool {
        self.input_unless.split_whitespace().any(|f| f == flag)
    }

    /// What is said about programs without a table.
    pub(crate) fn of_stranger() -> &'static Self {
        static STRANGER: LazyLock<CommandSpec> = LazyLock::new(|| CommandSpec {
            does: CommandEffect::Unknown,
            free: true,
            no_files: true,
            ..CommandSpec::default()
        });
        &STRANGER
    }

    /// For a sub-command that is not listed: the flags of this level may follow it as well.
    pub(crate) fn of_unlisted_sub(&self) -> Self {
        Self {
            does: self.does,
            all_flags: self.all_flags.clone(),
            single_dash: self.single_dash,
            either_dash: self.either_dash,
            closed: self.closed,
            refuse_text: self.refuse_text.clone(),
            is_stranger: true,
            ..Self::of_stranger().clone()
        }
    }

    /// May it write files whatever its flags are?
    pub(crate) fn writes_anyway(&self) -> bool {
        use CommandEffect::{Changes, Fetches, Sends, Unknown};
        matches!(self.does, Changes | Fetches | Sends | Unknown)
    }

    /// Is it somebody's own program? A rule for one of these is for all of its options.
    pub(crate) fn is_own_program(&self) -> bool {
        self.does == CommandEffect::Unknown && self.free && self.all_flags.is_empty() && !self.is_stranger
    }

    /// Can no flag of it do harm?
    pub(crate) fn is_harmless(&self) -> bool {
        self.does == CommandEffect::Reads && self.free && !self.is_stranger
    }

    /// Must a rule name every flag that is not listed?
    pub(crate) fn is_closed(&self) -> bool {
        self.closed || matches!(self.does, CommandEffect::Reads | CommandEffect::Hidden)
    }

    /// Whether it writes files that only its input names, below the folder.
    pub(crate) fn spreads(&self, flags: &[String]) -> bool {
        let filled =
            || flags.iter().any(|f| self.all_flags.get(f).is_some_and(|f| f.role == FlagRole::Fills));
        given(&self.spreads, flags) && !self.only_prints(flags) && !filled()
    }

    /// Which files these are.
    pub(crate) fn spread_target(&self) -> PathTarget {
        let folder = ".".to_owned();
        if self.tracked { PathTarget::Tracked(folder) } else { PathTarget::Below(folder) }
    }

    /// Whether flags keep it from writing its operands.
    pub(crate) fn only_prints(&self, flags: &[String]) -> bool {
        given(&self.spreads_unless, flags)
    }

    /// Whether one of these flags makes it change something, whatever the others say.
    pub(crate) fn is_told_to_change(&self, flags: &[String]) -> bool {
        flags.iter().any(|f| self.all_flags.get(f).is_some_and(|f| f.role == FlagRole::Changes))
    }

    /// Whether it removes or replaces its operands with these flags.
    pub(crate) fn takes(&self, flags: &[String]) -> bool {
        given(&self.takes, flags)
    }

    /// Whether an operand that it writes stands for all that is in it.
    pub(crate) fn writes_trees(&self, flags: &[String]) -> bool {
        given(&self.trees, flags)
    }

    /// Whether the value of this flag is added to the name of a file for a backup.
    pub(crate) fn adds_suffix(&self, flag: &str) -> bool {
        self.suffixes.split_whitespace().any(|f| f == flag)
    }

    /// Whether what was in a file that it writes stays under another name.
    pub(crate) fn backs_up(&self, flags: &[String]) -> bool {
        given(&self.backs_up, flags)
    }

    /// Whether its input or a file names more files.
    pub(crate) fn names_from(&self, flags: &[String]) -> bool {
        given(&self.names_from, flags)
    }

    /// What it packs an operand into.
    pub(crate) fn packs(&self) -> Option<&str> {
        self.packs.as_deref()
    }

    /// Whether it puts what is in its operands into other files and leaves them as they are.
    pub(crate) fn keeps(&self, flags: &[String]) -> bool {
        given(&self.keeps, flags) && !self.takes(flags)
    }

    /// Whether it tells no contents, with these flags.
    pub(crate) fn shows_names_only(&self, flags: &[String]) -> bool {
        self.names_only || !self.names_unless.is_empty() && !given(&self.names_unless, flags)
    }

    /// The flag of this name. Programs whose long flags have one dash mostly take two as well, and some take one for two.
    pub(crate) fn flag(&self, name: &str) -> Option<&Flag> {
        let other = || match name.strip_prefix("--") {
            Some(rest) if self.single_dash => self.all_flags.get(&format!("-{rest}")),
            None if self.single_dash || self.either_dash => self.all_flags.get(&format!("-{name}")),
            _ => None,
        };
        self.all_flags.get(name).or_else(other)
    }

    /// A flag with its attached value: `--name=value`; and `-name:value`, as java has it.
    pub(crate) fn flag_with_value<'t>(&self, text: &'t str) -> Option<(&Flag, &'t str)> {
        let by = |sign: char| {
            let (name, value) = text.split_once(sign)?;
            Some((self.flag(name)?, value))
        };
        // `-o=x` and `-o:x` are files called `=x` and `:x`.
        let is_long = |(flag, _): &(&Flag, &str)| flag.name.len() > 2;
        let with_equals = by('=').filter(|found| self.single_dash || is_long(found));
        with_equals.or_else(|| by(':').filter(|found| self.single_dash && is_long(found)))
    }

    /// How far below its operands it reads, with these flags.
    pub(crate) fn depth(&self, flags: &[String]) -> ReadDepth {
        match () {
            () if given(&self.follows, flags) => ReadDepth::ThroughLinks,
            () if given(&self.recursive, flags) => ReadDepth::Below,
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
        let lists = [
            &self.recursive,
            &self.follows,
            &self.pattern_in,
            &self.spreads,
            &self.takes,
            &self.trees,
            &self.suffixes,
            &self.backs_up,
            &self.names_from,
            &self.names_unless,
        ];
        let decides = |f: &Flag| {
            let listed = || lists.iter().any(|list| list.split_whitespace().any(|token| token == f.name));
            f.role.is_special(false) || f.role == FlagRole::Reads || listed()
        };
        let special = |f: &&Flag| decides(f) && f.name.starts_with(name);
        (name.len() > 2)
            .then(|| self.all_flags.values().filter(special).min_by_key(|f| f.name.len()))
            .flatten()
    }

    pub(crate) fn lists_with(&self, flag: &str) -> bool {
        self.lists_with.split_whitespace().any(|f| f == flag)
    }

    /// Whether only some values of this flag are listed. Programs that have such flags take `-o=json`, too.
    pub(crate) fn lists_values(&self, flag: &str) -> bool {
        self.values.contains_key(flag)
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
        (self.abbrev && name.len() > 2 && hits.next().is_none()).then_some(first)
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

/// Whether one of the flags in a list is given; `*` stands for always.
fn given(list: &str, flags: &[String]) -> bool {
    list.split_whitespace().any(|token| token == "*" || flags.iter().any(|flag| flag == token))
}
