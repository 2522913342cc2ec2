//! The reference pages of the documentation, made from the tables that the program itself uses.

use std::fmt::Write;

use crate::env::{Audience, VARIABLES};
use crate::keys::{KEYS, Key, KeyScope};

/// `docs/settings.md`.
pub fn settings() -> String {
    let mut page = String::from(SETTINGS_HEAD);
    for key in KEYS {
        let (name, doc, default) = (key.name, key.doc, key.default);
        let _ =
            write!(page, "\n### `{name}`\n\n{doc}\n\n- Type: {}\n- Default: {default}\n", key.kind.words());
        if key.scope != KeyScope::Anyone {
            let _ = writeln!(page, "- Only in: {}", key.scope.words());
        }
        let _ = write!(page, "\n```json\n{}\n```\n", example(key));
    }
    page
}

/// `docs/environment.md`.
pub fn environment() -> String {
    let mut page = String::from(ENVIRONMENT_HEAD);
    for (title, audience) in [("For users", Audience::People), ("For tests", Audience::Tests)] {
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

Settings are JSON with comments. Forelook reads several files; for a single value, the last file in this list wins:

1. `~/.forelook/settings.json`: user settings, for all projects (`FORELOOK_HOME` moves the folder)
2. `.forelook/settings.json` in the project: project settings, shared with everyone who works on it
3. `.forelook/settings.local.json` in the project: local settings, yours for this project
4. `--settings`: a file, or JSON text, for one run
5. `/etc/forelook/managed-settings.json`, then `/etc/forelook/managed-settings.d/*.json` by name: managed settings, from the administrator

If a file is not valid JSON, Forelook reports the line and column and ignores the file; if a managed file is broken, it does
not start. Unknown keys and values of the wrong type are reported and ignored.

Lists of rules, folders, hooks, network commands, local hosts, and sandbox entries do not replace each other: lists from all
files are combined.
`--setting-sources user,project,local` selects which of the first three are read; `--settings` and managed settings are always read.

Project files (2 and 3; a clone can contain both) are untrusted until you trust the folder. Until then, their allow rules,
additional working directories, hooks, network commands, variables, models, status line, and `sandbox` have no effect; their
deny and ask rules apply immediately. Trust covers exactly one folder, not its subfolders, and exactly what it contained
when you trusted it ([trust](permissions.md#trust)); it is saved in `~/.forelook/trust.json`.

## Keys
";

const ENVIRONMENT_HEAD: &str = "\
<!-- Made by `cargo xtask docs` from `crates/settings/src/env.rs`; edit that. -->

# Environment variables

Forelook reads these variables once, when it starts. An empty value counts as not set.
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
