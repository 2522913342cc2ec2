//! Files are read through `disk`: a project's through `ProjectFiles`, others at least within bounds.
//!
//! Not a lint: tests read their own files everywhere, and each would need an exception.

use super::TextFile;
use super::code::code_only;

/// Calls that read whatever a path leads to, for as long as it takes.
const CALLS: &[&str] = &["fs::read(", "fs::read_to_string(", "File::open("];

/// Who may, and why: none of these paths comes from a project.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("crates/disk/", "the crate that reads"),
    ("crates/testkit/", "tests"),
    ("crates/sandbox/src/", "the kernel's own files in `/proc` and `/dev`; it does not depend on `disk`"),
    ("crates/tui/src/term/reader.rs", "the terminal"),
    ("crates/settings/src/file.rs", "`--settings` may name a pipe"),
    ("crates/sessions/src/", "our own journals and todos, of any length"),
    ("crates/fences/src/rehearsal", "our own notes about overlays"),
    ("crates/host/src/services/history.rs", "our own history"),
    ("crates/host/src/services/tip.rs", "our own state"),
    ("crates/host/src/models.rs", "the script that `--model scripted/…` names"),
    ("crates/host/src/request_recorder.rs", "the recording of a test"),
];

/// Product code that reads files past `disk`.
pub(super) fn check(files: &[TextFile]) -> Vec<String> {
    let product = files.iter().filter(|file| {
        file.path.starts_with("crates/")
            && file.path.contains("/src/")
            && file.path.ends_with(".rs")
            && !file.path.contains("/tests")
            && !file.path.ends_with("/testing.rs")
            && !file.path.ends_with("/swapped.rs")
            && !EXCEPTIONS.iter().any(|(path, _)| file.path.starts_with(path))
    });
    let reads = |file: &&TextFile| {
        let code = code_only(&file.text);
        let product = code.split("#[cfg(test)]").next().unwrap_or_default();
        CALLS.iter().any(|call| product.contains(call))
    };
    let found = product.filter(reads);
    found
        .map(|file| format!("`{}` reads a file past `disk`: use `ProjectFiles` or `read_bounded`", file.path))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::files;

    #[test]
    fn a_read_past_disk_is_seen() {
        for (path, text, seen) in [
            ("crates/host/src/a.rs", "fn f() { std::fs::read(p) }", 1),
            ("crates/host/src/a.rs", "fn f() { File::open(p) }", 1),
            ("crates/host/src/a.rs", "// std::fs::read(p)", 0),
            ("crates/host/src/a.rs", "fn f() { std::fs::read_dir(p) }", 0),
            ("crates/host/src/a.rs", "#[cfg(test)]\nmod tests { fn f() { fs::read(p) } }", 0),
            ("crates/sessions/src/store.rs", "fn f() { File::open(p) }", 0),
            ("crates/host/tests/a.rs", "fn f() { fs::read(p) }", 0),
        ] {
            assert_eq!(check(&files(&[(path, text)])).len(), seen, "{path}: {text}");
        }
    }
}
