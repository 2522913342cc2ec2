//! Examples that a rule carries: what it must and must not match.
//!
//! A person who writes a rule knows what it is for; whether the rule says so is found out here, when it
//! is loaded, and not when it is needed.

use forelook_permissions::{Matcher, PatternBases, Rule, ShellPattern};
use forelook_protocol::{AbsPath, Behavior, Shell};
use forelook_shell::{LinePart, Verdict};

/// What a rule must and must not match.
///
/// What an example is depends on the rule: a command line for a shell, a path for files (a relative one
/// starts where the rule's patterns do), a host or an address for `WebFetch`, a name for anything else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Examples {
    /// Each must match.
    pub matching: Vec<String>,
    /// None may match.
    pub not_matching: Vec<String>,
}

/// An example that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrongExample {
    /// It should match.
    #[error("rule `{rule}` does not match its example `{example}`")]
    NotMatched {
        /// The rule.
        rule: String,
        /// The example.
        example: String,
    },
    /// It should not match.
    #[error("rule `{rule}` must not match its example `{example}`")]
    Matched {
        /// The rule.
        rule: String,
        /// The example.
        example: String,
    },
}

/// Checks a rule's examples; the first that is wrong is named.
///
/// What a match is depends on what the rule says: to allow, it must cover every part of a line that does
/// more than read; to deny or ask, one part is enough.
pub fn check_examples(
    rule: &Rule,
    behavior: Behavior,
    examples: &Examples,
    bases: &PatternBases,
) -> Result<(), WrongExample> {
    let matches = |example: &String| matches(&rule.matcher, behavior, example.trim(), bases);
    let (rule, owned) = (|| rule.text.clone(), |example: &String| example.clone());
    if let Some(example) = examples.matching.iter().find(|example| !matches(example)) {
        return Err(WrongExample::NotMatched { rule: rule(), example: owned(example) });
    }
    if let Some(example) = examples.not_matching.iter().find(|example| matches(example)) {
        return Err(WrongExample::Matched { rule: rule(), example: owned(example) });
    }
    Ok(())
}

fn matches(matcher: &Matcher, behavior: Behavior, example: &str, bases: &PatternBases) -> bool {
    let is = |name: &Option<String>| name.as_deref().is_none_or(|name| name == example);
    match matcher {
        Matcher::Shell(Shell::Bash, pattern) => line_matches(pattern, behavior, example),
        Matcher::Shell(Shell::PowerShell, pattern) => pattern.matches(example),
        Matcher::Files { pattern, .. } => {
            let bases = steady(bases);
            pattern.as_ref().is_none_or(|pattern| pattern.matches(&path(example, &bases), &bases))
        }
        Matcher::Host(pattern) => pattern.as_ref().is_none_or(|pattern| pattern.matches(host(example))),
        Matcher::Mcp { server, tool } => foreign(server, tool.as_deref(), example),
        Matcher::Agent(name) | Matcher::Skill(name) => is(name),
        Matcher::Tool(name) => name == example,
    }
}

fn line_matches(pattern: &ShellPattern, behavior: Behavior, line: &str) -> bool {
    if *pattern == ShellPattern::Any {
        return true;
    }
    let analysis = forelook_shell::analyse(line);
    let named = |forms: &[String]| forms.iter().any(|form| pattern.matches(form));
    let parts = &analysis.parts;
    match behavior {
        // A line that nobody understands is allowed by its exact text alone.
        Behavior::Allow if !analysis.parsed => {
            matches!(pattern, ShellPattern::Exact(_)) && pattern.matches(line)
        }
        // What only reads needs no rule.
        Behavior::Allow => {
            let covers = |part: &LinePart| named(&part.allow_forms) || part.verdict == Verdict::ReadOnly;
            parts.iter().all(covers) && parts.iter().any(|part| named(&part.allow_forms))
        }
        Behavior::Ask | Behavior::Deny if !analysis.parsed => pattern.matches(line),
        Behavior::Ask | Behavior::Deny => parts.iter().any(|part| named(&part.deny_forms)),
    }
}

/// The same rule must be right or wrong wherever the program is started, so the working folder is the
/// one the rule is written for, and there is always a home.
fn steady(bases: &PatternBases) -> PatternBases {
    let home = bases.home.clone().unwrap_or_else(|| bases.written.join("/~"));
    PatternBases { home: Some(home), working: bases.written.clone(), written: bases.written.clone() }
}

fn path(example: &str, bases: &PatternBases) -> AbsPath {
    match (example.strip_prefix('~').and_then(|rest| rest.strip_prefix('/')), &bases.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => bases.working.join(example),
    }
}

/// The host of an address, or what is given if it is none.
fn host(example: &str) -> &str {
    let rest = example.split_once("://").map_or(example, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let named = authority.rsplit_once('@').map_or(authority, |(_, named)| named);
    named.split(':').next().unwrap_or(named)
}

fn foreign(server: &str, tool: Option<&str>, example: &str) -> bool {
    let Some(rest) = example.strip_prefix("mcp__").and_then(|name| name.strip_prefix(server)) else {
        return false;
    };
    match (tool, rest.strip_prefix("__")) {
        (None, named) => rest.is_empty() || named.is_some(),
        (Some(_), None) => false,
        (Some(tool), Some(named)) if tool.contains('*') => {
            ShellPattern::Glob(tool.split('*').map(str::to_owned).collect()).matches(named)
        }
        (Some(tool), Some(named)) => tool == named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: &str, behavior: Behavior, yes: &[&str], no: &[&str]) {
        let folder = |path: &str| AbsPath::new(path).unwrap();
        let bases = PatternBases {
            home: Some(folder("/home/ada")),
            working: folder("/p/sub"),
            written: folder("/p"),
        };
        let rule = Rule::parse(rule).unwrap();
        for (examples, expected) in [(yes, true), (no, false)] {
            for example in examples {
                assert_eq!(matches(&rule.matcher, behavior, example, &bases), expected, "{rule:?} {example}");
            }
        }
    }

    #[test]
    fn what_an_example_is_depends_on_the_rule() {
        use Behavior::{Allow, Deny};
        check("Bash(git push:*)", Deny, &["git push origin", "ls && sudo git push"], &["git pushx", "ls"]);
        check(
            "Bash(git log:*)",
            Allow,
            &["git log -3", "git log | head"],
            &["head x", "git log; rm x", "sudo git log", "git log '"],
        );
        check("Bash", Deny, &["git push '"], &[]);
        check("PowerShell(Get-Item:*)", Allow, &["Get-Item x"], &["Get-Items"]);
        check("Read(/src/**)", Deny, &["src/a", "/p/src/a"], &["/p/sub/src/a"]);
        check("Read(src/**)", Deny, &["src/a", "/p/src/a"], &["x/src/a"]);
        check("Edit(~/.ssh/**)", Deny, &["~/.ssh/id", "/home/ada/.ssh/id"], &[".ssh/id"]);
        check(
            "WebFetch(domain:*.a.org)",
            Allow,
            &["x.a.org", "https://u@x.a.org:8/p?q"],
            &["a.org", "http://evil/x.a.org"],
        );
        check("mcp__s", Allow, &["mcp__s", "mcp__s__t"], &["mcp__st", "s"]);
        check("mcp__s__get*", Allow, &["mcp__s__get_x"], &["mcp__s__set", "mcp__s"]);
        check("Agent(Explore)", Allow, &["Explore"], &["Other"]);
        check("TodoWrite", Allow, &["TodoWrite"], &["Todo"]);
    }

    #[test]
    fn the_first_wrong_example_is_named() {
        let bases = PatternBases {
            home: None,
            working: AbsPath::new("/").unwrap(),
            written: AbsPath::new("/").unwrap(),
        };
        let rule = Rule::parse("Bash(git push:*)").unwrap();
        let examples = |yes: &[&str], no: &[&str]| Examples {
            matching: yes.iter().map(|&text| text.into()).collect(),
            not_matching: no.iter().map(|&text| text.into()).collect(),
        };
        for (examples, expected) in [
            (examples(&["git push x"], &["git pushx"]), None),
            (
                examples(&["git pull"], &[]),
                Some("rule `Bash(git push:*)` does not match its example `git pull`"),
            ),
            (
                examples(&[], &["git push"]),
                Some("rule `Bash(git push:*)` must not match its example `git push`"),
            ),
        ] {
            let said = check_examples(&rule, Behavior::Deny, &examples, &bases).err();
            assert_eq!(said.map(|wrong| wrong.to_string()).as_deref(), expected);
        }
    }
}
