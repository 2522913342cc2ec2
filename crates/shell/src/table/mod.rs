//! The tables of commands: TOML files, embedded, read one command at a time.
//!
//! Parsing all of them takes milliseconds, so at the start the files are only cut into the stretch of each command;
//! a stretch is parsed when the command is first met.

mod flags;
mod spec;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;

pub(crate) use flags::{Arity, Flag, FlagRole};
pub(crate) use spec::{CommandEffect, CommandSpec, ReadDepth, WrittenOperands};

/// Every table file; a new one must be named here.
const FILES: &[(&str, &str)] = &[
    ("archive", include_str!("../tables/archive.toml")),
    ("builtins", include_str!("../tables/builtins.toml")),
    ("cargo", include_str!("../tables/cargo.toml")),
    ("changes", include_str!("../tables/changes.toml")),
    ("clients", include_str!("../tables/clients.toml")),
    ("compilers", include_str!("../tables/compilers.toml")),
    ("containers", include_str!("../tables/containers.toml")),
    ("coreutils", include_str!("../tables/coreutils.toml")),
    ("git", include_str!("../tables/git.toml")),
    ("go", include_str!("../tables/go.toml")),
    ("interpreters", include_str!("../tables/interpreters.toml")),
    ("media", include_str!("../tables/media.toml")),
    ("node", include_str!("../tables/node.toml")),
    ("python", include_str!("../tables/python.toml")),
    ("runners", include_str!("../tables/runners.toml")),
    ("search", include_str!("../tables/search.toml")),
    ("system", include_str!("../tables/system.toml")),
    ("text", include_str!("../tables/text.toml")),
    ("wrappers", include_str!("../tables/wrappers.toml")),
];

struct TableEntry {
    text: &'static str,
    spec: OnceLock<Option<CommandSpec>>,
}

static INDEX: LazyLock<HashMap<&'static str, TableEntry>> = LazyLock::new(|| {
    let mut index = HashMap::new();
    for (_, text) in FILES {
        for (name, text) in sections(text) {
            index.insert(name, TableEntry { text, spec: OnceLock::new() });
        }
    }
    index
});

/// Programs that are installed under names with their version: `python3.12`, `gcc-13`. Only these: any other program that
/// is called like one of the tables with a number behind it is a stranger.
const VERSIONED: &[&str] = &[
    "python", "python3", "pip", "pip3", "gcc", "g++", "clang", "clang++", "gfortran", "perl", "lua", "ruby",
    "php", "node", "nodejs", "tclsh", "ghc", "go", "julia", "gdb", "lldb", "emacs", "java", "javac", "make",
];

/// What the tables say about a command.
pub(crate) fn command(name: &str) -> Option<&'static CommandSpec> {
    let (name, entry) = INDEX.get_key_value(name).or_else(|| INDEX.get_key_value(unversioned(name)?))?;
    entry.spec.get_or_init(|| parse(name, entry.text).ok()).as_ref()
}

/// The name of a program without the version at its end.
pub(crate) fn unversioned(name: &str) -> Option<&'static str> {
    let is_version = |rest: &str| {
        let rest = rest.strip_prefix('-').unwrap_or(rest);
        rest.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && rest.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    VERSIONED.iter().find(|bare| name.strip_prefix(**bare).is_some_and(is_version)).copied()
}

fn parse(name: &str, text: &str) -> Result<CommandSpec, String> {
    let mut all: HashMap<String, CommandSpec> = toml::from_str(text).map_err(|e| format!("`{name}`: {e}"))?;
    let mut spec = all.remove(name).ok_or_else(|| format!("`{name}` is not the name of its own table"))?;
    if !all.is_empty() {
        return Err(format!("`{name}` and another command are mixed"));
    }
    spec.prepare(name)?;
    Ok(spec)
}

/// Cuts a file at the headers: everything from `[name]` to the header of another command.
fn sections(text: &'static str) -> Vec<(&'static str, &'static str)> {
    let mut heads: Vec<(usize, &'static str)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(name) = section_name(line)
            && heads.last().is_none_or(|(_, last)| *last != name)
        {
            heads.push((at, name));
        }
        at += line.len();
    }
    let ends = heads.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
    heads.iter().zip(ends).filter_map(|((start, name), end)| Some((*name, text.get(*start..end)?))).collect()
}

/// The command that a header line belongs to: `[git.sub.log]` is git's.
fn section_name(line: &'static str) -> Option<&'static str> {
    let inner = line.strip_prefix('[')?;
    match inner.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => inner.split(['.', ']']).next(),
    }
}

/// The table of variables.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Variables {
    pub dangerous: Vec<String>,
    pub harmless: Vec<String>,
    pub pagers: Vec<String>,
    pub pager_names: Vec<String>,
    /// Dangerous to set, harmless to take away.
    pub removable: Vec<String>,
    /// Variables that are harmless with one value only.
    pub only: std::collections::BTreeMap<String, String>,
}

/// Names of variables that matter. If the table were broken every name would be refused; a test reads it.
pub(crate) fn variables() -> &'static Variables {
    static VARIABLES: LazyLock<Variables> = LazyLock::new(|| {
        toml::from_str(include_str!("../tables/variables.toml"))
            .unwrap_or_else(|_| Variables { dangerous: vec!["*".to_owned()], ..Variables::default() })
    });
    &VARIABLES
}

/// The table of programs that run code which they are given.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CodeSources {
    pub shells: BTreeSet<String>,
    pub interpreters: BTreeSet<String>,
    pub task_runners: BTreeSet<String>,
    pub inline: BTreeSet<String>,
    pub modules: BTreeSet<String>,
    pub self_contained: BTreeSet<String>,
    pub exact: BTreeSet<String>,
    pub if_file: BTreeSet<String>,
    pub loaders: BTreeSet<String>,
    pub harmless_options: BTreeMap<String, BTreeSet<String>>,
}

/// Programs that run code which they are given. If the table were broken, all would take it from who knows where; a test
/// asks for each kind.
pub(crate) fn code_sources() -> &'static CodeSources {
    static CODE: LazyLock<CodeSources> =
        LazyLock::new(|| toml::from_str(include_str!("../tables/code.toml")).unwrap_or_default());
    &CODE
}

/// The examples of one command's table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examples {
    /// `git log`.
    pub command: String,
    /// Its lines, those that must be read-only first.
    pub examples: Vec<Example>,
}

/// A line from a table and whether it must be read-only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The whole line.
    pub line: String,
    /// What its verdict must be.
    pub read_only: bool,
}

/// Every example of every table, or what is wrong with the tables that cannot be read.
pub fn examples() -> Result<Vec<Examples>, String> {
    let mut all = Vec::new();
    let mut errors = Vec::new();
    for (file, text) in FILES {
        for (name, text) in sections(text) {
            match parse(name, text) {
                Ok(spec) => spec.collect_examples(name, &mut all),
                Err(e) => errors.push(format!("{file}.toml: {e}")),
            }
        }
    }
    if errors.is_empty() { Ok(all) } else { Err(errors.join("\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names under which programs keep what changes their settings.
    const SETTINGS: &[&str] = &["config", "configure", "settings", "login"];

    /// Whether every way to change something below a sub-command for settings says what it writes.
    fn tells(spec: &CommandSpec) -> bool {
        let reads = spec.does == CommandEffect::Reads;
        let told = reads || !spec.writes_config.is_empty() || spec.analyser.is_some();
        told && spec.sub.values().all(tells)
    }

    #[test]
    fn commands_for_settings_say_what_they_write() {
        let specs = FILES.iter().flat_map(|(_, text)| sections(text));
        for (name, text) in specs {
            let spec = parse(name, text).unwrap();
            for settings in SETTINGS {
                let Some(sub) = spec.sub.get(*settings) else { continue };
                let exact = spec.exact_rules.iter().any(|exact| exact == settings);
                // Sub-commands that are not listed may change something, too.
                let open = !sub.sub.is_empty() && sub.writes_config.is_empty() && sub.analyser.is_none();
                assert!(exact || tells(sub) && !open, "{name} {settings}");
            }
        }
    }
}
