//! The reference pages of the documentation, made from the tables that the program itself uses.

use std::fmt::Write;

use crate::env::{Audience, VARIABLES};
use crate::keys::{KEYS, Key, Who};

/// `docs/settings.md`.
pub fn settings() -> String {
    let mut page = String::from(SETTINGS_HEAD);
    for key in KEYS {
        let (name, doc, default) = (key.name, key.doc, key.default);
        let _ =
            write!(page, "\n### `{name}`\n\n{doc}\n\n- Type: {}\n- Default: {default}\n", key.kind.words());
        if key.who != Who::Anyone {
            let _ = writeln!(page, "- Only in: {}", key.who.words());
        }
        let _ = write!(page, "\n```json\n{}\n```\n", example(key));
    }
    page
}

/// `docs/environment.md`.
pub fn environment() -> String {
    let mut page = String::from(ENVIRONMENT_HEAD);
    for (title, audience) in [("For people", Audience::People), ("For tests", Audience::Tests)] {
        let _ = write!(page, "\n## {title}\n\n| variable | meaning |\n|---|---|\n");
        for variable in VARIABLES.iter().filter(|variable| variable.audience == audience) {
            let _ = writeln!(page, "| `{}` | {} |", variable.name, variable.meaning);
        }
    }
    page
}

fn example(key: &Key) -> String {
    key.name.rsplit('.').fold(key.example.to_owned(), |inner, part| format!("{{\"{part}\": {inner}}}"))
}

const SETTINGS_HEAD: &str = "\
<!-- Made by `cargo xtask docs` from `crates/settings/src/keys.rs`; edit that. -->

# Settings

Settings are JSON with comments. Several files may hold them; for a single value the last of this list wins:

1. `~/.forelook/settings.json`: yours, everywhere (`FORELOOK_HOME` moves the folder)
2. `.forelook/settings.json` in the project: shared with whoever works on it
3. `.forelook/settings.local.json` in the project: yours, for this project
4. `--settings`: a file, or JSON text, for one run
5. `/etc/forelook/managed-settings.json`, then `/etc/forelook/managed-settings.d/*.json` by name: the administrator's

A file that is not valid JSON is named with line and column and left out; the program goes on without it. A broken
managed file stops the program. A key that is not known, or holds a value of the wrong type, is named and ignored.

Lists of rules, folders, hooks, network commands, local hosts and of the fence do not replace each other: those of all
files add up.
`--setting-sources user,project,local` says which of the first three are read; `--settings` and managed settings always are.

A project's own files (2 and 3; a clone can bring both) are a stranger's text until you trust the folder. Until then their
allow rules, additional directories, hooks, network commands, variables, models, status line and `sandbox` do nothing;
their deny and ask rules hold at once. Trust is for exactly one folder, not for those in it, and is remembered in `~/.forelook/trust.json`.

## Keys
";

const ENVIRONMENT_HEAD: &str = "\
<!-- Made by `cargo xtask docs` from `crates/settings/src/env.rs`; edit that. -->

# Environment variables

These are all the variables that Forelook honours, read once when it starts. An empty value counts as not set.
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{Origin, parse};
    use crate::read_keys::read_keys;

    #[test]
    fn every_example_is_read_without_a_warning() {
        for key in KEYS {
            let (found, notices) = read_keys(parse(&example(key), &Origin::Flag).unwrap(), &Origin::Flag);
            assert_eq!(found.first().map(|found| found.key.name), Some(key.name));
            assert_eq!(notices, [], "{}", key.name);
        }
    }

    #[test]
    fn pages_name_everything() {
        assert!(KEYS.iter().all(|key| settings().contains(&format!("### `{}`", key.name))));
        assert!(VARIABLES.iter().all(|variable| environment().contains(&format!("| `{}` |", variable.name))));
    }
}
