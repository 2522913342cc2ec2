//! Public functions that nobody uses, or nobody but tests.
//!
//! The compiler sees none of them: to it, what is public may be used from anywhere. A name that stands twice in product code
//! passes, whatever it means there; that is enough to catch what was left behind.

use std::collections::HashMap;

use super::TextFile;
use super::code::code_only;

/// What only tests use, and why it is there all the same.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("with_resolver", "tests of private addresses must not depend on the machine's own names"),
    ("read_todos", "the counterpart of `write_todos`"),
    ("profile", "the macOS profile; kept correct until it is connected"),
    ("with_external_tools", "the registry for a session with MCP servers, which are not built yet"),
    ("unregister", "how the tools of an MCP server leave"),
    ("on_compacted", "how compaction, which is not built yet, resets the plan reminder"),
    ("watching", "the smallest front end: it answers nothing"),
];

/// Each of them.
pub(super) fn check(files: &[TextFile]) -> Vec<String> {
    let product: Vec<(&str, String)> = files
        .iter()
        .filter(|file| is_product(&file.path))
        .map(|file| (file.path.as_str(), without_tests(&code_only(&file.text)).to_owned()))
        .collect();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for word in product.iter().flat_map(|(_, code)| words(code)) {
        *uses.entry(word).or_default() += 1;
    }
    let dead =
        |name: &&str| uses.get(name) == Some(&1) && EXCEPTIONS.iter().all(|(except, _)| except != name);
    product
        .iter()
        .flat_map(|(path, code)| public_functions(code).filter(dead).map(move |name| (path, name)))
        .map(|(path, name)| format!("`{path}`: only tests use `{name}`; remove it"))
        .collect()
}

fn is_product(path: &str) -> bool {
    let tests = path.ends_with("/tests.rs") || path.contains("/tests/") || path.contains("/testing");
    path.ends_with(".rs")
        && path.starts_with("crates/")
        && path.contains("/src/")
        && !tests
        && !path.starts_with("crates/testkit/")
}

/// The code before the tests of a file; they stand at its end.
fn without_tests(code: &str) -> &str {
    code.split_once("#[cfg(test)]\nmod tests {").map_or(code, |(product, _)| product)
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The names of functions that are `pub` to everybody.
fn public_functions(code: &str) -> impl Iterator<Item = &str> {
    code.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix("pub ")?;
        let rest =
            ["async ", "const "].iter().fold(rest, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
        words(rest.strip_prefix("fn ")?).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_tests_use_is_found() {
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        let files = [
            file(
                "crates/a/src/lib.rs",
                "pub fn used() {}\npub async fn left() {}\n    pub fn watching() {}\n",
            ),
            file(
                "crates/a/src/other.rs",
                "fn f() { used() } // left\n#[cfg(test)]\nmod tests { fn t() { left() } }",
            ),
            file("crates/a/tests/suite.rs", "fn t() { left() }"),
        ];
        let found = check(&files);
        assert_eq!(found, ["`crates/a/src/lib.rs`: only tests use `left`; remove it"]);
    }
}
