//! What the text of a hook, a script or a setting tells of the files that it runs.

use forelook_shell::{CodeSource, Language, LinePart, WorkingFolder, analyse};

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

/// Whether a part runs nothing, or only files that words of the text name. Files in other languages than the shell's are
/// read by nobody.
fn is_checked(part: &LinePart) -> bool {
    let is_here = part.folder == WorkingFolder::Start;
    part.words.is_empty()
        || match part.code_source() {
            CodeSource::Own | CodeSource::File(_) => is_here,
            CodeSource::Script { language: Language::Shell, .. } => is_here,
            CodeSource::Script { language: Language::Other, .. }
            | CodeSource::Text(_)
            | CodeSource::Input(_)
            | CodeSource::Unnamed => false,
        }
}
