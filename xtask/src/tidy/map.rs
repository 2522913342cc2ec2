//! The table of crates in `docs/architecture.md` says what the manifests say, and the crates stand as it describes: front
//! ends know little, and no way down is long.

use std::collections::{BTreeMap, BTreeSet};

use super::TextFile;
use crate::run::XtaskResult;

const PAGE: &str = "docs/architecture.md";

/// The crates that show sessions to somebody.
const FRONT_ENDS: &[&str] = &["headless", "tui"];
/// All that a front end may depend on.
const FOR_FRONT_ENDS: &[&str] = &["protocol", "view", "wording"];
/// The longest way down from a front end, in steps from crate to crate.
const FRONT_END_DEPTH: usize = 3;
/// The longest way down from the program.
const CLI_DEPTH: usize = 8;

/// A crate's folder name, and the own crates it depends on.
type Map = BTreeMap<String, BTreeSet<String>>;

/// Differences between the table and the manifests.
pub(super) fn check(files: &[TextFile]) -> XtaskResult<Vec<String>> {
    let page = files.iter().find(|file| file.path == PAGE).ok_or(format!("`{PAGE}` does not exist"))?;
    let written = table(&page.text);
    if written.is_empty() {
        return Err(format!("`{PAGE}` has no table with the columns `crate` and `own dependencies`"));
    }
    Ok(differences(&written, &manifests(files)))
}

/// Front ends that know more than they need, and ways down that are too long.
pub(super) fn shape(files: &[TextFile]) -> Vec<String> {
    let map = manifests(files);
    let mut found = Vec::new();
    for name in FRONT_ENDS {
        let own = map.get(*name).into_iter().flatten();
        found.extend(own.filter(|own| !FOR_FRONT_ENDS.contains(&own.as_str())).map(|own| {
            format!(
                "The front end `{name}` depends on `{own}`; it may depend only on {}",
                FOR_FRONT_ENDS.join(", ")
            )
        }));
    }
    let limits = FRONT_ENDS.iter().map(|name| (*name, FRONT_END_DEPTH)).chain([("cli", CLI_DEPTH)]);
    for (name, most) in limits {
        let way = longest_path(&map, name);
        let steps = way.len().saturating_sub(1);
        if steps > most {
            found.push(format!(
                "The dependency chain of `{name}` has {steps} steps, more than {most}: {}",
                way.join(" -> ")
            ));
        }
    }
    found
}

/// The longest way down from a crate, itself included. Cargo lets no cycle pass.
fn longest_path<'a>(map: &'a Map, name: &'a str) -> Vec<&'a str> {
    let below = map.get(name).into_iter().flatten().map(|own| longest_path(map, own));
    let mut way = vec![name];
    way.extend(below.max_by_key(Vec::len).unwrap_or_default());
    way
}

fn differences(written: &Map, real: &Map) -> Vec<String> {
    let mut found = Vec::new();
    for (name, own) in real {
        match written.get(name) {
            None => found.push(format!("`{PAGE}` has no row for the crate `{name}`")),
            Some(said) if said != own => {
                let should = if own.is_empty() {
                    "–".to_owned()
                } else {
                    own.iter().cloned().collect::<Vec<_>>().join(", ")
                };
                found.push(format!("`{PAGE}`, own dependencies of `{name}`: the manifest says {should}"));
            }
            Some(_) => {}
        }
    }
    for name in written.keys().filter(|name| !real.contains_key(*name)) {
        found.push(format!("`{PAGE}` has a row for the crate `{name}`, which does not exist"));
    }
    found
}

/// The table whose head has `crate` and `own dependencies`.
fn table(page: &str) -> Map {
    let mut map = Map::new();
    let mut columns: Option<(usize, usize)> = None;
    for line in page.lines() {
        let Some(row) = line.trim().strip_prefix('|').and_then(|line| line.strip_suffix('|')) else {
            columns = None;
            continue;
        };
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let at = |title: &str| cells.iter().position(|cell| *cell == title);
        if let (Some(name), Some(own)) = (at("crate"), at("own dependencies")) {
            columns = Some((name, own));
            continue;
        }
        let Some((name, own)) = columns else { continue };
        let (Some(name), Some(own)) = (cells.get(name), cells.get(own)) else { continue };
        // The name stands in backticks; words such as "(dev)" may follow.
        let Some(name) = name.split('`').nth(1) else { continue };
        map.insert(name.to_owned(), names(own));
    }
    map
}

fn names(cell: &str) -> BTreeSet<String> {
    cell.split(',')
        .map(|word| word.trim().trim_matches('`'))
        .filter(|word| !matches!(*word, "" | "–" | "-"))
        .map(str::to_owned)
        .collect()
}

/// Every crate of the workspace, by its folder's name.
fn manifests(files: &[TextFile]) -> Map {
    let folder = |path: &str| {
        let inside = path.strip_suffix("/Cargo.toml")?;
        let name = inside.strip_prefix("crates/").unwrap_or(inside);
        (!name.contains('/')).then(|| name.to_owned())
    };
    files.iter().filter_map(|file| Some((folder(&file.path)?, own_dependencies(&file.text)))).collect()
}

/// The own crates among the dependencies of a manifest; those of tests and build scripts do not count.
fn own_dependencies(manifest: &str) -> BTreeSet<String> {
    let mut own = BTreeSet::new();
    let mut inside = false;
    let mut take = |word: &str| {
        let name = word.trim().trim_matches('"').strip_prefix("forelook-").unwrap_or_default();
        if !name.is_empty() {
            own.insert(name.to_owned());
        }
    };
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            inside = section == "dependencies" || is_target_dependencies(section);
            if let Some(name) = section.strip_prefix("dependencies.") {
                take(name);
            }
        } else if inside && let Some((name, _)) = line.split_once(['=', '.']) {
            take(name);
        }
    }
    own
}

fn is_target_dependencies(section: &str) -> bool {
    section.starts_with("target.") && section.ends_with(".dependencies")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::files;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_manifest_gives_its_own_crates_in_every_notation() {
        let manifest = r#"
            [package]
            name = "forelook-x"
            [dependencies]
            forelook-protocol.workspace = true
            forelook-disk = { path = "../disk" }
            "forelook-tools" = "1"
            serde.workspace = true
            # forelook-engine.workspace = true
            [dependencies.forelook-sandbox]
            path = "../sandbox"
            [target.'cfg(unix)'.dependencies]
            forelook-sessions.workspace = true
            [dev-dependencies]
            forelook-testkit.workspace = true
        "#;
        assert_eq!(own_dependencies(manifest), set(&["protocol", "disk", "tools", "sandbox", "sessions"]));
    }

    #[test]
    fn a_table_is_found_by_its_head() {
        let page = "\
| where | file |\n|---|---|\n| `a` | `b` |\n\n\
| crate | one sentence | own dependencies | IO |\n|---|---|---|---|\n\
| `disk` | Writes. | protocol | yes |\n| `testkit` (dev) | Tests. | protocol, engine | – |\n| `protocol` | Words. | – | no |\n\n\
| `other` | x | y | z |\n";
        let map = table(page);
        assert_eq!(map.keys().collect::<Vec<_>>(), ["disk", "protocol", "testkit"]);
        assert_eq!(map["testkit"], set(&["protocol", "engine"]));
        assert_eq!(map["protocol"], set(&[]));
    }

    #[test]
    fn every_kind_of_difference_is_told() {
        let page = "| crate | own dependencies |\n|---|---|\n| `a` | b |\n| `gone` | – |\n";
        let all = files(&[
            (PAGE, page),
            ("Cargo.toml", "[workspace]"),
            ("crates/a/Cargo.toml", "[dependencies]\nforelook-c = \"1\""),
            ("crates/new/Cargo.toml", ""),
            ("crates/a/tests/files/Cargo.toml", ""),
        ]);
        assert_eq!(
            check(&all).unwrap(),
            [
                "`docs/architecture.md`, own dependencies of `a`: the manifest says c",
                "`docs/architecture.md` has no row for the crate `new`",
                "`docs/architecture.md` has a row for the crate `gone`, which does not exist",
            ]
        );
        assert!(check(&files(&[])).is_err());
        assert!(check(&files(&[(PAGE, "no table")])).is_err());
    }

    #[test]
    fn front_ends_that_know_too_much_and_ways_that_are_too_long_are_told() {
        let manifest = |own: &[&str]| {
            let lines: String = own.iter().map(|own| format!("forelook-{own}.workspace = true\n")).collect();
            format!("[dependencies]\n{lines}")
        };
        let mut crates = vec![
            ("crates/protocol/Cargo.toml".to_owned(), manifest(&[])),
            ("crates/wording/Cargo.toml".to_owned(), manifest(&["protocol"])),
            ("crates/view/Cargo.toml".to_owned(), manifest(&["protocol", "wording"])),
            ("crates/tui/Cargo.toml".to_owned(), manifest(&["protocol", "view"])),
            ("crates/headless/Cargo.toml".to_owned(), manifest(&["wording", "c1"])),
            ("crates/cli/Cargo.toml".to_owned(), manifest(&["tui", "c1"])),
        ];
        let chain = |n: usize| (format!("crates/c{n}/Cargo.toml"), manifest(&[&format!("c{}", n + 1)]));
        crates.extend((1..8).map(chain));
        crates.push(("crates/c8/Cargo.toml".to_owned(), manifest(&["protocol"])));
        let all: Vec<(&str, &str)> =
            crates.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        assert_eq!(
            shape(&files(&all)),
            [
                "The front end `headless` depends on `c1`; it may depend only on protocol, view, wording",
                "The dependency chain of `headless` has 9 steps, more than 3: headless -> c1 -> c2 -> c3 -> c4 -> c5 -> c6 -> c7 -> c8 -> protocol",
                "The dependency chain of `cli` has 9 steps, more than 8: cli -> c1 -> c2 -> c3 -> c4 -> c5 -> c6 -> c7 -> c8 -> protocol",
            ]
        );
    }
}
