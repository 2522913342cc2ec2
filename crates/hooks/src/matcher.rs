//! Which tools (or sources, kinds of agents…) a hook is for.

use std::fmt;

use regex::Regex;

/// What a hook is for, as settings say it: nothing or `*` for all, names (`Edit|Write`), or a regular
/// expression (`mcp__.*`).
///
/// A pattern is held against the whole name, so that `Edit` is not `NotebookEdit`. Only one with an anchor
/// of its own (`^Notebook`) is looked for as it stands: whoever writes an anchor has thought of the ends.
#[derive(Debug, Clone)]
pub struct Matcher {
    text: String,
    kind: MatcherKind,
}

#[derive(Debug, Clone)]
enum MatcherKind {
    All,
    Names(Vec<String>),
    Pattern(Regex),
}

/// A matcher that is no regular expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "The matcher `{pattern}` of the hook at `{origin}` is invalid: {why}\n\
     Use names separated by `|`, as in `Edit|Write`, or a regular expression"
)]
pub struct InvalidMatcher {
    /// As it was written.
    pub pattern: String,
    /// The file and line of the hook.
    pub origin: String,
    /// What is wrong.
    pub why: String,
}

impl Matcher {
    /// Matches always.
    pub fn all() -> Self {
        Self { text: String::new(), kind: MatcherKind::All }
    }

    /// Reads a matcher; `origin` is the file and line that an error names.
    pub fn new(pattern: &str, origin: &str) -> Result<Self, InvalidMatcher> {
        let text = pattern.to_owned();
        let trimmed = pattern.trim();
        if trimmed.is_empty() || trimmed == "*" {
            return Ok(Self { text, kind: MatcherKind::All });
        }
        if trimmed.chars().all(|c| c.is_alphanumeric() || "_- ,|".contains(c)) {
            let names = trimmed.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
            return Ok(Self { text, kind: MatcherKind::Names(names.map(str::to_owned).collect()) });
        }
        let bad = |error: regex::Error| InvalidMatcher {
            pattern: pattern.to_owned(),
            origin: origin.to_owned(),
            why: summary(&error),
        };
        // Read by itself first: `a)|(b` would become a pattern only between our own parentheses.
        let alone = Regex::new(trimmed).map_err(bad)?;
        let anchored = trimmed.starts_with('^') || trimmed.ends_with('$');
        let regex = if anchored { alone } else { Regex::new(&format!("^(?:{trimmed})$")).map_err(bad)? };
        Ok(Self { text, kind: MatcherKind::Pattern(regex) })
    }

    /// As it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it matches this name. Where an event has no name to match, every matcher does.
    pub fn matches(&self, name: Option<&str>) -> bool {
        let Some(name) = name else { return true };
        match &self.kind {
            MatcherKind::All => true,
            MatcherKind::Names(names) => names.iter().any(|known| known == name),
            MatcherKind::Pattern(regex) => regex.is_match(name),
        }
    }
}

impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The last line says it; those above draw the pattern for a wide screen.
fn summary(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default().trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matches_what() {
        for (pattern, matching, others) in [
            ("", &["Bash", "mcp__a__b"][..], &[][..]),
            (" * ", &["Bash"], &[]),
            ("Edit", &["Edit"], &["NotebookEdit", "Edits", "edit", ""]),
            ("Edit|Write", &["Edit", "Write"], &["NotebookEdit", "EditWrite", "Edit|Write"]),
            ("Edit, Write", &["Edit", "Write"], &["Edit, Write", " Write"]),
            ("|", &[], &["Edit", ""]),
            ("mcp__my-server__get", &["mcp__my-server__get"], &["mcp__my-server__get2"]),
            ("mcp__.*", &["mcp__a__b", "mcp__"], &["xmcp__a", "Bash"]),
            ("Edit|mcp__.*__write.*", &["Edit", "mcp__a__write_file"], &["mcp__a__read", "NotebookEdit"]),
            ("(Multi)?Edit", &["Edit", "MultiEdit"], &["NotebookEdit"]),
            (".*", &["Bash", ""], &[]),
            ("^Notebook", &["NotebookEdit"], &["Read"]),
            ("Edit$", &["NotebookEdit", "Edit"], &["Edits"]),
            ("[A-Z]ead", &["Read"], &["bRead", "Reads"]),
        ] {
            let matcher = Matcher::new(pattern, "here:1").unwrap();
            for name in matching {
                assert!(matcher.matches(Some(name)), "`{pattern}` should match `{name}`");
            }
            for name in others {
                assert!(!matcher.matches(Some(name)), "`{pattern}` should not match `{name}`");
            }
            assert!(matcher.matches(None), "{pattern}");
            assert_eq!(matcher.to_string(), pattern);
        }
    }

    #[test]
    fn a_bad_pattern_names_its_hook() {
        for pattern in ["Edit(", "a)|(b", "[", "(?!Read).*", "*Edit"] {
            let error = Matcher::new(pattern, "settings.json:7").unwrap_err().to_string();
            assert!(error.contains("settings.json:7") && error.contains(pattern), "{error}");
            assert_eq!(error.lines().count(), 2, "{error}");
        }
    }
}
