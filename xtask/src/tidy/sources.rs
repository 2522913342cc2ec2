//! Rules that one source file keeps or breaks by itself.

use super::TextFile;
use super::code::{code_only, has_word};

fn rust(files: &[TextFile]) -> impl Iterator<Item = &TextFile> {
    files.iter().filter(|file| file.path.ends_with(".rs"))
}

/// Files that do not begin with `//!`.
pub(super) fn without_module_docs(files: &[TextFile]) -> Vec<String> {
    let bare = |text: &str| {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        // A mark without a sentence is no documentation.
        first.strip_prefix("//!").is_none_or(|sentence| sentence.trim().len() < 10)
    };
    // What scenarios hold is somebody's project, not our source.
    rust(files)
        .filter(|file| !file.path.contains("/files/") && bare(&file.text))
        .map(|file| format!("`{}` has no description in its first line (`//! …`)", file.path))
        .collect()
}

/// Tests that would not run.
pub(super) fn ignored_tests(files: &[TextFile]) -> Vec<String> {
    lines_with(files, |code| code.contains("#[ignore"), "a test is disabled; fix it or remove it")
}

/// `unsafe` where it must not be.
pub(super) fn unsafe_outside_sandbox(files: &[TextFile]) -> Vec<String> {
    let elsewhere: Vec<&TextFile> =
        rust(files).filter(|file| !file.path.starts_with("crates/sandbox/")).collect();
    // A crate may forbid it for itself: that is stricter than the workspace's lint.
    let forbidden = |code: &str| code.trim() == "#![forbid(unsafe_code)]";
    let exempted =
        |code: &str| has_word(code, "unsafe") || (has_word(code, "unsafe_code") && !forbidden(code));
    elsewhere
        .iter()
        .flat_map(|file| lines_of(file, exempted, "`unsafe` belongs in `crates/sandbox`"))
        .collect()
}

/// Whether a file is a snapshot that nobody has accepted or refused yet.
pub(super) fn is_undecided(path: &str) -> bool {
    path.ends_with(".snap.new") || path.ends_with(".pending-snap")
}

/// Snapshots that nobody has decided about.
pub(super) fn undecided_snapshots(files: &[TextFile]) -> Vec<String> {
    let undecided = files.iter().filter(|file| is_undecided(&file.path));
    undecided.map(|file| format!("`{}` is pending: accept it or remove it", file.path)).collect()
}

fn lines_with(files: &[TextFile], broken: impl Fn(&str) -> bool, why: &str) -> Vec<String> {
    rust(files).flat_map(|file| lines_of(file, &broken, why)).collect()
}

/// Every line of a file whose code breaks a rule.
pub(super) fn lines_of(file: &TextFile, broken: impl Fn(&str) -> bool, why: &str) -> Vec<String> {
    let code = code_only(&file.text);
    let lines = code.lines().enumerate().filter(|(_, line)| broken(line));
    lines.map(|(at, _)| format!("`{}:{}`: {why}", file.path, at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::files;

    #[test]
    fn module_docs_must_say_something() {
        for (text, broken) in [
            ("//! What this file is.\n", 0),
            ("\n//! What this file is.\n", 0),
            ("//!\n//! Later.\n", 1),
            ("//! .\n", 1),
            ("use x;\n", 1),
            ("", 1),
        ] {
            assert_eq!(
                without_module_docs(&files(&[("crates/a/src/lib.rs", text)])).len(),
                broken,
                "{text:?}"
            );
        }
        assert!(
            without_module_docs(&files(&[("crates/a/tests/s/files/main.rs", "fn main() {}")])).is_empty()
        );
        assert!(without_module_docs(&files(&[("docs/a.md", "")])).is_empty());
    }

    #[test]
    fn code_is_judged_and_sentences_are_not() {
        let broken =
            files(&[("crates/a/src/lib.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() { unsafe { g() } }")]);
        assert_eq!(
            ignored_tests(&broken),
            ["`crates/a/src/lib.rs:2`: a test is disabled; fix it or remove it"]
        );
        assert_eq!(unsafe_outside_sandbox(&broken).len(), 1);
        let kept = files(&[
            ("crates/a/src/lib.rs", "// #[ignore] and unsafe\nlet a = \"unsafe #[ignore]\";"),
            ("crates/sandbox/src/lib.rs", "unsafe { g() }"),
        ]);
        assert!(ignored_tests(&kept).is_empty() && unsafe_outside_sandbox(&kept).is_empty());
        let lifted = files(&[("crates/a/src/lib.rs", "#![allow(unsafe_code)]")]);
        assert_eq!(unsafe_outside_sandbox(&lifted).len(), 1);
        let stricter = files(&[("crates/a/src/lib.rs", "#![forbid(unsafe_code)]")]);
        assert!(unsafe_outside_sandbox(&stricter).is_empty());
    }

    #[test]
    fn snapshots_must_be_decided() {
        let both = files(&[("crates/a/tests/x.snap", ""), ("crates/a/tests/y.snap.new", "")]);
        assert_eq!(undecided_snapshots(&both).len(), 1);
    }
}
