//! The environment a child gets: exactly this, with no provider's key in it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Ends of names that hold keys to a model. Any OpenAI-compatible provider may be configured under
/// a name of its own, so the end decides, not a list of providers.
const SECRET_ENDS: &[&str] = &["_API_KEY", "_API_KEYS", "_AUTH_TOKEN", "_OAUTH_TOKEN"];

/// Keys to a model whose names end otherwise.
const SECRET_NAMES: &[&str] = &[
    "API_KEY",
    "OPENAI_ADMIN_KEY",
    "AZURE_OPENAI_KEY",
    "AWS_BEARER_TOKEN_BEDROCK",
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "HUGGINGFACE_TOKEN",
    "REPLICATE_API_TOKEN",
    "CLOUDFLARE_API_TOKEN",
];

/// Names with such an end that are for package registries: builds need them, and no model is behind them.
const ALLOWED_NAMES: &[&str] = &["NODE_AUTH_TOKEN", "NPM_AUTH_TOKEN", "YARN_NPM_AUTH_TOKEN", "NUGET_API_KEY"];

/// What a program should know in a place without a terminal: no pager that waits for a key, no
/// prompt for a password, no colours.
const WITHOUT_TERMINAL: &[(&str, &str)] = &[
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
];

/// What git asks for a text. Without a terminal an editor fails in a way of its own, or opens a window that nobody looks
/// at; this one fails at once. EDITOR is left alone: git comes to it last.
const EDITORS: &[&str] = &["GIT_EDITOR", "GIT_SEQUENCE_EDITOR"];

/// Editors that ask nobody: who chose one of these meant it.
const QUIET_EDITORS: &[&str] = &["true", ":", "cat"];

/// Values that a screen sets for its own programs; they would bring colours back.
const TERMINAL_ONLY: &[&str] = &["CLICOLOR_FORCE", "FORCE_COLOR", "COLORTERM", "COLUMNS", "LINES"];

/// Configuration of git that a repository could use to run its own programs, and what it is set to instead.
const GIT_HARDENING: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("core.askPass", ""),
    ("log.showSignature", "false"),
    ("diff.ignoreSubmodules", "dirty"),
    ("diff.autoRefreshIndex", "false"),
    ("submodule.recurse", "false"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
];

/// Variables that change what a command line means.
const SHELL_VARIABLES: &[&str] = &[
    "BASHOPTS",
    "BASH_ENV",
    "CDPATH",
    "ENV",
    "GLOBIGNORE",
    "GREP_OPTIONS",
    "LESSOPEN",
    "RIPGREP_CONFIG_PATH",
    "SHELLOPTS",
];

/// A value this short is no key; the same one under another name means nothing.
const MIN_KEY_LENGTH: usize = 8;

/// Whether a variable of this name holds a key to a model.
pub fn is_secret_name(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    let listed = SECRET_NAMES.contains(&name.as_str());
    let ends = SECRET_ENDS.iter().any(|end| name.ends_with(end));
    (listed || ends) && !ALLOWED_NAMES.contains(&name.as_str())
}

/// The whole environment of a child: nothing is inherited beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChildEnv(BTreeMap<OsString, OsString>);

impl ChildEnv {
    /// From these variables (a process's own), without keys to a model. A key goes under any name: a variable with the
    /// value of a removed one goes too.
    pub fn without_secrets(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let (secret, mut rest): (BTreeMap<_, _>, BTreeMap<_, _>) =
            variables.into_iter().partition(|(name, _)| is_secret_name(name));
        let values: BTreeSet<OsString> =
            secret.into_values().filter(|value| value.as_bytes().len() >= MIN_KEY_LENGTH).collect();
        rest.retain(|_, value| !values.contains(value));
        Self(rest)
    }

    /// The same, for a place without a terminal.
    pub fn from_process_without_secrets(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut env = Self::without_secrets(variables);
        for name in TERMINAL_ONLY {
            env.remove(name);
        }
        for (name, value) in WITHOUT_TERMINAL {
            env.set(name, value);
        }
        for name in EDITORS {
            let chosen = env.get(name).and_then(OsStr::to_str);
            if !chosen.is_some_and(|editor| QUIET_EDITORS.contains(&editor)) {
                env.set(name, "false");
            }
        }
        env
    }

    /// Removes what would make a command mean something else than its text says, whoever set it: another place for `cd` to
    /// look in, a file that bash reads first, functions instead of programs, and programs from the folder it runs in or from
    /// one that is worked in.
    pub fn harden_shell(&mut self, is_worked_in: impl Fn(&Path) -> bool) {
        self.0.retain(|name, _| {
            let listed = SHELL_VARIABLES.iter().any(|it| name == it);
            !listed && !name.as_bytes().starts_with(b"BASH_FUNC_")
        });
        if let Some(path) = self.get("PATH").map(OsStr::to_owned) {
            let others =
                std::env::split_paths(&path).filter(|folder| folder.is_absolute() && !is_worked_in(folder));
            if let Ok(path) = std::env::join_paths(others) {
                self.set("PATH", path);
            }
        }
    }

    /// Switches off what a repository's own configuration could make git run, so that a stranger's repository can be
    /// looked at. What goes by names that the repository chooses (filters, textconv, drivers, aliases) is not known here:
    /// it makes a line unjudgeable before, or whoever knows the folder replaces it after.
    pub fn harden_git(&mut self) {
        for (key, value) in GIT_HARDENING {
            self.git_config(key, value);
        }
        // `git status` would write a refreshed index.
        self.set("GIT_OPTIONAL_LOCKS", "0");
        // A partial clone would fetch what is missing.
        self.set("GIT_NO_LAZY_FETCH", "1");
        self.remove("GIT_EXTERNAL_DIFF");
    }

    /// Lets git reach the web again after [`ChildEnv::harden_git`], for what the person lets read there. Nothing runs for
    /// it but git itself: no `ssh`, no helper for passwords.
    pub fn harden_git_online(&mut self) {
        for key in ["protocol.https.allow", "protocol.http.allow"] {
            self.git_config(key, "always");
        }
    }

    /// Adds a setting for git, which counts more than all files.
    pub fn git_config(&mut self, key: impl Into<OsString>, value: impl Into<OsString>) {
        let count = match self.get("GIT_CONFIG_COUNT") {
            None => Some(0),
            // As git reads it: spaces before it are nothing, and nothing at all is zero.
            Some(count) => count.to_str().map(str::trim_ascii_start).and_then(|count| match count {
                "" => Some(0),
                count => count.parse::<u32>().ok(),
            }),
        };
        // With any other number git does not run, and that is how it stays.
        let Some((at, next)) = count.and_then(|count| Some((count, count.checked_add(1)?))) else { return };
        self.set(format!("GIT_CONFIG_KEY_{at}"), key);
        self.set(format!("GIT_CONFIG_VALUE_{at}"), value);
        self.set("GIT_CONFIG_COUNT", next.to_string());
    }

    /// Sets a variable.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.0.insert(name.into(), value.into());
    }

    /// Takes a variable out.
    pub fn remove(&mut self, name: impl AsRef<OsStr>) {
        self.0.remove(name.as_ref());
    }

    /// Takes a variable out that holds a key under a name of the person's own, and every other with the same value.
    pub fn forget(&mut self, name: impl AsRef<OsStr>) {
        let Some(value) = self.0.remove(name.as_ref()) else { return };
        if value.as_bytes().len() >= MIN_KEY_LENGTH {
            self.0.retain(|_, other| *other != value);
        }
    }

    /// The value of a variable.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.0.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// Whether there is a variable of this name.
    pub fn has(&self, name: impl AsRef<OsStr>) -> bool {
        self.0.contains_key(name.as_ref())
    }

    /// All variables, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

#[cfg(test)]
mod tests;
