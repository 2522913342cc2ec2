//! The modules of a crate import each other without a cycle, so that each can be read after those below it.

mod imports;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::TextFile;
use imports::Imports;

/// Crates whose modules are layers.
const LAYERED: &[&str] = &["engine"];

/// For each module, those that it imports, and the first place where it does.
type Graph<'a> = BTreeMap<&'a str, BTreeMap<String, String>>;

/// A file of a crate: its path, its modules from the root down, and what it imports.
struct Source<'a> {
    path: &'a str,
    modules: Vec<&'a str>,
    imports: Imports,
}

/// The shortest cycle through each module that is in one, shortest first.
pub(super) fn check(files: &[TextFile]) -> Vec<String> {
    LAYERED.iter().flat_map(|name| cycles_of(name, files)).collect()
}

fn cycles_of(name: &str, files: &[TextFile]) -> Vec<String> {
    let graph = graph(&sources(name, files));
    // Once for all of its modules: the same cycle begins with the same name, whoever found it.
    let cycles: BTreeSet<(usize, Vec<&str>)> = graph
        .keys()
        .filter_map(|module| shortest(&graph, module))
        .map(|cycle| (cycle.len(), from_first_name(cycle)))
        .collect();
    let sentence = |cycle: &[&str]| {
        format!("Modules of `crates/{name}` import each other in a cycle: {}", written(&graph, cycle))
    };
    cycles.iter().map(|(_, cycle)| sentence(cycle)).collect()
}

/// The paths of a crate's files without those that only tests have.
pub(super) fn product_paths<'a>(name: &str, files: &'a [TextFile]) -> Vec<&'a str> {
    sources(name, files).into_iter().map(|source| source.path).collect()
}

/// The files of a crate without those that only tests have.
fn sources<'a>(name: &str, files: &'a [TextFile]) -> Vec<Source<'a>> {
    let folder = format!("crates/{name}/src/");
    let source = |file: &'a TextFile| {
        let modules = modules(file.path.strip_prefix(&folder)?)?;
        let imports = imports::read(&file.text, modules.len());
        Some(Source { path: &file.path, modules, imports })
    };
    let mut found: Vec<Source<'_>> = files.iter().filter_map(source).collect();
    let tests = test_modules(&found);
    found.retain(|source| !tests.iter().any(|test| source.modules.starts_with(test)));
    found
}

/// The modules from the root down to a file; none for the root itself.
fn modules(path: &str) -> Option<Vec<&str>> {
    let mut modules: Vec<&str> = path.strip_suffix(".rs")?.split('/').collect();
    if matches!(modules.as_slice(), [.., "mod"] | ["lib" | "main"]) {
        modules.pop();
    }
    Some(modules)
}

/// Modules of tests, by their name or by their declaration. Only their files matter: what stands in
/// the file that declares them has been passed over.
fn test_modules<'a>(sources: &[Source<'a>]) -> Vec<Vec<&'a str>> {
    let mut found = Vec::new();
    for source in sources {
        for at in 0..source.modules.len() {
            let Some((parents, below)) = source.modules.split_at_checked(at) else { continue };
            let Some(module) = below.first() else { continue };
            let declared = sources.iter().any(|other| {
                other.modules == parents && other.imports.test_modules.iter().any(|test| test == module)
            });
            if declared || *module == "tests" {
                found.push([parents, &[*module]].concat());
            }
        }
    }
    found
}

fn graph<'a>(sources: &[Source<'a>]) -> Graph<'a> {
    let mut graph = Graph::new();
    let modules: BTreeSet<&str> = sources.iter().filter_map(|it| it.modules.first().copied()).collect();
    for source in sources {
        let Some(from) = source.modules.first() else { continue };
        let edges = graph.entry(*from).or_default();
        for import in &source.imports.named {
            if import.name != *from && modules.contains(import.name.as_str()) {
                let place = || format!("{}:{}", source.path, import.line);
                edges.entry(import.name.clone()).or_insert_with(place);
            }
        }
    }
    graph
}

/// The shortest way from a module back to itself.
fn shortest<'a>(graph: &'a Graph<'_>, module: &'a str) -> Option<Vec<&'a str>> {
    let mut seen = BTreeSet::new();
    let mut ways = VecDeque::from([vec![module]]);
    while let Some(way) = ways.pop_front() {
        let edges = way.last().and_then(|last| graph.get(last));
        for next in edges.into_iter().flat_map(BTreeMap::keys) {
            if next == module {
                return Some(way);
            }
            if seen.insert(next) {
                let mut longer = way.clone();
                longer.push(next);
                ways.push_back(longer);
            }
        }
    }
    None
}

fn from_first_name(mut cycle: Vec<&str>) -> Vec<&str> {
    let first = (0..cycle.len()).min_by_key(|at| cycle.get(*at)).unwrap_or_default();
    cycle.rotate_left(first);
    cycle
}

/// A cycle with the place of each import: `a → b (a.rs:1) → a (b.rs:2)`.
fn written(graph: &Graph<'_>, cycle: &[&str]) -> String {
    let mut text = cycle.first().copied().unwrap_or_default().to_owned();
    for (from, to) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
        let place = graph.get(from).and_then(|edges| edges.get(*to)).map_or("", String::as_str);
        text.push_str(&format!(" → {to} ({place})"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::files;

    const SAYS: &str = "Modules of `crates/engine` import each other in a cycle: ";

    /// Paths are those below `crates/engine/src`; `@` stands for this folder in `expected`.
    fn check(sources: &[(&str, &str)], expected: &[&str]) {
        let mut given = files(sources);
        for file in &mut given {
            file.path = format!("crates/engine/src/{}", file.path);
        }
        let expected: Vec<String> = expected
            .iter()
            .map(|cycle| format!("{SAYS}{}", cycle.replace('@', "crates/engine/src")))
            .collect();
        assert_eq!(super::check(&given), expected, "{sources:?}");
    }

    #[test]
    fn layers_are_no_cycle() {
        check(&[], &[]);
        check(
            &[
                ("a.rs", "use crate::b::B;\nuse crate::c;"),
                ("b.rs", "use crate::c::C;"),
                ("c.rs", "use crate::c::d;\nuse crate::Type;"),
            ],
            &[],
        );
    }

    #[test]
    fn a_cycle_is_named_with_the_first_place_of_each_import() {
        check(
            &[("a.rs", "\nuse crate::b::B;\nuse crate::b::C;"), ("b.rs", "use crate::a::A;")],
            &["a → b (@/a.rs:2) → a (@/b.rs:1)"],
        );
        check(
            &[("c.rs", "use crate::a;"), ("a.rs", "use crate::b;"), ("b.rs", "\nuse crate::c;")],
            &["a → b (@/a.rs:1) → c (@/b.rs:2) → a (@/c.rs:1)"],
        );
    }

    #[test]
    fn grouped_inline_and_super_paths_close_a_cycle() {
        for back in ["use crate::{x, a::{B, C}};", "fn f() { crate::a::f() }", "use super::a::A;"] {
            check(&[("a.rs", "use crate::b;"), ("b.rs", back)], &["a → b (@/a.rs:1) → a (@/b.rs:1)"]);
        }
    }

    #[test]
    fn the_shortest_cycle_comes_first() {
        check(
            &[
                ("a.rs", "use crate::b;"),
                ("b.rs", "use crate::c;"),
                ("c.rs", "use crate::a;"),
                ("y.rs", "use crate::z;"),
                ("z.rs", "use crate::y;\nuse crate::a;"),
            ],
            &["y → z (@/y.rs:1) → y (@/z.rs:1)", "a → b (@/a.rs:1) → c (@/b.rs:1) → a (@/c.rs:1)"],
        );
    }

    #[test]
    fn all_files_of_a_folder_are_one_module() {
        let expected = &["call → session (@/call.rs:1) → call (@/session/deep/x.rs:2)"];
        let call = ("call.rs", "use crate::session::Session;");
        check(
            &[call, ("session/deep/x.rs", "\nuse super::super::super::call;"), ("session.rs", "")],
            expected,
        );
        check(
            &[call, ("session/mod.rs", "mod deep;"), ("session/deep/x.rs", "\nuse crate::call;")],
            expected,
        );
        check(&[call, ("session/mod.rs", "mod call;"), ("session/deep.rs", "use super::call;")], &[]);
    }

    #[test]
    fn the_root_comments_strings_and_tests_close_no_cycle() {
        let a = ("a.rs", "use crate::b;");
        for back in [
            "//! [`crate::a`]\n// crate::a",
            "const TEXT: &str = \"crate::a\";",
            "#[cfg(test)]\nmod tests {\n    use crate::a;\n}",
        ] {
            check(&[a, ("b.rs", back)], &[]);
        }
        check(&[a, ("b.rs", ""), ("lib.rs", "mod a;\nmod b;\nuse crate::a;")], &[]);
        check(&[a, ("b.rs", ""), ("b/tests.rs", "use crate::a;")], &[]);
        check(&[a, ("b.rs", "#[cfg(test)]\nmod stage;"), ("b/stage/x.rs", "use crate::a;")], &[]);
        check(&[a, ("b.rs", "use crate::a;"), ("lib.rs", "#[cfg(test)]\nmod b;")], &[]);
    }

    #[test]
    fn crates_that_are_not_listed_are_passed_over() {
        let both = [("crates/x/src/a.rs", "use crate::b;"), ("crates/x/src/b.rs", "use crate::a;")];
        assert!(super::check(&files(&both)).is_empty());
        assert_eq!(cycles_of("x", &files(&both)).len(), 1);
    }
}
