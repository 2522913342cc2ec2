//! Paths that the documentation names exist.

use super::TextFile;

/// Pages that are checked. The changelog may name what is gone.
fn is_page(path: &str) -> bool {
    matches!(path, "README.md" | "CONTRIBUTING.md") || (path.starts_with("docs/") && path.ends_with(".md"))
}

/// Paths in backticks that name nothing.
pub(super) fn dead_paths(files: &[TextFile], exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| is_page(&file.path)) {
        for (at, line) in outside_fences(&file.text) {
            for path in in_backticks(line).filter_map(repository_path).filter(|path| !exists(path)) {
                found.push(format!("`{}:{at}` names `{path}`, which does not exist", file.path));
            }
        }
    }
    found
}

/// The lines that are no code block, with their numbers.
fn outside_fences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fence && !fenced).then_some((at + 1, line))
    })
}

fn in_backticks(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The path from the root that a text in backticks means, if it looks like one of ours.
/// `engine/src/turn.rs` is short for `crates/engine/src/turn.rs`.
fn repository_path(text: &str) -> Option<String> {
    // `<tool>`, `*` and the like stand for many; a blank makes it a command.
    if text.contains(|char: char| char.is_whitespace() || "<>*{}$~…".contains(char)) {
        return None;
    }
    let path = text.trim_end_matches('/').split(':').next()?;
    let (first, rest) = path.split_once('/')?;
    match first {
        "crates" | "xtask" | "docs" | ".ci" | ".cargo" => Some(path.to_owned()),
        _ => {
            let inside = rest.split('/').next()?;
            matches!(inside, "src" | "tests" | "examples" | "benches").then(|| format!("crates/{path}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::files;

    #[test]
    fn what_looks_like_a_path_of_ours() {
        for (text, expected) in [
            ("crates/disk/src/append.rs", Some("crates/disk/src/append.rs")),
            ("disk/src/append.rs", Some("crates/disk/src/append.rs")),
            ("docs/settings.md", Some("docs/settings.md")),
            (".ci/run", Some(".ci/run")),
            ("crates/settings/", Some("crates/settings")),
            ("crates/a/src/b.rs:12", Some("crates/a/src/b.rs")),
            ("tools/src/<tool>.rs", None),
            ("engine/src/context/*.md", None),
            (".forelook/settings.json", None),
            ("~/.forelook/settings.json", None),
            ("provider/name", None),
            ("cargo xtask docs", None),
            ("/etc/forelook/managed-settings.json", None),
            ("sandbox", None),
        ] {
            assert_eq!(repository_path(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn pages_are_read_outside_code_blocks() {
        let text = "See `docs/a.md`.\n```\n`docs/b.md`\n```\nAnd `docs/c.md`, `docs/here.md`.\n";
        let all = files(&[("docs/x.md", text), ("CHANGELOG.md", "`docs/old.md`")]);
        let found = dead_paths(&all, |path| path == "docs/here.md");
        assert_eq!(
            found,
            [
                "`docs/x.md:1` names `docs/a.md`, which does not exist",
                "`docs/x.md:5` names `docs/c.md`, which does not exist",
            ]
        );
    }
}
