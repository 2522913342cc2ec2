//! Where a part of a command that cannot be checked takes code from, as far as its words tell. Pure.
//!
//! These are paths that the model must not write unasked. A folder that a linter is only given to read is none of them: else
//! every edit would be asked about.

use forelook_shell::{CodeSource, LinePart, WordValue};

/// Endings that an interpreter tries if there is no file of the name that it is given.
const ENDINGS: [&str; 7] = [".js", ".json", ".node", ".mjs", ".cjs", ".ts", ".tsx"];

/// Paths as written, relative to where the part runs: files, or folders with all that is in them.
/// `text` is that of the part, with the variables that are known.
pub(crate) fn loaded_paths(part: &LinePart, text: &str) -> Vec<String> {
    let mut paths: Vec<String> = text.split_whitespace().filter_map(set_value).flat_map(pieces).collect();
    if part.loads_named_code() {
        let words = part.words.get(1..).unwrap_or(&[]);
        // What follows a script is given to the script.
        let script = match part.code_source() {
            CodeSource::Script { .. } => words.iter().position(|word| !word.text.starts_with('-')),
            _ => None,
        };
        let words = words.get(..script.map_or(words.len(), |at| at + 1)).unwrap_or(words);
        paths.extend(words.iter().filter_map(|word| match &word.value {
            WordValue::Literal(text) => named(text),
            WordValue::One { prefix, .. } | WordValue::Many { prefix, .. } => folder_of(prefix),
        }));
    }
    let has_no_ending = |path: &&String| !path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let others = paths.iter().filter(has_no_ending);
    let others: Vec<String> = others.flat_map(|path| ENDINGS.map(|it| format!("{path}{it}"))).collect();
    [paths, others].concat()
}

/// The folder that everything beginning so is in.
pub(crate) fn folder_of(prefix: &str) -> Option<String> {
    prefix.rsplit_once('/').map(|(folder, _)| folder.to_owned()).filter(|folder| !folder.is_empty())
}

/// The value of a variable, or of an option by which git finds what it runs.
fn set_value(word: &str) -> Option<&str> {
    let (name, value) = word.split_once('=')?;
    let is_variable = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_variable || matches!(name, "--git-dir" | "--exec-path")).then_some(value)
}

/// `--require=./x`, `a:b`: each may be a path.
fn pieces(value: &str) -> Vec<String> {
    let parts = value.split([':', ';', ',', '=', '"', '\'']);
    parts.filter(|it| !it.is_empty() && !it.contains('$')).map(str::to_owned).collect()
}

/// The path in an argument: `lib/x`, `-Ilib`, `--require=./x`. A bare word is the name of a task or a module.
fn named(text: &str) -> Option<String> {
    let path = match text.strip_prefix('-') {
        Some(option) => match option.split_once('=') {
            Some((_, value)) => value,
            None => option.strip_prefix(['I', 'r', 'f', 'C', 'd'])?,
        },
        None if text.contains(['/', '.']) => text,
        None => return None,
    };
    let is_path =
        !path.is_empty() && !path.contains(|c: char| c.is_whitespace() || "()[]{}\"'`$;".contains(c));
    is_path.then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_code_is_taken_from() {
        for (line, expected) in [
            ("node lib/tools/check", &["lib/tools/check"][..]),
            ("node -r ./lib/tools/check main.js", &["./lib/tools/check"]),
            (
                "NODE_OPTIONS=--require=./lib/tools/check node main.js",
                &["--require", "./lib/tools/check", "main.js"],
            ),
            ("PYTHONPATH=lib/tools python3 lib/a.py src", &["lib/tools", "lib/a.py"]),
            ("perl -Ilib/tools lib/p.pl src", &["lib/tools", "lib/p.pl"]),
            ("env PATH=lib/tools:/usr/bin check.sh", &["lib/tools", "/usr/bin"]),
            ("git --git-dir=lib/gd status", &["lib/gd"]),
            ("run-parts lib/tools", &["lib/tools"]),
            ("awk -f lib/x.awk", &["lib/x.awk"]),
            ("make -f lib/x.mk check", &["lib/x.mk"]),
            ("sh lib/tools/*.sh", &["lib/tools"]),
            ("npx prettier --write src/", &[]),
            ("ruff check src/a.py", &[]),
            ("make check", &[]),
            ("python3 -c 'import check'", &[]),
        ] {
            let analysis = forelook_shell::analyse(line);
            let mut paths = loaded_paths(analysis.parts.last().unwrap(), line);
            paths.retain(|path| line.contains(path.as_str()));
            assert_eq!(paths, expected, "{line}");
        }
    }
}
