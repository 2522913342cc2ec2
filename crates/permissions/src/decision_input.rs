//! An action with everything known about it, and the questions that the steps ask about it.

use std::collections::BTreeSet;

use forelook_protocol::{AbsPath, Action, Behavior, Fact, Facts, FileRef, Shell};

use crate::line::{ResolvedLine, ResolvedPart, ResolvedTarget};
use crate::policy::PermissionPolicy;
use crate::rule::{Access, Matcher};
use crate::rules::{RuleEntry, RuleFilter, RuleQuery};

/// One action, parsed and resolved.
pub(crate) struct DecisionInput<'a> {
    pub(crate) policy: &'a PermissionPolicy,
    pub(crate) tool: &'a str,
    pub(crate) action: &'a Action,
    pub(crate) facts: &'a Facts,
    /// For a bash command.
    pub(crate) line: Option<ResolvedLine>,
}

impl<'a> DecisionInput<'a> {
    /// Looks at an action. `Err` names the facts that are missing.
    pub(crate) fn new(
        policy: &'a PermissionPolicy,
        tool: &'a str,
        action: &'a Action,
        facts: &'a Facts,
    ) -> Result<Self, BTreeSet<Fact>> {
        let line = match action {
            Action::Shell { shell: Shell::Bash, command, folder }
            | Action::Rehearse { command: Some(command), folder, .. } => {
                Some(ResolvedLine::resolve(command, folder, policy.user_home.as_ref(), facts)?)
            }
            _ => None,
        };
        Ok(Self { policy, tool, action, facts, line })
    }

    /// A rule that says this about any part of the action. For deny and ask: one part, one path is enough.
    pub(crate) fn any_rule(&self, behavior: Behavior) -> Option<&RuleEntry> {
        let query = RuleQuery { behavior, rule_filter: RuleFilter::All };
        let rules = &self.policy.rules;
        let by_tool =
            rules.other(query, |matcher| matches!(matcher, Matcher::Tool(name) if name == self.tool));
        by_tool.or_else(|| match self.action {
            Action::Read { file } => self.any_path(query, Access::Read, file),
            Action::Edit { file } => self.any_edit(query, file),
            Action::Shell { shell, command, .. } => self.any_shell(query, *shell, command),
            Action::Rehearse { edits, command, .. } => {
                let shell = command.as_ref().and_then(|line| self.any_shell(query, Shell::Bash, line));
                shell.or_else(|| edits.iter().find_map(|file| self.any_edit(query, file)))
            }
            _ => rules.other(query, |matcher| self.names(matcher)),
        })
    }

    fn any_shell(&self, query: RuleQuery, shell: Shell, command: &str) -> Option<&RuleEntry> {
        let rules = &self.policy.rules;
        let whole = rules.shell(query, shell, std::slice::from_ref(&command.trim().to_owned()));
        let Some(line) = &self.line else { return whole };
        let by_text =
            || line.analysis.parts.iter().find_map(|part| rules.shell(query, shell, &part.deny_forms));
        let by_path = || line.parts.iter().find_map(|part| self.any_file_of(query, part));
        whole.or_else(by_text).or_else(by_path)
    }

    fn any_file_of(&self, query: RuleQuery, part: &ResolvedPart) -> Option<&RuleEntry> {
        let reads = part
            .reads
            .iter()
            .filter_map(ResolvedTarget::file)
            .find_map(|file| self.any_path(query, Access::Read, file));
        let mut written = part.writes.iter().chain(&part.redirected).filter_map(ResolvedTarget::file);
        reads.or_else(|| written.find_map(|file| self.any_edit(query, file)))
    }

    fn any_path(&self, query: RuleQuery, access: Access, file: &FileRef) -> Option<&RuleEntry> {
        file.paths().find_map(|path| self.policy.rules.file(query, access, path, self.tool))
    }

    /// A rule that denies reading also denies changing.
    fn any_edit(&self, query: RuleQuery, file: &FileRef) -> Option<&RuleEntry> {
        let edit = self.any_path(query, Access::Edit, file);
        edit.or_else(|| match query.behavior {
            Behavior::Deny => self.any_path(query, Access::Read, file),
            Behavior::Ask | Behavior::Allow => None,
        })
    }

    /// A deny or ask rule that may match, if a command does not show which files it touches or what it runs.
    pub(crate) fn uncertain_rule(&self) -> Option<&RuleEntry> {
        let line = self.line.as_ref()?;
        if !line.analysis.parsed {
            let denies = |entry: &&RuleEntry| {
                let shell =
                    matches!(entry.rule.matcher, Matcher::Shell(Shell::Bash, _) | Matcher::Files { .. });
                shell && entry.origin.behavior == Behavior::Deny
            };
            return self.policy.rules.entries().iter().find(denies);
        }
        line.parts.iter().find_map(|part| self.uncertain_file(part))
    }

    fn uncertain_file(&self, part: &ResolvedPart) -> Option<&RuleEntry> {
        let may_be = |access: Access, place: &ResolvedTarget| match place {
            ResolvedTarget::Below { folder, .. } => {
                let below = |behavior| self.policy.rules.below(behavior, access, folder);
                below(Behavior::Deny).or_else(|| below(Behavior::Ask))
            }
            ResolvedTarget::File(_) | ResolvedTarget::Unknown => None,
        };
        let read = part.reads.iter().find_map(|place| may_be(Access::Read, place));
        let mut written = part.writes.iter().chain(&part.redirected);
        read.or_else(|| written.find_map(|place| may_be(Access::Edit, place)))
    }

    /// An allow rule that covers the whole action: every part, both paths of every link.
    pub(crate) fn covering_rule(&self) -> Option<&RuleEntry> {
        let query = RuleQuery { behavior: Behavior::Allow, rule_filter: self.policy.rule_filter() };
        let rules = &self.policy.rules;
        match self.action {
            Action::Read { file } => self.covering_path(query, Access::Read, file),
            Action::Edit { file } => self.covering_path(query, Access::Edit, file),
            Action::Shell { shell, command, .. } => self.covering_shell(query, *shell, command),
            _ => rules.other(query, |matcher| {
                self.names(matcher) || matches!(matcher, Matcher::Tool(name) if name == self.tool)
            }),
        }
    }

    fn covering_path(&self, query: RuleQuery, access: Access, file: &FileRef) -> Option<&RuleEntry> {
        let rule = |path: &AbsPath| self.policy.rules.file(query, access, path, self.tool);
        let real = rule(&file.real)?;
        rule(&file.named).map(|_| real)
    }

    fn covering_shell(&self, query: RuleQuery, shell: Shell, command: &str) -> Option<&RuleEntry> {
        let rules = &self.policy.rules;
        if let Some(rule) = rules.whole_shell(query, shell) {
            return Some(rule);
        }
        let Some(line) = self.line.as_ref().filter(|line| line.analysis.parsed) else {
            // Not understood: only a rule that is exactly this text, to the letter, knows what it allows.
            let exact = rules.shell(query, shell, std::slice::from_ref(&command.trim().to_owned()))?;
            let is_exact = matches!(&exact.rule.matcher, Matcher::Shell(_, crate::ShellPattern::Exact(_)));
            return is_exact.then_some(exact);
        };
        let mut matched = None;
        for (part, view) in line.zip_parts() {
            if let Some(rule) = rules.shell(query, shell, &part.allow_forms) {
                matched = matched.or(Some(rule));
            } else if view.command_verdict != forelook_shell::Verdict::ReadOnly {
                return None;
            }
            if !view.redirected.iter().all(|place| self.may_be_edited(query, place)) {
                return None;
            }
        }
        matched
    }

    /// Whether a redirection may write there: by a rule for edits, or because edits there are accepted anyway.
    fn may_be_edited(&self, query: RuleQuery, place: &ResolvedTarget) -> bool {
        match place {
            ResolvedTarget::File(file) => {
                self.covering_path(query, Access::Edit, file).is_some() || self.edits_are_accepted(file)
            }
            ResolvedTarget::Below { .. } | ResolvedTarget::Unknown => false,
        }
    }

    /// Whether the mode lets this file be changed without asking.
    pub(crate) fn edits_are_accepted(&self, file: &FileRef) -> bool {
        use forelook_protocol::Mode;
        matches!(self.policy.mode_state.mode(), Mode::AcceptEdits | Mode::Auto)
            && file.paths().all(|path| self.policy.is_working(path))
    }

    /// Whether a rule of another kind names what this action is about.
    fn names(&self, matcher: &Matcher) -> bool {
        match (self.action, matcher) {
            (Action::Fetch { host }, Matcher::Host(pattern)) => {
                pattern.as_ref().is_none_or(|it| it.matches(host))
            }
            (Action::Mcp { server, tool, .. }, Matcher::Mcp { server: named, tool: pattern }) => {
                server == named && pattern.as_ref().is_none_or(|pattern| mcp_tool(pattern, tool))
            }
            (Action::Agent { kind, .. }, Matcher::Agent(named)) => {
                named.as_ref().is_none_or(|named| named == kind)
            }
            (Action::Skill { name }, Matcher::Skill(named)) => {
                named.as_ref().is_none_or(|named| named == name)
            }
            _ => false,
        }
    }
}

fn mcp_tool(pattern: &str, tool: &str) -> bool {
    crate::ShellPattern::parse(pattern).is_ok_and(|pattern| pattern.matches(tool))
}
