//! Whether all code that a part of a command runs is in files that were found. Pure.
//!
//! The default is no. A list of what may lead to other code would have holes: an option, a variable, a folder, the way that
//! an interpreter looks for its script. So each step to a yes is something that is known.

use forelook_shell::{
    CodeSource, Language, LinePart, PathTarget, ScriptLookup, ShellEffect, Verdict, Word, WorkingFolder,
    Wrapper, analyse,
};

/// What is known of the code that a part runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartCheck {
    /// It is in files that were found, or comes from no file of a project.
    Checked,
    /// The same, if its script is a file: otherwise the interpreter looks elsewhere.
    IfFile,
    /// It may be anywhere.
    Unchecked,
}

impl PartCheck {
    fn of(is_checked: bool) -> Self {
        if is_checked { Self::Checked } else { Self::Unchecked }
    }
}

/// Commands that only run what follows them, where a rule says nothing about it.
const PLAIN_WRAPPERS: [&str; 3] = ["exec", "nohup", "setsid"];

/// Builtins that change what later commands do, unless they are known not to.
const SETTERS: [&str; 8] = ["declare", "export", "local", "read", "readonly", "set", "typeset", "unset"];

/// What is known of a part of this line. `at_start`: it runs in the folder of the session, whose repository trust looks at.
pub(crate) fn check(part: &LinePart, line: &[LinePart], at_start: bool) -> PartCheck {
    if part.words.is_empty() {
        return PartCheck::of(part.command_verdict != Verdict::Unknown);
    }
    let is_known = |folder| matches!(folder, &WorkingFolder::Start | &WorkingFolder::Moved(_));
    if !is_known(&part.folder) || !is_known(&part.config_folder) || !has_known_surroundings(part) {
        return PartCheck::Unchecked;
    }
    match part.code_source() {
        CodeSource::Own => PartCheck::of(runs_nothing(part, at_start)),
        CodeSource::File(_) => PartCheck::Checked,
        CodeSource::Script { .. } => match part.script_lookup() {
            ScriptLookup::Exact => PartCheck::Checked,
            ScriptLookup::IfFile => PartCheck::IfFile,
            ScriptLookup::Open => PartCheck::Unchecked,
        },
        CodeSource::Text(Language::Shell) => PartCheck::of(is_looked_at(part, line)),
        CodeSource::Input(_) => {
            PartCheck::of(part.script_lookup() != ScriptLookup::Open && reads_named_file(part))
        }
        CodeSource::Text(Language::Other) | CodeSource::Unnamed => PartCheck::Unchecked,
    }
}

/// Whether nothing around the command leads it to other code: variables, and commands that start it.
fn has_known_surroundings(part: &LinePart) -> bool {
    let is_plain = |wrapper: &Wrapper| wrapper.harmless || PLAIN_WRAPPERS.contains(&wrapper.name.as_str());
    part.command_verdict == Verdict::ReadOnly
        || part.assignments.iter().all(|it| it.harmless) && part.wrappers.iter().all(is_plain)
}

/// Whether a program that brings its own code runs no other.
fn runs_nothing(part: &LinePart, at_start: bool) -> bool {
    let program = part.program().unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or(program);
    let does_more = |effect: &ShellEffect| {
        use ShellEffect::{Network, Run, Send, Unknown};
        matches!(effect, Run { .. } | Unknown { .. } | Network | Send)
    };
    match () {
        () if name.starts_with("git") => {
            let is_plain = part.special_options.is_empty() && !part.effects.iter().any(does_more);
            at_start && (is_plain || part.command_verdict == Verdict::ReadOnly)
        }
        () if SETTERS.contains(&name) => part.command_verdict != Verdict::Unknown,
        () => true,
    }
}

/// Whether the commands in the text that a shell is given are parts of the line themselves.
fn is_looked_at(part: &LinePart, line: &[LinePart]) -> bool {
    let words = part.words.get(1..).unwrap_or(&[]);
    let is_eval = part.program() == Some("eval");
    if !is_eval && part.script_lookup() == ScriptLookup::Open {
        return false;
    }
    let text = if is_eval {
        words.iter().map(Word::literal).collect::<Option<Vec<_>>>().map(|it| it.join(" "))
    } else {
        // `-eo pipefail -c …`: the name of a setting comes first.
        let names_setting = |at: usize| {
            at.checked_sub(1)
                .and_then(|at| words.get(at))
                .is_some_and(|it| it.text.starts_with('-') && it.text.ends_with('o'))
        };
        let text = words.iter().enumerate().find(|(at, it)| !it.text.starts_with('-') && !names_setting(*at));
        text.and_then(|(_, word)| word.literal()).map(str::to_owned)
    };
    let Some(text) = text else { return false };
    let inner = analyse(&text);
    let is_part = |one: &LinePart| line.iter().any(|part| part.text == one.text);
    inner.parsed && inner.parts.iter().all(is_part)
}

/// Whether its input is a file that it names.
fn reads_named_file(part: &LinePart) -> bool {
    let is_named = |effect: &ShellEffect| matches!(effect, ShellEffect::Read { path: PathTarget::Path(_) });
    part.redirects.iter().filter_map(|it| it.effect.as_ref()).any(is_named)
}
