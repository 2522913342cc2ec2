//! Lines that are for the program and not for the model.

/// The name and the rest of a line that is a command. `/etc/hosts is wrong` is a sentence, not a command.
pub fn parse_slash(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let name = word.strip_prefix('/')?;
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    is_name.then(|| (name, rest.trim()))
}

/// Whether a prompt says that the person wants to leave: `exit` or `quit`, alone, as in a shell.
pub fn is_exit_word(prompt: &str) -> bool {
    ["exit", "quit"].iter().any(|word| prompt.trim().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_commands() {
        for (line, expected) in [
            ("/plan", Some(("plan", ""))),
            (" /plan  add a flag ", Some(("plan", "add a flag"))),
            ("/plan\nadd\na flag", Some(("plan", "add\na flag"))),
            ("/etc/hosts is wrong", None),
            ("/", None),
            ("// a comment", None),
            ("please /plan", None),
        ] {
            assert_eq!(parse_slash(line), expected, "{line:?}");
        }
    }
}
