//! Variables that commands set and later ones find: kept in memory and never written down, since some are secrets.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use forelook_sandbox::ChildEnv;

use crate::bash::is_name;

/// Bytes of names and values together. A child whose environment is much larger cannot be started.
const MAX_ENV_BYTES: usize = 128 * 1024;

/// Bash's own book-keeping, and ours: nobody set these.
const BOOKKEEPING: &[&str] = &["_", "SHLVL", "PWD", "OLDPWD", "forelook"];

/// Variables that change how bash reads or runs a line, or where `~` and `cd` lead. A line is judged before it runs, and
/// what it was judged by must be what it then means; so these begin anew with every call. So do all that begin with
/// `BASH`.
const SHELL_SEMANTICS: &[&str] = &[
    "CDPATH",
    "ENV",
    "EXECIGNORE",
    "FUNCNEST",
    "GLOBIGNORE",
    "GLOBSORT",
    "HOME",
    "IFS",
    "POSIXLY_CORRECT",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
    "TMOUT",
];

/// Variables that bash itself looks at, beside those above, though they are not exported.
const READ_BY_BASH: &[&str] = &[
    "CHILD_MAX",
    "COLUMNS",
    "COMPREPLY",
    "COPROC",
    "DIRSTACK",
    "EMACS",
    "EUID",
    "FCEDIT",
    "FIGNORE",
    "FUNCNAME",
    "GROUPS",
    "HOSTFILE",
    "HOSTNAME",
    "HOSTTYPE",
    "IGNOREEOF",
    "INPUTRC",
    "INSIDE_EMACS",
    "LINENO",
    "LINES",
    "LOGNAME",
    "MACHTYPE",
    "MAPFILE",
    "NLSPATH",
    "OSTYPE",
    "PATH",
    "PIPESTATUS",
    "PPID",
    "RANDOM",
    "REPLY",
    "SECONDS",
    "SHELL",
    "SRANDOM",
    "TERM",
    "TIMEFORMAT",
    "TMPDIR",
    "TZ",
    "UID",
    "USER",
    "auto_resume",
    "histchars",
];

/// The same, by how they begin.
const READ_BY_BASH_PREFIXES: &[&str] = &[
    "BASH",
    "COMP_",
    "DYLD_",
    "EPOCH",
    "HIST",
    "LANG",
    "LC_",
    "LD_",
    "MAIL",
    "OPT",
    "PROMPT",
    "PS",
    "READLINE_",
    "TEXTDOMAIN",
];

/// Words that could give a variable to programs, or run what is in one.
const EXPORTING_WORDS: &[&str] =
    &["export", "declare", "typeset", "readonly", "local", "set", "eval", "source", "trap"];

/// What commands changed in the environment that the session began with.
#[derive(Default)]
pub(crate) struct EnvChanges {
    /// The new value, or nothing if it was unset.
    changes: BTreeMap<OsString, Option<OsString>>,
}

/// What became of the changes of one command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EnvUpdate {
    /// Changed, but not kept.
    pub(crate) left_out: Vec<String>,
    /// They were too much, so that none is kept.
    pub(crate) too_much: bool,
}

impl EnvChanges {
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Puts the changes into an environment.
    pub(crate) fn apply(&self, env: &mut ChildEnv) {
        for (name, value) in &self.changes {
            match value {
                Some(value) => env.set(name, value),
                None => env.remove(name),
            }
        }
    }

    /// Takes over what a command changed: it began with `start` and ended with `end`.
    pub(crate) fn record_env(&mut self, start: &ChildEnv, end: &BTreeMap<OsString, OsString>) -> EnvUpdate {
        let set = end.iter().filter(|(name, value)| start.get(name) != Some(value));
        let set = set.map(|(name, value)| (name.clone(), Some(value.clone())));
        // Bash hands variables with other names on, and does not list them.
        let unset = start.iter().filter(|(name, _)| is_name(name.as_bytes()) && !end.contains_key(*name));
        let changed = set.chain(unset.map(|(name, _)| (name.to_owned(), None)));
        let changed = changed.filter(|(name, _)| !is_one_of(name, BOOKKEEPING));
        let (dropped, kept): (Vec<_>, Vec<_>) = changed.partition(|(name, _)| affects_shell(name));
        let left_out = dropped.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
        let mut changes = self.changes.clone();
        changes.extend(kept);
        let size: usize =
            changes.iter().map(|(name, value)| name.len() + value.as_ref().map_or(0, |it| it.len())).sum();
        let too_much = size > MAX_ENV_BYTES;
        if !too_much {
            self.changes = changes;
        }
        EnvUpdate { left_out, too_much }
    }

    /// What a line that only reads may see of it, as variables of the shell alone: programs get the environment `env`,
    /// whatever was set.
    pub(crate) fn visible(&self, line: &str, env: &ChildEnv) -> Vec<(&OsStr, &OsStr)> {
        if words(line).any(|word| EXPORTING_WORDS.contains(&word)) {
            return Vec::new();
        }
        let set = self.changes.iter().filter_map(|(name, value)| Some((name.as_os_str(), value.as_deref()?)));
        // To give a variable of the environment a value is to give it to every program.
        set.filter(|(name, value)| !env.has(name) && may_be_seen(name, value)).collect()
    }

    /// The variables that this line names and that are not in `seen`.
    pub(crate) fn missed(&self, line: &str, seen: &[(&OsStr, &OsStr)]) -> Vec<String> {
        let names = self.changes.keys().filter(|name| !seen.iter().any(|(seen, _)| seen == name));
        let names = names.filter_map(|name| name.to_str());
        names.filter(|name| is_used(line, name)).map(ToOwned::to_owned).collect()
    }

    /// The programs that this line names and that are others under the PATH that was set.
    pub(crate) fn other_programs(&self, line: &str, env: &ChildEnv) -> Vec<(String, String)> {
        let Some(Some(path)) = self.changes.get(OsStr::new("PATH")) else { return Vec::new() };
        let before: Vec<_> =
            env.get("PATH").map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
        let new: Vec<_> = std::env::split_paths(path).filter(|folder| !before.contains(folder)).collect();
        let mut found = BTreeMap::new();
        for word in words(line).take(100) {
            if let Some(file) = new.iter().map(|folder| folder.join(word)).find(|file| file.is_file()) {
                found.insert(word.to_owned(), file.display().to_string());
            }
        }
        found.into_iter().collect()
    }
}

impl std::fmt::Debug for EnvChanges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The values may be secrets.
        f.debug_set().entries(self.changes.keys()).finish()
    }
}

fn is_one_of(name: &OsStr, names: &[&str]) -> bool {
    names.iter().any(|one| name == *one)
}

fn affects_shell(name: &OsStr) -> bool {
    is_one_of(name, SHELL_SEMANTICS) || name.as_bytes().starts_with(b"BASH")
}

fn may_be_seen(name: &OsStr, value: &OsStr) -> bool {
    let read_by_bash = affects_shell(name)
        || is_one_of(name, BOOKKEEPING)
        || is_one_of(name, READ_BY_BASH)
        || READ_BY_BASH_PREFIXES.iter().any(|begin| name.as_bytes().starts_with(begin.as_bytes()));
    // There are places where bash evaluates the text of a variable; a line with one is not judged to read only, and
    // should it be by mistake, there is nothing in the text to run.
    !read_by_bash && !value.as_bytes().iter().any(|byte| matches!(byte, b'$' | b'`'))
}

/// The words of a line, roughly: what could be names of programs.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let belongs = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
    line.split(move |c| !belongs(c)).filter(|word| word.chars().any(char::is_alphanumeric))
}

/// Whether `$NAME` or `${NAME…` stands in the line.
fn is_used(line: &str, name: &str) -> bool {
    line.match_indices('$').any(|(at, _)| {
        let rest = line[at + 1..].trim_start_matches(['{', '#', '!']);
        rest.strip_prefix(name)
            .is_some_and(|after| !after.starts_with(|c: char| c == '_' || c.is_ascii_alphanumeric()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(variables: &[(&str, &str)]) -> ChildEnv {
        ChildEnv::without_secrets(variables.iter().map(|(name, value)| (name.into(), value.into())))
    }

    fn end(variables: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
        variables.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn after(start: &ChildEnv, ended: &[(&str, &str)]) -> (EnvChanges, EnvUpdate) {
        let mut kept = EnvChanges::default();
        let env_update = kept.record_env(start, &end(ended));
        (kept, env_update)
    }

    #[test]
    fn changes_are_kept_and_nothing_else() {
        let start =
            env(&[("A", "1"), ("B", "2"), ("HOME", "/h"), ("BASH_FUNC_ls%%", "() { :; }"), ("PWD", "/")]);
        let ended = [
            ("A", "1"),
            ("C", "3"),
            ("HOME", "/x"),
            ("BASH_ENV", "f"),
            ("IFS", "x"),
            ("SHLVL", "1"),
            ("_", "x"),
        ];
        let (kept, env_update) = after(&start, &ended);
        assert_eq!(env_update.left_out, ["BASH_ENV", "HOME", "IFS"]);
        let mut next = env(&[("A", "9"), ("B", "2"), ("BASH_FUNC_ls%%", "() { :; }")]);
        kept.apply(&mut next);
        assert_eq!(next, env(&[("A", "9"), ("C", "3"), ("BASH_FUNC_ls%%", "() { :; }")]));
        assert!(!format!("{kept:?}").contains('3'));
    }

    #[test]
    fn too_much_is_not_kept() {
        let (kept, env_update) = after(&env(&[]), &[("A", &"x".repeat(MAX_ENV_BYTES))]);
        assert!(env_update.too_much && kept.is_empty());
    }

    #[test]
    fn what_a_line_that_only_reads_sees() {
        let base = env(&[("PATH", "/bin"), ("MINE", "1")]);
        let set = [
            ("PATH", "/evil"),
            ("MINE", "2"),
            ("x", "a b"),
            ("DIR", "/a"),
            ("LD_PRELOAD", "e"),
            ("LC_ALL", "C"),
            ("PS0", "e"),
            ("code", "a[$(touch e)]"),
            ("tick", "`e`"),
        ];
        let (kept, _) = after(&base, &set);
        let seen = |line: &str| {
            kept.visible(line, &base).iter().map(|(name, _)| name.to_str().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(seen("echo $x"), ["DIR", "x"]);
        for line in ["export x; ls", "declare -x x", "set -a; ls", "(export x)", "a&&typeset -x x"] {
            assert_eq!(seen(line), [""; 0], "{line}");
        }
        for (line, missed) in [
            ("echo $x $DIR $none", &[][..]),
            ("echo $PATH ${MINE:-no} $codex", &["MINE", "PATH"]),
            ("echo \"${#code}\" $xx", &["code"]),
        ] {
            assert_eq!(kept.missed(line, &kept.visible(line, &base)), missed, "{line}");
        }
    }
}
