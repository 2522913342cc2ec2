//! Pure crates reach neither the async runtime nor the file system.

use super::TextFile;
use super::code::has_word;
use super::sources::lines_of;
use crate::run::{XtaskResult, cargo, output};

/// Crates that decide and describe. Those that do not exist yet are passed over.
const PURE: &[&str] = &["protocol", "permissions", "shell", "view", "auto"];

/// What breaks their purity.
pub(super) fn check(files: &[TextFile]) -> XtaskResult<Vec<String>> {
    let mut found = impure_sources(files);
    for name in
        PURE.iter().filter(|name| files.iter().any(|file| file.path == format!("crates/{name}/Cargo.toml")))
    {
        let package = format!("forelook-{name}");
        let tree = output(&mut cargo(&["tree", "-p", &package, "-e", "normal", "--prefix", "none"]))?;
        if has_package(&tree, "tokio") {
            found.push(format!(
                "`crates/{name}` must not depend on `tokio`: see `cargo tree -p {package} -i tokio`"
            ));
        }
    }
    Ok(found)
}

fn impure_sources(files: &[TextFile]) -> Vec<String> {
    let pure = files.iter().filter(|file| {
        file.path.ends_with(".rs")
            && PURE.iter().any(|name| file.path.starts_with(&format!("crates/{name}/src/")))
    });
    let impure =
        |code: &str| ["std::fs", "std::net", "std::process", "tokio"].iter().any(|word| has_word(code, word));
    pure.flat_map(|file| lines_of(file, impure, "this crate is pure: no files, no processes, no runtime"))
        .collect()
}

fn has_package(tree: &str, name: &str) -> bool {
    tree.lines().any(|line| line.split_whitespace().next() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::files;

    #[test]
    fn a_package_is_found_by_its_whole_name() {
        assert!(has_package("forelook-x v0.1.0\ntokio v1.54.0\n", "tokio"));
        assert!(!has_package("tokio-util v0.7.0\n", "tokio"));
    }

    #[test]
    fn files_and_runtimes_break_purity_and_words_about_them_do_not() {
        let text = "//! Not std::fs.\nuse std::fs;\nasync fn f() { tokio::spawn(x) }\n";
        assert_eq!(impure_sources(&files(&[("crates/permissions/src/lib.rs", text)])).len(), 2);
        assert!(impure_sources(&files(&[("crates/disk/src/lib.rs", text)])).is_empty());
        assert!(impure_sources(&files(&[("crates/protocol/src/a.rs", "let fs = std::fmt::x;")])).is_empty());
    }
}
