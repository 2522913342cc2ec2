//! The grammar of rules: `Tool` or `Tool(specifier)`.
//!
//! People bring rules from other agents, so the forms are the known ones, and a rule written there means the same
//! here. The table of forms stands in `docs/permissions.md`.

use forelook_protocol::{Shell, nearest, nearest_within};

use crate::path_pattern::PathPattern;
use crate::shell_pattern::ShellPattern;

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// As it was written.
    pub text: String,
    /// What it matches.
    pub matcher: Matcher,
}

/// What a rule matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Matcher {
    /// Shell commands.
    Shell(Shell, ShellPattern),
    /// Files, for looking at them or for changing them.
    Files {
        /// For what.
        access: Access,
        /// The tool that was named. An allow holds for that tool alone; a deny or ask holds for every way to do the
        /// same.
        tool: String,
        /// Which; nothing means all.
        pattern: Option<PathPattern>,
    },
    /// Hosts that may be fetched from; nothing means all.
    Host(Option<HostPattern>),
    /// Tools of MCP servers.
    Mcp {
        /// The server.
        server: String,
        /// The tool, `*` spanning anything; nothing means all of the server's.
        tool: Option<String>,
    },
    /// Subagents; nothing means all.
    Agent(Option<String>),
    /// Skills; nothing means all.
    Skill(Option<String>),
    /// Any other tool, by its name.
    Tool(String),
}

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// It is looked at.
    Read,
    /// It is made or changed.
    Edit,
}

/// A host, or all below a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostPattern {
    /// Exactly this.
    Exact(String),
    /// Any subdomain of this.
    Below(String),
}

/// Why a text is not a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Too long to be a rule.
    #[error("Rule `{0}…` is longer than 16 KiB")]
    TooLong(String),
    /// No tool is named.
    #[error("Rule `{0}` names no tool; write `Tool` or `Tool(specifier)`")]
    NoTool(String),
    /// The parentheses do not match.
    #[error("Rule `{0}` must end with the closing `)`")]
    Parentheses(String),
    /// There is no such tool, and one that is called nearly so.
    #[error("Rule `{rule}` names the unknown tool `{tool}`; did you mean `{near}`?")]
    UnknownTool {
        /// The rule.
        rule: String,
        /// The tool.
        tool: String,
        /// The tool that was probably meant.
        near: &'static str,
    },
    /// The tool takes no specifier.
    #[error("Rule `{rule}`: `{tool}` does not accept a specifier in parentheses")]
    NoSpecifier {
        /// The rule.
        rule: String,
        /// The tool.
        tool: String,
    },
    /// The specifier is not of the form that the tool takes.
    #[error("Rule `{rule}`: {why}")]
    Specifier {
        /// The rule.
        rule: String,
        /// What is wrong, and what to write.
        why: String,
    },
}

/// Names that a rule can begin with; one that is nearly one of them is a slip.
pub const RULE_TOOLS: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "Bash",
    "Edit",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "LS",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "PowerShell",
    "Read",
    "Skill",
    "SlashCommand",
    "Task",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "Write",
];

/// The longest text that is read as a rule: no longer line is analysed either.
const MAX_RULE: usize = 16 * 1024;

impl Rule {
    /// Reads a rule.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        if text.len() > MAX_RULE {
            return Err(RuleError::TooLong(text.chars().take(40).collect()));
        }
        let (tool, specifier) = split(text)?;
        let matcher = matcher(text, tool, specifier)?;
        Ok(Self { text: text.to_owned(), matcher })
    }

    /// Reads a rule that somebody typed just now. One whose tool is probably a slip is refused: nobody would learn later
    /// that it never matches.
    pub fn parse_typed(text: &str) -> Result<Self, RuleError> {
        let parsed = Self::parse(text)?;
        match parsed.likely_tool() {
            Some(near) => {
                let rule = parsed.text;
                let tool = rule.split('(').next().unwrap_or(&rule).to_owned();
                Err(RuleError::UnknownTool { rule, tool, near })
            }
            None => Ok(parsed),
        }
    }

    /// The tool that was meant, if this names one but for a letter. Further away it may be another agent's tool.
    pub fn likely_tool(&self) -> Option<&'static str> {
        match &self.matcher {
            Matcher::Tool(name) if !RULE_TOOLS.contains(&name.as_str()) => {
                nearest_within(1, name, RULE_TOOLS.iter().copied())
            }
            _ => None,
        }
    }

    /// What to use in place of a deny or ask rule that is invalid: a rule for the whole tool that it names, if it names
    /// one. A rule that the user wrote to be safe must not lose its effect because of a typo.
    pub fn from_malformed(text: &str) -> Option<Self> {
        let tool = text.trim().split('(').next().unwrap_or_default().trim();
        let matcher = matcher(tool, tool, None).ok()?;
        match matcher {
            // Whether there is a tool of this name is not known here; `settings` knows, and adds it.
            Matcher::Tool(_) => None,
            matcher => Some(Self { text: text.trim().to_owned(), matcher }),
        }
    }
}

fn split(text: &str) -> Result<(&str, Option<&str>), RuleError> {
    let Some((tool, rest)) = text.split_once('(') else {
        if text.is_empty() || text.contains([')', ' ', '\n', '\0']) {
            return Err(RuleError::NoTool(text.to_owned()));
        }
        return Ok((text, None));
    };
    if tool.is_empty() || tool.contains([')', ' ', '\n', '\0']) {
        return Err(RuleError::NoTool(text.to_owned()));
    }
    let specifier = rest
        .strip_suffix(')')
        .ok_or_else(|| unknown_tool(text, tool).unwrap_or_else(|| RuleError::Parentheses(text.to_owned())))?;
    // `Tool()` and `Tool(*)` are ways to say the whole tool.
    let specifier = specifier.trim();
    Ok((tool, (!matches!(specifier, "" | "*")).then_some(specifier)))
}

/// The error for a tool with parentheses that is a slip. Only known tools take anything in parentheses, so another agent's is
/// not what was meant.
fn unknown_tool(rule: &str, tool: &str) -> Option<RuleError> {
    if RULE_TOOLS.contains(&tool) || tool.starts_with("mcp__") {
        return None;
    }
    let near = nearest(tool, RULE_TOOLS.iter().copied())?;
    Some(RuleError::UnknownTool { rule: rule.to_owned(), tool: tool.to_owned(), near })
}

fn matcher(rule: &str, tool: &str, specifier: Option<&str>) -> Result<Matcher, RuleError> {
    let owned = specifier.map(str::to_owned);
    let wrong = |why: String| RuleError::Specifier { rule: rule.to_owned(), why };
    if let Some(name) = tool.strip_prefix("mcp__") {
        return match owned {
            None => mcp(name).ok_or_else(|| wrong("write `mcp__server` or `mcp__server__tool`".to_owned())),
            Some(_) => Err(RuleError::NoSpecifier { rule: rule.to_owned(), tool: tool.to_owned() }),
        };
    }
    Ok(match tool {
        "Bash" => Matcher::Shell(Shell::Bash, ShellPattern::parse(specifier.unwrap_or("*")).map_err(wrong)?),
        "PowerShell" => {
            Matcher::Shell(Shell::PowerShell, ShellPattern::parse(specifier.unwrap_or("*")).map_err(wrong)?)
        }
        "Read" | "Glob" | "Grep" | "LS" | "NotebookRead" => {
            files(Access::Read, tool, specifier).map_err(wrong)?
        }
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
            files(Access::Edit, tool, specifier).map_err(wrong)?
        }
        "WebFetch" => Matcher::Host(specifier.map(host).transpose().map_err(wrong)?),
        // `Task` is what other agents called it.
        "Agent" | "Task" => Matcher::Agent(owned),
        "Skill" | "SlashCommand" => Matcher::Skill(owned),
        _ if specifier.is_some() => {
            let none = || RuleError::NoSpecifier { rule: rule.to_owned(), tool: tool.to_owned() };
            return Err(unknown_tool(rule, tool).unwrap_or_else(none));
        }
        _ => Matcher::Tool(tool.to_owned()),
    })
}

fn files(access: Access, tool: &str, specifier: Option<&str>) -> Result<Matcher, String> {
    let pattern = specifier.map(PathPattern::parse).transpose()?;
    Ok(Matcher::Files { access, tool: tool.to_owned(), pattern })
}

fn host(specifier: &str) -> Result<HostPattern, String> {
    let Some(host) = specifier.strip_prefix("domain:") else {
        return Err("write `WebFetch(domain:example.com)` or `WebFetch(domain:*.example.com)`".to_owned());
    };
    let host = host.trim().trim_end_matches('.').to_ascii_lowercase();
    // A fetch names its host as the wire does; another spelling would never match, and a deny in vain is worse than none.
    if !host.is_ascii() {
        return Err(format!("`{host}` is not ASCII; use its ASCII form, `xn--…`"));
    }
    if let Some(address) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        let address: Result<core::net::Ipv6Addr, _> = address.parse();
        let address = address.map_err(|_| format!("`{host}` is not a valid IPv6 address"))?;
        return Ok(HostPattern::Exact(format!("[{address}]")));
    }
    let (below, name) = host.strip_prefix("*.").map_or((false, host.as_str()), |name| (true, name));
    if name.is_empty() || name.contains(['*', '/', ':', ' ']) {
        return Err(format!("`{host}` is not a host name, alone or after `*.`"));
    }
    let name = name.to_owned();
    Ok(if below { HostPattern::Below(name) } else { HostPattern::Exact(name) })
}

fn mcp(name: &str) -> Option<Matcher> {
    let (server, tool) = match name.split_once("__") {
        Some((server, tool)) => (server, (tool != "*").then(|| tool.to_owned())),
        None => (name, None),
    };
    let sound = !server.is_empty() && !server.contains('*') && tool.as_deref() != Some("");
    sound.then(|| Matcher::Mcp { server: server.to_owned(), tool })
}

impl HostPattern {
    /// Whether this host matches.
    pub fn matches(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.');
        match self {
            HostPattern::Exact(name) => host.eq_ignore_ascii_case(name),
            HostPattern::Below(name) => {
                let host = host.to_ascii_lowercase();
                host.strip_suffix(name.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_rules() {
        for text in [
            "Bash",
            "Bash(*)",
            "Bash(npm run test:*)",
            "Bash(echo (hello))",
            "Read(~/.zshrc)",
            "Edit(/src/**)",
            "Write(//etc/hosts)",
            "WebFetch",
            "WebFetch(domain:*.example.com)",
            "WebFetch(domain:[2001:DB8::1])",
            "mcp__github",
            "mcp__github__*",
            "mcp__github__get_issue",
            "Agent(Explore)",
            "Skill(review)",
            "TodoWrite",
            "PowerShell(Get-ChildItem:*)",
        ] {
            assert_eq!(Rule::parse(text).map(|rule| rule.text).as_deref(), Ok(text));
        }
    }

    #[test]
    fn texts_that_are_not_rules_say_why() {
        for (text, part) in [
            ("", "names no tool"),
            ("(x)", "names no tool"),
            ("Bash(ls", "closing"),
            ("Bash(ls) x", "closing"),
            ("two words", "names no tool"),
            ("TodoWrite(x)", "does not accept a specifier"),
            ("Zebra(x)", "does not accept a specifier"),
            ("Bahs(ls)", "names the unknown tool `Bahs`; did you mean `Bash`?"),
            ("Bahs(ls", "names the unknown tool `Bahs`; did you mean `Bash`?"),
            ("WebFetch(https://example.com)", "domain:"),
            ("WebFetch(domain:)", "not a host name"),
            ("WebFetch(domain:bücher.example)", "xn--"),
            ("WebFetch(domain:[nonsense])", "not a valid IPv6 address"),
            ("WebFetch(domain:a*b)", "not a host name"),
            ("mcp__", "mcp__server"),
            ("mcp__s(x)", "does not accept a specifier"),
            ("Read(a/../b)", ".."),
            ("Read([)", "glob"),
            ("Bash(a\0b)", "NUL"),
            (&format!("Bash({})", "a".repeat(20_000)), "longer than"),
            (&format!("Read({})", "*a".repeat(40)), "wildcards"),
            (&format!("Read({})", "a".repeat(600)), "more than 512 bytes"),
        ] {
            let error = Rule::parse(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text} said {error}");
        }
    }

    #[test]
    fn a_typed_rule_for_a_tool_that_is_a_slip_is_refused() {
        for (text, near) in [
            ("Bsh(ls)", Some("Bash")),
            ("Raed(a)", Some("Read")),
            (" Bsh() ", Some("Bash")),
            ("TodoWrit", Some("TodoWrite")),
            ("TodoWrite", None),
            ("TodoWrite(x)", None),
            ("Bash(ls)", None),
            ("TodoRead", None),
            ("mcp__s__t", None),
            ("mcp__s(x)", None),
        ] {
            let found = Rule::parse_typed(text);
            match near {
                Some(near) => {
                    let rule = text.trim().to_owned();
                    let tool = rule.split('(').next().unwrap().to_owned();
                    assert_eq!(found, Err(RuleError::UnknownTool { rule, tool, near }));
                }
                None => assert_eq!(found, Rule::parse(text)),
            }
        }
    }

    #[test]
    fn a_broken_rule_stands_for_its_whole_tool() {
        for (text, expected) in [
            ("Bash(rm:*", Some(Matcher::Shell(Shell::Bash, ShellPattern::Any))),
            ("WebFetch(https://x)", Some(Matcher::Host(None))),
            ("Agent(x", Some(Matcher::Agent(None))),
            ("Nonsense(x", None),
            ("", None),
        ] {
            assert_eq!(Rule::from_malformed(text).map(|rule| rule.matcher), expected, "{text}");
        }
    }

    #[test]
    fn hosts() {
        let below = HostPattern::Below("example.com".into());
        for (host, expected) in [
            ("a.example.com", true),
            ("a.b.EXAMPLE.com", true),
            ("example.com", false),
            ("badexample.com", false),
            (".example.com", false),
        ] {
            assert_eq!(below.matches(host), expected, "{host}");
        }
        assert!(HostPattern::Exact("example.com".into()).matches("Example.com."));
    }
}
