//! Tools, and what starts programs for them, see no mode: what a decision means for a call is told to them, and not how it
//! was made.

use super::TextFile;
use super::code::{code_only, has_word};

/// Crates that carry calls out.
const CRATES: &[&str] = &["crates/tools/src/", "crates/fences/src/", "crates/facts/src/"];

/// The Agent tool takes the name of a mode from the model and hands it on.
const NAMES_ONE: &[&str] = &["crates/tools/src/agent.rs"];

/// What the protocol calls a mode, and what holds one.
const WORDS: &[&str] = &["Mode", "ModeState"];

/// Product code in these crates that imports a mode.
pub(super) fn check(files: &[TextFile]) -> Vec<String> {
    let ours = files.iter().filter(|file| {
        CRATES.iter().any(|folder| file.path.starts_with(folder))
            && file.path.ends_with(".rs")
            && !file.path.contains("/tests")
            && !NAMES_ONE.contains(&file.path.as_str())
    });
    let seeing = ours.filter(|file| sees_mode(&file.text));
    seeing
        .map(|file| format!("`{}` imports a mode: a tool gets the decision, not the mode", file.path))
        .collect()
}

fn sees_mode(text: &str) -> bool {
    let code = code_only(text);
    // What a path or an import of the protocol names, up to its end.
    code.split("forelook_protocol::").skip(1).any(|named| {
        let end = if named.starts_with('{') { '}' } else { ';' };
        let named = named.split(end).next().unwrap_or_default();
        let named = if end == ';' { first_word(named) } else { named };
        WORDS.iter().any(|word| has_word(named, word))
    })
}

fn first_word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::files;

    #[test]
    fn a_mode_of_the_protocol_is_seen_and_other_things_of_that_name_are_not() {
        for (text, seen) in [
            ("use forelook_protocol::Mode;", 1),
            ("use forelook_protocol::{\n    AbsPath,\n    Mode,\n};", 1),
            ("fn f(x: forelook_protocol::ModeState) {}", 1),
            ("use forelook_protocol::{AbsPath, Action}; enum Mode { A }", 0),
            ("use forelook_protocol::AbsPath; use rustix::fs::Mode;", 0),
            ("// use forelook_protocol::Mode;", 0),
        ] {
            for folder in CRATES {
                assert_eq!(check(&files(&[(&format!("{folder}a.rs"), text)])).len(), seen, "{text}");
            }
            for elsewhere in
                ["crates/engine/src/a.rs", "crates/tools/src/agent.rs", "crates/tools/src/a/tests.rs"]
            {
                assert!(check(&files(&[(elsewhere, text)])).is_empty(), "{elsewhere}");
            }
        }
    }
}
