//! Files that a text names with `@`, and what is said of what became of them.

use std::collections::HashSet;

use forelook_protocol::{AttachOutcome, FilesAttached};

/// What stands behind each `@` that begins a word: up to the next blank, or in quotes. Each is named once. Every part of the
/// text is read once: this is done with every key, also in a long text.
pub fn parse_mentions(text: &str) -> Vec<String> {
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    let mut rest = text;
    let mut before = None;
    while let Some(at) = rest.find('@') {
        let begins = rest[..at].chars().next_back().or(before).is_none_or(begins_word);
        let behind = &rest[at + 1..];
        before = Some('@');
        if !begins {
            rest = behind;
            continue;
        }
        let (words, quotes) = match behind.strip_prefix('"') {
            Some(quoted) => (quoted.split(['"', '\n']).next().unwrap_or_default(), 1),
            None => (behind.split(char::is_whitespace).next().unwrap_or_default(), 0),
        };
        if !words.is_empty() && !words.starts_with('@') && known.insert(words) {
            found.push(words.to_owned());
        }
        rest = &behind[quotes + words.len()..];
    }
    found
}

/// An `@` in the middle of a word, as in an address, names nothing.
fn begins_word(before: char) -> bool {
    before.is_whitespace() || matches!(before, '(' | '[' | '{' | '"' | '\'' | '`' | ',' | ';' | ':' | '=')
}

/// A line about files that a prompt named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttachedLine {
    /// These were attached.
    Attached(String),
    /// This one was not, and why.
    Refused(String),
    /// There is nothing of this name.
    Missing(String),
}

/// What is said of the files that a prompt named: all that were attached in one line, each other in its own.
pub fn attached_lines(attached: &FilesAttached) -> Vec<AttachedLine> {
    let is_attached = |outcome: &AttachOutcome| matches!(outcome, AttachOutcome::Attached { .. });
    let names =
        attached.files.iter().filter(|file| is_attached(&file.outcome)).map(|file| file.named.as_str());
    let names: Vec<&str> = names.collect();
    let all = (!names.is_empty()).then(|| AttachedLine::Attached(format!("Attached {}", names.join(", "))));
    let others = attached.files.iter().filter_map(|file| match &file.outcome {
        AttachOutcome::Attached { .. } => None,
        AttachOutcome::Refused { why } => {
            Some(AttachedLine::Refused(format!("Not attached: {}. {why}", file.named)))
        }
        AttachOutcome::Missing => Some(AttachedLine::Missing(format!("No file here: {}", file.named))),
    });
    all.into_iter().chain(others).collect()
}

#[cfg(test)]
mod tests {
    use forelook_protocol::{AbsPath, AttachedFile};

    use super::*;

    #[test]
    fn what_a_text_names() {
        for (text, expected) in [
            ("see @src/main.rs and @docs/", vec!["src/main.rs", "docs/"]),
            ("@a", vec!["a"]),
            ("fix @src/lib.rs:10-40, please", vec!["src/lib.rs:10-40,"]),
            ("(@../x.md)", vec!["../x.md)"]),
            ("@\"with space/ü.md\" and @~/y", vec!["with space/ü.md", "~/y"]),
            ("@\"not closed", vec!["not closed"]),
            ("me@example.com @ @@x @a @a", vec!["a"]),
            ("line\n@b\t@/abs", vec!["b", "/abs"]),
            ("nothing", vec![]),
            ("@", vec![]),
        ] {
            assert_eq!(parse_mentions(text), expected, "{text}");
        }
    }

    /// One long word, and many names. Where each `@` looks at all the others, this does not come to an end.
    #[test]
    fn a_long_text_is_read_once() {
        assert_eq!(parse_mentions(&"a@".repeat(1_000_000)), Vec::<String>::new());
        let names: String = (0..200_000).map(|number| format!("@{number} ")).collect();
        assert_eq!(parse_mentions(&names).len(), 200_000);
    }

    #[test]
    fn what_is_said() {
        let attached =
            || AttachOutcome::Attached { path: AbsPath::new("/p").unwrap(), content: Vec::new(), seen: None };
        let file = |named: &str, outcome| AttachedFile { named: named.to_owned(), outcome };
        let refused = AttachOutcome::Refused { why: "A rule denies it".to_owned() };
        let files = vec![
            file("a.rs", attached()),
            file(".env", refused),
            file("alice", AttachOutcome::Missing),
            file("docs/", attached()),
        ];
        let said = attached_lines(&FilesAttached { files, reason: Default::default() });
        assert_eq!(
            said,
            [
                AttachedLine::Attached("Attached a.rs, docs/".to_owned()),
                AttachedLine::Refused("Not attached: .env. A rule denies it".to_owned()),
                AttachedLine::Missing("No file here: alice".to_owned()),
            ]
        );
    }
}
