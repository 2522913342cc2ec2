//! Few files know plan mode by its name. What it means is asked of `permissions/src/plan_gate.rs` and of the state; a second
//! list of what it allows begins with a comparison somewhere else.

use std::collections::BTreeSet;

use super::TextFile;
use super::code::{code_only, has_word};
use super::cycles::product_paths;

/// How many files of the product may name it.
const MAX_FILES: usize = 10;

/// The files that name it, if they are too many.
pub(super) fn check(files: &[TextFile]) -> Vec<String> {
    let named = naming(files);
    if named.len() <= MAX_FILES {
        return Vec::new();
    }
    let list = named.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
    vec![format!(
        "`Mode::Plan` appears in {} files, more than {MAX_FILES}: use `ModeState::is_planning` or `plan_gate` instead. {list}",
        named.len()
    )]
}

fn naming(files: &[TextFile]) -> Vec<&str> {
    let crates: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.path.strip_prefix("crates/")?.split_once("/src/").map(|(name, _)| name))
        .collect();
    let product: BTreeSet<&str> = crates.iter().flat_map(|name| product_paths(name, files)).collect();
    let of_product = files.iter().filter(|file| product.contains(file.path.as_str()));
    of_product.filter(|file| names(&file.text)).map(|file| file.path.as_str()).collect()
}

/// Whether the code before the tests names it. A list behind `Mode::` may hold it under its short name.
fn names(text: &str) -> bool {
    let code = code_only(text);
    let code = code.split("#[cfg(test)]").next().unwrap_or_default();
    has_word(code, "Mode::Plan") || code.contains(" Mode::{") || code.contains(":Mode::{")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::files;

    #[test]
    fn what_names_it() {
        for (text, named) in [
            ("if mode == Mode::Plan {}", true),
            ("use Mode::{Auto, Plan};", true),
            ("use forelook_protocol::Mode::{Auto, Plan};", true),
            ("// Mode::Plan", false),
            ("ReminderKind::PlanMode", false),
            ("Mode::Planned", false),
            ("fn f() {}\n#[cfg(test)]\nmod tests { const M: Mode = Mode::Plan; }", false),
        ] {
            assert_eq!(names(text), named, "{text}");
        }
    }

    #[test]
    fn ten_are_enough() {
        let text = "const M: Mode = Mode::Plan;";
        let paths: Vec<String> = (0..11).map(|at| format!("crates/a/src/m{at}.rs")).collect();
        let pairs: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), text)).collect();
        assert_eq!(check(&files(&pairs)).len(), 1);
        assert!(check(&files(&pairs[1..])).is_empty());
        let tests =
            [("crates/a/tests/x.rs", text), ("crates/a/src/m1/tests.rs", text), ("xtask/src/a.rs", text)];
        let both = [&pairs[1..], &tests].concat();
        assert!(check(&files(&both)).is_empty());
    }
}
