//! The texts that rules are matched against.
//!
//! A deny must not be dodged by quoting (`r"m"`), a path (`/bin/rm`), an assignment or a wrapper; an allow must not
//! cover more than what was written.

use crate::types::{Assignment, Word, Wrapper};

/// One layer of a command: the words from a wrapper, or from the program itself, on.
#[derive(Debug, Clone)]
pub(crate) struct CommandLayer {
    pub words: Vec<Word>,
    /// The wrapper that starts this layer; none for the program itself.
    pub wrapper: Option<Wrapper>,
}

impl CommandLayer {
    pub(super) fn is_xargs(&self) -> bool {
        self.wrapper.as_ref().is_some_and(|w| w.name == "xargs")
    }
}

/// As written, and with everything peeled off that can be.
pub(super) fn deny_forms(text: &str, layers: &[CommandLayer]) -> Vec<String> {
    let mut forms = vec![text.to_owned()];
    for layer in layers {
        forms.push(written(&layer.words));
        forms.push(unquoted(&layer.words, false));
        forms.push(unquoted(&layer.words, true));
    }
    unique(forms)
}

/// As written, and peeled as long as every layer above is harmless.
/// What `export` and its like assign is part of every form: a rule for `export` alone is for nothing that it sets.
pub(super) fn allow_forms(
    text: &str,
    assignments: &[Assignment],
    declared: &[&str],
    layers: &[CommandLayer],
) -> Vec<String> {
    let mut forms = vec![text.to_owned()];
    if assignments.iter().any(|a| !a.harmless) {
        return forms;
    }
    for layer in layers {
        let words = written(&layer.words);
        forms.push(
            std::iter::once(words.as_str()).chain(declared.iter().copied()).collect::<Vec<_>>().join(" "),
        );
        if layer.wrapper.as_ref().is_some_and(|w| !w.harmless) {
            break;
        }
    }
    unique(forms)
}

pub(super) fn written(words: &[Word]) -> String {
    let mut texts: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
    // A brace expansion makes several words of one text.
    texts.dedup_by(|a, b| std::ptr::eq(*a, *b));
    texts.join(" ")
}

/// The values where known, with the program's folder removed if asked.
fn unquoted(words: &[Word], bare: bool) -> String {
    let mut texts: Vec<&str> = words.iter().map(Word::shown).collect();
    if bare && let Some(first) = texts.first_mut() {
        *first = first.rsplit('/').next().unwrap_or(first);
    }
    texts.join(" ")
}

fn unique(forms: Vec<String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::with_capacity(forms.len());
    for form in forms {
        if !form.is_empty() && !seen.contains(&form) {
            seen.push(form);
        }
    }
    seen
}
