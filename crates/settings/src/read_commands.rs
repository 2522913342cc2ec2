//! From texts to patterns of shell commands. One that is wrong is named and left out: a list that opens
//! something must not open more than was meant.

use forelook_permissions::{Matcher, Rule, ShellPattern};

use crate::file::Node;
use crate::keys::Key;
use crate::read_keys::KeyReader;
use crate::sanitize::{sanitized, sanitized_sentence};
use crate::values::CommandItem;

impl KeyReader<'_> {
    pub(crate) fn commands(&mut self, key: &Key, items: Vec<Node>) -> Vec<CommandItem> {
        let mut commands = Vec::new();
        for (text, line) in self.texts(key.name, items) {
            match pattern(text.trim()) {
                Ok(pattern) => commands.push(CommandItem { pattern, line }),
                Err(wanted) => {
                    self.wrong(key.name, line, &format!("in part `{}`", sanitized(&text)), &wanted);
                }
            }
        }
        commands
    }
}

/// A pattern as in `Bash(…)`; else what it must be.
pub(crate) fn pattern(text: &str) -> Result<ShellPattern, String> {
    if text.starts_with("Bash(") {
        return Err("the pattern alone, without `Bash(…)` around it".to_owned());
    }
    match Rule::parse(&format!("Bash({text})")) {
        Ok(Rule { matcher: Matcher::Shell(_, pattern), .. }) if names_command(&pattern) => Ok(pattern),
        Ok(_) => Err("a pattern that begins with a full command name, like `gh pr view:*`".to_owned()),
        Err(error) => Err(format!("a pattern: {}", sanitized_sentence(&error.to_string()))),
    }
}

/// Whether the pattern says which command it is about. `*` and `g*` would declare commands that nobody thought of.
fn names_command(pattern: &ShellPattern) -> bool {
    match pattern {
        ShellPattern::Any => false,
        ShellPattern::Exact(_) | ShellPattern::Prefix(_) => true,
        ShellPattern::Glob(pieces) => {
            pieces.first().and_then(|piece| piece.split_once(' ')).is_some_and(|(word, _)| !word.is_empty())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_its_command() {
        let prefix = |text: &str| ShellPattern::Prefix(text.to_owned());
        for (text, expected) in [
            ("gh pr view:*", Ok(prefix("gh pr view"))),
            ("kubectl get *", Ok(prefix("kubectl get"))),
            ("gh auth status", Ok(ShellPattern::Exact("gh auth status".to_owned()))),
            ("gh * view", Ok(ShellPattern::Glob(vec!["gh ".to_owned(), " view".to_owned()]))),
            ("*", Err("full command name")),
            (":*", Err("full command name")),
            ("gh*", Err("full command name")),
            ("g* pr", Err("full command name")),
            ("* view", Err("full command name")),
            ("Bash(gh pr view:*)", Err("without `Bash(…)`")),
            (&"x".repeat(20_000), Err("longer than")),
        ] {
            match (pattern(text), expected) {
                (Ok(read), Ok(expected)) => assert_eq!(read, expected, "{text}"),
                (Err(wanted), Err(part)) => assert!(wanted.contains(part), "{text}: {wanted}"),
                (read, _) => panic!("{text}: {read:?}"),
            }
        }
    }
}
