//! Assignments: which variables may be set without changing how anything runs.

use super::finding::Finding;
use crate::syntax::ast::{AssignedValue, RawAssignment};
use crate::table::{self, CommandEffect};
use crate::types::{Assignment, WordValue};
use crate::words::value;
use crate::words::vars::{Vars, is_dangerous, matches_name};

/// Where the assignment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AssignmentScope<'a> {
    /// Alone: stays in the shell, unless the variable is exported already.
    Shell,
    /// Before a command: part of its environment.
    Environment { command: &'a str },
    /// Exported: part of the environment of everything that follows. What that is, the whole line tells.
    Exported,
}

/// Judges one assignment.
pub(crate) fn judge(
    raw: &RawAssignment,
    scope: AssignmentScope<'_>,
    vars: &Vars,
    finding: &mut Finding,
) -> Assignment {
    let harmless = match scope {
        AssignmentScope::Shell => !is_dangerous(&raw.name) || is_harmless(raw, vars),
        // `IFS= read -r line` is how a line is read.
        AssignmentScope::Environment { command: "read" } if raw.name == "IFS" => true,
        AssignmentScope::Environment { .. } | AssignmentScope::Exported => is_harmless(raw, vars),
    };
    if !harmless && !means_nothing_to(scope, raw) {
        finding.mark_unknown(format!("Setting `{}` can change what commands do", raw.name));
    }
    if let AssignedValue::Array(words) = &raw.value
        && words.iter().any(|w| w.text.starts_with('['))
    {
        finding.mark_unknown("An array assignment has subscripts, which the shell evaluates");
    }
    Assignment { name: raw.name.clone(), text: raw.text.clone(), harmless }
}

/// A variable that no table calls dangerous, before a program that only reads. An allow rule for a program still does not
/// cover it: whoever wrote the rule may know a program that minds.
fn means_nothing_to(scope: AssignmentScope<'_>, raw: &RawAssignment) -> bool {
    let reads = |command: &str| {
        table::command(command).is_some_and(|spec| {
            let runs_others =
                spec.wraps || matches!(spec.analyser.as_deref(), Some("shell" | "eval" | "declare"));
            spec.does == CommandEffect::Reads && !runs_others
        })
    };
    let nobody_minds = match scope {
        AssignmentScope::Shell => false,
        AssignmentScope::Environment { command } => reads(command),
        AssignmentScope::Exported => true,
    };
    nobody_minds
        && raw.subscript.is_none()
        && !is_dangerous(&raw.name)
        && matches!(raw.value, AssignedValue::Word(_))
}

/// `declare x='($(rm f))'`: where x is an array, the text is read as a list of words and expanded again.
pub(super) fn judge_array(raw: &RawAssignment, vars: &Vars, finding: &mut Finding) {
    let AssignedValue::Word(word) = &raw.value else { return };
    let open = match value::assigned(word, vars) {
        WordValue::Literal(text) => text.starts_with('('),
        WordValue::One { prefix, .. } | WordValue::Many { prefix, .. } => {
            prefix.is_empty() || prefix.starts_with('(')
        }
    };
    if open && vars.may_be_array(&raw.name) {
        finding.mark_unknown(format!("The shell may expand the text in `{}` again", raw.name));
    }
}

/// Listed in the table, with a plain value.
fn is_harmless(raw: &RawAssignment, vars: &Vars) -> bool {
    let AssignedValue::Word(word) = &raw.value else { return false };
    if raw.append || raw.subscript.is_some() {
        return false;
    }
    let WordValue::Literal(text) = value::assigned(word, vars) else { return false };
    // Splitting at fewer blanks than usual makes no words that the analysis does not expect.
    if raw.name == "IFS" {
        return text.chars().all(|c| " \t\n".contains(c));
    }
    names_harmless(&raw.name, &text)
}

/// Is `NAME=text` harmless in a program's environment?
pub(crate) fn names_harmless(name: &str, text: &str) -> bool {
    let table = table::variables();
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_.:,@+/-".contains(c))
        && !text.starts_with(['/', '.'])
        && !text.contains("..");
    if table.pager_names.iter().any(|n| n == name) {
        return table.pagers.iter().any(|p| p == text);
    }
    if let Some(only) = table.only.get(name) {
        return only == text;
    }
    plain && table.harmless.iter().any(|pattern| matches_name(pattern, name))
}
