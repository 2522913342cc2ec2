//! What stands in `Bash(…)`.
//!
//! | form | matches |
//! |---|---|
//! | `npm test` | exactly that |
//! | `npm test:*`, `npm test *` | that, alone or followed by a space and anything |
//! | `ls*`, `git * main` | `*` spans anything, without regard to words |
//! | `*` | everything |

/// A pattern for one command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellPattern {
    /// Every line, also one that cannot be parsed.
    Any,
    /// Exactly this text.
    Exact(String),
    /// This text, at a word boundary.
    Prefix(String),
    /// Pieces that must come in this order; between them anything.
    Glob(Vec<String>),
}

impl ShellPattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.contains('\0') {
            return Err("a command cannot contain a NUL byte".to_owned());
        }
        let prefix = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *"));
        Ok(match prefix {
            _ if matches!(text, "" | "*" | ":*") => ShellPattern::Any,
            Some(prefix) if !prefix.contains('*') => match prefix.trim_end() {
                "" => ShellPattern::Any,
                prefix => ShellPattern::Prefix(prefix.to_owned()),
            },
            // A prefix with stars inside: the boundary at its end is kept by the space.
            Some(prefix) => ShellPattern::Glob(pieces(&format!("{prefix} *"))),
            None if text.contains('*') => ShellPattern::Glob(pieces(text)),
            None => ShellPattern::Exact(text.to_owned()),
        })
    }

    /// Whether this text, one command of a line, is meant.
    pub fn matches(&self, command: &str) -> bool {
        match self {
            ShellPattern::Any => true,
            ShellPattern::Exact(text) => command == text,
            ShellPattern::Prefix(prefix) => command
                .strip_prefix(prefix.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
            ShellPattern::Glob(pieces) => glob(pieces, command),
        }
    }

    /// Whether the pattern itself names each of these options, as often as they are given. One that fixes the whole text, or
    /// is for every command, leaves nothing open.
    pub(crate) fn names_options(&self, options: &[String]) -> bool {
        let text = match self {
            ShellPattern::Any | ShellPattern::Exact(_) => return true,
            ShellPattern::Prefix(text) => text.clone(),
            ShellPattern::Glob(pieces) => pieces.join(" "),
        };
        let mut words: Vec<&str> = text.split_whitespace().collect();
        options.iter().all(|option| {
            let names = |word: &&str| {
                word.strip_prefix(option.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
            };
            // `-ne` names `-e`.
            let is_letter = option.len() == 2 && !option.starts_with("--");
            let letter = option.strip_prefix('-').filter(|_| is_letter);
            let clusters = |word: &&str| {
                let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
                letters.zip(letter).is_some_and(|(letters, letter)| letters.ends_with(letter))
            };
            let named = words.iter().position(names).or_else(|| words.iter().position(clusters));
            named.map(|at| words.remove(at)).is_some()
        })
    }

    /// The first word, where the pattern fixes it: lets a set of rules look only at those that can match.
    pub(crate) fn first_word(&self) -> Option<&str> {
        let (text, open) = match self {
            ShellPattern::Any => return None,
            ShellPattern::Exact(text) | ShellPattern::Prefix(text) => (text.as_str(), false),
            ShellPattern::Glob(pieces) => (pieces.first()?.as_str(), true),
        };
        match text.split_once(' ') {
            Some((word, _)) => Some(word),
            None if open => None,
            None => Some(text),
        }
    }
}

fn pieces(text: &str) -> Vec<String> {
    text.split('*').map(str::to_owned).collect()
}

/// The first piece begins the text, the last one ends it, the others follow each other. Taking each at its first place
/// is enough, so this is linear; a regular expression could be made to explode.
fn glob(pieces: &[String], text: &str) -> bool {
    let [first, middle @ .., last] = pieces else { return false };
    let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
    for piece in middle {
        let Some(at) = rest.find(piece.as_str()) else { return false };
        rest = rest.get(at + piece.len()..).unwrap_or_default();
    }
    rest.ends_with(last.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_do_more_must_be_named() {
        for (rule, options, expected) in [
            ("git log:*", &[][..], true),
            ("git log:*", &["--output"], false),
            ("git log --output:*", &["--output"], true),
            ("git log --output=a:*", &["--output"], true),
            ("git log --output=a:*", &["--output", "--output"], false),
            ("git log --out:*", &["--output"], false),
            ("git * --output=*", &["--output"], true),
            ("find . -name x -delete", &["-delete"], true),
            ("perl -ne:*", &["-e"], true),
            ("perl -ne:*", &["-e", "-e"], false),
            ("perl -ne:*", &["-i"], false),
            ("perl --pre:*", &["-e"], false),
            ("perl:*", &["-e"], false),
            ("*", &["-delete"], true),
        ] {
            let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
            let pattern = ShellPattern::parse(rule).unwrap();
            assert_eq!(pattern.names_options(&options), expected, "{rule} {options:?}");
        }
    }

    #[test]
    fn forms() {
        for (pattern, yes, no) in [
            ("npm test", &["npm test"][..], &["npm test x", "npm  test", "npm testx"][..]),
            ("npm test:*", &["npm test", "npm test -- x"], &["npm testx", "xnpm test"]),
            ("npm test *", &["npm test", "npm test x"], &["npm testx"]),
            ("ls*", &["ls", "lsof", "ls -l"], &["als"]),
            ("git * main", &["git push main", "git checkout -b main"], &["git main", "git push main2"]),
            ("git * main:*", &["git push main ", "git push main x"], &["git push mainx"]),
            ("* --version", &["node --version", "x y --version"], &["--version"]),
            ("a*b*a", &["aba", "abba", "abca"], &["ab", "aa", "aab"]),
            ("*", &["", "anything at all"], &[]),
            ("git push :*", &["git push", "git push x"], &["git pushx"]),
        ] {
            let parsed = ShellPattern::parse(pattern).unwrap();
            for text in yes {
                assert!(parsed.matches(text), "{pattern} should match {text}");
            }
            for text in no {
                assert!(!parsed.matches(text), "{pattern} should not match {text}");
            }
        }
    }

    #[test]
    fn first_words() {
        for (pattern, expected) in [
            ("npm test", Some("npm")),
            ("npm:*", Some("npm")),
            ("np*", None),
            ("git * main", Some("git")),
            ("*", None),
            ("* x", None),
        ] {
            assert_eq!(ShellPattern::parse(pattern).unwrap().first_word(), expected, "{pattern}");
        }
    }
}
