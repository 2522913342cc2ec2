//! Pasted text that is too long to be looked at: a name stands for it.

/// A paste of more lines or letters is folded.
const MAX_LINES: usize = 8;
const MAX_CHARS: usize = 800;

/// Folded pastes, by their names.
#[derive(Debug, Default)]
pub(super) struct Pastes {
    folded: Vec<(String, String)>,
}

impl Pastes {
    /// The text, or the name that stands for it.
    pub(super) fn fold(&mut self, text: &str) -> String {
        let lines = text.lines().count();
        if lines <= MAX_LINES && text.chars().count() <= MAX_CHARS {
            return text.to_owned();
        }
        let number = self.folded.len() + 1;
        let name = match lines {
            1 => format!("[Pasted text {number}: {} characters]", text.chars().count()),
            _ => format!("[Pasted text {number}: {lines} lines]"),
        };
        self.folded.push((name.clone(), text.to_owned()));
        name
    }

    /// The text with what names stand for. A paste may hold a name itself: each is looked for in the text alone.
    pub(super) fn unfold(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let next = |rest: &str| {
            let found =
                self.folded.iter().filter_map(|(name, whole)| Some((rest.find(name.as_str())?, name, whole)));
            found.min_by_key(|(at, ..)| *at).map(|(at, name, whole)| (at, name.len(), whole.clone()))
        };
        while let Some((at, length, whole)) = next(rest) {
            out.push_str(&rest[..at]);
            out.push_str(&whole);
            rest = &rest[at + length..];
        }
        out.push_str(rest);
        out
    }

    /// The length of the name that this text ends with.
    pub(super) fn name_before(&self, text: &str) -> Option<usize> {
        self.folded.iter().find(|(name, _)| text.ends_with(name.as_str())).map(|(name, _)| name.len())
    }
}
