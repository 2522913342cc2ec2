//! Nothing in the repository depends on the machine it was written on.

use super::TextFile;
use crate::run::root;

/// Top folders that only a certain machine has. Names without slashes, so that this list passes its own rule.
const FOLDERS: &[&str] = &["work", "root"];

/// Where every dependency comes from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Paths of a machine and packages from elsewhere.
pub(super) fn check(files: &[TextFile]) -> Vec<String> {
    let mut folders: Vec<String> = FOLDERS.iter().map(|name| format!("/{name}/")).collect();
    let home = std::env::var("HOME").ok();
    folders.extend(
        home.into_iter()
            .chain([root().display().to_string()])
            .filter(|path| path.len() > 1)
            .map(|path| format!("{path}/")),
    );
    let mut found = machine_paths(files, &folders);
    found.extend(foreign_registries(files));
    found
}

fn machine_paths(files: &[TextFile], folders: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        for (at, line) in file.text.lines().enumerate() {
            if folders.iter().any(|folder| starts_a_path(line, folder)) {
                found.push(format!("`{}:{}` contains a machine-specific path", file.path, at + 1));
            }
        }
    }
    found
}

/// Whether a folder is named in a line from its first slash on, and not in the middle of a longer path.
fn starts_a_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(|char| char.is_alphanumeric() || "_.-/~}$>*".contains(char))
    })
}

fn foreign_registries(files: &[TextFile]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        for (at, line) in file.text.lines().enumerate() {
            let foreign = match file.path.as_str() {
                "Cargo.lock" => {
                    line.strip_prefix("source = ").is_some_and(|source| source.trim_matches('"') != REGISTRY)
                }
                ".cargo/config.toml" => line.starts_with("[source") || line.starts_with("[registr"),
                path if path.ends_with("Cargo.toml") => {
                    line.contains("registry = ") || line.contains("git = \"")
                }
                _ => false,
            };
            if foreign {
                found.push(format!("`{}:{}` uses packages from outside crates.io", file.path, at + 1));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::files;

    #[test]
    fn a_path_counts_from_its_first_slash() {
        let folder = "/somewhere/";
        for (line, expected) in [
            ("see /somewhere/else", true),
            ("\"/somewhere/x\"", true),
            ("a/somewhere/x", false),
            ("../somewhere/x", false),
            ("https://host/somewhere/x", false),
            ("/somewhere", false),
        ] {
            assert_eq!(starts_a_path(line, folder), expected, "{line}");
        }
    }

    #[test]
    fn packages_come_from_one_place() {
        for (path, line, broken) in [
            ("Cargo.lock", format!("source = \"{REGISTRY}\""), 0),
            ("Cargo.lock", "source = \"registry+https://mirror.example/index\"".to_owned(), 1),
            (".cargo/config.toml", "[source.crates-io]".to_owned(), 1),
            (".cargo/config.toml", "[alias]".to_owned(), 0),
            ("crates/a/Cargo.toml", "x = { git = \"https://example.com/x\" }".to_owned(), 1),
            ("crates/a/Cargo.toml", "x.workspace = true".to_owned(), 0),
        ] {
            assert_eq!(foreign_registries(&files(&[(path, &line)])).len(), broken, "{path}: {line}");
        }
    }
}
