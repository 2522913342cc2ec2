//! What is offered with a question: rules that would allow the same call, and a mode that would.
//!
//! Rules that would not help are not offered: the call is decided on with them, and only what that allows is offered.

use std::collections::BTreeSet;
use std::sync::Arc;

use forelook_protocol::{
    Action, Behavior, Decision, DecisionStep, Fact, Facts, FileRef, Mode, RuleOrigin, Shell, Source,
    SuggestedRule,
};
use forelook_shell::{LinePart, rule_prefix};

use crate::decide::by_steps;
use crate::decision_input::DecisionInput;
use crate::line::{ResolvedPart, ResolvedTarget};
use crate::path_pattern::PatternBases;
use crate::policy::PermissionPolicy;
use crate::rule::{Matcher, Rule, RuleError};
use crate::rules::{RuleEntry, RuleFilter, RuleQuery};

/// The longest command that a rule is made of, or that is kept as its example.
const MAX_COMMAND: usize = 200;

/// The most rules that are offered together.
const MAX_RULES: usize = 5;

/// Rules that together would allow this action the next time: as narrow as is still useful. An error names facts that must
/// be known to tell.
pub(crate) fn rules(input: &DecisionInput<'_>) -> Result<Vec<SuggestedRule>, BTreeSet<Fact>> {
    let found = match input.action {
        Action::Shell { .. } => of_line(input).unwrap_or_default(),
        action => of_action(input, action).into_iter().collect(),
    };
    Ok(if found.len() <= MAX_RULES && would_allow(input, &found)? { found } else { Vec::new() })
}

/// A mode that would allow this action, if that is all that is missing.
pub(crate) fn mode(input: &DecisionInput<'_>) -> Option<Mode> {
    let Action::Edit { file } = input.action else { return None };
    let works = file.paths().all(|path| input.policy.is_working(path));
    (works && input.policy.mode_state.mode() == Mode::Default).then_some(Mode::AcceptEdits)
}

fn of_action(input: &DecisionInput<'_>, action: &Action) -> Option<SuggestedRule> {
    let plain = |rule: String| Some(SuggestedRule { rule, example: None });
    match action {
        Action::Read { file } => Some(of_file(input, "Read", file)),
        Action::Edit { file } => Some(of_file(input, "Edit", file)),
        Action::Fetch { host } => plain(format!("WebFetch(domain:{host})")),
        Action::Mcp { server, tool, .. } => plain(format!("mcp__{server}__{tool}")),
        Action::Agent { kind, .. } => plain(format!("Agent({kind})")),
        Action::Skill { name } => plain(format!("Skill({name})")),
        Action::Shell { .. }
        | Action::AskPerson
        | Action::EnterPlan
        | Action::ExitPlan
        | Action::Internal
        | Action::EndShell { .. }
        | Action::Rehearse { .. } => None,
    }
}

fn of_file(input: &DecisionInput<'_>, tool: &str, file: &FileRef) -> SuggestedRule {
    let folder = input.policy.folders.first();
    let relative = folder.and_then(|folder| file.real.as_path().strip_prefix(folder).ok());
    let path = match relative {
        Some(relative) => format!("./{}", escaped(&relative.to_string_lossy())),
        None => format!("/{}", escaped(&file.real.to_string())),
    };
    SuggestedRule { rule: format!("{tool}({path})"), example: None }
}

/// A path as a pattern that matches only it.
fn escaped(path: &str) -> String {
    let sign = |c: char| {
        let special = matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!');
        special.then_some('\\').into_iter().chain([c])
    };
    path.chars().flat_map(sign).collect()
}

/// One rule for each part that needs one, and for each file that a redirection writes; nothing if there is a part that no
/// rule would cover.
fn of_line(input: &DecisionInput<'_>) -> Option<Vec<SuggestedRule>> {
    let line = input.line.as_ref().filter(|line| line.analysis.parsed)?;
    let mut rules: Vec<SuggestedRule> = Vec::new();
    let mut add = |rule: SuggestedRule| {
        if !rules.iter().any(|known| known.rule == rule.rule) {
            rules.push(rule);
        }
    };
    for (part, view) in line.zip_parts() {
        if needs_rule(input, part, view) {
            add(of_part(part)?);
        }
        for place in view.redirected.iter().filter(|place| !input.redirection_is_accepted(place)) {
            // Elsewhere it may be a device, or bash's way to a network.
            let ResolvedTarget::File(file) = place else { return None };
            if !file.paths().all(|path| input.policy.is_working(path)) {
                return None;
            }
            add(of_file(input, "Edit", file));
        }
    }
    Some(rules)
}

fn needs_rule(input: &DecisionInput<'_>, part: &LinePart, view: &ResolvedPart) -> bool {
    // A compound command has nothing but its redirections.
    let is_command = !part.words.is_empty() || !part.assignments.is_empty();
    is_command && !input.reads_by_itself(view) && input.covering_part(part).is_none()
}

/// The rule for a part: what the command is, if the tables know that; else exactly this command. A text with a star or a
/// parenthesis would mean something else in a rule.
fn of_part(part: &LinePart) -> Option<SuggestedRule> {
    if part.runs_input() {
        return None;
    }
    let text = part.allow_forms.last()?;
    let is_plain = |text: &str| !text.contains(['*', '\n', ')', '(']) && text.len() <= MAX_COMMAND;
    let covers = |prefix: &String| {
        let pattern = crate::ShellPattern::Prefix(prefix.clone());
        pattern.matches(text) && pattern.names_options(&part.special_options)
    };
    if let Some(prefix) = rule_prefix(part).filter(covers) {
        let example = Some(text.clone()).filter(|text| is_plain(text) && *text != prefix);
        return Some(SuggestedRule { rule: format!("Bash({prefix}:*)"), example });
    }
    is_plain(text).then(|| SuggestedRule { rule: format!("Bash({text})"), example: None })
}

/// Whether the action would be allowed with these rules.
fn would_allow(input: &DecisionInput<'_>, rules: &[SuggestedRule]) -> Result<bool, BTreeSet<Fact>> {
    let Some(entries) = entries(input.policy, rules) else { return Ok(false) };
    if entries.is_empty() {
        return Ok(false);
    }
    // No deny or ask rule matches, or this would not have been reached; so they need not be looked through again.
    let known = input.covering_parts().cloned();
    let rules = input.policy.rules.of_entries(known.chain(entries).collect());
    let policy = PermissionPolicy { rules: Arc::new(rules), ..input.policy.clone() };
    let again = DecisionInput::new(&policy, input.tool, input.action, input.facts)?;
    let decided = by_steps(&again);
    Ok(matches!(decided, Some(Decision::Allow(reason)) if reason.step == DecisionStep::AllowRule))
}

/// Allow rules that somebody wants to add.
#[derive(Debug, Clone)]
pub struct ProposedRules {
    entries: Vec<RuleEntry>,
    /// A policy with these rules alone.
    alone: PermissionPolicy,
}

impl ProposedRules {
    /// Reads them; the error names the one that is none.
    pub fn parse(policy: &PermissionPolicy, rules: &[String]) -> Result<Self, RuleError> {
        for rule in rules {
            Rule::parse_typed(rule)?;
        }
        let plain: Vec<SuggestedRule> = rules.iter().map(|rule| rule.as_str().into()).collect();
        let entries = entries(policy, &plain).unwrap_or_default();
        let alone = Arc::new(policy.rules.of_entries(entries.clone()));
        Ok(Self { entries, alone: PermissionPolicy { rules: alone, ..policy.clone() } })
    }

    /// The policy with them.
    pub fn added_to(&self, policy: &PermissionPolicy) -> PermissionPolicy {
        let known = policy.rules.entries().iter().cloned();
        let rules = policy.rules.of_entries(known.chain(self.entries.clone()).collect());
        PermissionPolicy { rules: Arc::new(rules), ..policy.clone() }
    }

    /// Each with the part of this action that it matches, if it matches more than that.
    pub fn with_examples(&self, action: &Action) -> Vec<SuggestedRule> {
        let of = |entry: &RuleEntry| {
            let rule = entry.rule.text.clone();
            let Matcher::Shell(Shell::Bash, pattern) = &entry.rule.matcher else {
                return SuggestedRule { rule, example: None };
            };
            let Action::Shell { command, .. } = action else { return SuggestedRule { rule, example: None } };
            let forms = forelook_shell::analyse(command).parts.into_iter().flat_map(|part| part.allow_forms);
            let is_exact = |form: &String| *pattern == crate::ShellPattern::Exact(form.clone());
            let example = forms.filter(|form| !is_exact(form) && form.len() <= MAX_COMMAND);
            SuggestedRule { rule, example: example.into_iter().find(|form| pattern.matches(form)) }
        };
        self.entries.iter().map(of).collect()
    }

    /// Whether one of them speaks for some part of this action.
    pub fn match_some_of(&self, tool: &str, action: &Action) -> bool {
        if let Action::Shell { shell: Shell::Bash, command, .. } = action {
            let query = RuleQuery { behavior: Behavior::Allow, rule_filter: RuleFilter::All };
            let rules = &self.alone.rules;
            let parts = forelook_shell::analyse(command).parts;
            return rules.whole_shell(query, Shell::Bash).is_some()
                || parts.iter().any(|part| rules.covering_shell(query, Shell::Bash, part).is_some());
        }
        let facts = Facts::default();
        let input = DecisionInput::new(&self.alone, tool, action, &facts);
        input.is_ok_and(|input| input.covering_rule().is_some())
    }
}

/// Rules as the session would have them; nothing if one of them is none.
fn entries(policy: &PermissionPolicy, rules: &[SuggestedRule]) -> Option<Vec<RuleEntry>> {
    let working = policy.folders.first()?;
    let bases =
        PatternBases { home: policy.user_home.clone(), working: working.clone(), written: working.clone() };
    let entry = |suggested: &SuggestedRule| {
        let rule = Rule::parse(&suggested.rule).ok()?;
        let (behavior, source) = (Behavior::Allow, Source::Session);
        let origin = RuleOrigin { rule: rule.text.clone(), behavior, source, file: None, line: None };
        Some(RuleEntry { rule, origin, bases: bases.clone() })
    };
    rules.iter().map(entry).collect()
}
