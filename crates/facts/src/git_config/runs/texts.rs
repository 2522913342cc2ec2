//! What the text of a hook, a script or a setting tells of the files that it runs.

use forelook_shell::{FolderConfig, LinePart, ShellEffect, Verdict, WordValue, WorkingFolder, analyse};

/// Programs that run the file they are given.
const INTERPRETERS: &[&str] = &[".", "bash", "dash", "sh", "source", "zsh"];

/// What a shell does by itself, without another program.
const OWN: &[&str] =
    &["export", "local", "readonly", "return", "set", "shift", "trap", "umask", "unset", "exit", "exec"];

/// Words of a text that may be paths, also those behind the name of a folder that only a variable tells (`$DIR/x`).
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let ends_word = |c: char| c.is_whitespace() || ";|&()<>\"'`=,{}$!".contains(c);
    let words = text.split(ends_word).filter(|word| !word.is_empty() && word.len() < 4096);
    words.flat_map(|word| {
        let behind = word.match_indices('/').filter_map(|(at, _)| word.get(at + 1..));
        [word].into_iter().chain(behind).filter(|word| !word.is_empty() && !word.starts_with('/'))
    })
}

/// What in a script may run files that its text does not name.
pub(super) fn unchecked_script(text: &str) -> Option<String> {
    let first = text.lines().next().unwrap_or_default();
    let interpreter = first.strip_prefix("#!").map(|line| {
        let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
        words.find(|word| *word != "env" && !word.starts_with('-')).unwrap_or_default()
    });
    match interpreter {
        Some(name) if !matches!(name, "sh" | "bash" | "dash" | "zsh" | "ksh") => Some(name.to_owned()),
        _ => unchecked(text),
    }
}

/// The same in the value of a setting, which is a line for the shell.
pub(super) fn unchecked_value(value: &str) -> Option<String> {
    unchecked(value.strip_prefix('!').unwrap_or(value))
}

fn unchecked(text: &str) -> Option<String> {
    let analysis = analyse(text);
    match analysis.parsed {
        true => analysis.parts.iter().find(|part| !is_checked(part)).map(|part| part.text.clone()),
        false => Some(text.lines().next().unwrap_or_default().to_owned()),
    }
}

/// Whether a part runs nothing, or only files that words of the text name.
fn is_checked(part: &LinePart) -> bool {
    if part.words.is_empty() {
        return true;
    }
    let Some(program) = part.program().filter(|_| part.folder == WorkingFolder::Start) else { return false };
    let is_own_code = |config: &FolderConfig| !matches!(config, FolderConfig::Git | FolderConfig::Ripgrep);
    let runs = |effect: &ShellEffect| matches!(effect, ShellEffect::Run { .. } | ShellEffect::Unknown { .. });
    match program.rsplit('/').next().unwrap_or(program) {
        "git" | "git-lfs" => true,
        name if OWN.contains(&name) => true,
        name if INTERPRETERS.contains(&name) => {
            let literal = |word: &WordValue| matches!(word, WordValue::Literal(_));
            let is_inline =
                part.words.iter().any(|word| word.text.starts_with('-') && word.text.contains('c'));
            !is_inline && part.words.get(1).is_some_and(|script| literal(&script.value))
        }
        _ if part.depends_on.iter().any(is_own_code) => false,
        _ if part.command_verdict == Verdict::ReadOnly => true,
        _ if program.contains('/') => true,
        _ => !part.effects.iter().any(runs),
    }
}
