//! What the person said before.

/// What was said, and how far back one has gone in it.
#[derive(Debug, Default)]
pub(crate) struct PromptHistory {
    said: Vec<String>,
    /// How many steps back, and what was being written before the first of them.
    back: Option<(usize, String)>,
}

impl PromptHistory {
    /// What was said before all that is known, oldest first.
    pub(super) fn before(&mut self, said: Vec<String>) {
        self.said.splice(0..0, said);
    }

    pub(super) fn add(&mut self, text: &str) {
        if !text.is_empty() && self.said.last().is_none_or(|last| last != text) {
            self.said.push(text.to_owned());
        }
        self.back = None;
    }

    pub(super) fn forget_place(&mut self) {
        self.back = None;
    }

    /// One step back from what is being written.
    pub(super) fn older(&mut self, written: &str) -> Option<String> {
        let steps = self.back.as_ref().map_or(1, |(steps, _)| steps + 1);
        let said = self.said.get(self.said.len().checked_sub(steps)?)?.clone();
        let draft = self.back.take().map_or_else(|| written.to_owned(), |(_, draft)| draft);
        self.back = Some((steps, draft));
        Some(said)
    }

    /// One step forward; after the last, what was being written.
    pub(super) fn newer(&mut self) -> Option<String> {
        let (steps, draft) = self.back.take()?;
        if steps == 1 {
            return Some(draft);
        }
        self.back = Some((steps - 1, draft));
        self.said.get(self.said.len() - (steps - 1)).cloned()
    }

    /// The newest before this place that has these words in it, with its place. Capitals count if one is looked for.
    pub(super) fn find(&self, words: &str, before: Option<usize>) -> Option<(usize, &str)> {
        let as_typed = words.chars().any(char::is_uppercase);
        let has = |said: &str| said.contains(words) || !as_typed && said.to_lowercase().contains(words);
        let before = before.unwrap_or(self.said.len()).min(self.said.len());
        self.said[..before]
            .iter()
            .enumerate()
            .rev()
            .find(|(_, said)| has(said))
            .map(|(at, said)| (at, &**said))
    }
}
