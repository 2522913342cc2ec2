//! Data that names a file: `@f`, `name=@f`, `name=<f`, `name@f`, as curl, httpie and gh have it.

use crate::types::{PathTarget, ShellEffect, Word};

/// The files that a value names with a sign at its beginning.
pub(super) fn data(word: &Word) -> Vec<ShellEffect> {
    let signed = |text: &str| text.strip_prefix('@').map(str::to_owned);
    match word.literal() {
        Some(text) => signed(text).map_or(Vec::new(), |file| files(&file)),
        // Only what may begin with the sign may name a file.
        None if word.beginning().is_empty() || signed(word.beginning()).is_some() => anything(),
        None => Vec::new(),
    }
}

/// The files that a value names, also behind a name.
pub(super) fn fields(word: &Word) -> Vec<ShellEffect> {
    let Some(text) = word.literal() else {
        // What follows is not known: where a file may be meant, it may be any.
        let begin = word.beginning();
        let is_data =
            !begin.is_empty() && file_part(begin).is_none() && begin.contains('=') && !begin.ends_with('=');
        return if is_data { Vec::new() } else { anything() };
    };
    file_part(text).map_or(Vec::new(), files)
}

/// The files that a report goes to: `%output{f}`, and `%output{>>f}` to add to one. What a file with the report says is
/// not known.
pub(super) fn outputs(word: &Word) -> Vec<PathTarget> {
    let Some(text) = word.literal().filter(|text| !text.starts_with('@')) else {
        return vec![PathTarget::Somewhere];
    };
    let behind = text.split("%output{").skip(1).filter_map(|rest| rest.split('}').next());
    behind.map(|file| PathTarget::Path(file.trim_start_matches('>').to_owned())).collect()
}

fn anything() -> Vec<ShellEffect> {
    vec![ShellEffect::Read { path: PathTarget::Somewhere }]
}

/// `a=@f,g;type=text/plain`.
fn files(text: &str) -> Vec<ShellEffect> {
    let files = text.split(';').next().unwrap_or(text).split(',').map(|file| file.trim_matches('"'));
    let path =
        |file: &str| ShellEffect::Read { path: PathTarget::Path(file.trim_start_matches('@').to_owned()) };
    files.filter(|file| !matches!(*file, "" | "-")).map(path).collect()
}

/// What stands behind the sign for a file.
fn file_part(text: &str) -> Option<&str> {
    if let Some(file) = text.strip_prefix(['@', '<']) {
        return Some(file);
    }
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let in_name = name.split_once('@').map(|(_, file)| file);
    in_name.or_else(|| value.and_then(|value| value.strip_prefix(['@', '<'])))
}
